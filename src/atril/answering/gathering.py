"""From queries to the passages that an answer is made from."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from atril.answering.expansion import Expander, Expansion
from atril.answering.options import UnifiedOptions
from atril.retrieval.live import ScoredChunk
from atril.retrieval.ranking import best_first
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import MAX_TOP_K, Retrieval, Searcher
from atril.store.records import Records
from atril.types import Scope, StoredChunk


@dataclass(frozen=True, slots=True)
class Found:
    """What one query found, after its caps."""

    retrieval: Retrieval
    chunks: tuple[ScoredChunk, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Passages best first: `chunks` are those that go to the model, `cut` how many more there were."""

    chunks: tuple[ScoredChunk, ...]
    searches: tuple[Found, ...]
    carried: tuple[ScoredChunk, ...]
    expansion: Expansion
    cut: int


def capped(chunks: Iterable[ScoredChunk], per_collection: int, per_query: int) -> tuple[ScoredChunk, ...]:
    """The best passages of a query, best first, at most so many of one collection and in all."""
    taken: Counter[str] = Counter()
    kept = []
    for chunk in best_first(tuple(chunks)):
        collection = chunk.stored.document.collection
        if taken[collection] < per_collection:
            taken[collection] += 1
            kept.append(chunk)
    return tuple(kept[:per_query])


def merged(lists: Iterable[Iterable[ScoredChunk]], limit: int) -> list[ScoredChunk]:
    """The passages of several lists, each with the highest of its scores; the best `limit` of them."""
    best: dict[object, ScoredChunk] = {}
    for chunk in (chunk for found in lists for chunk in found):
        known = best.get(chunk.stored.point)
        if known is None or chunk.score > known.score:
            best[chunk.stored.point] = chunk
    return best_first(tuple(best.values()))[:limit]


def with_carried(
    fresh: Sequence[ScoredChunk], carried: Sequence[StoredChunk], score: float
) -> list[ScoredChunk]:
    """What the last answer used beside what was found now, at `score` but never above the first of the
    latter. A passage that was found again keeps the better of both scores."""
    most = min(score, fresh[0].score) if fresh else score
    return merged((fresh, (ScoredChunk(stored, most) for stored in carried)), len(fresh) + len(carried))


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Searches one home for several queries and joins what was found."""

    searcher: Searcher
    records: Records
    expander: Expander
    options: UnifiedOptions

    async def gather(
        self,
        scope: Scope,
        queries: Sequence[str],
        filters: SearchFilters,
        carried: Sequence[StoredChunk] = (),
        *,
        extra: Iterable[ScoredChunk] = (),
        limit: int | None = None,
    ) -> Gathered:
        """The context for `queries`, none of which is needed when something is carried over. `extra` passages
        come with scores of their own; `limit` is `to_model` unless it is given."""
        searches = await self.search(scope, queries, filters)
        fresh = merged((*(found.chunks for found in searches), extra), self.options.across_queries)
        chunks = with_carried(fresh, carried, self.options.carried_score)
        expansion = await self.expander.expand(scope, chunks)
        joined = (joined.chunk for joined in expansion.joined)
        every = merged((chunks, joined), len(chunks) + len(expansion.joined))
        kept = every[: self.options.to_model if limit is None else limit]
        points = {stored.point for stored in carried}
        return Gathered(
            tuple(kept),
            tuple(searches),
            tuple(chunk for chunk in chunks if chunk.stored.point in points),
            expansion,
            len(every) - len(kept),
        )

    async def search(self, scope: Scope, queries: Sequence[str], filters: SearchFilters) -> list[Found]:
        """What each query found; they run at the same time."""
        options = self.options
        collections = filters.collections or scope.collections or await self.records.collections(scope)
        # A share matters only where several collections compete; enough is read to give each of them its own.
        shared = len(collections) > 1
        share = options.per_collection if shared else options.per_query
        wanted = min(MAX_TOP_K, 2 * options.per_query if shared else options.per_query)

        async def one(query: str) -> Found:
            found = await self.searcher.retrieve(scope, query, mode="hybrid", top_k=wanted, filters=filters)
            return Found(found, capped(found.chunks, share, options.per_query))

        return list(await asyncio.gather(*map(one, queries)))
