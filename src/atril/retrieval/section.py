"""Chunks of a document by number, whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from atril.errors import InvalidArgument
from atril.retrieval.hits import chunk_metadata
from atril.store.records import Records
from atril.types import Document, Scope, StoredChunk

MAX_CHUNKS: Final = 1000


@dataclass(frozen=True, slots=True)
class Section:
    """What was found between chunk `start` and chunk `end`, both 1-based and included.

    `chunks` holds fewer than asked for where the document ends before `end`, and none where it ends
    before `start`.
    """

    document: Document
    start: int
    end: int
    chunks: tuple[StoredChunk, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "source_file": self.document.name,
            "title": self.document.title,
            "start": self.start,
            "end": self.end,
            "total_chunks": self.document.chunks,
            "chunks": [chunk_dict(each) for each in self.chunks],
        }


async def read_section(records: Records, scope: Scope, name: str, start: int, end: int) -> Section:
    """Raises `InvalidArgument` unless 1 ≤ start ≤ end with at most 1,000 chunks between, and what finding a
    document raises."""
    if start < 1 or end < start or end - start >= MAX_CHUNKS:
        given = f"{start}-{end}"
        raise InvalidArgument(name="start-end", value=given, allowed="allowed.section", most=MAX_CHUNKS)
    document = await records.find(scope, name)
    chunks = await records.chunks(scope, document.id, start, end)
    return Section(document, start, end, tuple(chunks))


def chunk_dict(stored: StoredChunk) -> dict[str, Any]:
    """A chunk as JSON shows it when it was not searched for, so without a score."""
    return {
        "chunk_id": stored.id,
        "index": stored.chunk.number,
        "content": stored.chunk.content,
        "metadata": chunk_metadata(stored.chunk, stored.document).to_dict(),
    }
