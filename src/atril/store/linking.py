"""What texts say of one another, written with their versions and bound to documents as they come and go.

A name is bound to the document whose longest alias begins it, and a mention by that name is aimed at a chunk
of the document's current version. When documents come or go, only the names that begin with one of their
aliases are looked at again, which an index finds, and only the mentions of those names and documents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.references.names import beginnings
from atril.documents.references.targets import link_name
from atril.store import aiming, frequencies
from atril.store.drafts import Draft
from atril.store.parts import in_parts
from atril.store.schema import aliases, documents, is_current, mentions, names, places, versions

Name: TypeAlias = tuple[str, int | None]
"""A name key, and the year when it was written if that matters."""

_LAST: Final = "\U0010ffff"
_WANTED: Final[sa.BindParameter[Any]] = sa.bindparam("wanted", expanding=True)
_TENANT: Final[sa.BindParameter[Any]] = sa.bindparam("of_tenant")
_ALIASES = sa.select(aliases.c.name, aliases.c.since).where(
    aliases.c.tenant == _TENANT, aliases.c.version.in_(_WANTED)
)
_MEANT = (
    sa.select(aliases.c.name, aliases.c.since, versions.c.document, documents.c.name.label("called"))
    .join_from(aliases, versions)
    .join(documents)
    .where(aliases.c.tenant == _TENANT, aliases.c.name.in_(_WANTED), is_current)
)
_NAME = (names.c.id, names.c.text, names.c.year, names.c.document)
_NAMES_IN = (
    sa.select(*_NAME)
    .join_from(mentions, names, sa.and_(names.c.tenant == mentions.c.tenant, names.c.id == mentions.c.name))
    .where(mentions.c.tenant == _TENANT, mentions.c.version.in_(_WANTED))
    .distinct()
)
_NAMES_FROM = sa.select(*_NAME).where(
    names.c.tenant == _TENANT, names.c.text >= sa.bindparam("first"), names.c.text < sa.bindparam("beyond")
)
_NAMES_OF = (
    sa.select(*_NAME, aliases.c.name.label("alias"), aliases.c.since)
    .join_from(
        aliases,
        names,
        sa.and_(
            names.c.tenant == aliases.c.tenant,
            names.c.text >= aliases.c.name,
            names.c.text < aliases.c.name + f" {_LAST}",
        ),
    )
    .where(aliases.c.tenant == _TENANT, aliases.c.version.in_(_WANTED))
)
_EVERY_NAME = sa.select(*_NAME).where(names.c.tenant == _TENANT)
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


def name_id(text: str, year: int | None) -> int:
    """A name's id: 64 bits of its hash."""
    written = f"{text}\n{year}" if year else text
    return int.from_bytes(hashlib.blake2b(written.encode(), digest_size=8).digest(), "big", signed=True)


def write(connection: Connection, tenant: str, written: Iterable[tuple[UUID, str, Draft]]) -> None:
    """The aliases, places and mentions of pending versions, each with its document's name, bound to nothing
    yet."""
    fresh: dict[int, dict[str, Any]] = {}
    rows: dict[sa.Table, list[dict[str, Any]]] = {aliases: [], places: [], mentions: []}
    for version, name, draft in written:
        for each in draft.references:
            if each.name:
                said = {"text": each.name, "year": each.year, "shown": each.shown}
                fresh.setdefault(name_id(each.name, each.year), said)
        called = {**draft.aliases, **dict.fromkeys(beginnings(link_name(name)))}
        of_version = {"tenant": tenant, "version": version}
        rows[aliases] += [of_version | {"name": alias, "since": called[alias]} for alias in sorted(called)]
        rows[places] += [
            of_version | {"key": each.key, "copy": each.copy, "part": each.part, "number": each.number}
            for each in draft.places
        ]
        rows[mentions] += [of_version | row for row in _mention_rows(version, draft)]
    if fresh:
        connection.execute(
            frequencies.upsert(connection, names).on_conflict_do_nothing(),
            [{"tenant": tenant, "id": identity, **said} for identity, said in fresh.items()],
        )
    for table, values in rows.items():
        if values:
            connection.execute(table.insert(), values)


def _mention_rows(version: UUID, draft: Draft) -> Iterator[dict[str, Any]]:
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
            "name": name_id(each.name, each.year) if each.name else None,
            "target_version": None if each.target is None else version,
            "target": each.target,
            "problem": each.problem,
        }


def bind(connection: Connection, tenant: str, come: Collection[UUID], gone: Collection[UUID]) -> None:
    """Brings the names into agreement after versions became current or ceased to be."""
    changed = _aliases(connection, tenant, come) ^ _aliases(connection, tenant, gone)
    affected = _beginning_with_those(connection, tenant, {*come, *gone}, changed)
    for part in in_parts(come):
        for row in connection.execute(_NAMES_IN, {"of_tenant": tenant, "wanted": part}):
            if row.document is None:
                affected[row.id] = (row.text, row.year), None
    _rebind(connection, tenant, affected)
    for part in in_parts(come):
        connection.execute(_BIND_FRESH, {"of_tenant": tenant, "wanted": part})
    aiming.aim_from(connection, tenant, come)
    aiming.aim_at(connection, tenant, {*come, *gone})


def rename(connection: Connection, tenant: str, called: Mapping[UUID, Mapping[str, int | None]]) -> None:
    """Gives versions other aliases and binds every name of the tenant again."""
    for part in in_parts(called):
        connection.execute(
            aliases.delete().where(
                aliases.c.tenant == tenant, aliases.c.version.in_(part), aliases.c.name.not_like("@%")
            )
        )
    rows = [
        {"tenant": tenant, "version": version, "name": alias, "since": found[alias]}
        for version, found in called.items()
        for alias in sorted(found)
    ]
    if rows:
        connection.execute(aliases.insert(), rows)
    every = {
        row.id: ((row.text, row.year), row.document)
        for row in connection.execute(_EVERY_NAME, {"of_tenant": tenant})
    }
    _rebind(connection, tenant, every)
    for part in in_parts(called):
        connection.execute(_BIND_FRESH, {"of_tenant": tenant, "wanted": part})
    aiming.aim_from(connection, tenant, called)


def move(
    connection: Connection, tenant: str, document: UUID, name: str, called: Mapping[str, int | None]
) -> None:
    """Gives the current version of a document other aliases, and those by which links reach its new name."""
    own = sa.select(versions.c.id).where(
        versions.c.tenant == tenant, versions.c.document == document, is_current
    )
    version = connection.scalar(own)
    if version is None:
        return
    before = _aliases(connection, tenant, [version])
    connection.execute(aliases.delete().where(aliases.c.tenant == tenant, aliases.c.version == version))
    fresh = {**called, **dict.fromkeys(beginnings(link_name(name)))}
    if fresh:
        connection.execute(
            aliases.insert(),
            [{"tenant": tenant, "version": version, "name": each, "since": fresh[each]} for each in fresh],
        )
    changed = before ^ _aliases(connection, tenant, [version])
    _rebind(connection, tenant, _beginning_with(connection, tenant, {name for name, _ in changed}))


def purge(connection: Connection, tenant: str, wanted: Collection[UUID]) -> None:
    """Deletes what belongs to versions, and the names that nothing mentions any more."""
    for part in in_parts(wanted):
        named = connection.execute(_NAMES_IN, {"of_tenant": tenant, "wanted": part}).all()
        for table in (mentions, places, aliases):
            connection.execute(table.delete().where(table.c.tenant == tenant, table.c.version.in_(part)))
        for some in in_parts([row.id for row in named]):
            used = sa.select(mentions.c.name).where(
                mentions.c.tenant == tenant, mentions.c.name == names.c.id
            )
            connection.execute(
                names.delete().where(names.c.tenant == tenant, names.c.id.in_(some), ~used.exists())
            )


def meanings(connection: Connection, tenant: str, wanted: Iterable[Name]) -> dict[Name, tuple[UUID, str]]:
    """What names mean: for each the document with the longest alias that begins it, and that document's name.

    Of several documents with one alias the first by name counts; a link that could lead to several leads
    nowhere, and so does a name from before the year since when it means that document.
    """
    choices = {name: list(beginnings(name[0])) for name in wanted}
    meant: dict[str, list[tuple[str, UUID, int | None]]] = {}
    for part in in_parts({alias for some in choices.values() for alias in some}):
        for row in connection.execute(_MEANT, {"of_tenant": tenant, "wanted": part}):
            meant.setdefault(row.name, []).append((row.called, row.document, row.since))
    found: dict[Name, tuple[UUID, str]] = {}
    for (text, year), some in choices.items():
        known = next((meant[alias] for alias in some if alias in meant), [])
        known = [each for each in known if year is None or each[2] is None or year >= each[2]]
        if known and (len(known) == 1 or not text.startswith("@")):
            called, document, _ = min(known, key=lambda each: each[:2])
            found[text, year] = document, called
    return found


def _beginning_with(
    connection: Connection, tenant: str, changed: Collection[str]
) -> dict[int, tuple[Name, UUID | None]]:
    """The names that begin with one of these aliases, by id, and the document each means now."""
    found: dict[int, tuple[Name, UUID | None]] = {}
    for alias in changed:
        bounds = {"of_tenant": tenant, "first": alias, "beyond": f"{alias} {_LAST}"}
        for row in connection.execute(_NAMES_FROM, bounds):
            found[row.id] = (row.text, row.year), row.document
    return found


def _beginning_with_those(
    connection: Connection, tenant: str, wanted: Collection[UUID], changed: Collection[Name]
) -> dict[int, tuple[Name, UUID | None]]:
    """The same for those of the aliases of versions that have changed, in one look for all."""
    found: dict[int, tuple[Name, UUID | None]] = {}
    for part in in_parts(wanted) if changed else ():
        for row in connection.execute(_NAMES_OF, {"of_tenant": tenant, "wanted": part}):
            if (row.alias, row.since) in changed:
                found[row.id] = (row.text, row.year), row.document
    return found


def _rebind(connection: Connection, tenant: str, affected: Mapping[int, tuple[Name, UUID | None]]) -> None:
    meant = meanings(connection, tenant, {name for name, _ in affected.values()})
    changes: list[dict[str, Any]] = []
    for identity, (name, before) in affected.items():
        now = meant[name][0] if name in meant else None
        if now != before:
            changes.append({"of_tenant": tenant, "name_id": identity, "meant": now})
    if changes:
        connection.execute(_BIND_NAME, changes)
        connection.execute(_BIND_MENTIONS, changes)
        aiming.aim_named(connection, tenant, [change["name_id"] for change in changes])


def _aliases(connection: Connection, tenant: str, wanted: Collection[UUID]) -> set[Name]:
    return {
        (row.name, row.since)
        for part in in_parts(wanted)
        for row in connection.execute(_ALIASES, {"of_tenant": tenant, "wanted": part})
    }
