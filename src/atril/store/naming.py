"""Giving documents their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store.drafts import Draft
from atril.store.names import first_free, name_choices, stem_choices, stem_key, storable
from atril.store.parts import in_parts
from atril.store.schema import documents

_OF_TENANT = documents.c.tenant == sa.bindparam("tenant")
_CHOICES: sa.BindParameter[Any] = sa.bindparam("choices", expanding=True)
_KNOWN = sa.select(documents.c.id, documents.c.name, documents.c.stem).where(
    _OF_TENANT, documents.c.id.in_(sa.bindparam("documents", expanding=True))
)
_NAMES = sa.select(documents.c.name).where(_OF_TENANT, documents.c.name.in_(_CHOICES))
_STEMS = sa.select(documents.c.stem_key).where(_OF_TENANT, documents.c.stem_key.in_(_CHOICES))
_NAME_AGAIN = documents.update().where(
    documents.c.tenant == sa.bindparam("of_tenant"), documents.c.id == sa.bindparam("document")
)


@dataclass(frozen=True, slots=True)
class Names:
    """What a document is called."""

    name: str
    stem: str

    def columns(self) -> dict[str, str]:
        return {"name": self.name, "stem": self.stem, "stem_key": stem_key(self.stem)}


def give_names(connection: Connection, tenant: str, drafts: Mapping[UUID, Draft]) -> dict[UUID, Names]:
    """The names of documents: those they have, or new ones for what is new or was removed."""
    known = {
        row.id: row
        for part in in_parts(drafts)
        for row in connection.execute(_KNOWN, {"tenant": tenant, "documents": part})
    }
    named = {row.id: Names(row.name, row.stem) for row in known.values() if row.name is not None}
    wanted = {
        document: (draft.name, draft.folder) for document, draft in drafts.items() if document not in named
    }
    given = free_names(connection, tenant, wanted)
    fresh, again = [], []
    for document, names in given.items():
        draft = drafts[document]
        values = {**names.columns(), "path": draft.path and storable(draft.path)}
        if document in known:
            again.append({"of_tenant": tenant, "document": document, **values})
        else:
            identity = {"collection": draft.collection, "source": storable(draft.source)}
            fresh.append({"tenant": tenant, "id": document, **identity, **values})
    if fresh:
        connection.execute(documents.insert(), fresh)
    if again:
        connection.execute(_NAME_AGAIN, again)
    return {**named, **given}


def free_names(
    connection: Connection, tenant: str, wanted: Mapping[UUID, tuple[str, str]]
) -> dict[UUID, Names]:
    """Names for documents, one after the other, as near to the name and folder that each wants as others
    allow."""
    choices = {
        document: list(name_choices(_composed(name), _composed(folder), document))
        for document, (name, folder) in wanted.items()
    }
    taken = _taken(connection, tenant, _NAMES, [name for some in choices.values() for name in some])
    names: dict[UUID, str] = {}
    for document, some in choices.items():
        names[document] = first_free(some, taken)
        taken.add(names[document])
    stems = {document: list(stem_choices(name, document)) for document, name in names.items()}
    taken = _taken(connection, tenant, _STEMS, [stem_key(stem) for some in stems.values() for stem in some])
    free: dict[UUID, Names] = {}
    for document, some in stems.items():
        free[document] = Names(names[document], first_free(some, taken, stem_key))
        taken.add(stem_key(free[document].stem))
    return free


def _composed(text: str) -> str:
    return normalize("NFC", storable(text))


def _taken(
    connection: Connection, tenant: str, statement: sa.Select[*tuple[Any, ...]], choices: Sequence[str]
) -> set[str]:
    return {
        found
        for part in in_parts(choices)
        for found in connection.scalars(statement, {"tenant": tenant, "choices": part})
    }
