"""Chunks and text of current versions: what every search ends with, so it is made to be fast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.errors import DocumentNotFound
from atril.store import reading
from atril.store.index.protocol import point_id, version_key
from atril.store.parts import in_parts
from atril.store.rows import CHUNK, to_chunk
from atril.store.schema import BLOCK, chunks, is_current, text_blocks, versions
from atril.types import Document, Page, Scope, StoredChunk

REMEMBERED: Final = 4096
_POINT: Final = [column.name for column in CHUNK].index("point")
_WIDTH: Final = len(CHUNK)
_DIGITS: Final = 10

# One row for each chunk and block that it touches: nearly always one.
_PASSAGES = (
    sa.select(*CHUNK, versions.c.id, text_blocks.c.number, text_blocks.c.text)
    .select_from(
        chunks.join(versions).join(
            text_blocks,
            sa.and_(
                text_blocks.c.tenant == chunks.c.tenant,
                text_blocks.c.version == chunks.c.version,
                text_blocks.c.number.between(chunks.c.start // BLOCK, (chunks.c.end - 1) // BLOCK),
            ),
        )
    )
    .where(chunks.c.tenant == sa.bindparam("tenant"), is_current)
)
_BY_POINT = _PASSAGES.where(chunks.c.point.in_(sa.bindparam("points", expanding=True)))
_BY_NUMBER = _PASSAGES.where(
    versions.c.document == sa.bindparam("document"),
    chunks.c.number.between(sa.bindparam("first"), sa.bindparam("last")),
)
_STARTS = (
    sa.select(chunks.c.start, chunks.c.point)
    .where(chunks.c.tenant == sa.bindparam("tenant"), chunks.c.version == sa.bindparam("version"))
    .order_by(chunks.c.start)
)
_OF_VERSION = sa.and_(versions.c.tenant == sa.bindparam("tenant"), versions.c.id == sa.bindparam("version"))
_LENGTH = sa.select(versions.c.length).where(_OF_VERSION)
_PAGES = sa.select(versions.c.pages).where(_OF_VERSION)
_BLOCKS = (
    sa.select(text_blocks.c.text)
    .where(
        text_blocks.c.tenant == sa.bindparam("tenant"),
        text_blocks.c.version == sa.bindparam("version"),
        text_blocks.c.number.between(sa.bindparam("first"), sa.bindparam("last")),
    )
    .order_by(text_blocks.c.number)
)


class Passages:
    """Reads chunks with their documents.

    What is known of a document changes within one version only when its file is moved, so documents are
    remembered by version; whether a version still counts is asked every time.
    """

    def __init__(self) -> None:
        self._documents: dict[UUID, Document] = {}
        self._of_points: dict[int, Document] = {}
        self._moves = 0

    def forget(self) -> None:
        """Called when documents have been given other names."""
        self._moves += 1
        self._clear()

    def remembered(self, point: UUID) -> Document | None:
        """The document of a point if it is in memory, whether or not the point still counts."""
        return self._of_points.get(version_key(point))

    def at_points(
        self, connection: Connection, scope: Scope, points: Sequence[UUID]
    ) -> dict[UUID, StoredChunk]:
        """The chunks of those points that belong to current versions and that the caller may see."""
        found: dict[UUID, StoredChunk] = {}
        for some in in_parts(points):
            rows = connection.execute(_BY_POINT, {"tenant": scope.tenant, "points": some}).all()
            found.update((each.point, each) for each in self._stored(connection, scope, rows))
        return found

    def numbered(
        self, connection: Connection, scope: Scope, document: UUID, first: int, last: int
    ) -> list[StoredChunk]:
        """Chunks of a document, both bounds included, in order. Raises `DocumentNotFound`."""
        reading.document(connection, scope, document)
        where = {"tenant": scope.tenant, "document": document, "first": first, "last": last}
        found = self._stored(connection, scope, connection.execute(_BY_NUMBER, where).all())
        return sorted(found, key=lambda each: each.chunk.number)

    def called(self, connection: Connection, scope: Scope, chunk_id: str) -> StoredChunk:
        """The chunk with this readable id. Raises `DocumentNotFound`."""
        stem, _, number = chunk_id.strip().rpartition("_chunk_")
        document = reading.of_stem(connection, scope, stem)
        if document and number.isascii() and number.isdigit() and len(number) < _DIGITS:
            for found in self.numbered(connection, scope, document.id, int(number), int(number)):
                return found
        near = reading.similar_names(connection, scope, stem or chunk_id)
        raise DocumentNotFound(name=chunk_id, similar=near)

    def visible(self, connection: Connection, scope: Scope, versions: Iterable[UUID]) -> dict[UUID, Document]:
        """The documents of current versions that the caller may see, by version."""
        owners = self._owners(connection, scope.tenant, set(versions))
        return {version: each for version, each in owners.items() if reading.visible(scope, each)}

    def _stored(
        self, connection: Connection, scope: Scope, rows: Iterable[Sequence[Any]]
    ) -> list[StoredChunk]:
        heads: dict[UUID, Sequence[Any]] = {}
        blocks: dict[UUID, dict[int, str]] = {}
        for row in rows:
            point = row[_POINT]
            heads[point] = row
            blocks.setdefault(point, {})[row[_WIDTH + 1]] = row[_WIDTH + 2]
        owners = self._owners(connection, scope.tenant, {row[_WIDTH] for row in heads.values()})
        found = []
        for point, row in heads.items():
            document = owners[row[_WIDTH]]
            if reading.visible(scope, document):
                found.append(to_chunk(row[:_WIDTH], _cut(blocks[point], row[1], row[2]), document))
        return found

    def _owners(self, connection: Connection, tenant: str, wanted: set[UUID]) -> dict[UUID, Document]:
        # Two threads may be here: what is read once may be gone, and forgetting it costs a query.
        remembered = {version: self._documents.get(version) for version in wanted}
        owners = {version: document for version, document in remembered.items() if document}
        missing = list(wanted - owners.keys())
        if missing:
            before = self._moves
            fresh = {each.version: each for each in reading.of_versions(connection, tenant, missing)}
            if len(self._documents) > REMEMBERED:
                self._clear()
            if before == self._moves:  # or what was read may be out of date already
                self._documents.update(fresh)
                self._of_points.update(
                    (version_key(point_id(each.id, version, 0)), each) for version, each in fresh.items()
                )
            owners.update(fresh)
        return owners

    def _clear(self) -> None:
        self._documents.clear()
        self._of_points.clear()


def excerpt(connection: Connection, scope: Scope, document: UUID, start: int, end: int | None) -> str:
    """The document's text from code point `start` to `end`, as a Python slice would cut it."""
    where = {"tenant": scope.tenant, "version": reading.document(connection, scope, document).version}
    start, stop, _ = slice(start, end).indices(connection.scalar(_LENGTH, where) or 0)
    if stop <= start:
        return ""
    first, last = start // BLOCK, (stop - 1) // BLOCK
    text = "".join(connection.scalars(_BLOCKS, where | {"first": first, "last": last}))
    return text[start - first * BLOCK : stop - first * BLOCK]


def starts(connection: Connection, scope: Scope, document: UUID) -> list[tuple[int, UUID]]:
    """Where each chunk of a document begins and its point, in order."""
    version = reading.document(connection, scope, document).version
    rows = connection.execute(_STARTS, {"tenant": scope.tenant, "version": version})
    return [(start, point) for start, point in rows]


def pages(connection: Connection, scope: Scope, document: UUID) -> list[Page]:
    """The pages of a document, none for a format without them."""
    version = reading.document(connection, scope, document).version
    stored = connection.scalar(_PAGES, {"tenant": scope.tenant, "version": version})
    return [Page(*page) for page in stored or ()]


def _cut(blocks: dict[int, str], start: int, end: int) -> str:
    first = start // BLOCK
    text = "".join(blocks[number] for number in sorted(blocks))
    return text[start - first * BLOCK : end - first * BLOCK]
