"""Following references between chunks, and how many of them lead somewhere.

Only current versions that the caller may see take part, on both ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.documents.ordinals import place_key
from atril.documents.reference_names import NormNames, name_key
from atril.store import linking
from atril.store.index.protocol import point_id
from atril.store.passages import Passages
from atril.store.rows import chunk_id
from atril.store.schema import aliases, chunks, is_current, mentions, places, versions
from atril.types import Document, Scope

_AT_ONCE: Final = 256
_LONGEST_ARTICLE: Final = 500
_TENANT: Final[sa.BindParameter[Any]] = sa.bindparam("tenant")


# One table at a time, each by its key: given a join, SQLite may begin with every mention of the tenant.
_AT_POINTS = sa.select(chunks.c.point, chunks.c.version, chunks.c.number).where(
    chunks.c.tenant == _TENANT, chunks.c.point.in_(sa.bindparam("wanted", expanding=True))
)
_CURRENT = sa.select(versions.c.id, versions.c.document).where(
    versions.c.tenant == _TENANT, versions.c.id.in_(sa.bindparam("wanted", expanding=True)), is_current
)
_CURRENT_OF = sa.select(versions.c.id, versions.c.document).where(
    versions.c.tenant == _TENANT, versions.c.document.in_(sa.bindparam("wanted", expanding=True)), is_current
)


@dataclass(frozen=True)
class _Paired:
    """Rows of a table by pairs of values, through a join that SQLite answers from the index of the pair."""

    columns: tuple[sa.Column[Any], ...]
    one: sa.Column[Any]
    other: sa.Column[Any]
    also: str = ""

    def of(self, size: int) -> sa.TextualSelect:
        pairs = ", ".join(f"(:one{at}, :other{at})" for at in range(size))
        listed = ", ".join(f"of.{column.name}" for column in self.columns)
        table, one, other = self.one.table, self.one.name, self.other.name
        statement = sa.text(
            f"WITH wanted(one, other) AS (VALUES {pairs}) SELECT {listed} FROM wanted JOIN {table} AS of"  # noqa: S608  names of columns
            f" ON of.tenant = :tenant AND of.{one} = wanted.one AND of.{other} = wanted.other {self.also}"
        )
        typed = [sa.bindparam("tenant", type_=sa.Text())]
        for at in range(size):
            typed.append(sa.bindparam(f"one{at}", type_=self.one.type))
            typed.append(sa.bindparam(f"other{at}", type_=self.other.type))
        return statement.bindparams(*typed).columns(*self.columns)


# A law that is named without an article leads to no chunk.
_NO_NORM: Final = "AND of.kind <> 'norm'"
_AT_NUMBERS = _Paired((chunks.c.point, chunks.c.version), chunks.c.version, chunks.c.number)
_PLACES_AT = _Paired((places.c.version, places.c.key), places.c.version, places.c.number)
_PLACES_CALLED = _Paired(
    (places.c.version, places.c.key, places.c.copy, places.c.part, places.c.number),
    places.c.version,
    places.c.key,
)
_MENTIONS_IN = _Paired(
    (
        mentions.c.version,
        mentions.c.number,
        mentions.c.ordinal,
        mentions.c.place,
        mentions.c.part,
        mentions.c.last,
        mentions.c.document,
        mentions.c.target,
    ),
    mentions.c.version,
    mentions.c.number,
    _NO_NORM,
)
_SOURCE = (mentions.c.version, mentions.c.number)
_MENTIONS_OF_PLACES = _Paired(_SOURCE, mentions.c.document, mentions.c.place, _NO_NORM)
_MENTIONS_WITHIN = _Paired(_SOURCE, mentions.c.version, mentions.c.target, _NO_NORM)
_PLACES = places.join(
    versions, sa.and_(versions.c.tenant == places.c.tenant, versions.c.id == places.c.version)
)
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
    ask = _Asking(connection, scope.tenant)
    sources = {(row.version, row.number): row.point for row in ask(_AT_POINTS, points)}
    said = sorted(ask(_MENTIONS_IN, sources), key=lambda row: row.ordinal)
    meant = {row.document: row.id for row in ask(_CURRENT_OF, {row.document for row in said if row.document})}
    pairs = {(meant[row.document], row.place) for row in said if row.document in meant}
    known: dict[tuple[UUID, str], list[Any]] = {}
    for place in ask(_PLACES_CALLED, pairs):
        known.setdefault((place.version, place.key), []).append(place)
    owners = passages.visible(connection, scope, {version for version, _ in sources} | set(meant.values()))
    found: dict[UUID, dict[Link, None]] = {}
    for row in said:
        target = _target(
            row, known.get((meant[row.document], row.place), []) if row.document in meant else []
        )
        if target and target[0] in owners and target != (row.version, row.number):
            version, number = target
            document = owners[version]
            link = Link(point_id(document.id, version, number), chunk_id(document.stem, number))
            found.setdefault(sources[row.version, row.number], {})[link] = None
    return {point: tuple(links) for point, links in found.items()}


def _target(mention: Any, known: Sequence[Any]) -> tuple[UUID, int] | None:
    """Version and number of the chunk that a mention means: of the copy it means, the part if there is one."""
    if mention.target is not None:
        return mention.version, mention.target
    fitting = [place for place in known if place.part in ("", mention.part)]
    if not fitting:
        return None
    best = max(fitting, key=lambda each: (each.part != "", each.copy if mention.last else -each.copy))
    return best.version, best.number


def incoming(
    connection: Connection, passages: Passages, scope: Scope, points: Sequence[UUID]
) -> dict[UUID, tuple[UUID, ...]]:
    """The chunks that refer to those points: what `outgoing` says, the other way round."""
    ask = _Asking(connection, scope.tenant)
    targets = {(row.version, row.number) for row in ask(_AT_POINTS, points)}
    owner = {row.id: row.document for row in ask(_CURRENT, {version for version, _ in targets})}
    targets = {target for target in targets if target[0] in owner}
    called = {(owner[row.version], row.key) for row in ask(_PLACES_AT, targets)}
    said = {
        (row.version, row.number)
        for statement, wanted in ((_MENTIONS_WITHIN, targets), (_MENTIONS_OF_PLACES, called))
        for row in ask(statement, wanted)
    }
    current = {row.id for row in ask(_CURRENT, {version for version, _ in said})}
    seen = passages.visible(connection, scope, current)
    sources = [row.point for row in ask(_AT_NUMBERS, {each for each in said if each[0] in seen})]
    wanted_points = set(points)
    found: dict[UUID, list[UUID]] = {}
    for source, links in outgoing(connection, passages, scope, sources).items():
        for link in links:
            if link.point in wanted_points:
                found.setdefault(link.point, []).append(source)
    return {point: tuple(sorted(each)) for point, each in found.items()}


class _Asking:
    """Runs a statement over as many values as there are, a part at a time."""

    def __init__(self, connection: Connection, tenant: str) -> None:
        self._connection = connection
        self._tenant = tenant

    def __call__(
        self, statement: sa.Select[*tuple[Any, ...]] | _Paired, wanted: Collection[Any]
    ) -> Iterator[sa.Row[*tuple[Any, ...]]]:
        listed = list(wanted)
        for start in range(0, len(listed), _AT_ONCE):
            some = listed[start : start + _AT_ONCE]
            if isinstance(statement, _Paired):
                yield from self._pairs(statement, some)
            else:
                yield from self._connection.execute(statement, {"tenant": self._tenant, "wanted": some}).all()

    def _pairs(self, statement: _Paired, pairs: list[tuple[Any, Any]]) -> Iterator[sa.Row[*tuple[Any, ...]]]:
        # A statement for every number of pairs would never be compiled in advance.
        size = 1 << (len(pairs) - 1).bit_length()
        given: dict[str, Any] = {"tenant": self._tenant}
        for at in range(size):
            given[f"one{at}"], given[f"other{at}"] = pairs[at] if at < len(pairs) else (None, None)
        yield from self._connection.execute(_statement(statement, size), given).all()


@cache
def _statement(paired: _Paired, size: int) -> sa.TextualSelect:
    return paired.of(size)


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
