"""Everything a caller can look for in one home, each way of looking a method, the scope always first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from atril.errors import DocumentNotFound
from atril.retrieval.content import Content, read_content
from atril.retrieval.hits import to_hits
from atril.retrieval.regex import regex_query, search_regex
from atril.retrieval.search_filters import NO_FILTERS, SearchFilters
from atril.retrieval.searcher import Searcher
from atril.retrieval.section import Section, read_section
from atril.retrieval.structure import StructureQuery, fallback_words, select, structure_query
from atril.retrieval.texts import Texts
from atril.store.records import Records
from atril.types import Document, Scope, SearchMode, SearchResult


class Finder:
    """Looks in one home. `texts` remembers between searches and is shared by all finders of a home."""

    def __init__(self, *, records: Records, searcher: Searcher, texts: Texts) -> None:
        self._records = records
        self._searcher = searcher
        self._texts = texts

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
        """By words, by meaning or both: see `Searcher.search`."""
        return await self._searcher.search(
            scope, query, mode=mode, top_k=top_k, min_score=min_score, filters=filters, explain=explain
        )

    async def structure(
        self,
        scope: Scope,
        document: str,
        *,
        chunk_type: str | None = None,
        keywords: Sequence[str] | str = (),
        position: str = "all",
        top_k: int = 10,
    ) -> SearchResult:
        """Parts of one document by kind, place and keywords: see `atril.retrieval.structure`.

        Where the document is not known, or has no such part, a search by words answers instead: over that
        document, or over all when it is not known. Then `search_params` has `fallback_from`, and the scores
        are BM25 instead of the share of keywords (0..1). Raises what `structure_query` raises, and
        `AmbiguousName` for a name that several documents answer to.
        """
        start = perf_counter()
        query = structure_query(document, chunk_type, keywords, position, top_k)
        try:
            found = await self._records.find(scope, document)
        except DocumentNotFound:
            return await self._fall_back(scope, query, None, start)
        chunks = await self._records.chunks(scope, found.id, 1, max(found.chunks, 1))
        selection = select(query, found, chunks)
        if not selection.chunks:
            return await self._fall_back(scope, query, found, start)
        hits = await to_hits(self._records, scope, selection.chunks, selection.terms)
        elapsed = (perf_counter() - start) * 1000
        return SearchResult(document, "structure_search", hits, query.params(found.name), elapsed)

    async def regex(
        self,
        scope: Scope,
        *,
        pattern: str | None = None,
        predefined: str | None = None,
        case_sensitive: bool = False,
        context_lines: int = 2,
        max_matches_per_file: int = 50,
        document: str | None = None,
        collections: Sequence[str] = (),
        labels: Sequence[str] = (),
    ) -> SearchResult:
        """Every match of a pattern in the texts: see `atril.retrieval.regex`.

        `document` narrows it to one, which raises what finding a document raises; `collections` and
        `labels` to documents that have one of them.
        """
        query = regex_query(
            pattern,
            predefined,
            case_sensitive=case_sensitive,
            context_lines=context_lines,
            max_matches_per_file=max_matches_per_file,
        )
        if document is None:
            documents = await self._records.documents(scope)
        else:
            documents = [await self._records.find(scope, document)]
        documents = [
            each
            for each in documents
            if (not collections or each.collection in collections)
            and (not labels or not set(labels).isdisjoint(each.labels))
        ]
        return await search_regex(self._records, self._texts, scope, query, documents)

    async def section(self, scope: Scope, name: str, start: int, end: int) -> Section:
        """Chunks by number: see `read_section`."""
        return await read_section(self._records, scope, name, start, end)

    async def content(self, scope: Scope, name: str) -> Content:
        """A whole document: see `read_content`."""
        return await read_content(self._records, scope, name)

    async def _fall_back(
        self, scope: Scope, query: StructureQuery, document: Document | None, start: float
    ) -> SearchResult:
        filters = SearchFilters(document=document.name) if document else NO_FILTERS
        found = await self._searcher.search(
            scope, fallback_words(query, document), mode="lexical", top_k=query.top_k, filters=filters
        )
        params = query.params(document.name if document else query.document)
        return replace(
            found,
            query=query.document,
            search_type="structure_search",
            search_params=params | {"fallback_from": "structure_search"},
            execution_time_ms=(perf_counter() - start) * 1000,
        )
