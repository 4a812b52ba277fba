"""The tables of the library as its chunks know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from atril.store import reading
from atril.store.rows import chunk_id
from atril.store.schema import chunks, is_current, versions
from atril.types import Document, ListedTable, Scope

_TABLES = (
    sa.select(
        versions.c.id,
        chunks.c.number,
        chunks.c.page,
        chunks.c.section_path,
        chunks.c.table_columns,
        chunks.c.table_rows,
    )
    .select_from(chunks.join(versions))
    .where(chunks.c.tenant == sa.bindparam("tenant"), is_current, chunks.c.table_rows.is_not(None))
    .order_by(chunks.c.number)
)


def listing(connection: Connection, scope: Scope, document: Document | None) -> list[ListedTable]:
    """Every chunk that holds a table, by document and number; of one document if it is given."""
    statement = _TABLES if document is None else _TABLES.where(versions.c.id == document.version)
    held = reading.listing(connection, scope) if document is None else [document]
    rows: dict[Any, list[Sequence[Any]]] = {}
    for version, *row in connection.execute(statement, {"tenant": scope.tenant}):
        rows.setdefault(version, []).append(row)
    return [_table(each, row) for each in held for row in rows.get(each.version, ())]


def _table(document: Document, row: Sequence[Any]) -> ListedTable:
    number, page, section_path, columns, count = row
    section = section_path[-1] if section_path else ""
    return ListedTable(
        document.name, chunk_id(document.stem, number), page, section, columns, count, document.collection
    )
