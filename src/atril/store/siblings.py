"""The parts of one article, which chunking has made several chunks."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store.parts import in_parts
from atril.store.schema import chunks

_REACH = 100
"""Chunks either side that are looked at; no article has more parts."""

_other = chunks.alias("other")
_NEAR = (
    sa.select(chunks.c.point, chunks.c.number, _other.c.point, _other.c.number)
    .join_from(
        chunks,
        _other,
        sa.and_(
            _other.c.tenant == chunks.c.tenant,
            _other.c.version == chunks.c.version,
            _other.c.number.between(chunks.c.number - _REACH, chunks.c.number + _REACH),
            _other.c.article == chunks.c.article,
        ),
    )
    .where(
        chunks.c.tenant == sa.bindparam("tenant"),
        chunks.c.point.in_(sa.bindparam("points", expanding=True)),
        chunks.c.article.is_not(None),
    )
)


def siblings(connection: Connection, tenant: str, points: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """The other parts of the article that each chunk is a part of, nearest first; without any, no key."""
    rows = [
        row
        for some in in_parts(points)
        for row in connection.execute(_NEAR, {"tenant": tenant, "points": some})
    ]
    numbers: dict[UUID, dict[int, UUID]] = {}
    own: dict[UUID, int] = {}
    for point, number, other, other_number in rows:
        own[point] = number
        numbers.setdefault(point, {})[other_number] = other
    found = {point: _run(own[point], parts) for point, parts in numbers.items()}
    return {point: parts for point, parts in found.items() if parts}


def _run(number: int, parts: dict[int, UUID]) -> tuple[UUID, ...]:
    """The parts that follow one another around `number`; a like-named article elsewhere is another one."""
    first = last = number
    while first - 1 in parts:
        first -= 1
    while last + 1 in parts:
        last += 1
    near = sorted((at for at in range(first, last + 1) if at != number), key=lambda at: abs(at - number))
    return tuple(parts[at] for at in near)
