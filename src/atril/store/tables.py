"""The tables of the library as its chunks know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
        chunks.c.context,
    )
    .select_from(chunks.join(versions))
    .where(chunks.c.tenant == sa.bindparam("tenant"), is_current, chunks.c.table_rows.is_not(None))
    .order_by(chunks.c.number)
)


def listing(connection: Connection, scope: Scope, document: Document | None) -> list[ListedTable]:
    """The tables by document and place; of one document if it is given."""
    statement = _TABLES if document is None else _TABLES.where(versions.c.id == document.version)
    held = reading.listing(connection, scope) if document is None else [document]
    rows: dict[Any, list[Sequence[Any]]] = {}
    for version, *row in connection.execute(statement, {"tenant": scope.tenant}):
        rows.setdefault(version, []).append(row)
    return [table for each in held for table in _tables(each, rows.get(each.version, ()))]


def _tables(document: Document, rows: Sequence[Sequence[Any]]) -> list[ListedTable]:
    found: list[ListedTable] = []
    last = 0
    for number, page, section_path, columns, count, context in rows:
        if found and number == last + 1 and columns and columns == found[-1].columns and _goes_on(context):
            found[-1] = replace(found[-1], rows=found[-1].rows + count, parts=found[-1].parts + 1)
        else:
            section = section_path[-1] if section_path else ""
            name, chunk = document.name, chunk_id(document.stem, number)
            found.append(ListedTable(name, chunk, page, section, columns, count, document.collection))
        last = number
    return found


def _goes_on(context: str) -> bool:
    """Whether a chunk begins inside a table: the header is in its context then."""
    return any(line.startswith("|") for line in context.splitlines())
