"""What the records say of documents; each read is a function of a connection, and only current versions
exist here.

A scope's collections and labels are honoured everywhere: what the caller may not see is not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.errors import AmbiguousName, DocumentNotFound
from atril.store.drafts import AuditEntry, KnownDocument, Unsettled
from atril.store.names import matching, similar, stem_key, storable
from atril.store.parts import in_parts
from atril.store.rows import DOCUMENT, to_document
from atril.store.schema import (
    audit,
    documents,
    is_current,
    is_unsettled,
    versions,
)
from atril.types import Document, Scope

_NAMES_SHOWN: Final = 20

_LIVE = versions.join(documents)
_IN_LIVE = sa.and_(versions.c.tenant == sa.bindparam("tenant"), is_current)

_DOCUMENTS = sa.select(*DOCUMENT).select_from(_LIVE).where(_IN_LIVE)
_BY_NAME = _DOCUMENTS.where(documents.c.name == sa.bindparam("name"))
_BY_ID = _DOCUMENTS.where(versions.c.document == sa.bindparam("document"))
_BY_STEM = _DOCUMENTS.where(documents.c.stem_key == sa.bindparam("stem"))
_BY_VERSION = _DOCUMENTS.where(versions.c.id.in_(sa.bindparam("versions", expanding=True)))
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
        versions.c.labels,
        versions.c.given,
        documents.c.path,
        documents.c.source,
    )
    .select_from(_LIVE)
    .where(
        _IN_LIVE,
        documents.c.collection == sa.bindparam("collection"),
        documents.c.source.in_(sa.bindparam("sources", expanding=True)),
    )
)


def listing(connection: Connection, scope: Scope) -> list[Document]:
    """The documents the caller may see, by name."""
    statement = _DOCUMENTS
    if scope.collections is not None:
        statement = statement.where(documents.c.collection.in_(scope.collections))
    found = (to_document(row) for row in connection.execute(statement, {"tenant": scope.tenant}))
    return sorted((document for document in found if visible(scope, document)), key=lambda each: each.name)


def find(connection: Connection, scope: Scope, name: str) -> Document:
    """The document that a written name means. Raises `DocumentNotFound` or `AmbiguousName`."""
    for row in connection.execute(_BY_NAME, {"tenant": scope.tenant, "name": name}):
        named = to_document(row)
        if visible(scope, named):
            return named
    names = _names(connection, scope)
    matches = sorted(matching(name, list(names)))
    if not matches:
        raise DocumentNotFound(name=name, similar=similar_names(connection, scope, name))
    if len(matches) > 1:
        more = ", …" if len(matches) > _NAMES_SHOWN else ""
        raise AmbiguousName(name=name, matches=", ".join(matches[:_NAMES_SHOWN]) + more)
    return document(connection, scope, names[matches[0]])


def document(connection: Connection, scope: Scope, identity: UUID) -> Document:
    """Raises `DocumentNotFound` when the document is gone or not for this caller."""
    row = connection.execute(_BY_ID, {"tenant": scope.tenant, "document": identity}).first()
    found = to_document(row) if row else None
    if found is None or not visible(scope, found):
        raise DocumentNotFound(name=str(identity), similar="")
    return found


def of_stem(connection: Connection, scope: Scope, stem: str) -> Document | None:
    """The document whose chunks' ids begin with `stem`."""
    row = connection.execute(_BY_STEM, {"tenant": scope.tenant, "stem": stem_key(stem)}).first()
    found = to_document(row) if row else None
    return found if found and visible(scope, found) else None


def of_versions(connection: Connection, tenant: str, wanted: Sequence[UUID]) -> list[Document]:
    """The documents whose current versions these are, whoever may see them."""
    rows = connection.execute(_BY_VERSION, {"tenant": tenant, "versions": wanted})
    return [to_document(row) for row in rows]


def similar_names(connection: Connection, scope: Scope, name: str) -> str:
    """Names like one that was not found, as an error shows them; empty when there are none."""
    return ", ".join(similar(name, list(_names(connection, scope))))


def known(
    connection: Connection, scope: Scope, collection: str, sources: Sequence[str]
) -> dict[str, KnownDocument]:
    found: dict[str, KnownDocument] = {}
    for part in in_parts({storable(source) for source in sources}):
        where = {"tenant": scope.tenant, "collection": collection, "sources": part}
        for *values, stored in connection.execute(_KNOWN, where):
            found[stored] = KnownDocument(*values)
    return {source: found[storable(source)] for source in sources if storable(source) in found}


def language_shares(connection: Connection, scope: Scope) -> dict[str, float]:
    """The share of the tenant's documents in each language."""
    statement = sa.select(versions.c.language, sa.func.count()).where(_IN_LIVE).group_by(versions.c.language)
    rows = connection.execute(statement, {"tenant": scope.tenant})
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    total = sum(counts.values())
    return {language: count / total for language, count in sorted(counts.items())}


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


def _names(connection: Connection, scope: Scope) -> dict[str, UUID]:
    return {
        row.name: row.id
        for row in connection.execute(_NAMES, {"tenant": scope.tenant})
        if _allowed(scope, row.collection, row.labels)
    }


def visible(scope: Scope, document: Document) -> bool:
    """Whether the scope's collections and labels show the document."""
    return _allowed(scope, document.collection, document.labels)


def _allowed(scope: Scope, collection: str, labels: Iterable[str]) -> bool:
    if scope.collections is not None and collection not in scope.collections:
        return False
    return not scope.labels or not set(scope.labels).isdisjoint(labels)
