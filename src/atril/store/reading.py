"""The reads of the records, each a function of a connection; only current versions exist here.

A scope's collections and labels are honoured everywhere: what the caller may not see is not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.errors import AmbiguousName, DocumentNotFound
from atril.store.drafts import AuditEntry, KnownDocument, Unsettled
from atril.store.frequencies import IN_LIST
from atril.store.names import matching, similar, stem_key
from atril.store.rows import CHUNK, DOCUMENT, to_chunk, to_document
from atril.store.schema import (
    BLOCK,
    audit,
    chunks,
    documents,
    is_current,
    is_unsettled,
    text_blocks,
    versions,
)
from atril.store.writing import document_id
from atril.types import Document, Page, Scope, StoredChunk

_NAMES_SHOWN: Final = 20

_LIVE = versions.join(documents)
_IN_LIVE = sa.and_(versions.c.tenant == sa.bindparam("tenant"), is_current)

_DOCUMENTS = sa.select(*DOCUMENT).select_from(_LIVE).where(_IN_LIVE)
_BY_NAME = _DOCUMENTS.where(documents.c.name == sa.bindparam("name"))
_BY_ID = _DOCUMENTS.where(versions.c.document == sa.bindparam("document"))
_NAMES = (
    sa.select(documents.c.id, documents.c.name, documents.c.collection, versions.c.labels)
    .select_from(_LIVE)
    .where(_IN_LIVE)
)
_KNOWN = (
    sa.select(
        documents.c.id,
        versions.c.id.label("version"),
        documents.c.name,
        versions.c.content_hash,
        versions.c.fingerprint,
    )
    .select_from(_LIVE)
    .where(_IN_LIVE, versions.c.document == sa.bindparam("document"))
)

# One row for each chunk and block that it touches: nearly always one.
_PASSAGES = (
    sa.select(*CHUNK, text_blocks.c.number, text_blocks.c.text, *DOCUMENT)
    .select_from(
        chunks.join(versions)
        .join(documents)
        .join(
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
_BY_STEM = _PASSAGES.where(
    documents.c.stem_key == sa.bindparam("stem"), chunks.c.number == sa.bindparam("number")
)
_BLOCKS = (
    sa.select(text_blocks.c.text)
    .where(
        text_blocks.c.tenant == sa.bindparam("tenant"),
        text_blocks.c.version == sa.bindparam("version"),
        text_blocks.c.number.between(sa.bindparam("first"), sa.bindparam("last")),
    )
    .order_by(text_blocks.c.number)
)


def listing(connection: Connection, scope: Scope) -> list[Document]:
    """The documents the caller may see, by name."""
    statement = _DOCUMENTS
    if scope.collections is not None:
        statement = statement.where(documents.c.collection.in_(scope.collections))
    found = (to_document(row) for row in connection.execute(statement, {"tenant": scope.tenant}))
    return sorted((document for document in found if _visible(scope, document)), key=lambda each: each.name)


def find(connection: Connection, scope: Scope, name: str) -> Document:
    """The document that a written name means. Raises `DocumentNotFound` or `AmbiguousName`."""
    for row in connection.execute(_BY_NAME, {"tenant": scope.tenant, "name": name}):
        named = to_document(row)
        if _visible(scope, named):
            return named
    names = {
        row.name: row.id
        for row in connection.execute(_NAMES, {"tenant": scope.tenant})
        if _allowed(scope, row.collection, row.labels)
    }
    matches = sorted(matching(name, list(names)))
    if not matches:
        raise _not_found(name, similar(name, list(names)))
    if len(matches) > 1:
        more = ", …" if len(matches) > _NAMES_SHOWN else ""
        raise AmbiguousName(name=name, matches=", ".join(matches[:_NAMES_SHOWN]) + more)
    return document(connection, scope, names[matches[0]])


def document(connection: Connection, scope: Scope, identity: UUID) -> Document:
    """Raises `DocumentNotFound` when the document is gone or not for this caller."""
    row = connection.execute(_BY_ID, {"tenant": scope.tenant, "document": identity}).first()
    found = to_document(row) if row else None
    if found is None or not _visible(scope, found):
        raise _not_found(str(identity))
    return found


def known(connection: Connection, scope: Scope, collection: str, source: str) -> KnownDocument | None:
    identity = document_id(scope.tenant, collection, source)
    row = connection.execute(_KNOWN, {"tenant": scope.tenant, "document": identity}).first()
    return KnownDocument(*row) if row else None


def hydrate(connection: Connection, scope: Scope, points: Sequence[UUID]) -> dict[UUID, StoredChunk]:
    """The chunks of those points that belong to current versions and that the caller may see."""
    found: dict[UUID, StoredChunk] = {}
    for start in range(0, len(points), IN_LIST):
        some = {"tenant": scope.tenant, "points": points[start : start + IN_LIST]}
        found.update((each.point, each) for each in _stored(scope, connection.execute(_BY_POINT, some).all()))
    return found


def passages(connection: Connection, scope: Scope, identity: UUID, start: int, end: int) -> list[StoredChunk]:
    """Chunks `start` to `end` of a document, both included, in order."""
    document(connection, scope, identity)
    where = {"tenant": scope.tenant, "document": identity, "first": start, "last": end}
    found = _stored(scope, connection.execute(_BY_NUMBER, where).all())
    return sorted(found, key=lambda each: each.chunk.number)


def passage(connection: Connection, scope: Scope, identity: str) -> StoredChunk:
    """The chunk with this readable id. Raises `DocumentNotFound`."""
    stem, separator, number = identity.strip().rpartition("_chunk_")
    if separator and number.isascii() and number.isdigit() and len(number) < 10:
        where = {"tenant": scope.tenant, "stem": stem_key(stem), "number": int(number)}
        for found in _stored(scope, connection.execute(_BY_STEM, where).all()):
            return found
    raise _not_found(identity, similar(stem or identity, [each.name for each in listing(connection, scope)]))


def excerpt(connection: Connection, scope: Scope, identity: UUID, start: int, end: int | None) -> str:
    """The document's text from code point `start` to `end`, as a Python slice would cut it."""
    version, length = _text_of(connection, scope, identity)
    start, stop, _ = slice(start, end).indices(length)
    if stop <= start:
        return ""
    first, last = start // BLOCK, (stop - 1) // BLOCK
    where = {"tenant": scope.tenant, "version": version, "first": first, "last": last}
    text = "".join(connection.scalars(_BLOCKS, where))
    return text[start - first * BLOCK : stop - first * BLOCK]


def pages(connection: Connection, scope: Scope, identity: UUID) -> list[Page]:
    version = document(connection, scope, identity).version
    stored = connection.scalar(
        sa.select(versions.c.pages).where(versions.c.tenant == scope.tenant, versions.c.id == version)
    )
    return [Page(*page) for page in stored or ()]


def languages(connection: Connection, scope: Scope) -> list[str]:
    """The languages of the tenant's documents, in order."""
    statement = sa.select(versions.c.language).where(_IN_LIVE).distinct()
    return sorted(connection.scalars(statement, {"tenant": scope.tenant}))


def tenants(connection: Connection) -> list[str]:
    """Every tenant that has any version of any document."""
    return sorted(connection.scalars(sa.select(versions.c.tenant).distinct()))


def content_hashes(connection: Connection) -> set[tuple[str, str]]:
    """Tenant and hash of every original that some version refers to."""
    rows = connection.execute(sa.select(versions.c.tenant, versions.c.content_hash).distinct())
    return {(tenant, content_hash) for tenant, content_hash in rows}


def unsettled(connection: Connection) -> list[Unsettled]:
    """Versions of every tenant that are not current."""
    rows = connection.execute(
        sa.select(versions.c.tenant, versions.c.id, versions.c.state).where(is_unsettled)
    )
    return [Unsettled(*row) for row in rows]


def history(connection: Connection, scope: Scope, limit: int) -> list[AuditEntry]:
    """The tenant's last writes, the newest first."""
    rows = connection.execute(
        sa.select(audit.c.at, audit.c.actor, audit.c.action, audit.c.subject)
        .where(audit.c.tenant == scope.tenant)
        .order_by(audit.c.id.desc())
        .limit(limit)
    )
    return [AuditEntry(*row) for row in rows]


def _stored(scope: Scope, rows: Iterable[Sequence[Any]]) -> list[StoredChunk]:
    width = len(CHUNK)
    owners: dict[UUID, Document] = {}
    blocks: dict[UUID, dict[int, str]] = {}
    heads: dict[UUID, tuple[Any, ...]] = {}
    for row in rows:
        head, number, text, owner = row[:width], row[width], row[width + 1], row[width + 2 :]
        version = owner[1]
        if version not in owners:
            owners[version] = to_document(owner)
        heads[head[3]] = (head, version)
        blocks.setdefault(head[3], {})[number] = text
    found = []
    for point, (head, version) in heads.items():
        if _visible(scope, owners[version]):
            found.append(to_chunk(head, _cut(blocks[point], head[1], head[2]), owners[version]))
    return found


def _cut(blocks: dict[int, str], start: int, end: int) -> str:
    first = start // BLOCK
    text = "".join(blocks[number] for number in sorted(blocks))
    return text[start - first * BLOCK : end - first * BLOCK]


def _text_of(connection: Connection, scope: Scope, identity: UUID) -> tuple[UUID, int]:
    version = document(connection, scope, identity).version
    length = connection.scalar(
        sa.select(versions.c.length).where(versions.c.tenant == scope.tenant, versions.c.id == version)
    )
    return version, length or 0


def _visible(scope: Scope, document: Document) -> bool:
    return _allowed(scope, document.collection, document.labels)


def _allowed(scope: Scope, collection: str, labels: Iterable[str]) -> bool:
    if scope.collections is not None and collection not in scope.collections:
        return False
    return not scope.labels or not set(scope.labels).isdisjoint(labels)


def _not_found(name: str, similar_names: Sequence[str] = ()) -> DocumentNotFound:
    return DocumentNotFound(name=name, similar=", ".join(similar_names) or "-")
