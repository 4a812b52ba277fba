"""How the cost of a search grows with the library: the same questions against ever larger parts of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Final

from atril.evaluation.datasets import Question
from atril.evaluation.metrics import percentile
from atril.evaluation.runner import Latency
from atril.types import Document, SearchResult

SHARES: Final = (0.125, 0.25, 0.5, 1.0)
MOST_QUESTIONS: Final = 100
_HITS: Final = 10


@dataclass(frozen=True, slots=True)
class Size:
    """What the questions took with so much in the library, in wall milliseconds of one search."""

    documents: int
    chunks: int
    latency: Latency

    def to_dict(self) -> dict[str, Any]:
        return {"documents": self.documents, "chunks": self.chunks, "latency_ms": asdict(self.latency)}


async def measure_growth(
    questions: Sequence[Question],
    documents: Sequence[Document],
    fill: Callable[[Sequence[Document]], Awaitable[object]],
    search: Callable[[str, int], Awaitable[SearchResult]],
    *,
    shares: Sequence[float] = SHARES,
) -> tuple[Size, ...]:
    """Adds documents with `fill` until each of the ascending shares (0..1) is reached, and asks up to 100
    questions at each, ten hits a question. Every search is made once before it is timed."""
    asked = questions[:MOST_QUESTIONS]
    sizes: list[Size] = []
    filled = 0
    for share in shares:
        wanted = max(1, round(share * len(documents)))
        if wanted > filled:
            await fill(documents[filled:wanted])
            filled = wanted
        milliseconds = []
        for question in asked:
            await search(question.query, _HITS)
            start = perf_counter()
            await search(question.query, _HITS)
            milliseconds.append((perf_counter() - start) * 1000)
        latency = Latency(*(percentile(milliseconds, part) for part in (0.50, 0.95, 0.99)))
        sizes.append(Size(filled, sum(each.chunks for each in documents[:filled]), latency))
    return tuple(sizes)
