"""Search by words: BM25 over analysed terms, any of the query's words being enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from atril.documents.analysis import QueryTerm, query_terms, term_id
from atril.retrieval.live import Pool
from atril.store.index.filters import Filter
from atril.store.index.protocol import Index, SparseVector
from atril.store.records import Records
from atril.store.terms import query_weights
from atril.types import Scope


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query as the index weighs it.

    `words` has one entry for each word that is not a stop word, with its term in every language of the
    library; `weights` is the inverse document frequency of each of those terms, for this tenant.
    """

    words: tuple[QueryTerm, ...]
    weights: Mapping[str, float]
    vector: SparseVector


async def analyse_query(records: Records, scope: Scope, query: str) -> LexicalQuery:
    """The query's words in every language the library holds, weighed with the tenant's own statistics."""
    words = tuple(query_terms(query, await records.languages(scope)))
    ids = {term: term_id(term) for word in words for term in word.terms}
    statistics = await records.statistics(scope, list(ids.values()))
    vector = query_weights(words, statistics)
    by_id = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
    return LexicalQuery(words, {term: by_id.get(number, 0.0) for term, number in ids.items()}, vector)


async def lexical_pool(
    index: Index, scope: Scope, query: LexicalQuery, limit: int, where: Filter | None
) -> Pool:
    """Points that share a term with the query, by BM25; a query of stop words alone finds nothing."""
    if not query.words:
        return Pool((), exhausted=True)
    points = await index.search_sparse(scope, query.vector, limit=limit, where=where)
    return Pool(points, exhausted=len(points) < limit)
