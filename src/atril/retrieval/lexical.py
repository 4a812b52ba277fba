"""Search by words: BM25 over analysed terms.

Each word of the query, or part of it that has synonyms, is a group that any of its alternatives satisfies.
Chunks that satisfy every group are taken first and, when they are too few, chunks that satisfy some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final, Literal
from uuid import UUID

import numpy as np

from atril.documents.analysis import QueryTerm, query_terms, term_id
from atril.retrieval.live import Pool
from atril.retrieval.synonyms import Synonym, SynonymSource
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index, ScoredPoint, SparseVector
from atril.store.records import Records
from atril.store.terms import TermStatistics, query_weights
from atril.types import Scope

SYNONYM_WEIGHT: Final = 0.7
"""What a synonym counts beside the word that was written."""

CANDIDATES: Final = 100
"""How many of the best chunks, or twice as many as are wanted, are looked through for every group."""

Operator = Literal["AND", "OR"]


@dataclass(frozen=True, slots=True)
class Group:
    """A part of a query and what may stand for it: each alternative as written, with its words."""

    alternatives: tuple[tuple[str, tuple[QueryTerm, ...]], ...]
    _ids: tuple[tuple[frozenset[int], ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = (tuple(frozenset(map(term_id, word.terms)) for word in words) for _, words in self.alternatives)
        object.__setattr__(self, "_ids", tuple(ids))

    def held_by(self, terms: frozenset[int]) -> bool:
        return any(words and all(not terms.isdisjoint(word) for word in words) for words in self._ids)

    def __str__(self) -> str:
        written = [text for text, _ in self.alternatives]
        return written[0] if len(written) == 1 else f"({' OR '.join(written)})"


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query as the index weighs it.

    `words` has one entry for each word that tells something, with its term in every language of the library;
    `weights` is the inverse document frequency of those terms and of their synonyms' that the tenant's
    library holds, and `vector` the same for the engine.
    """

    words: tuple[QueryTerm, ...]
    weights: Mapping[str, float]
    vector: SparseVector
    statistics: TermStatistics
    groups: tuple[Group, ...] = ()
    synonyms: tuple[str, ...] = ()

    @property
    def expanded(self) -> str | None:
        """The query with its synonyms, as people write conditions; `None` when it has none."""
        return " AND ".join(map(str, self.groups)) if self.synonyms else None

    def holds(self, word: QueryTerm) -> bool:
        """Whether some text of the library has the word."""
        return any(term in self.weights for term in word.terms)

    def rarity(self, written: str) -> float:
        """How much a word of the query tells, as written there: the inverse document frequency of its rarest
        term, infinite for one that the library never uses."""
        terms = (term for word in self.words if word.word == written for term in word.terms)
        return max((self.weights.get(term, inf) for term in terms), default=0.0)

    def fullest(
        self, points: Sequence[ScoredPoint], terms: Mapping[UUID, frozenset[int]]
    ) -> tuple[list[ScoredPoint], int]:
        """The points that hold every group before the others, and how many they are; `terms` is what each of
        the points holds."""
        full: list[ScoredPoint] = []
        others: list[ScoredPoint] = []
        for point in points:
            held = terms.get(point.id, frozenset())
            (full if all(group.held_by(held) for group in self.groups) else others).append(point)
        return [*full, *others], len(full)


async def analyse_query(
    records: Records, scope: Scope, query: str, source: SynonymSource | None = None
) -> LexicalQuery:
    """The query's words in every language the library holds, weighed with the tenant's own statistics."""
    languages = await records.languages(scope)
    words = tuple(query_terms(query, languages))
    synonyms = tuple(source.synonyms(query, languages)) if source else ()
    groups = _groups(query, words, synonyms, languages)
    others = tuple(word for group in groups for _, said in group.alternatives[1:] for word in said)
    ids = {term: term_id(term) for word in (*words, *others) for term in word.terms}
    statistics = await records.statistics(scope, list(ids.values()))
    weights = {
        term: statistics.idf(number) for term, number in ids.items() if number in statistics.frequencies
    }
    vector = query_weights(words, statistics)
    return LexicalQuery(
        words=words,
        weights=weights,
        vector=_with_synonyms(vector, query_weights(others, statistics)) if others else vector,
        statistics=statistics,
        groups=groups,
        synonyms=tuple(dict.fromkeys(word for each in synonyms for word in each.words)),
    )


async def lexical_pool(
    index: Index, scope: Scope, query: LexicalQuery, limit: int, where: Filter | None
) -> Pool:
    """Points that share a term with the query, by BM25; words nobody wrote find nothing."""
    if not query.weights:
        return Pool((), exhausted=True)
    points = await index.search_sparse(scope, query.vector, limit=limit, where=where)
    return Pool(points, exhausted=len(points) < limit)


def _groups(
    query: str, words: Sequence[QueryTerm], synonyms: Sequence[Synonym], languages: Sequence[str]
) -> tuple[Group, ...]:
    groups: list[Group] = []
    place = 0
    while place < len(words):
        word = words[place]
        about = next((each for each in synonyms if each.start <= word.start and word.end <= each.end), None)
        end = about.end if about else word.end
        own = tuple(each for each in words[place:] if each.end <= end)
        said = ((each, tuple(query_terms(each, languages))) for each in (about.words if about else ()))
        start = about.start if about else word.start
        groups.append(Group(((query[start:end], own), *said)))
        place += max(1, len(own))
    return tuple(groups)


def _with_synonyms(own: SparseVector, others: SparseVector) -> SparseVector:
    """What was written counts in full, what stands for it less, and nothing twice."""
    kept = ~np.isin(others.indices, own.indices)
    indices = np.concatenate((own.indices, others.indices[kept]))
    values = np.concatenate((own.values, others.values[kept] * np.float32(SYNONYM_WEIGHT)))
    order = np.argsort(indices)
    return SparseVector(indices[order], values[order])
