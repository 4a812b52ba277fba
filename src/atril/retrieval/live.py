"""From points to chunks: what an engine found, read from the records and put in its final order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from atril.store.index.protocol import MAX_LIMIT, ScoredPoint
from atril.types import Document, Scope, StoredChunk

WIDENING: Final = 4


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates, best first, and whether the engine has no more of them."""

    points: Sequence[ScoredPoint]
    exhausted: bool


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk of a current version with its final score."""

    stored: StoredChunk
    score: float


class HydratesPoints(Protocol):
    async def hydrate(self, scope: Scope, points: Sequence[UUID]) -> Mapping[UUID, StoredChunk]: ...

    def remembered(self, point: UUID) -> Document | None:
        """The document of a point if it is in memory, whether or not the point still counts."""
        ...


Condition: TypeAlias = Callable[[StoredChunk], bool]
Fetch: TypeAlias = Callable[[int], Awaitable[Pool]]
Weigh: TypeAlias = Callable[[Document], float]


async def live_chunks(
    records: HydratesPoints,
    scope: Scope,
    fetch: Fetch,
    *,
    top_k: int,
    first_limit: int,
    weigh: Weigh = lambda document: 1.0,
    heaviest: float = 1.0,
    keep: Condition | None = None,
) -> list[ScoredChunk]:
    """The best `top_k` chunks by score × weight; no chunk may weigh more than `heaviest`.

    A point without a current chunk is left over from a version that is gone; it is dropped, and so is a
    chunk that `keep` refuses. The engine is asked for more until `top_k` are found or it has no more.
    """
    known: dict[UUID, StoredChunk | None] = {}
    limit = first_limit
    while True:
        pool = await fetch(limit)
        chunks = await _best(records, scope, pool.points, known, top_k, weigh, heaviest, keep)
        if len(chunks) >= top_k or pool.exhausted or limit >= MAX_LIMIT:
            return chunks
        limit = min(MAX_LIMIT, limit * WIDENING)


async def _best(
    records: HydratesPoints,
    scope: Scope,
    points: Sequence[ScoredPoint],
    known: dict[UUID, StoredChunk | None],
    top_k: int,
    weigh: Weigh,
    heaviest: float,
    keep: Condition | None,
) -> list[ScoredChunk]:
    # Weights of documents that are not remembered are known only after reading, so chunks are read a batch at
    # a time, those that may be best first, until no point that is left could enter even with the heaviest
    # weight (the threshold algorithm of Fagin, Lotem and Naor).
    def most(point: ScoredPoint) -> tuple[float, int]:
        document = records.remembered(point.id)
        return -point.score * (heaviest if document is None else weigh(document)), point.id.int

    best: list[ScoredChunk] = []
    ahead = _in_order(points, most, heaviest)
    while batch := [points[place] for place in islice(ahead, top_k)]:
        if len(best) >= top_k and _order(best[top_k - 1]) <= most(batch[0]):
            break
        unknown = [point.id for point in batch if point.id not in known]
        found = await records.hydrate(scope, unknown) if unknown else {}
        if keep is not None and found:
            found = await asyncio.to_thread(_kept, found, keep)
        known.update((identity, found.get(identity)) for identity in unknown)
        for point in batch:
            stored = known[point.id]
            if stored is not None:
                best.append(ScoredChunk(stored, point.score * weigh(stored.document)))
        best.sort(key=_order)
    return best[:top_k]


def _in_order(
    points: Sequence[ScoredPoint], most: Callable[[ScoredPoint], tuple[float, int]], heaviest: float
) -> Iterator[int]:
    """The places of points, which come best first, in the order of the most that they can reach; it is asked of
    no more of them than needed."""
    weighed: list[tuple[tuple[float, int], int]] = []
    for place, point in enumerate(points):
        while weighed and weighed[0][0] <= (-point.score * heaviest, point.id.int):
            yield heappop(weighed)[1]
        heappush(weighed, (most(point), place))
    yield from (place for _, place in sorted(weighed))


def _kept(found: Mapping[UUID, StoredChunk], keep: Condition) -> dict[UUID, StoredChunk]:
    return {point: stored for point, stored in found.items() if keep(stored)}


def _order(chunk: ScoredChunk) -> tuple[float, int]:
    return -chunk.score, chunk.stored.point.int
