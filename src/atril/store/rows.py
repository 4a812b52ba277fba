"""Values to rows and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from atril.store.drafts import Draft
from atril.store.frequencies import pack
from atril.store.names import storable
from atril.store.schema import BLOCK, PENDING, chunks, documents, versions
from atril.types import Chunk, Document, StoredChunk, TableShape

DOCUMENT = (
    documents.c.id,
    versions.c.id.label("version"),
    documents.c.name,
    documents.c.stem,
    documents.c.source,
    documents.c.collection,
    versions.c.labels,
    versions.c.title,
    versions.c.type,
    versions.c.language,
    versions.c.description,
    versions.c.metadata,
    versions.c.page_count,
    versions.c.chunks,
    versions.c.bytes,
    versions.c.content_hash,
    versions.c.added_at,
    documents.c.path,
)
"""The columns `to_document` reads, in its order."""

CHUNK = (
    chunks.c.number,
    chunks.c.start,
    chunks.c.end,
    chunks.c.point,
    chunks.c.type,
    chunks.c.section_path,
    chunks.c.context,
    chunks.c.page,
    chunks.c.page_end,
    chunks.c.article,
    chunks.c.keywords,
    chunks.c.description,
    chunks.c.has_tables,
    chunks.c.has_images,
    chunks.c.tokens,
    chunks.c.flags,
    chunks.c.table_columns,
    chunks.c.table_rows,
)
"""The columns `to_chunk` reads, in its order."""


def of_version(tenant: str, document: UUID, version: UUID, draft: Draft, now: datetime) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "id": version,
        "document": document,
        "state": PENDING,
        "content_hash": draft.content_hash,
        "fingerprint": draft.fingerprint,
        "bytes": draft.bytes,
        "title": storable(draft.title),  # may be the name of the file
        "type": draft.type,
        "language": draft.language,
        "description": draft.description,
        "labels": draft.labels,
        "metadata": dict(draft.metadata),
        "pages": [page.to_row() for page in draft.pages],
        "page_count": len(draft.pages) or None,
        "length": len(draft.text),
        "chunks": len(draft.chunks),
        "tokens": sum(int(passage.length) for passage in draft.terms),
        "terms": pack(draft.terms),
        "added_at": now,
        "given": draft.given,
    }


def of_text(tenant: str, version: UUID, text: str) -> list[dict[str, Any]]:
    return [
        {"tenant": tenant, "version": version, "number": start // BLOCK, "text": text[start : start + BLOCK]}
        for start in range(0, len(text), BLOCK)
    ]


def of_chunks(
    tenant: str, version: UUID, drafted: Sequence[Chunk], points: Sequence[UUID]
) -> list[dict[str, Any]]:
    return [
        {
            "tenant": tenant,
            "version": version,
            "number": chunk.number,
            "point": point,
            "start": chunk.start,
            "end": chunk.end,
            "type": chunk.type,
            "section_path": chunk.section_path,
            "context": storable(chunk.context),
            "page": chunk.page,
            "page_end": chunk.page_end,
            "article": chunk.article,
            "keywords": chunk.keywords,
            "description": chunk.description,
            "has_tables": chunk.has_tables,
            "has_images": chunk.has_images,
            "tokens": chunk.tokens,
            "flags": chunk.flags,
            "table_columns": chunk.table.columns if chunk.table else None,
            "table_rows": chunk.table.rows if chunk.table else None,
        }
        for chunk, point in zip(drafted, points, strict=True)
    ]


def to_document(row: Sequence[Any]) -> Document:
    (
        identity,
        version,
        name,
        stem,
        source,
        collection,
        labels,
        title,
        kind,
        language,
        description,
        metadata,
        pages,
        count,
        size,
        content_hash,
        added_at,
        path,
    ) = row
    return Document(
        id=identity,
        version=version,
        name=name,
        stem=stem,
        source=source,
        collection=collection,
        labels=labels,
        title=title,
        type=kind,
        language=language,
        description=description,
        metadata=metadata,
        pages=pages,
        chunks=count,
        bytes=size,
        content_hash=content_hash,
        added_at=added_at,
        path=path,
    )


def to_chunk(row: Sequence[Any], content: str, document: Document) -> StoredChunk:
    (
        number,
        start,
        end,
        point,
        kind,
        section_path,
        context,
        page,
        page_end,
        article,
        keywords,
        description,
        has_tables,
        has_images,
        tokens,
        flags,
        columns,
        rows,
    ) = row
    chunk = Chunk(
        number=number,
        start=start,
        end=end,
        content=content,
        type=kind,
        section_path=section_path,
        context=context,
        page=page,
        page_end=page_end,
        article=article,
        keywords=keywords,
        description=description,
        has_tables=has_tables,
        has_images=has_images,
        tokens=tokens,
        flags=flags,
        table=None if columns is None else TableShape(columns, rows),
    )
    return StoredChunk(id=chunk_id(document.stem, number), point=point, chunk=chunk, document=document)


def chunk_id(stem: str, number: int) -> str:
    """The readable id of a chunk: `<stem>_chunk_0001`."""
    return f"{stem}_chunk_{number:04d}"
