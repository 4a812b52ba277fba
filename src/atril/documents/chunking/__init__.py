"""Documents to chunks: `chunker` cuts; the other modules say where it may and what a chunk stands in."""

from __future__ import annotations

from atril.documents.chunking.chunker import CHUNKER_VERSION, ChunkOptions, chunk, passage

__all__ = ["CHUNKER_VERSION", "ChunkOptions", "chunk", "passage"]
