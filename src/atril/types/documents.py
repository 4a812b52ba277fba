"""Documents and their chunks as the library keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

ChunkType = Literal["content", "table", "list", "code", "section_header"]
"""`section_header` is a heading with no text of its own under it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged document: its 1-based number and its slice of the canonical text.

    `label` is what the document itself calls the page ("iv", "F-12"), where it says so. `confidence` (0 to 1)
    is that of text recognition, on pages whose text came from it.
    """

    number: int
    start: int
    end: int
    label: str | None = None
    confidence: float | None = None

    def to_row(self) -> list[Any]:
        """The fields in order, for JSON; what is not known at the end is left out. `Page(*row)` reads it."""
        row: list[Any] = [self.number, self.start, self.end, self.label, self.confidence]
        while row[-1] is None:
            row.pop()
        return row


@dataclass(frozen=True, slots=True)
class Document:
    """The record of a document as it stands in the library.

    `name` is what people and tools call it; `source` is where it came from (an absolute path, or an
    upload id); `stem` begins the ids of its chunks. `pages` is `None` for formats without pages.
    `bytes` is the size of the original file. `path` is how that file was reached, which differs from `source`
    where a link leads to it, and `None` for what is no file.
    """

    id: UUID
    version: UUID
    name: str
    stem: str
    source: str
    collection: str
    labels: tuple[str, ...]
    title: str
    type: str
    language: str
    description: str
    metadata: Mapping[str, str]
    pages: int | None
    chunks: int
    bytes: int
    content_hash: str
    added_at: datetime
    path: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The keys of `atril list --json`; internal ids and hashes stay inside."""
        return {
            "name": self.name,
            "title": self.title,
            "collection": self.collection,
            "labels": list(self.labels),
            "type": self.type,
            "language": self.language,
            "pages": self.pages,
            "chunks": self.chunks,
            "bytes": self.bytes,
            "description": self.description,
            "metadata": dict(self.metadata),
            "source": self.source,
            "added_at": self.added_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class TableShape:
    """The names in a table's header row, in order, and the number of rows below it that a chunk holds.

    A table without a header row has no `columns`, and all its rows count.
    """

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A pure slice of a document's canonical text, with what is known about it.

    `content == text[start:end]`. `context` is shown and embedded with the chunk and never quoted: title,
    section path, a repeated table header. `article` is the key of a legal article ("38", "20 bis",
    "Disposición adicional primera") and `None` elsewhere. `tokens` counts `content` in tokens of the
    embedder the library was built with. `page_end` is the page of the last character. `flags` are the kinds
    of instructions to an assistant that the chunk holds (see `atril.safety`). `table` describes the first
    table of a chunk that has any.
    """

    number: int
    start: int
    end: int
    content: str
    type: ChunkType
    section_path: tuple[str, ...] = ()
    context: str = ""
    page: int | None = None
    page_end: int | None = None
    article: str | None = None
    keywords: tuple[str, ...] = ()
    description: str = ""
    has_tables: bool = False
    has_images: bool = False
    tokens: int = 0
    flags: tuple[str, ...] = ()
    table: TableShape | None = None

    @property
    def section_title(self) -> str:
        """The nearest heading above the chunk, empty before the first one."""
        return self.section_path[-1] if self.section_path else ""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk together with the document that holds it now."""

    id: str
    point: UUID
    chunk: Chunk
    document: Document


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table: the names in its header row and how many rows it has. A long one is in `parts` chunks, the
    first of which is `chunk_id`; a row that is cut counts in each of its parts."""

    source_file: str
    chunk_id: str
    page: int | None
    section_title: str
    columns: tuple[str, ...]
    rows: int
    collection: str
    parts: int = 1

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"columns": list(self.columns)}
