"""Asks every question and adds up what came back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from time import perf_counter
from typing import Any, Final, TypeAlias

from atril.errors import InvalidArgument, LimitExceeded
from atril.evaluation.datasets import Question
from atril.evaluation.metrics import CUTOFF, Ranks, percentile, rank
from atril.types import SearchResult

Search: TypeAlias = Callable[[str, int], Awaitable[SearchResult]]
"""Runs one query and gives at most so many hits."""

MAX_HITS: Final = 1000
HITS_PER_PLACE: Final = 3
"""Several chunks may share a place, so more hits are asked for than places are counted."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Wall milliseconds of a search, as its caller sees them."""

    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: the place of each relevant item, and how long the search took."""

    id: str
    query: str
    ranks: Ranks
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Means over the questions that have something to find; `unanswerable` counts the others.

    `recall` maps k to recall@k. Every measure lies in 0..1.
    """

    questions: int
    unanswerable: int
    recall: dict[int, float]
    mrr: float
    ndcg: float
    latency: Latency
    outcomes: tuple[Outcome, ...]

    @property
    def misses(self) -> tuple[Outcome, ...]:
        """The questions with nothing relevant in the first places, in order."""
        return tuple(outcome for outcome in self.outcomes if outcome.ranks.reciprocal == 0.0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "unanswerable": self.unanswerable,
            "recall": {str(k): value for k, value in self.recall.items()},
            f"mrr@{CUTOFF}": self.mrr,
            f"ndcg@{CUTOFF}": self.ndcg,
            "latency_ms": asdict(self.latency),
            "misses": [{"id": miss.id, "query": miss.query} for miss in self.misses],
        }


async def evaluate(
    questions: Sequence[Question],
    search: Search,
    *,
    ks: Sequence[int] = (1, 5, 10),
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Searches for each question, one after another; `progress(done, total)` is called after each.

    Raises `InvalidArgument` for a k below 1 and `LimitExceeded` for one above 1,000.
    """
    cutoffs = _checked(ks)
    hits = min(MAX_HITS, HITS_PER_PLACE * max(CUTOFF, *cutoffs))
    outcomes = []
    milliseconds = []
    for done, question in enumerate(questions, start=1):
        start = perf_counter()
        result = await search(question.query, hits)
        milliseconds.append((perf_counter() - start) * 1000)
        if question.relevant:
            ranks = rank(result.results, question.relevant)
            outcomes.append(Outcome(question.id, question.query, ranks, milliseconds[-1]))
        if progress is not None:
            progress(done, len(questions))
    return _summary(len(questions), outcomes, milliseconds, cutoffs)


def _checked(ks: Sequence[int]) -> list[int]:
    cutoffs = sorted(set(ks))
    if not cutoffs or cutoffs[0] < 1:
        raise InvalidArgument(name="k", value=list(ks), allowed="allowed.range", least=1, most=MAX_HITS)
    if cutoffs[-1] > MAX_HITS:
        raise LimitExceeded(name="k", value=cutoffs[-1], allowed=MAX_HITS)
    return cutoffs


def _summary(
    asked: int, outcomes: list[Outcome], milliseconds: list[float], cutoffs: list[int]
) -> Evaluation:
    ranks = [outcome.ranks for outcome in outcomes]

    def mean(values: list[float]) -> float:
        return fmean(values) if values else 0.0

    return Evaluation(
        questions=asked,
        unanswerable=asked - len(outcomes),
        recall={k: mean([each.recall(k) for each in ranks]) for k in cutoffs},
        mrr=mean([each.reciprocal for each in ranks]),
        ndcg=mean([each.ndcg for each in ranks]),
        latency=Latency(*(percentile(milliseconds, share) for share in (0.50, 0.95, 0.99))),
        outcomes=tuple(outcomes),
    )
