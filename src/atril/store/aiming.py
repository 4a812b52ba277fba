"""Where references to other documents lead: the chunk that their place is in the current version.

It is worked out when versions, names or documents change and not when it is read, which happens much more
often. Each update takes the mentions that an index finds, so the cost follows what has changed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store.parts import in_parts
from atril.store.schema import CURRENT, Identifier

# Of the copies of a place the one that is meant, and of that the part that is meant where it has a chunk of its
# own. A law that is named without an article leads to no chunk.
_AIM: Final = f"""
    UPDATE mentions SET (target_version, target) = (
        SELECT version, number FROM (
            SELECT places.version, places.number, places.part = '' AS whole,
                CASE WHEN mentions.last THEN -places.copy ELSE places.copy END AS distance
            FROM versions JOIN places ON places.tenant = versions.tenant AND places.version = versions.id
            WHERE versions.tenant = mentions.tenant AND versions.document = mentions.document
                AND versions.state = '{CURRENT}'
                AND places.key = mentions.place AND places.part IN ('', mentions.part)
        ) AS fitting
        ORDER BY distance, whole LIMIT 1
    )
    WHERE mentions.tenant = :tenant AND mentions.name IS NOT NULL AND mentions.kind <> 'norm'
"""  # noqa: S608  a constant of ours
_WANTED: Final[sa.BindParameter[Any]] = sa.bindparam("wanted", expanding=True, type_=Identifier)
_FROM = sa.text(f"{_AIM} AND mentions.version IN :wanted").bindparams(_WANTED)
_OF_THEIRS: Final = "(SELECT document FROM versions WHERE tenant = :tenant AND id IN :wanted)"
_AT = sa.text(f"{_AIM} AND mentions.document IN {_OF_THEIRS}").bindparams(_WANTED)
_NAMED = sa.text(f"{_AIM} AND mentions.name IN :wanted").bindparams(
    sa.bindparam("wanted", expanding=True, type_=sa.BigInteger)
)


def aim_from(connection: Connection, tenant: str, versions: Collection[UUID]) -> None:
    """Aims what these versions say of other documents."""
    _run(connection, _FROM, tenant, versions)


def aim_at(connection: Connection, tenant: str, versions: Collection[UUID]) -> None:
    """Aims what is said of the documents that these are versions of."""
    _run(connection, _AT, tenant, versions)


def aim_named(connection: Connection, tenant: str, names: Collection[int]) -> None:
    """Aims the mentions by these names."""
    _run(connection, _NAMED, tenant, names)


def _run(connection: Connection, statement: sa.TextClause, tenant: str, wanted: Collection[Any]) -> None:
    for some in in_parts(wanted):
        connection.execute(statement, {"tenant": tenant, "wanted": some})
