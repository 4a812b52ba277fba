"""Following references between chunks, and how many of them lead somewhere.

Only current versions that the caller may see take part, on both ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.ordinals import place_key
from atril.documents.references.names import NormNames, name_key
from atril.store import linking
from atril.store.index.protocol import point_id
from atril.store.parts import in_parts
from atril.store.passages import Passages
from atril.store.rows import chunk_id
from atril.store.schema import CURRENT, Identifier, aliases, chunks, is_current, mentions, places, versions
from atril.types import Document, Scope

_AT_ONCE: Final = 256
_LONGEST_ARTICLE: Final = 500
_TENANT: Final[sa.BindParameter[Any]] = sa.bindparam("tenant")
_WANTED: Final[sa.BindParameter[Any]] = sa.bindparam("wanted", expanding=True)

# Both begin with the points and go on from index to index; a table of values keeps SQLite to that order. The
# aimed mentions of a current version have current targets.
_FROM_POINTS: Final = f"""
    SELECT origin.version, origin.point, mentions.target_version, mentions.target
    FROM wanted
        JOIN chunks AS origin ON origin.tenant = :tenant AND origin.point = wanted.point
        JOIN versions ON versions.tenant = :tenant AND versions.id = origin.version
            AND versions.state = '{CURRENT}'
        JOIN mentions ON mentions.tenant = :tenant AND mentions.version = origin.version
            AND mentions.number = origin.number AND mentions.target IS NOT NULL
    WHERE (mentions.target_version, mentions.target) <> (origin.version, origin.number)
    ORDER BY mentions.ordinal
"""  # noqa: S608  a constant of ours
_TO_POINTS: Final = f"""
    SELECT DISTINCT mentions.version, mentions.number, aim.version AS target_version, aim.point
    FROM wanted
        JOIN chunks AS aim ON aim.tenant = :tenant AND aim.point = wanted.point
        JOIN mentions ON mentions.tenant = :tenant AND mentions.target_version = aim.version
            AND mentions.target = aim.number
        JOIN versions ON versions.tenant = :tenant AND versions.id = mentions.version
            AND versions.state = '{CURRENT}'
    WHERE (mentions.version, mentions.number) <> (aim.version, aim.number)
"""  # noqa: S608  a constant of ours
_COLUMNS: Final = {
    _FROM_POINTS: (chunks.c.version, chunks.c.point, mentions.c.target_version, mentions.c.target),
    _TO_POINTS: (chunks.c.version, chunks.c.number, mentions.c.target_version, chunks.c.point),
}
_PLACES = places.join(
    versions, sa.and_(versions.c.tenant == places.c.tenant, versions.c.id == places.c.version)
)
# `since` makes SQLite go through the index of names: the rest it would read, for every name, from the primary key.
_CALLED = (
    sa.select(aliases.c.name, aliases.c.version, aliases.c.since)
    .join_from(aliases, versions)
    .where(aliases.c.tenant == _TENANT, is_current)
)
_NAMES = _CALLED.where(aliases.c.name.in_(_WANTED))
_EVERY_NAME = _CALLED.where(aliases.c.name.not_like("@%"))

_first = chunks.alias("first")
_ARTICLES = (
    sa.select(places.c.key, places.c.copy, chunks.c.point, chunks.c.number, chunks.c.version)
    .select_from(
        _PLACES.join(
            _first,
            sa.and_(
                _first.c.tenant == places.c.tenant,
                _first.c.version == places.c.version,
                _first.c.number == places.c.number,
            ),
        ).join(
            chunks,
            sa.and_(
                chunks.c.tenant == places.c.tenant,
                chunks.c.version == places.c.version,
                chunks.c.number.between(places.c.number, places.c.number + _LONGEST_ARTICLE),
                chunks.c.article == _first.c.article,
            ),
        )
    )
    .where(
        places.c.tenant == _TENANT,
        versions.c.document.in_(sa.bindparam("documents", expanding=True)),
        is_current,
        places.c.key.in_(sa.bindparam("keys", expanding=True)),
        places.c.part == "",
    )
)


class Link(NamedTuple):
    """Where a reference leads: the chunk's point, and its readable id."""

    point: UUID
    chunk_id: str


def outgoing(
    connection: Connection, passages: Passages, scope: Scope, points: Sequence[UUID]
) -> dict[UUID, tuple[Link, ...]]:
    """Where the chunks of those points refer to, in the order of their text, each once and none to itself."""
    rows = list(_ask(connection, _FROM_POINTS, scope, points))
    seen = passages.visible(connection, scope, {row[0] for row in rows} | {row[2] for row in rows})
    links: dict[tuple[UUID, int], Link] = {}
    found: dict[UUID, dict[Link, None]] = {}
    for version, point, *target in rows:
        document = seen.get(target[0])
        if document is None or version not in seen:
            continue
        place = target[0], target[1]
        link = links.get(place)
        if link is None:
            link = Link(point_id(document.id, *place), chunk_id(document.stem, place[1]))
            links[place] = link
        found.setdefault(point, {})[link] = None
    return {point: tuple(some) for point, some in found.items()}


def incoming(
    connection: Connection, passages: Passages, scope: Scope, points: Sequence[UUID]
) -> dict[UUID, tuple[UUID, ...]]:
    """The chunks that refer to those points: what `outgoing` says, the other way round."""
    rows = list(_ask(connection, _TO_POINTS, scope, points))
    seen = passages.visible(connection, scope, {row[0] for row in rows} | {row[2] for row in rows})
    found: dict[UUID, list[UUID]] = {}
    for version, number, target_version, point in rows:
        document = seen.get(version)
        if document is not None and target_version in seen:
            found.setdefault(point, []).append(point_id(document.id, version, number))
    return {point: tuple(sorted(some)) for point, some in found.items()}


def _ask(
    connection: Connection, select: str, scope: Scope, points: Sequence[UUID]
) -> Iterator[Sequence[Any]]:
    """The rows for all points, a part of them at a time."""
    listed = list(dict.fromkeys(points))
    for start in range(0, len(listed), _AT_ONCE):
        some = listed[start : start + _AT_ONCE]
        # A statement for every number of points would never be compiled in advance.
        size = 1 << (len(some) - 1).bit_length()
        given = dict.fromkeys(_given(size)) | dict(zip(_given(size), some, strict=False))
        yield from connection.execute(_wanted(select, size), {"tenant": scope.tenant, **given})


@cache
def _given(size: int) -> list[str]:
    return [f"point{at}" for at in range(size)]


@cache
def _wanted(select: str, size: int) -> sa.TextualSelect:
    """The statement with a table of so many points."""
    values = ", ".join(f"(:{name})" for name in _given(size))
    typed = [sa.bindparam(name, type_=Identifier) for name in _given(size)]
    return (
        sa.text(f"WITH wanted(point) AS (VALUES {values}) {select}")
        .bindparams(*typed)
        .columns(*_COLUMNS[select])
    )


def articles(connection: Connection, scope: Scope, wanted: Sequence[UUID], keys: Sequence[str]) -> list[UUID]:
    """The points of the chunks of those articles, by document and key as given, then in the order of the text.

    Where a decree and the text it approves have an article of the same key, the text's comes first.
    """
    order = {key: at for at, key in reversed(list(enumerate(map(place_key, keys))))}
    if not wanted or not order:
        return []
    rows = connection.execute(
        _ARTICLES, {"tenant": scope.tenant, "documents": list(wanted), "keys": list(order)}
    ).all()
    rows = sorted(rows, key=lambda row: (order[row.key], row.version, -row.copy, row.number))
    return list(dict.fromkeys(row.point for row in rows))


def names(
    connection: Connection, passages: Passages, scope: Scope, keys: Collection[str] | None
) -> NormNames:
    """Those name keys that documents the caller may see are called by, with the document's name; of `None` all,
    links left out."""
    rows = [
        row
        for part in (in_parts(keys) if keys is not None else ())
        for row in connection.execute(_NAMES, {"tenant": scope.tenant, "wanted": part})
    ]
    if keys is None:
        rows += connection.execute(_EVERY_NAME, {"tenant": scope.tenant})
    seen = passages.visible(connection, scope, {row.version for row in rows})
    called = [(row.name, seen[row.version].name) for row in rows if row.version in seen]
    first = dict(sorted(called, reverse=True))  # of several documents the first by name, as in `meanings`
    return NormNames(first)


def named(
    connection: Connection, passages: Passages, scope: Scope, texts: Sequence[str]
) -> dict[str, Document]:
    """The documents that written names mean ("Ley 20/2007", "ET"), those the caller may see."""
    keys = {text: (name_key(text), None) for text in texts}
    meant = linking.meanings(connection, scope.tenant, set(keys.values()))
    wanted = {meant[key][0] for key in keys.values() if key in meant}
    statement = sa.select(versions.c.document, versions.c.id).where(
        versions.c.tenant == scope.tenant, versions.c.document.in_(wanted), is_current
    )
    current = {row.document: row.id for row in connection.execute(statement)}
    seen = passages.visible(connection, scope, current.values())
    found = {}
    for text, key in keys.items():
        document = seen.get(current[meant[key][0]]) if key in meant and meant[key][0] in current else None
        if document is not None:
            found[text] = document
    return found
