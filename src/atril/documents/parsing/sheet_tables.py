"""The tables on a sheet of a workbook: what its blocks of cells are, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from atril.documents.parsing.assembly import table
from atril.documents.parsing.xlsx_sheet import Cell, Sheet

_HEADER_ROWS: Final = 3
_YEAR: Final = re.compile(r"(?:19|20)\d\d")

Row = dict[int, Cell]


def tables_of(sheet: Sheet) -> Iterator[str]:
    """Blocks of rows between blank ones. One without a header of its own goes on with the table above."""
    regions: list[dict[int, Row]] = []
    last = 0
    for place, row in sheet.rows.items():
        if not regions or (place > last + 1 and _begins_anew(sheet, place, [*regions[-1].values()])):
            regions.append({})
        regions[-1][place] = row
        last = place
    for region in regions:
        yield from table(_squared(_with_one_header(region, sheet.spans)))


def _with_one_header(region: dict[int, Row], spans: dict[tuple[int, int], int]) -> list[Row]:
    """The rows; heads that are merged over several columns stand before each of the heads below them."""
    rows = dict(region)
    for place in [*region][:_HEADER_ROWS]:
        above, below = rows[place], rows.get(place + 1)
        over = {
            column: above[first]
            for first in above
            for column in range(first, spans.get((place, first), first) + 1)
        }
        merged = [column for column in over if column not in above or (place, column) in spans]
        if len(above) < 2 or not merged or below is None or not _are_heads(below, merged):
            continue
        rows[place + 1] = {
            column: _head(over.get(column), below.get(column)) for column in sorted({*over, *below})
        }
        del rows[place]
    return list(rows.values())


def _are_heads(row: Row, columns: Sequence[int]) -> bool:
    """Whether a row has a name in each of the columns, and no figures but years."""
    return all(column in row for column in columns) and all(
        not cell.figure or _YEAR.fullmatch(cell.text) for cell in row.values()
    )


def _head(above: Cell | None, below: Cell | None) -> Cell:
    if above is None or below is None:
        return above or below or Cell("")
    return replace(below, text=f"{above.text} {below.text}")


def _begins_anew(sheet: Sheet, place: int, above: Sequence[Row]) -> bool:
    """Whether the rows from `place` on are another table: a line of its own, or a header over figures. What
    follows a header without figures is its table."""
    row = sheet.rows[place]
    following = sheet.rows.get(place + 1, {})
    if len(row) == 1:
        return True
    figures = any(cell.figure for cell in row.values())
    if (
        figures
        and len(above) <= _HEADER_ROWS
        and not any(cell.figure for each in above for cell in each.values())
    ):
        return False
    columns = {column for each in above for column in each}
    if not set(row) <= columns or max(map(len, above)) < 2:
        return True
    bold = all(cell.bold for cell in row.values()) and not all(cell.bold for cell in following.values())
    return not figures and (bold or any(cell.figure for cell in following.values()))


def _squared(region: Sequence[Row]) -> list[list[str]]:
    columns = sorted({column for row in region for column in row})
    return [[row[column].text if column in row else "" for column in columns] for row in region]
