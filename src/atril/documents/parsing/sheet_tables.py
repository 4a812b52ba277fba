"""The tables on a sheet of a workbook: what its blocks of cells are, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from atril.documents.parsing.assembly import table
from atril.documents.parsing.xlsx_sheet import Cell, Sheet

_HEADER_ROWS: Final = 3

Row = dict[int, Cell]


def tables_of(sheet: Sheet) -> Iterator[str]:
    """Blocks of rows between blank ones. One without a header of its own goes on with the table above."""
    regions: list[list[Row]] = []
    last = 0
    for place, row in sheet.rows.items():
        if not regions or (place > last + 1 and _begins_anew(sheet, place, regions[-1])):
            regions.append([])
        regions[-1].append(row)
        last = place
    for region in regions:
        yield from table(_squared(region))


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
