"""What becomes of a document whose file is moved: other names for the same content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store import linking
from atril.store.names import storable
from atril.store.naming import free_names
from atril.store.schema import audit, documents
from atril.types import Scope


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is now: its resolved path, the path it was reached by, the name it would like, and what
    texts may call it now."""

    source: str
    path: str
    name: str
    folder: str
    aliases: Mapping[str, int | None]


def move(connection: Connection, scope: Scope, document: UUID, to: Place, now: datetime) -> str | None:
    """The document's new name, or `None` when another document is at that place already."""
    tenant, source = scope.tenant, storable(to.source)
    this = sa.and_(documents.c.tenant == tenant, documents.c.id == document)
    collection = sa.select(documents.c.collection).where(this).scalar_subquery()
    of_source = sa.select(documents.c.id).where(
        documents.c.tenant == tenant, documents.c.collection == collection, documents.c.source == source
    )
    if connection.scalar(of_source) is not None:
        return None
    # Its own names must not stand in the way of the new ones.
    connection.execute(documents.update().where(this).values(name=None, stem=None, stem_key=None))
    names = free_names(connection, tenant, {document: (to.name, to.folder)})[document]
    values = {"source": source, "path": storable(to.path), **names.columns()}
    connection.execute(documents.update().where(this).values(**values))
    linking.move(connection, tenant, document, names.name, to.aliases)
    entry = {"tenant": tenant, "at": now, "actor": scope.actor, "action": "update", "subject": names.name}
    connection.execute(audit.insert(), entry)
    return names.name


def reach(connection: Connection, tenant: str, document: UUID, path: str) -> None:
    connection.execute(
        documents.update()
        .where(documents.c.tenant == tenant, documents.c.id == document)
        .values(path=storable(path))
    )
