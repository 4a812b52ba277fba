"""What a model has asked for because its context lacked it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atril.answering.gathering import Gatherer
from atril.answering.meta import Need
from atril.retrieval.live import ScoredChunk
from atril.retrieval.search_filters import SearchFilters
from atril.retrieval.searcher import Searcher
from atril.store.records import Records
from atril.types import Scope

ASKED_FOR = 1.0
"""The score of an article that was asked for by its number, as of one that a question cites."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Fetches what is needed from one home."""

    records: Records
    searcher: Searcher
    gatherer: Gatherer

    async def fetch(self, scope: Scope, needs: Sequence[Need], filters: SearchFilters) -> list[ScoredChunk]:
        """The passages for all needs, with the scores of a search: the article itself; else what is nearest
        to the words inside that law; else what a search for the words finds."""
        found: list[ScoredChunk] = []
        for need in needs:
            found += await self._one(scope, need, filters)
        return found

    async def _one(self, scope: Scope, need: Need, filters: SearchFilters) -> list[ScoredChunk]:
        if need.article and need.law:
            points = await self.records.articles(scope, [need.law], [need.article])
            if points:
                stored = await self.records.hydrate(scope, points)
                return [ScoredChunk(stored[point], ASKED_FOR) for point in points if point in stored]
            inside = await self._inside(scope, need.law, need.words, filters)
            if inside:
                return inside
        searches = await self.gatherer.search(scope, [need.words], filters)
        return [chunk for each in searches for chunk in each.chunks]

    async def _inside(self, scope: Scope, law: str, words: str, filters: SearchFilters) -> list[ScoredChunk]:
        document = (await self.records.named(scope, [law])).get(law)
        if document is None:
            return []
        inside = SearchFilters(collections=filters.collections, labels=filters.labels, document=document.name)
        top_k = self.gatherer.options.per_collection
        found = await self.searcher.retrieve(scope, words, mode="semantic", top_k=top_k, filters=inside)
        return list(found.chunks)
