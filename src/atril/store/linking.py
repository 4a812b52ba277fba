"""What texts say of one another, written with their versions and bound to documents as they come and go.

A name is bound to the document whose longest alias begins it. When documents come or go, only the names
that begin with one of their aliases are looked at again, which an index finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.reference_names import beginnings
from atril.documents.reference_targets import link_name
from atril.store import frequencies
from atril.store.drafts import Draft
from atril.store.frequencies import IN_LIST
from atril.store.schema import aliases, documents, is_current, mentions, names, places, versions

_LAST: Final = "\U0010ffff"
_WANTED: Final[sa.BindParameter[Any]] = sa.bindparam("wanted", expanding=True)
_TENANT: Final[sa.BindParameter[Any]] = sa.bindparam("of_tenant")
_ALIASES = sa.select(aliases.c.name).where(aliases.c.tenant == _TENANT, aliases.c.version.in_(_WANTED))
_MEANT = (
    sa.select(aliases.c.name, versions.c.document, documents.c.name.label("called"))
    .join_from(aliases, versions)
    .join(documents)
    .where(aliases.c.tenant == _TENANT, aliases.c.name.in_(_WANTED), is_current)
)
_NAMES_IN = (
    sa.select(names.c.id, names.c.text, names.c.document)
    .join_from(mentions, names, sa.and_(names.c.tenant == mentions.c.tenant, names.c.id == mentions.c.name))
    .where(mentions.c.tenant == _TENANT, mentions.c.version.in_(_WANTED))
    .distinct()
)
_NAMES_FROM = sa.select(names.c.id, names.c.text, names.c.document).where(
    names.c.tenant == _TENANT, names.c.text >= sa.bindparam("first"), names.c.text < sa.bindparam("beyond")
)
_EVERY_NAME = sa.select(names.c.id, names.c.text, names.c.document).where(names.c.tenant == _TENANT)
_BIND_NAME = (
    names.update()
    .where(names.c.tenant == _TENANT, names.c.id == sa.bindparam("name_id"))
    .values(document=sa.bindparam("meant"))
)
_BIND_MENTIONS = (
    mentions.update()
    .where(mentions.c.tenant == _TENANT, mentions.c.name == sa.bindparam("name_id"))
    .values(document=sa.bindparam("meant"))
)
_BIND_FRESH = (
    mentions.update()
    .where(mentions.c.tenant == _TENANT, mentions.c.version.in_(_WANTED), mentions.c.name.is_not(None))
    .values(
        document=sa.select(names.c.document)
        .where(names.c.tenant == mentions.c.tenant, names.c.id == mentions.c.name)
        .scalar_subquery()
    )
)


def name_id(text: str) -> int:
    """A name's id: 64 bits of its hash."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def write(connection: Connection, tenant: str, version: UUID, name: str, draft: Draft) -> None:
    """The aliases, places and mentions of a pending version, bound to nothing yet."""
    of_version = {"tenant": tenant, "version": version}
    fresh = {
        name_id(each.name): {"text": each.name, "shown": each.shown} for each in draft.references if each.name
    }
    if fresh:
        connection.execute(
            frequencies.upsert(connection, names).on_conflict_do_nothing(),
            [{"tenant": tenant, "id": identity, **said} for identity, said in fresh.items()],
        )
    called = draft.aliases | set(beginnings(link_name(name)))
    for table, values in (
        (aliases, [{"name": alias} for alias in sorted(called)]),
        (
            places,
            [
                {"key": each.key, "copy": each.copy, "part": each.part, "number": each.number}
                for each in draft.places
            ],
        ),
        (mentions, list(_mention_rows(draft))),
    ):
        if values:
            connection.execute(table.insert(), [of_version | row for row in values])


def _mention_rows(draft: Draft) -> Iterator[dict[str, Any]]:
    for ordinal, each in enumerate(draft.references):
        yield {
            "number": each.number,
            "ordinal": ordinal,
            "start": each.start,
            "end": each.end,
            "kind": each.kind,
            "place": each.place,
            "part": each.part,
            "last": each.text,
            "name": name_id(each.name) if each.name else None,
            "target": each.target,
            "problem": each.problem,
        }


def bind(connection: Connection, tenant: str, come: Collection[UUID], gone: Collection[UUID]) -> None:
    """Brings the names into agreement after versions became current or ceased to be."""
    changed = _aliases(connection, tenant, come) ^ _aliases(connection, tenant, gone)
    affected = _beginning_with(connection, tenant, changed)
    for part in _parts(come):
        for row in connection.execute(_NAMES_IN, {"of_tenant": tenant, "wanted": part}):
            if row.document is None:
                affected[row.id] = row.text, None
    _rebind(connection, tenant, affected)
    for part in _parts(come):
        connection.execute(_BIND_FRESH, {"of_tenant": tenant, "wanted": part})


def rename(connection: Connection, tenant: str, called: Mapping[UUID, frozenset[str]]) -> None:
    """Gives versions other aliases and binds every name of the tenant again."""
    for part in _parts(called):
        connection.execute(
            aliases.delete().where(
                aliases.c.tenant == tenant, aliases.c.version.in_(part), aliases.c.name.not_like("@%")
            )
        )
    rows = [
        {"tenant": tenant, "version": version, "name": alias}
        for version, found in called.items()
        for alias in sorted(found)
    ]
    if rows:
        connection.execute(aliases.insert(), rows)
    every = {
        row.id: (row.text, row.document) for row in connection.execute(_EVERY_NAME, {"of_tenant": tenant})
    }
    _rebind(connection, tenant, every)


def move(connection: Connection, tenant: str, document: UUID, name: str) -> None:
    """Gives the current version of a document the names by which links reach it under its new name."""
    own = sa.select(versions.c.id).where(
        versions.c.tenant == tenant, versions.c.document == document, is_current
    )
    version = connection.scalar(own)
    if version is None:
        return
    before = _aliases(connection, tenant, [version])
    connection.execute(
        aliases.delete().where(
            aliases.c.tenant == tenant, aliases.c.version == version, aliases.c.name.like("@%")
        )
    )
    fresh = list(beginnings(link_name(name)))
    if fresh:
        connection.execute(
            aliases.insert(), [{"tenant": tenant, "version": version, "name": each} for each in fresh]
        )
    _rebind(
        connection,
        tenant,
        _beginning_with(connection, tenant, before ^ _aliases(connection, tenant, [version])),
    )


def purge(connection: Connection, tenant: str, wanted: Collection[UUID]) -> None:
    """Deletes what belongs to versions, and the names that nothing mentions any more."""
    for part in _parts(wanted):
        named = connection.execute(_NAMES_IN, {"of_tenant": tenant, "wanted": part}).all()
        for table in (mentions, places, aliases):
            connection.execute(table.delete().where(table.c.tenant == tenant, table.c.version.in_(part)))
        for some in _parts([row.id for row in named]):
            used = sa.select(mentions.c.name).where(
                mentions.c.tenant == tenant, mentions.c.name == names.c.id
            )
            connection.execute(
                names.delete().where(names.c.tenant == tenant, names.c.id.in_(some), ~used.exists())
            )


def meanings(connection: Connection, tenant: str, texts: Iterable[str]) -> dict[str, tuple[UUID, str]]:
    """What name keys mean: for each the document with the longest alias that begins it, and its name.

    Of several documents with one alias the first by name counts; a link that could lead to several leads
    nowhere.
    """
    choices = {text: list(beginnings(text)) for text in texts}
    meant: dict[str, list[tuple[str, UUID]]] = {}
    for part in _parts({name for some in choices.values() for name in some}):
        for row in connection.execute(_MEANT, {"of_tenant": tenant, "wanted": part}):
            meant.setdefault(row.name, []).append((row.called, row.document))
    found: dict[str, tuple[UUID, str]] = {}
    for text, some in choices.items():
        known = next((meant[name] for name in some if name in meant), [])
        if known and (len(known) == 1 or not text.startswith("@")):
            called, document = min(known)
            found[text] = document, called
    return found


def _beginning_with(
    connection: Connection, tenant: str, changed: Collection[str]
) -> dict[int, tuple[str, UUID | None]]:
    """The names that begin with one of these aliases: id, text and the document each means now."""
    found: dict[int, tuple[str, UUID | None]] = {}
    for alias in changed:
        bounds = {"of_tenant": tenant, "first": alias, "beyond": f"{alias} {_LAST}"}
        for row in connection.execute(_NAMES_FROM, bounds):
            found[row.id] = row.text, row.document
    return found


def _rebind(connection: Connection, tenant: str, affected: Mapping[int, tuple[str, UUID | None]]) -> None:
    meant = meanings(connection, tenant, {text for text, _ in affected.values()})
    changes = []
    for identity, (text, before) in affected.items():
        now = meant[text][0] if text in meant else None
        if now != before:
            changes.append({"of_tenant": tenant, "name_id": identity, "meant": now})
    if changes:
        connection.execute(_BIND_NAME, changes)
        connection.execute(_BIND_MENTIONS, changes)


def _aliases(connection: Connection, tenant: str, wanted: Collection[UUID]) -> set[str]:
    return {
        name
        for part in _parts(wanted)
        for name in connection.scalars(_ALIASES, {"of_tenant": tenant, "wanted": part})
    }


def _parts(values: Collection[Any]) -> Iterator[Sequence[Any]]:
    listed = list(values)
    for start in range(0, len(listed), IN_LIST):
        yield listed[start : start + IN_LIST]
