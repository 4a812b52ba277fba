"""One search, from a query to hits in their final order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from time import perf_counter
from typing import Any, Final, get_args
from uuid import UUID

from atril.errors import InvalidArgument, LimitExceeded
from atril.models.embeddings import Embedder, Vectors
from atril.retrieval.explain import Trace, explained, explained_list
from atril.retrieval.facets import MAX_PLANNED, Asking
from atril.retrieval.fusion import Fusion
from atril.retrieval.hits import to_hits
from atril.retrieval.hybrid import HybridResult, HybridSearch
from atril.retrieval.knowledge import Knowledge
from atril.retrieval.lexical import CANDIDATES, LexicalQuery, Operator, analyse_query, lexical_pool
from atril.retrieval.live import Fetch, Pool, ScoredChunk, live_chunks
from atril.retrieval.lookup import Lookup
from atril.retrieval.operators import Operators, parse_operators
from atril.retrieval.ranking import RankingOptions, Weigher, best_first
from atril.retrieval.search_filters import NO_FILTERS, ResolvedFilters, SearchFilters, resolve
from atril.retrieval.semantic import embedded, semantic_pool
from atril.retrieval.synonyms import SynonymsOf, SynonymSource
from atril.store.index.protocol import MAX_LIMIT, Index, ScoredPoint
from atril.store.records import Records
from atril.store.referring import Link
from atril.types import Explanation, Scope, SearchMode, SearchResult

MAX_TOP_K: Final = 1000
MAX_QUERY: Final = 10_000
"""Characters of a query; a longer one is a document and not a question."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """`prefetch` is how many points each side of a hybrid search gives at least (three times `top_k` when
    that is more); `fusion` how the two sides become one, `rrf` being there to be compared with. `synonyms`
    widen a search by words."""

    prefetch: int = 50
    fusion: Fusion = "dbsf"
    synonyms: SynonymSource | None = None
    ranking: RankingOptions = field(default_factory=RankingOptions)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a search found, before it is written out for a caller.

    `similarities` are calibrated (0..1) and cover the nearest points only; `vector` is the query's own,
    `None` when nothing was embedded. `links` are what chunks refer to, where it was read on the way.
    """

    query: str
    mode: SearchMode
    chunks: tuple[ScoredChunk, ...]
    lexical: LexicalQuery
    vector: Vectors | None
    similarities: Mapping[UUID, float]
    params: Mapping[str, Any]
    trace: Trace | None = None
    links: Mapping[UUID, Sequence[Link]] = field(default_factory=dict)


class Searcher:
    """Searches one home. Everything it needs is passed in; it keeps nothing between searches."""

    def __init__(
        self,
        *,
        records: Records,
        index: Index,
        embedder: Embedder,
        options: SearchOptions | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        self._records = records
        self._index = index
        self._embedder = embedder
        self._options = options or SearchOptions()
        self._knowledge = knowledge or Knowledge()

    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        top_k: int = 10,
        min_score: float = 0.0,
        filters: SearchFilters = NO_FILTERS,
        explain: bool = False,
    ) -> SearchResult:
        """The best chunks with their highlights.

        "Phrases" in quotes must be there and words after a minus must not, except in a search by meaning
        alone and in a query of more than 400 characters. Where nothing holds the phrases, a hybrid search
        does without them and says so (`phrases_left_out`). A search by words takes chunks that hold all of
        them before chunks that hold some.
        Lexical scores are BM25, from 0 up without a bound; semantic ones are calibrated similarities in
        0..1; hybrid ones are the share of the most that fusion can give, in 0..1, times the weight of the
        chunk's collection. `min_score` is on the scale of the mode. Equal scores are ordered by document,
        then by chunk number.

        Raises `InvalidArgument` for an empty query, an unknown mode or type, a score or page that cannot be,
        `LimitExceeded` for `top_k` above 1,000 or a query above 10,000 characters, and what finding the
        document of a filter raises.
        """
        start = perf_counter()
        found = await self._find(await self._request(scope, query, mode, top_k, min_score, filters), mode)
        hits = await to_hits(self._records, scope, found.chunks, found.lexical.weights, found.links)
        elapsed = (perf_counter() - start) * 1000
        expanded = found.lexical.expanded
        explanation = self._explanation(found, scope.language) if explain else None
        return SearchResult(
            query, f"{mode}_search", hits, found.params, elapsed, expanded, explanation=explanation
        )

    async def retrieve(
        self,
        scope: Scope,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        top_k: int = 10,
        min_score: float = 0.0,
        filters: SearchFilters = NO_FILTERS,
    ) -> Retrieval:
        """As `search`, with whole chunks and what is known of the query instead of hits."""
        request = await self._request(scope, query, mode, top_k, min_score, filters)
        found = await self._find(request, mode)
        if found.vector is None or found.similarities:
            return found
        # A glossary draws a question towards the documents whether they answer it or not.
        limit, where = self._options.prefetch, request.filters.where
        near = await semantic_pool(self._index, scope, found.vector, limit, where)
        return replace(found, similarities=self._calibrated(near))

    async def _request(
        self,
        scope: Scope,
        query: str,
        mode: SearchMode,
        top_k: int,
        min_score: float,
        filters: SearchFilters,
    ) -> _Request:
        _check(query, mode, top_k, min_score)
        resolved = await resolve(scope, filters, self._records)
        # A passage that somebody pasted has quotes and dashes of its own, which ask for nothing.
        plain = mode == "semantic" or len(query) > MAX_PLANNED
        asked = Operators(query) if plain else parse_operators(query)
        return _Request(scope, query, top_k, min_score, resolved, asked)

    async def _find(self, request: _Request, mode: SearchMode) -> Retrieval:
        match mode:
            case "lexical":
                return await self._lexical(request)
            case "semantic":
                return await self._semantic(request)
            case "hybrid":
                return await self._hybrid(request)

    async def _lexical(self, request: _Request) -> Retrieval:
        source = SynonymsOf(self._options.synonyms, self._knowledge.glossary)
        lexical = await analyse_query(self._records, request.scope, request.asked.text, source)

        scores: dict[UUID, float] = {}
        full: set[UUID] = set()

        async def fetch(limit: int) -> Pool:
            pool = await lexical_pool(self._index, request.scope, lexical, limit, request.filters.where)
            terms = await self._index.terms(request.scope, [point.id for point in pool.points])
            ordered, count = lexical.fullest(pool.points, terms)
            scores.update((point.id, point.score) for point in ordered)
            full.update(point.id for point in ordered[:count])
            # Which chunks are taken is a matter of their places; in the end they stand by their scores.
            places = [ScoredPoint(point.id, -float(place)) for place, point in enumerate(ordered)]
            return Pool(places, pool.exhausted)

        depth = max(CANDIDATES, 2 * request.top_k)
        wanted = depth if request.asked.condition else request.top_k
        taken = await self._live(replace(request, top_k=wanted), fetch, depth)
        chunks = best_first(
            [replace(each, score=scores[each.stored.point]) for each in taken[: request.top_k]]
        )
        complete = len(chunks) == request.top_k and all(each.stored.point in full for each in chunks)
        operator: Operator = "AND" if complete else "OR"
        params = {
            "operator": operator,
            "top_k": request.top_k,
            **_applied(request),
            "synonyms_used": list(lexical.synonyms),
        }
        return request.found("lexical", chunks, lexical, None, {}, params)

    async def _semantic(self, request: _Request) -> Retrieval:
        lexical, vector = await self._prepare(request)
        similarities: dict[UUID, float] = {}

        async def fetch(limit: int) -> Pool:
            pool = await semantic_pool(self._index, request.scope, vector, limit, request.filters.where)
            similarities.update(self._calibrated(pool))
            return pool

        chunks = [
            replace(chunk, score=similarities[chunk.stored.point])
            for chunk in await self._live(request, fetch, request.top_k)
        ]
        params = {
            "top_k": request.top_k,
            "min_score": request.min_score,
            "embedding_model": self._embedder.id,
            **_applied(request),
        }
        return request.found("semantic", chunks, lexical, vector, similarities, params)

    async def _hybrid(self, request: _Request) -> Retrieval:
        known, ranking = self._knowledge, self._options.ranking
        weigher = Weigher(
            await self._weights(request),
            known.profile,
            ranking.rank,
            concerned=known.concerned(request.asked.text),
            apart=ranking.apart,
            outdated=ranking.outdated,
        )
        found = await self._hybrid_once(request, weigher, request.asked)
        left_out: dict[str, Any] = {}
        if not found.chunks and request.asked.phrases:
            # A title in quotes may stand otherwise, or in another language, where the answer is.
            found = await self._hybrid_once(request, weigher, replace(request.asked, phrases=()))
            left_out = {"phrases_left_out": list(request.asked.phrases)} if found.chunks else {}
        params = {
            "top_k": request.top_k,
            "min_score": request.min_score,
            "fusion": self._options.fusion,
            "embedding_model": self._embedder.id,
            **_applied(request),
            "synonyms_used": found.question.added,
            **left_out,
        }
        words, vector = found.question.facets[0].words, found.question.vector
        retrieval = request.found("hybrid", found.chunks, words, vector, found.similarities, params)
        return replace(retrieval, trace=found.trace, links=found.links)

    async def _hybrid_once(self, request: _Request, weigher: Weigher, asked: Operators) -> HybridResult:
        return await self._hybrid_search().search(
            request.scope,
            asked.text,
            top_k=request.top_k,
            where=request.filters.where,
            weigher=weigher,
            keep=asked.condition,
        )

    def _hybrid_search(self) -> HybridSearch:
        known, options = self._knowledge, self._options
        return HybridSearch(
            records=self._records,
            index=self._index,
            asking=Asking(
                records=self._records,
                embedder=self._embedder,
                meanings=known.meanings,
                glossary=known.glossary,
                synonyms=options.synonyms,
                options=options.ranking,
            ),
            lookup=Lookup(records=self._records),
            anchors=self._embedder.anchors,
            ranking=options.ranking,
            fusion=options.fusion,
            prefetch=options.prefetch,
        )

    async def _prepare(self, request: _Request) -> tuple[LexicalQuery, Vectors]:
        async with embedded(self._embedder, request.asked.text) as embedding:
            lexical = await analyse_query(self._records, request.scope, request.asked.text)
            return lexical, await embedding

    async def _live(self, request: _Request, fetch: Fetch, limit: int) -> list[ScoredChunk]:
        return await live_chunks(
            self._records,
            request.scope,
            fetch,
            top_k=request.top_k,
            first_limit=min(limit, MAX_LIMIT),
            keep=request.asked.condition,
        )

    async def _weights(self, request: _Request) -> Mapping[str, float]:
        known = await self._records.collections(request.scope)
        wanted = request.filters.collections or request.scope.collections or known
        profile = self._knowledge.profile
        usual = profile.weights if profile else {}
        return {name: known[name].weight_or(usual) for name in wanted if name in known}

    def _explanation(self, found: Retrieval, language: str | None) -> Explanation:
        if found.trace is not None:
            left_out = found.params.get("phrases_left_out", ())
            calibrate = self._embedder.anchors.calibrate
            return explained(found.trace, found.chunks, calibrate, language, left_out)
        return explained_list(found.query, found.mode, found.chunks, language)

    def _calibrated(self, pool: Pool) -> dict[UUID, float]:
        calibrate = self._embedder.anchors.calibrate
        return {point.id: calibrate(point.score) for point in pool.points}


@dataclass(frozen=True, slots=True)
class _Request:
    scope: Scope
    query: str
    top_k: int
    min_score: float
    filters: ResolvedFilters
    asked: Operators

    def found(
        self,
        mode: SearchMode,
        chunks: Iterable[ScoredChunk],
        lexical: LexicalQuery,
        vector: Vectors | None,
        similarities: Mapping[UUID, float],
        params: Mapping[str, Any],
    ) -> Retrieval:
        kept = tuple(chunk for chunk in chunks if chunk.score >= self.min_score)
        return Retrieval(self.query, mode, kept, lexical, vector, similarities, params)


def _applied(request: _Request) -> dict[str, Any]:
    return {"filters_applied": dict(request.filters.applied)}


def _check(query: str, mode: str, top_k: int, min_score: float) -> None:
    if not query.strip():
        raise InvalidArgument(name="query", value=query, allowed="allowed.text")
    if len(query) > MAX_QUERY:
        raise LimitExceeded(name="query", value=f"{len(query)} characters long", allowed=MAX_QUERY)
    if mode not in get_args(SearchMode):
        raise InvalidArgument(name="mode", value=mode, allowed=", ".join(get_args(SearchMode)))
    if top_k < 1:
        raise InvalidArgument(name="top_k", value=top_k, allowed="allowed.range", least=1, most=MAX_TOP_K)
    if top_k > MAX_TOP_K:
        raise LimitExceeded(name="top_k", value=top_k, allowed=MAX_TOP_K)
    if isnan(min_score) or min_score < 0.0 or (mode != "lexical" and min_score > 1.0):
        raise InvalidArgument(name="min_score", value=min_score, allowed="allowed.range", least=0, most=1)
