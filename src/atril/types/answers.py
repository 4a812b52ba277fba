"""An answer, its proof and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered quote: a verbatim slice `start`–`end` of the document's canonical text."""

    number: int
    chunk_id: str
    source_file: str
    page: int | None
    section_title: str
    article: str | None
    quote: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens one model role read and wrote."""

    input: int = 0
    output: int = 0


IssueKind = Literal["unsupported", "dropped_citation", "invented_citation", "number", "unknown_chunk"]
"""A sentence that nothing in the context supports; a citation whose words were not found in its chunk; one
whose number does not exist; a number that neither the context nor the question holds; a chunk to carry over
that is not in the library."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Something in an answer that does not hold, and the words of the answer or of the request it is about."""

    kind: IssueKind
    text: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step on the way to an answer, in sentences of the reader's language."""

    name: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a model was told, message by message as (role, content), and what it replied."""

    role: str
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str

    def to_dict(self) -> dict[str, Any]:
        messages = [{"role": role, "content": content} for role, content in self.messages]
        return {"role": self.role, "model": self.model, "messages": messages, "reply": self.reply}


@dataclass(frozen=True, slots=True)
class AnswerExplanation:
    """How an answer came about: its stages in order, and every exchange with a model, to the letter."""

    stages: tuple[Stage, ...]
    exchanges: tuple[Exchange, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "stages": [stage.to_dict() for stage in self.stages],
            "exchanges": [exchange.to_dict() for exchange in self.exchanges],
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer, as the next turn of a conversation needs them."""

    question: str
    answer: str
    context_chunk_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its proof and its cost.

    `found` is false when the library does not hold the answer; then `text` says so and there are no
    citations. `context` lists the chunks the answer was made from, `context_chunk_ids` those that the
    next turn may carry on. `timings_ms` are wall milliseconds by stage. A text may cite one chunk several
    times: the first mark [n] belongs to the first citation with the number n, and so on. `issues` are left out
    of `to_dict` when there are none, and so is `explanation` when it was not asked for.
    """

    question: str
    text: str
    requested: str
    pipeline: str
    language: str
    found: bool
    citations: tuple[Citation, ...] = ()
    model: str | None = None
    message: str | None = None
    queries: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    context_chunk_ids: tuple[str, ...] = ()
    document_used: str | None = None
    documents_considered: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    quality: str | None = None
    calls: Mapping[str, int] = field(default_factory=dict)
    tokens: Mapping[str, Tokens] = field(default_factory=dict)
    cost: float | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    explanation: AnswerExplanation | None = None

    def to_dict(self) -> dict[str, Any]:
        found = {"issues": [issue.to_dict() for issue in self.issues]} if self.issues else {}
        explained = {} if self.explanation is None else {"explanation": self.explanation.to_dict()}
        return {
            "question": self.question,
            "text": self.text,
            "requested": self.requested,
            "pipeline": self.pipeline,
            "model": self.model,
            "language": self.language,
            "found": self.found,
            "message": self.message,
            "citations": [citation.to_dict() for citation in self.citations],
            "queries": list(self.queries),
            "context": list(self.context),
            "used": list(self.used),
            "dropped": list(self.dropped),
            "needed": list(self.needed),
            "context_chunk_ids": list(self.context_chunk_ids),
            "document_used": self.document_used,
            "documents_considered": list(self.documents_considered),
            "pages": list(self.pages),
            "quality": self.quality,
            "calls": {"reader": 0, "principal": 0, "embedding": 0} | dict(self.calls),
            "tokens": {role: asdict(self.tokens.get(role, Tokens())) for role in ("reader", "principal")},
            "cost": self.cost,
            "timings_ms": {
                stage: round(self.timings_ms.get(stage, 0.0), 3)
                for stage in ("plan", "search", "answer", "total")
            },
            **found,
            **explained,
        }
