"""Finding places in a library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from atril.library.base import Base
from atril.retrieval.search_filters import SearchFilters
from atril.types import SearchMode, SearchResult


class Searching(Base):
    """Searches by words and meaning, by structure and by pattern."""

    async def search(
        self,
        query: str,
        *,
        mode: SearchMode = "hybrid",
        top_k: int = 10,
        min_score: float = 0.0,
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
        document: str | None = None,
        type: str | None = None,
        language: str | None = None,
        page: int | None = None,
        metadata: Mapping[str, object] | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """The chunks that answer a query best; see `atril.retrieval.searcher.Searcher.search`.

        `explain` asks for the result's `explanation`: what was searched for, and why each hit is where it is.

        Raises also `EmbedderMismatch` and `HomeOutdated`, when the library must be rebuilt first.
        """
        filters = SearchFilters(
            collections=tuple(collections or ()),
            labels=tuple(labels),
            document=document,
            type=type,
            language=language,
            page=page,
            metadata=dict(metadata or {}),
        )
        async with self.finding() as finder:
            return await finder.search(
                self._scope,
                query,
                mode=mode,
                top_k=top_k,
                min_score=min_score,
                filters=filters,
                explain=explain,
            )

    async def structure(
        self,
        document: str,
        chunk_type: str | None = None,
        keywords: Sequence[str] | str = (),
        position: str = "all",
        top_k: int = 10,
    ) -> SearchResult:
        """Parts of one document by kind (content, table, list, code, section_header), position (`all`,
        `first_N`, `last_N`) and keywords; see `atril.retrieval.finder.Finder.structure`."""
        async with self.finding() as finder:
            return await finder.structure(
                self._scope,
                document,
                chunk_type=chunk_type,
                keywords=keywords,
                position=position,
                top_k=top_k,
            )

    async def regex(
        self,
        pattern: str | None = None,
        predefined: str | None = None,
        *,
        case_sensitive: bool = False,
        context_lines: int = 2,
        max_matches_per_file: int = 50,
        document: str | None = None,
        collections: Sequence[str] | None = None,
        labels: Sequence[str] = (),
    ) -> SearchResult:
        """Every match of a regular expression, or of a predefined one, in the texts of the documents; see
        `atril.retrieval.finder.Finder.regex`."""
        return await self._home.finder.regex(
            self._scope,
            pattern=pattern,
            predefined=predefined,
            case_sensitive=case_sensitive,
            context_lines=context_lines,
            max_matches_per_file=max_matches_per_file,
            document=document,
            collections=collections or (),
            labels=labels,
        )
