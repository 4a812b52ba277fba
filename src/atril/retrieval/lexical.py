"""Search by words: BM25 over analysed terms, any of the query's words being enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from atril.documents.analysis import QueryTerm, query_terms, term_id
from atril.retrieval.live import Pool
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index, SparseVector
from atril.store.records import Records
from atril.store.terms import TermStatistics, query_weights
from atril.types import Scope


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query as the index weighs it.

    `words` has one entry for each word that tells something, with its term in every language of the library;
    `weights` is the inverse document frequency of those terms that the tenant's library holds, and
    `vector` the same for the engine.
    """

    words: tuple[QueryTerm, ...]
    weights: Mapping[str, float]
    vector: SparseVector
    statistics: TermStatistics


async def analyse_query(records: Records, scope: Scope, query: str) -> LexicalQuery:
    """The query's words in every language the library holds, weighed with the tenant's own statistics."""
    words = tuple(query_terms(query, await records.languages(scope)))
    ids = {term: term_id(term) for word in words for term in word.terms}
    statistics = await records.statistics(scope, list(ids.values()))
    weights = {
        term: statistics.idf(number) for term, number in ids.items() if number in statistics.frequencies
    }
    return LexicalQuery(words, weights, query_weights(words, statistics), statistics)


async def lexical_pool(
    index: Index, scope: Scope, query: LexicalQuery, limit: int, where: Filter | None
) -> Pool:
    """Points that share a term with the query, by BM25; words nobody wrote find nothing."""
    if not query.weights:
        return Pool((), exhausted=True)
    points = await index.search_sparse(scope, query.vector, limit=limit, where=where)
    return Pool(points, exhausted=len(points) < limit)
