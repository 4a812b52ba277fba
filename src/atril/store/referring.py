"""Following references between chunks, and how many of them lead somewhere.

Only current versions that the caller may see take part, on both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.ordinals import place_key
from atril.documents.reference_names import NormNames, name_key
from atril.store import linking
from atril.store.frequencies import IN_LIST
from atril.store.index.protocol import point_id
from atril.store.passages import Passages
from atril.store.rows import chunk_id
from atril.store.schema import aliases, chunks, is_current, mentions, places, versions
from atril.types import Document, Scope

_NORM: Final = "norm"
_LONGEST_ARTICLE: Final = 500
_TENANT: Final[sa.BindParameter[Any]] = sa.bindparam("tenant")
_POINTS: Final[sa.BindParameter[Any]] = sa.bindparam("points", expanding=True)

_SEEN = sa.and_(chunks.c.tenant == _TENANT, chunks.c.point.in_(_POINTS))
_WHERE = sa.select(chunks.c.version, chunks.c.number, chunks.c.point).where(_SEEN)

# Mentions of chunks by version and number, each of which may be any of several: joined with the chunks, SQLite
# would begin with every mention of the tenant. A law that is named without an article leads to no chunk.
_SAID = sa.and_(
    mentions.c.tenant == _TENANT,
    mentions.c.version.in_(sa.bindparam("versions", expanding=True)),
    mentions.c.number.in_(sa.bindparam("numbers", expanding=True)),
    mentions.c.kind != _NORM,
)
_PLACES = places.join(
    versions, sa.and_(versions.c.tenant == places.c.tenant, versions.c.id == places.c.version)
)
_WITHIN = sa.select(
    mentions.c.version.label("source"),
    mentions.c.number.label("number"),
    mentions.c.ordinal,
    mentions.c.version,
    mentions.c.target,
    sa.literal(1).label("copy"),
    sa.literal("").label("part"),
    mentions.c.last,
).where(_SAID, mentions.c.target.is_not(None))
_BETWEEN = (
    sa.select(
        mentions.c.version.label("source"),
        mentions.c.number.label("number"),
        mentions.c.ordinal,
        versions.c.id,
        places.c.number,
        places.c.copy,
        places.c.part,
        mentions.c.last,
    )
    .select_from(
        mentions.join(
            versions,
            sa.and_(versions.c.tenant == mentions.c.tenant, versions.c.document == mentions.c.document),
        ).join(
            places,
            sa.and_(
                places.c.tenant == versions.c.tenant,
                places.c.version == versions.c.id,
                places.c.key == mentions.c.place,
                places.c.part.in_((sa.literal_column("''"), mentions.c.part)),
            ),
        )
    )
    .where(_SAID, is_current)
)
_OUTGOING = sa.union_all(_WITHIN, _BETWEEN)

_source = chunks.alias("source")
_AT_SOURCE = sa.and_(
    _source.c.tenant == mentions.c.tenant,
    _source.c.version == mentions.c.version,
    _source.c.number == mentions.c.number,
)
_INCOMING = sa.union(
    sa.select(_source.c.point)
    .select_from(
        chunks.join(
            mentions,
            sa.and_(
                mentions.c.tenant == chunks.c.tenant,
                mentions.c.version == chunks.c.version,
                mentions.c.target == chunks.c.number,
                mentions.c.kind != _NORM,
            ),
        ).join(_source, _AT_SOURCE)
    )
    .where(_SEEN),
    sa.select(_source.c.point)
    .select_from(
        chunks.join(
            versions, sa.and_(versions.c.tenant == chunks.c.tenant, versions.c.id == chunks.c.version)
        )
        .join(
            places,
            sa.and_(
                places.c.tenant == chunks.c.tenant,
                places.c.version == chunks.c.version,
                places.c.number == chunks.c.number,
            ),
        )
        .join(
            mentions,
            sa.and_(
                mentions.c.tenant == versions.c.tenant,
                mentions.c.document == versions.c.document,
                mentions.c.place == places.c.key,
                mentions.c.kind != _NORM,
            ),
        )
        .join(_source, _AT_SOURCE)
    )
    .where(_SEEN, is_current),
)
_LIVE = sa.select(chunks.c.point, chunks.c.version).where(_SEEN)

_NAMES = (
    sa.select(aliases.c.name, aliases.c.version)
    .join_from(aliases, versions)
    .where(aliases.c.tenant == _TENANT, is_current, aliases.c.name.not_like("@%"))
)

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
    best: dict[tuple[UUID, int], tuple[Any, ...]] = {}
    for some in _parts(points):
        where = connection.execute(_WHERE, {"tenant": scope.tenant, "points": some}).all()
        sources = {(row.version, row.number): row.point for row in where}
        said = {
            "tenant": scope.tenant,
            "versions": list({row.version for row in where}),
            "numbers": list({row.number for row in where}),
        }
        for row in connection.execute(_OUTGOING, said) if where else ():
            source, at, ordinal, version, number, copy, part, last = row
            point = sources.get((source, at))
            if point is None:
                continue
            key, rank = (point, ordinal), (part != "", copy if last else -copy)
            if key not in best or best[key][0] < rank:
                best[key] = rank, version, number
    owners = passages.visible(connection, scope, {version for _, version, _ in best.values()})
    found: dict[UUID, dict[Link, None]] = {}
    for (point, _), (_, version, number) in sorted(best.items(), key=lambda each: each[0][1]):
        if document := owners.get(version):
            link = Link(point_id(document.id, version, number), chunk_id(document.stem, number))
            if link.point != point:
                found.setdefault(point, {})[link] = None
    return {point: tuple(links) for point, links in found.items()}


def incoming(
    connection: Connection, passages: Passages, scope: Scope, points: Sequence[UUID]
) -> dict[UUID, tuple[UUID, ...]]:
    """The chunks that refer to those points: what `outgoing` says, the other way round."""
    candidates: list[UUID] = []
    for some in _parts(points):
        candidates += connection.scalars(_INCOMING, {"tenant": scope.tenant, "points": some})
    candidates = _live(connection, passages, scope, candidates)
    wanted = set(points)
    found: dict[UUID, list[UUID]] = {}
    for source, links in outgoing(connection, passages, scope, candidates).items():
        for link in links:
            if link.point in wanted:
                found.setdefault(link.point, []).append(source)
    return {point: tuple(sorted(sources)) for point, sources in found.items()}


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


def names(connection: Connection, passages: Passages, scope: Scope) -> NormNames:
    """Every name key of the documents the caller may see, with the document's name; links are left out."""
    rows = connection.execute(_NAMES, {"tenant": scope.tenant}).all()
    seen = passages.visible(connection, scope, {row.version for row in rows})
    called = [(row.name, seen[row.version].name) for row in rows if row.version in seen]
    first = dict(sorted(called, reverse=True))  # of several documents the first by name, as in `meanings`
    return NormNames(first, frozenset(name.split(" ", 1)[0] for name in first))


def _live(connection: Connection, passages: Passages, scope: Scope, points: Iterable[UUID]) -> list[UUID]:
    rows = [
        row
        for some in _parts(list(dict.fromkeys(points)))
        for row in connection.execute(_LIVE, {"tenant": scope.tenant, "points": some})
    ]
    seen = passages.visible(connection, scope, {row.version for row in rows})
    return sorted(row.point for row in rows if row.version in seen)


def _parts(values: Sequence[UUID]) -> Iterable[Sequence[UUID]]:
    return (values[start : start + IN_LIST] for start in range(0, len(values), IN_LIST))


def named(
    connection: Connection, passages: Passages, scope: Scope, texts: Sequence[str]
) -> dict[str, Document]:
    """The documents that written names mean ("Ley 20/2007", "ET"), those the caller may see."""
    keys = {text: name_key(text) for text in texts}
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
