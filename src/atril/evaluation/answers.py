"""Scores answers: what they cite, when they refuse, what they say, and what they cost."""

from __future__ import annotations

import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeAlias

from atril.evaluation.datasets import Question, Relevant, same_place
from atril.evaluation.metrics import percentile
from atril.types import Answer

Ask: TypeAlias = Callable[[str], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """One question and its answer. What does not apply to a question is `None`: citations and phrases to one
    that the library should not answer, refusing to one that it should."""

    id: str
    query: str
    answer: Answer
    cited: bool | None
    phrase: bool | None
    refused: bool | None
    numbers: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "query": self.query,
            "found": self.answer.found,
            "cited": self.cited,
            "phrase": self.phrase,
            "refused": self.refused,
            "numbers": self.numbers,
        }


@dataclass(frozen=True, slots=True)
class AnswerEvaluation:
    """Shares in 0..1, `None` where no question asks for them.

    `answered` are answerable questions that got an answer, `cited` those whose answer cites a relevant place
    among others, `phrase` those whose text or quotes hold one of the expected phrases, `refused` unanswerable
    ones that got none, `numbers` answers whose figures all stand in their sources. `tokens` are of all roles
    and all questions, `by_model` counts answers that a model wrote.
    """

    questions: int
    answered: float | None
    cited: float | None
    phrase: float | None
    refused: float | None
    numbers: float | None
    by_model: int
    calls: int
    tokens: int
    cost: float | None
    p50: float
    p95: float
    outcomes: tuple[AnswerOutcome, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "answered": self.answered,
            "cited": self.cited,
            "phrase": self.phrase,
            "refused": self.refused,
            "numbers": self.numbers,
            "by_model": self.by_model,
            "calls": self.calls,
            "tokens": self.tokens,
            "cost": self.cost,
            "latency_ms": {"p50": self.p50, "p95": self.p95},
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
        }


async def evaluate_answers(questions: Sequence[Question], ask: Ask) -> AnswerEvaluation:
    """Asks every question, one after another."""
    outcomes = [_outcome(question, await ask(question.query)) for question in questions]
    answers = [outcome.answer for outcome in outcomes]
    costs = [answer.cost for answer in answers if answer.cost is not None]
    milliseconds = [answer.timings_ms.get("total", 0.0) for answer in answers]
    return AnswerEvaluation(
        questions=len(outcomes),
        answered=_share([each.answer.found for each in outcomes if each.cited is not None]),
        cited=_share([each.cited for each in outcomes]),
        phrase=_share([each.phrase for each in outcomes]),
        refused=_share([each.refused for each in outcomes]),
        numbers=_share([each.numbers for each in outcomes if each.answer.found]),
        by_model=sum(answer.model is not None for answer in answers),
        calls=sum(answer.calls.get(role, 0) for answer in answers for role in ("reader", "principal")),
        tokens=sum(used.input + used.output for answer in answers for used in answer.tokens.values()),
        cost=sum(costs) if costs else None,
        p50=percentile(milliseconds, 0.50),
        p95=percentile(milliseconds, 0.95),
        outcomes=tuple(outcomes),
    )


def _outcome(question: Question, answer: Answer) -> AnswerOutcome:
    answerable = bool(question.relevant)
    said = _folded(" ".join((answer.text, *(citation.quote for citation in answer.citations))))
    return AnswerOutcome(
        id=question.id,
        query=question.query,
        answer=answer,
        cited=any(_cites(answer, place) for place in question.relevant) if answerable else None,
        phrase=any(_folded(phrase) in said for phrase in question.phrases) if question.phrases else None,
        refused=None if answerable else not answer.found,
        numbers=not any(issue.kind == "number" for issue in answer.issues),
    )


def _cites(answer: Answer, place: Relevant) -> bool:
    return any(
        same_place(
            place,
            chunk_id=citation.chunk_id,
            source_file=citation.source_file,
            article=citation.article,
            first=citation.page,
            last=citation.page,
        )
        for citation in answer.citations
    )


def _share(values: Sequence[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
