"""A whole document: its canonical text and the chunks that make up its structure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atril.store.records import Records
from atril.types import Document, Scope, StoredChunk


@dataclass(frozen=True, slots=True)
class Content:
    """`text` is the canonical text, exactly; `chunks` are all of the document's, in order."""

    document: Document
    text: str
    chunks: tuple[StoredChunk, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "source_file": self.document.name,
            "title": self.document.title,
            "characters": len(self.text),
            "total_chunks": len(self.chunks),
            "content": self.text,
            "structure": [_outline(each) for each in self.chunks],
        }


async def read_content(records: Records, scope: Scope, name: str) -> Content:
    """Raises what finding a document raises."""
    document = await records.find(scope, name)
    text = await records.text(scope, document.id)
    chunks = await records.chunks(scope, document.id, 1, max(document.chunks, 1))
    return Content(document, text, tuple(chunks))


def _outline(stored: StoredChunk) -> dict[str, Any]:
    chunk = stored.chunk
    return {
        "chunk_id": stored.id,
        "index": chunk.number,
        "chunk_type": chunk.type,
        "section_title": chunk.section_title,
        "page": chunk.page,
        "description": chunk.description,
        "keywords": list(chunk.keywords),
    }
