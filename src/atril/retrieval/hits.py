"""Chunks as callers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol
from uuid import UUID

from atril.retrieval.highlights import highlight
from atril.retrieval.live import ScoredChunk
from atril.store.referring import Link
from atril.types import Chunk, ChunkMetadata, Document, Hit, Scope

SCORE_DIGITS: Final = 6
"""Beyond them engines that compute in different precisions differ."""


def to_hit(scored: ScoredChunk, weights: Mapping[str, float], references: Sequence[str] = ()) -> Hit:
    """The hit for a chunk; `weights` are the query's terms, for its highlights, and `references` the ids of
    the chunks it refers to."""
    chunk, document = scored.stored.chunk, scored.stored.document
    return Hit(
        chunk_id=scored.stored.id,
        score=round(scored.score, SCORE_DIGITS),
        source_file=document.name,
        content=chunk.content,
        highlights=highlight(chunk.content, document.language, weights) if weights else (),
        metadata=chunk_metadata(chunk, document, references),
    )


class FollowsReferences(Protocol):
    async def links(self, scope: Scope, points: Sequence[UUID]) -> Mapping[UUID, Sequence[Link]]: ...


async def to_hits(
    records: FollowsReferences,
    scope: Scope,
    found: Sequence[ScoredChunk],
    weights: Mapping[str, float],
    known: Mapping[UUID, Sequence[Link]] | None = None,
) -> tuple[Hit, ...]:
    """The hits for chunks, each with the ids of the chunks it refers to; those of points in `known` are not
    read again."""
    links = dict(known or {})
    unknown = [each.stored.point for each in found if each.stored.point not in links]
    if unknown:
        links.update(await records.links(scope, unknown))
    return tuple(
        to_hit(each, weights, [link.chunk_id for link in links.get(each.stored.point, ())]) for each in found
    )


def chunk_metadata(chunk: Chunk, document: Document, references: Sequence[str] = ()) -> ChunkMetadata:
    return ChunkMetadata(
        chunk_type=chunk.type,
        index=chunk.number,
        section_title=chunk.section_title,
        section_path=chunk.section_path,
        page=chunk.page,
        page_end=chunk.page_end,
        keywords=chunk.keywords,
        description=chunk.description,
        has_tables=chunk.has_tables,
        has_images=chunk.has_images,
        collection=document.collection,
        language=document.language,
        start=chunk.start,
        end=chunk.end,
        article=chunk.article,
        references=tuple(references),
        columns=chunk.table.columns if chunk.table else (),
    )
