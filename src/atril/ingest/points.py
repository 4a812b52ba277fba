"""From what is known of a document to the points an engine holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from atril.documents.analysis import TermCounts
from atril.models.embeddings import Vectors
from atril.store.index.protocol import Point
from atril.store.terms import document_weights
from atril.types import Chunk


class Described(Protocol):
    """What a draft and a stored document have in common."""

    @property
    def collection(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def metadata(self) -> Mapping[str, str]: ...


def to_points(
    described: Described,
    document: UUID,
    version: UUID,
    ids: Sequence[UUID],
    chunks: Sequence[Chunk],
    terms: Sequence[TermCounts],
    vectors: Vectors,
) -> list[Point]:
    """One point per chunk, in the order of the chunks; all sequences have the same length."""
    return [
        Point(
            id=point,
            document=document,
            version=version,
            number=chunk.number,
            collection=described.collection,
            dense=vector,
            sparse=document_weights(counts),
            document_type=described.type,
            chunk_type=chunk.type,
            language=described.language,
            labels=described.labels,
            page=chunk.page,
            page_end=chunk.page_end,
            article=chunk.article,
            metadata=described.metadata,
        )
        for point, chunk, counts, vector in zip(ids, chunks, terms, vectors, strict=True)
    ]
