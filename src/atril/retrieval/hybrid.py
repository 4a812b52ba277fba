"""Search by words and by meaning together, and what is known beside them: citations, references, ranks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from atril.models.embeddings import Anchors, Vectors
from atril.retrieval.explain import Trace
from atril.retrieval.facets import Asking, Found, Lists, Question
from atril.retrieval.fusion import Fusion
from atril.retrieval.live import Condition, Pool, ScoredChunk, live_chunks
from atril.retrieval.lookup import Citation, Lookup
from atril.retrieval.ranking import (
    REFERRING,
    Moved,
    RankingOptions,
    Weigher,
    best_first,
    brought_in,
    fewer_parts,
    referenced_more,
)
from atril.retrieval.semantic import embedded
from atril.store.index.filters import AnyOf, Every, Filter
from atril.store.index.protocol import MAX_LIMIT, Index, ScoredPoint
from atril.store.records import Records
from atril.store.referring import Link
from atril.types import Scope, StoredChunk

PREFETCH_FACTOR: Final = 3
SPARE: Final = 10
"""Chunks beyond those wanted that are read too, so that what is moved up is there."""

RISING: Final = 5
"""Chunks after those wanted that may well end up among them."""

BELOW_CITED: Final = 0.999
"""The most that a chunk may score which the question does not cite, when it cites any."""

CITED_AT_MOST: Final = 1000

_NUMBERED: Final = re.compile(r"\d/\d")


@dataclass(frozen=True, slots=True)
class HybridResult:
    """Chunks best first, what the question became, and by point the calibrated similarity to the question as
    it was asked; `links` are what the chunks refer to, of those whose links were read on the way."""

    chunks: list[ScoredChunk]
    question: Question
    similarities: Mapping[UUID, float]
    trace: Trace
    links: Mapping[UUID, Sequence[Link]]


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """One home's hybrid search; `where` of a call narrows what is cited as it does everything else."""

    records: Records
    index: Index
    asking: Asking
    lookup: Lookup
    anchors: Anchors
    ranking: RankingOptions
    fusion: Fusion
    prefetch: int

    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        top_k: int,
        where: Filter | None,
        weigher: Weigher,
        keep: Condition | None = None,
    ) -> HybridResult:
        async with embedded(self.asking.embedder, query) as embedding:
            citations = await self.lookup.find(scope, query)
            spans = [(each.start, each.end) for each in citations if each.points]
            question = await self.asking.prepare(scope, query, embedding, spans)
        weigher = self._named(weigher, citations)
        similarities: dict[UUID, float] = {}
        lists: dict[tuple[str, str], Found] = {}

        def hear(found: Found) -> None:
            lists[found.facet.text, found.by] = found
            if found.by == "meaning" and found.facet.meaning is question.vector:
                similarities.update(self._calibrated(found.points))

        async def fetch(limit: int) -> Pool:
            return await Lists(self.index, scope, where, self.fusion).search(question, limit, hear)

        chunks = await live_chunks(
            self.records,
            scope,
            fetch,
            top_k=top_k + SPARE,
            first_limit=min(MAX_LIMIT, max(self.prefetch, PREFETCH_FACTOR * top_k)),
            weigh=weigher,
            heaviest=weigher.heaviest,
            keep=keep,
        )
        ranked, moves, links = await self._ranked(scope, chunks, weigher, where, top_k)
        cited = await self._cited(scope, citations, question.vector, where)
        ranked = _cited_first(ranked, [each for each in cited if keep is None or keep(each)], moves)
        trace = Trace(question, tuple(lists.values()), moves, citations)
        return HybridResult(ranked[:top_k], question, similarities, trace, links)

    def _named(self, weigher: Weigher, citations: Sequence[Citation]) -> Weigher:
        """The weigher that prefers documents which the question names by number and without a place in them:
        "Ley 20/2007". A title alone may be words that mean what they say."""
        weigher = replace(weigher, cited=frozenset(each.document.id for each in citations))
        named = frozenset(
            each.document.id for each in citations if not each.points and _NUMBERED.search(each.text)
        )
        if not named or not self.ranking.named:
            return weigher
        return replace(weigher, named=named, others=1.0 / (1.0 + self.ranking.named))

    def _calibrated(self, points: Sequence[ScoredPoint]) -> dict[UUID, float]:
        return {point.id: self.anchors.calibrate(point.score) for point in points}

    async def _ranked(
        self,
        scope: Scope,
        chunks: Sequence[ScoredChunk],
        weigher: Weigher,
        where: Filter | None,
        top_k: int,
    ) -> tuple[list[ScoredChunk], dict[UUID, list[Moved]], dict[UUID, tuple[Link, ...]]]:
        moves = {chunk.stored.point: weigher.moves(chunk.stored.document) for chunk in chunks}
        ordered = best_first(chunks)
        links: dict[UUID, tuple[Link, ...]] = {}
        if self.ranking.referenced:
            # Results show their links too: those of most of them are read here, once.
            points = [chunk.stored.point for chunk in ordered[: max(REFERRING, top_k + RISING)]]
            links = dict.fromkeys(points, ()) | await self.records.links(scope, points)
            references = {point: [link.point for link in links[point]] for point in points}
            brought = await self._brought(scope, ordered, references, weigher, where, moves, links)
            ordered = best_first([*ordered, *brought])
            raised, why = referenced_more(ordered, references, self.ranking.referenced)
            ordered = best_first(raised)
            for point, move in why.items():
                moves[point].append(move)
        lowered, why = fewer_parts(ordered, self.ranking.again)
        for point, move in why.items():
            moves[point].append(move)
        return best_first(lowered), moves, links

    async def _brought(
        self,
        scope: Scope,
        chunks: Sequence[ScoredChunk],
        references: Mapping[UUID, Sequence[UUID]],
        weigher: Weigher,
        where: Filter | None,
        moves: dict[UUID, list[Moved]],
        links: dict[UUID, tuple[Link, ...]],
    ) -> list[ScoredChunk]:
        """What the best chunks refer to, in documents of the same rank or a higher one; none under a filter."""
        wanted = brought_in(chunks, references, self.ranking.brought) if where is None else {}
        if not wanted:
            return []
        stored, their_links = await asyncio.gather(
            self.records.hydrate(scope, list(wanted)), self.records.links(scope, list(wanted))
        )
        links |= dict.fromkeys(wanted, ()) | their_links
        by_point = {chunk.stored.point: chunk.stored for chunk in chunks}
        found = []
        for point, (score, source) in wanted.items():
            if point in stored and weigher.of_rank(stored[point].document) >= weigher.of_rank(
                by_point[source].document
            ):
                moves[point] = [Moved("brought", self.ranking.brought, source)]
                found.append(ScoredChunk(stored[point], score))
        return found

    async def _cited(
        self, scope: Scope, citations: Sequence[Citation], vector: Vectors, where: Filter | None
    ) -> list[StoredChunk]:
        """The chunks that citations lead to, in their order, and only those the search may give."""
        points = list(dict.fromkeys(point for citation in citations for point in citation.points))
        if not points:
            return []
        stored = await self.records.hydrate(scope, points)
        found = [stored[point] for point in points if point in stored]
        if where is None:
            return found
        articles = tuple(each.chunk.article for each in found if each.chunk.article is not None)
        documents = tuple(str(each.document.id) for each in found)
        narrowed = Every((where, AnyOf("document", documents)))
        if articles:
            narrowed = Every((narrowed, AnyOf("article", articles)))
        allowed = await self.index.search_dense(scope, vector, limit=CITED_AT_MOST, where=narrowed)
        return [each for each in found if each.point in {point.id for point in allowed}]


def _cited_first(
    ranked: Sequence[ScoredChunk], cited: Sequence[StoredChunk], moves: dict[UUID, list[Moved]]
) -> list[ScoredChunk]:
    """What the question cites goes first, with the highest score there is."""
    if not cited:
        return list(ranked)
    points = {each.point for each in cited}
    moves.update((point, [Moved("lookup", 1.0)]) for point in points)
    others = (chunk for chunk in ranked if chunk.stored.point not in points)
    return [
        *(ScoredChunk(each, 1.0) for each in cited),
        *(replace(chunk, score=min(BELOW_CITED, chunk.score)) for chunk in others),
    ]
