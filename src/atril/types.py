"""The frozen values that cross rooms.

Offsets are code points in a document's canonical text; `start` is inclusive and `end` exclusive. Pages
and chunk numbers are 1-based. Scores are described where they are made: they rank within one search only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

DEFAULT_TENANT = "default"
DEFAULT_COLLECTION = "default"

SearchMode = Literal["hybrid", "lexical", "semantic"]
ChunkType = Literal["content", "table", "list", "code", "section_header"]
"""`section_header` is a heading with no text of its own under it."""

ProgressStage = Literal["reading", "embedding", "saving"]

FailureReason = Literal[
    "encrypted", "corrupt", "empty", "too_large", "needs_ocr", "unsupported", "timeout", "unreadable"
]


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks and what they may see; the first argument of every call into store and index.

    `collections` and `labels` narrow what exists for this caller: `None` and `()` mean all of it, and a
    document is visible when it carries at least one of the labels. `language` is the language of texts
    for people (es, en, ru), never a filter.
    """

    tenant: str = DEFAULT_TENANT
    collections: tuple[str, ...] | None = None
    labels: tuple[str, ...] = ()
    language: str | None = None
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged document: its 1-based number and its slice of the canonical text.

    `label` is what the document itself calls the page ("iv", "F-12"), where it says so. `confidence` (0 to 1)
    is that of text recognition, on pages whose text came from it.
    """

    number: int
    start: int
    end: int
    label: str | None = None
    confidence: float | None = None

    def to_row(self) -> list[Any]:
        """The fields in order, for JSON; what is not known at the end is left out. `Page(*row)` reads it."""
        row: list[Any] = [self.number, self.start, self.end, self.label, self.confidence]
        while row[-1] is None:
            row.pop()
        return row


@dataclass(frozen=True, slots=True)
class Document:
    """The record of a document as it stands in the library.

    `name` is what people and tools call it; `source` is where it came from (an absolute path, or an
    upload id); `stem` begins the ids of its chunks. `pages` is `None` for formats without pages.
    `bytes` is the size of the original file. `path` is how that file was reached, which differs from `source`
    where a link leads to it, and `None` for what is no file.
    """

    id: UUID
    version: UUID
    name: str
    stem: str
    source: str
    collection: str
    labels: tuple[str, ...]
    title: str
    type: str
    language: str
    description: str
    metadata: Mapping[str, str]
    pages: int | None
    chunks: int
    bytes: int
    content_hash: str
    added_at: datetime
    path: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The keys of `atril list --json`; internal ids and hashes stay inside."""
        return {
            "name": self.name,
            "title": self.title,
            "collection": self.collection,
            "labels": list(self.labels),
            "type": self.type,
            "language": self.language,
            "pages": self.pages,
            "chunks": self.chunks,
            "bytes": self.bytes,
            "description": self.description,
            "metadata": dict(self.metadata),
            "source": self.source,
            "added_at": self.added_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class TableShape:
    """The names in a table's header row, in order, and the number of rows below it that a chunk holds.

    A table without a header row has no `columns`, and all its rows count.
    """

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A pure slice of a document's canonical text, with what is known about it.

    `content == text[start:end]`. `context` is shown and embedded with the chunk and never quoted: title,
    section path, a repeated table header. `article` is the key of a legal article ("38", "20 bis",
    "Disposición adicional primera") and `None` elsewhere. `tokens` counts `content` in tokens of the
    embedder the library was built with. `page_end` is the page of the last character. `flags` are the kinds
    of instructions to an assistant that the chunk holds (see `atril.safety`). `table` describes the first
    table of a chunk that has any.
    """

    number: int
    start: int
    end: int
    content: str
    type: ChunkType
    section_path: tuple[str, ...] = ()
    context: str = ""
    page: int | None = None
    page_end: int | None = None
    article: str | None = None
    keywords: tuple[str, ...] = ()
    description: str = ""
    has_tables: bool = False
    has_images: bool = False
    tokens: int = 0
    flags: tuple[str, ...] = ()
    table: TableShape | None = None

    @property
    def section_title(self) -> str:
        """The nearest heading above the chunk, empty before the first one."""
        return self.section_path[-1] if self.section_path else ""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk together with the document that holds it now."""

    id: str
    point: UUID
    chunk: Chunk
    document: Document


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table, or the part of one that a chunk holds: the names in its header row and how many rows are there."""

    source_file: str
    chunk_id: str
    page: int | None
    section_title: str
    columns: tuple[str, ...]
    rows: int
    collection: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"columns": list(self.columns)}


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """Something a person should know about a file that was read all the same."""

    file: str
    page: int | None
    kind: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that could not be read: why, and in `error` what a person can do about it."""

    file: str
    reason: FailureReason
    error: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AddReport:
    """What one `add` or `sync` did. `chunks` counts those written by this call."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
    chunks: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "failed": [failure.to_dict() for failure in self.failed],
            "warnings": [warning.to_dict() for warning in self.warnings],
            "chunks": self.chunks,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an `add`, `sync` or `reindex` has come.

    `total_files` grows when an archive turns out to hold several; `total_chunks` counts the chunks of the
    files read so far and grows. `file` is the one last finished in this stage or, with a `page`, the one
    being read and how far its reader has come.
    """

    stage: ProgressStage
    done_files: int
    total_files: int
    done_chunks: int
    total_chunks: int
    file: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a `reindex` rebuilt. `failed` names documents kept as they were read before."""

    documents: int
    chunks: int
    failed: tuple[Failure, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "chunks": self.chunks,
            "failed": [failure.to_dict() for failure in self.failed],
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """What references name and nothing was found for: how often, and the id of a chunk that does so.

    `document` is the one that was meant; `None` when the library does not hold it.
    """

    name: str
    document: str | None
    count: int
    example: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The references in the texts of a library.

    `found` counts those that mean a place in the library and `resolved` those whose place was found, by kind
    (article, norm, section, page, link) in `by_kind` as (found, resolved). `outside` counts those to
    documents that the library does not hold, and `outdated` those to the articles of a document that it holds
    as an older text numbers them. `missing`, `unknown` and `earlier` list the most frequent of each.
    """

    found: int
    resolved: int
    outside: int
    outdated: int
    by_kind: Mapping[str, tuple[int, int]]
    missing: tuple[UnresolvedName, ...]
    unknown: tuple[UnresolvedName, ...]
    earlier: tuple[UnresolvedName, ...]

    @property
    def share(self) -> float:
        """The share resolved of those found, 0 to 1; 1 when there are none."""
        return self.resolved / self.found if self.found else 1.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "found": self.found,
            "resolved": self.resolved,
            "share": round(self.share, 4),
            "outside": self.outside,
            "outdated": self.outdated,
            "by_kind": {
                kind: {"found": found, "resolved": resolved}
                for kind, (found, resolved) in self.by_kind.items()
            },
            "missing": [each.to_dict() for each in self.missing],
            "earlier": [each.to_dict() for each in self.earlier],
            "unknown": [each.to_dict() for each in self.unknown],
        }


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """What a hit says about its chunk; `index` is the chunk's 1-based number in its document.

    `match`, `line` and `context` are of a search by pattern only: what matched, the 1-based line of the
    document's canonical text where it begins, and the lines around it. `columns` are those of the chunk's
    first table, for who shows a part of it; they are no part of the interface.
    """

    chunk_type: str
    index: int
    section_title: str
    section_path: tuple[str, ...]
    page: int | None
    page_end: int | None
    keywords: tuple[str, ...]
    description: str
    has_tables: bool
    has_images: bool
    collection: str
    language: str
    start: int
    end: int
    article: str | None = None
    references: tuple[str, ...] = ()
    match: str | None = None
    line: int | None = None
    context: str | None = None
    columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        values = asdict(self)
        del values["columns"]
        for key in ("match", "line", "context"):
            if values[key] is None:
                del values[key]
        values["section_path"] = list(self.section_path)
        values["keywords"] = list(self.keywords)
        values["references"] = list(self.references)
        return values


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `highlights` are excerpts of `content` with `<em>` around what matched."""

    chunk_id: str
    score: float
    source_file: str
    content: str
    highlights: tuple[str, ...]
    metadata: ChunkMetadata

    def to_dict(self) -> dict[str, Any]:
        return {
            "chunk_id": self.chunk_id,
            "score": self.score,
            "source_file": self.source_file,
            "content": self.content,
            "highlights": list(self.highlights),
            "metadata": self.metadata.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """One query that was searched for: the glossary's words that joined it, and what was left out and why."""

    query: str
    added: tuple[str, ...]
    cut: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"query": self.query, "added": list(self.added), "cut": list(self.cut)}


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Which lists held a result, at what rank and with what score, and what moved it since."""

    chunk_id: str
    found: tuple[str, ...]
    moved: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"chunk_id": self.chunk_id, "found": list(self.found), "moved": list(self.moved)}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a search gave what it gave, in sentences of the caller's language; `hits` is in their order."""

    queries: tuple[QueryExplanation, ...]
    lookups: tuple[str, ...]
    notes: tuple[str, ...]
    hits: tuple[HitExplanation, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "queries": [query.to_dict() for query in self.queries],
            "lookups": list(self.lookups),
            "notes": list(self.notes),
            "hits": [hit.to_dict() for hit in self.hits],
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search; `search_params` carries the parameters that really ran.

    `total_files` is how many documents a pattern matched in, `None` for every other search. `explanation` is
    there when it was asked for.
    """

    query: str
    search_type: str
    results: tuple[Hit, ...]
    search_params: Mapping[str, Any]
    execution_time_ms: float
    expanded_query: str | None = None
    total_files: int | None = None
    explanation: Explanation | None = None

    @property
    def total_found(self) -> int:
        return len(self.results)

    def to_dict(self) -> dict[str, Any]:
        files = {} if self.total_files is None else {"total_files": self.total_files}
        explained = {} if self.explanation is None else {"explanation": self.explanation.to_dict()}
        return {
            "query": self.query,
            "expanded_query": self.expanded_query,
            "total_found": self.total_found,
            **files,
            "search_type": self.search_type,
            "execution_time_ms": round(self.execution_time_ms, 3),
            "search_params": dict(self.search_params),
            "results": [hit.to_dict() for hit in self.results],
            **explained,
        }


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


MessageRole = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """One message of a conversation. `sequence` counts from 1.

    `answer` is the `Answer` as JSON, of a message that answers, and `context_chunk_ids` are the chunks that
    its next turn may carry on.
    """

    sequence: int
    role: MessageRole
    text: str
    created_at: datetime
    answer: Mapping[str, Any] | None = None
    context_chunk_ids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "sequence": self.sequence,
            "role": self.role,
            "text": self.text,
            "created_at": self.created_at.isoformat(),
            "answer": None if self.answer is None else dict(self.answer),
            "context_chunk_ids": list(self.context_chunk_ids),
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without what was said in it: `title` is its first message, `messages` their number."""

    id: str
    title: str
    messages: int
    created_at: datetime
    updated_at: datetime
    channel: str | None = None
    contact: str | None = None
    assignee: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Transcript:
    """A whole conversation, its messages in order."""

    conversation: Conversation
    messages: tuple[LoggedMessage, ...]

    def to_dict(self) -> dict[str, Any]:
        return self.conversation.to_dict() | {"messages": [each.to_dict() for each in self.messages]}


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
