"""What a search gives back, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

SearchMode = Literal["hybrid", "lexical", "semantic"]


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """What a hit says about its chunk; `index` is the chunk's 1-based number in its document.

    `match`, `line` and `context` are of a search by pattern only: what matched, the 1-based line of the
    document's canonical text where it begins, and the lines around it. `columns` are those of the chunk's
    first table, for who shows a part of it; they are no part of the interface.
    """

    chunk_type: str
    index: int
    section_title: str
    section_path: tuple[str, ...]
    page: int | None
    page_end: int | None
    keywords: tuple[str, ...]
    description: str
    has_tables: bool
    has_images: bool
    collection: str
    language: str
    start: int
    end: int
    article: str | None = None
    references: tuple[str, ...] = ()
    match: str | None = None
    line: int | None = None
    context: str | None = None
    columns: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        values = asdict(self)
        del values["columns"]
        for key in ("match", "line", "context"):
            if values[key] is None:
                del values[key]
        values["section_path"] = list(self.section_path)
        values["keywords"] = list(self.keywords)
        values["references"] = list(self.references)
        return values


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `highlights` are excerpts of `content` with `<em>` around what matched."""

    chunk_id: str
    score: float
    source_file: str
    content: str
    highlights: tuple[str, ...]
    metadata: ChunkMetadata

    def to_dict(self) -> dict[str, Any]:
        return {
            "chunk_id": self.chunk_id,
            "score": self.score,
            "source_file": self.source_file,
            "content": self.content,
            "highlights": list(self.highlights),
            "metadata": self.metadata.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """One query that was searched for: the glossary's words that joined it, and what was left out and why."""

    query: str
    added: tuple[str, ...]
    cut: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"query": self.query, "added": list(self.added), "cut": list(self.cut)}


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Which lists held a result, at what rank and with what score, and what moved it since."""

    chunk_id: str
    found: tuple[str, ...]
    moved: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"chunk_id": self.chunk_id, "found": list(self.found), "moved": list(self.moved)}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a search gave what it gave, in sentences of the caller's language; `hits` is in their order."""

    queries: tuple[QueryExplanation, ...]
    lookups: tuple[str, ...]
    notes: tuple[str, ...]
    hits: tuple[HitExplanation, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "queries": [query.to_dict() for query in self.queries],
            "lookups": list(self.lookups),
            "notes": list(self.notes),
            "hits": [hit.to_dict() for hit in self.hits],
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search; `search_params` carries the parameters that really ran.

    `total_files` is how many documents a pattern matched in, `None` for every other search. `explanation` is
    there when it was asked for.
    """

    query: str
    search_type: str
    results: tuple[Hit, ...]
    search_params: Mapping[str, Any]
    execution_time_ms: float
    expanded_query: str | None = None
    total_files: int | None = None
    explanation: Explanation | None = None

    @property
    def total_found(self) -> int:
        return len(self.results)

    def to_dict(self) -> dict[str, Any]:
        files = {} if self.total_files is None else {"total_files": self.total_files}
        explained = {} if self.explanation is None else {"explanation": self.explanation.to_dict()}
        return {
            "query": self.query,
            "expanded_query": self.expanded_query,
            "total_found": self.total_found,
            **files,
            "search_type": self.search_type,
            "execution_time_ms": round(self.execution_time_ms, 3),
            "search_params": dict(self.search_params),
            "results": [hit.to_dict() for hit in self.results],
            **explained,
        }
