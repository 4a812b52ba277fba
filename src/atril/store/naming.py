"""Giving a document its names."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store.drafts import Draft
from atril.store.names import first_free, name_choices, stem_choices, stem_key, storable
from atril.store.schema import documents

_OF_TENANT = documents.c.tenant == sa.bindparam("tenant")
_KNOWN = sa.select(documents.c.name, documents.c.stem).where(
    _OF_TENANT, documents.c.id == sa.bindparam("document")
)
_NAMES = sa.select(documents.c.name).where(
    _OF_TENANT, documents.c.name.in_(sa.bindparam("choices", expanding=True))
)
_STEMS = sa.select(documents.c.stem_key).where(
    _OF_TENANT, documents.c.stem_key.in_(sa.bindparam("choices", expanding=True))
)
_NAME_AGAIN = documents.update().where(
    documents.c.tenant == sa.bindparam("of_tenant"), documents.c.id == sa.bindparam("document")
)


def give_names(connection: Connection, tenant: str, document: UUID, draft: Draft) -> tuple[str, str]:
    """Name and stem of a document: those it has, or new ones when it is new or was removed."""
    known = connection.execute(_KNOWN, {"tenant": tenant, "document": document}).first()
    if known and known.name is not None:
        return known.name, known.stem
    given = free_names(connection, tenant, document, draft.name, draft.folder)
    given["path"] = draft.path and storable(draft.path)
    if known:
        connection.execute(_NAME_AGAIN, {"of_tenant": tenant, "document": document, **given})
    else:
        identity = {"collection": draft.collection, "source": storable(draft.source)}
        connection.execute(documents.insert(), {"tenant": tenant, "id": document, **identity, **given})
    return given["name"], given["stem"]


def free_names(connection: Connection, tenant: str, document: UUID, name: str, folder: str) -> dict[str, Any]:
    """The columns `name`, `stem` and `stem_key` as near to what is wanted as other documents allow."""
    wanted, folder = (normalize("NFC", storable(text)) for text in (name, folder))
    names = list(name_choices(wanted, folder, document))
    name = first_free(names, set(connection.scalars(_NAMES, {"tenant": tenant, "choices": names})))
    stems = list(stem_choices(name, document))
    keys = [stem_key(stem) for stem in stems]
    stem = first_free(stems, set(connection.scalars(_STEMS, {"tenant": tenant, "choices": keys})), stem_key)
    return {"name": name, "stem": stem, "stem_key": stem_key(stem)}
