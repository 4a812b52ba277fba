"""The things that a question asks, each ready to be searched for by words and by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from atril.documents.languages import UNKNOWN, detect
from atril.messages import LANGUAGES
from atril.models.embeddings import Embedder, Vectors
from atril.retrieval.fusion import Fusion, fuse
from atril.retrieval.glossary import Glossary
from atril.retrieval.lexical import LexicalQuery, analyse_query, lexical_pool
from atril.retrieval.live import Pool
from atril.retrieval.meanings import Meanings, drawn
from atril.retrieval.planner import Expansion, Plan, plan
from atril.retrieval.ranking import RankingOptions
from atril.retrieval.semantic import semantic_pool
from atril.retrieval.synonyms import Synonym, SynonymSource
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index, ScoredPoint
from atril.store.records import Records
from atril.types import Scope

MAX_PLANNED: Final = 400
"""Characters of a question that is planned; what is longer is a passage and searched for as it is."""

SPOKEN: Final = 0.05
"""The share of a library's documents from which it counts as holding a language: one document of many may
have been taken for another language than it is in."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing asked: the text searched for, its words, and its meaning as a unit vector.

    `weight` scales the scores of what is found for it, `words_weight` is what its words count beside its
    meaning.
    """

    text: str
    words: LexicalQuery
    meaning: Vectors
    weight: float
    words_weight: float


@dataclass(frozen=True, slots=True)
class Found:
    """What one of the lists of a search held: its points with their own scores, best first."""

    facet: Facet
    by: str
    points: Sequence[ScoredPoint]


@dataclass(frozen=True, slots=True)
class Question:
    """A question made ready. The first facet is the whole of it; `vector` is what the question itself means,
    before a glossary draws it elsewhere. It is `unfamiliar` when there is a glossary in its language in which
    nothing of it stands."""

    facets: tuple[Facet, ...]
    vector: Vectors
    plan: Plan
    expansions: tuple[Expansion, ...]
    language: str
    across: bool
    unfamiliar: bool = False

    @property
    def added(self) -> list[str]:
        """The words of glossary and synonyms that were searched for too."""
        terms = (term for expansion in self.expansions for term in expansion.terms)
        return list(dict.fromkeys((*terms, *self.facets[0].words.synonyms)))


@dataclass(frozen=True, slots=True)
class _Both:
    """What a glossary found in a query, and a user's own synonyms where it found nothing."""

    expansions: Sequence[Expansion]
    source: SynonymSource | None

    def synonyms(self, query: str, languages: Sequence[str]) -> list[Synonym]:
        found = [Synonym(each.start, each.end, tuple(each.terms)) for each in self.expansions]
        for own in self.source.synonyms(query, languages) if self.source else ():
            if all(own.end <= each.start or each.end <= own.start for each in found):
                found.append(own)
        return sorted(found, key=lambda each: each.start)


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes questions ready for one home."""

    records: Records
    embedder: Embedder
    meanings: Meanings
    glossary: Glossary | None
    synonyms: SynonymSource | None
    options: RankingOptions

    async def prepare(
        self,
        scope: Scope,
        query: str,
        embedding: Awaitable[Vectors],
        citations: Sequence[tuple[int, int]] = (),
    ) -> Question:
        """The whole question as one facet, and one more for each part of a question about several things.
        `embedding` gives what the question means, and is waited for at the end."""
        held = await self.records.language_shares(scope)
        language = detect(query, candidates=sorted({*held, *LANGUAGES}))
        across = bool(held) and language != UNKNOWN and held.get(language, 0.0) < SPOKEN
        expansions = tuple(self.glossary.expand(query, list(held))) if self.glossary else ()
        words = await analyse_query(self.records, scope, query, _Both(expansions, self.synonyms))
        planned = self._plan(query, language, expansions, citations, words)
        towards = await self._towards(expansions)
        vector = await embedding
        counts = self.options.across if across else 1.0
        whole = Facet(query, words, drawn(vector, towards, self.options.expanded), 1.0, counts)
        parts = await self._parts(scope, planned, counts) if self.options.part else []
        unfamiliar = self.glossary is not None and self.glossary.language == language and not expansions
        return Question((whole, *parts), vector, planned, expansions, language, across, unfamiliar)

    def _plan(
        self,
        query: str,
        language: str,
        expansions: Sequence[Expansion],
        citations: Sequence[tuple[int, int]],
        words: LexicalQuery,
    ) -> Plan:
        if len(query) > MAX_PLANNED:
            return Plan(())
        return plan(query, language, expansions, citations=citations, rarity=words.rarity)

    async def _towards(self, expansions: Sequence[Expansion]) -> list[Vectors]:
        texts = list(dict.fromkeys(" ".join(expansion.terms) for expansion in expansions))
        return await self.meanings.of(self.embedder, texts) if self.options.expanded else []

    async def _parts(self, scope: Scope, planned: Plan, counts: float) -> list[Facet]:
        if len(planned.queries) < 2:
            return []
        texts = [query.text for query in planned.queries]
        vectors = await self.meanings.of(self.embedder, texts)
        analysed = (analyse_query(self.records, scope, text, self.synonyms) for text in texts)
        words = await asyncio.gather(*analysed)
        return [
            Facet(text, said, vector, self.options.part, counts)
            for text, said, vector in zip(texts, words, vectors, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Lists:
    """Runs the lists of a question's facets and makes them one."""

    index: Index
    scope: Scope
    where: Filter | None
    fusion: Fusion

    async def search(self, question: Question, limit: int, hear: Callable[[Found], None]) -> Pool:
        """Points by the best score that any facet gives them; `hear` is told every list on the way."""
        best: dict[UUID, float] = {}
        exhausted = True
        for facet in question.facets:
            words = await lexical_pool(self.index, self.scope, facet.words, limit, self.where)
            meaning = await semantic_pool(self.index, self.scope, facet.meaning, limit, self.where)
            hear(Found(facet, "words", words.points))
            hear(Found(facet, "meaning", meaning.points))
            exhausted = exhausted and words.exhausted and meaning.exhausted
            fused = fuse((words.points, meaning.points), self.fusion, (facet.words_weight, 1.0))
            for point in fused:
                best[point.id] = max(best.get(point.id, 0.0), point.score * facet.weight)
        points = [ScoredPoint(point, score) for point, score in best.items()]
        return Pool(sorted(points, key=lambda point: (-point.score, point.id.int)), exhausted)
