"""Tables of figures, built from where figures stand.

A statement is labels on the left and columns of amounts on the right, mostly without rules. What makes
one sure to tell is that labels never reach into the columns of amounts: so a table goes from its first line
with amounts to its last, over every label between them, and the heads above it are what stands over its
columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Final

from atril.documents.parsing.canonical import pipe_row
from atril.documents.parsing.pdf_layout import Cell, Line, header_of, nearest_column, tidy_figures

_FIGURE: Final = (
    r"(?:US\$|[$€£¥₽])?\s*[(<>~+–—-]?\s*(?:US\$|[$€£¥₽])?\s*\d[\d.,]*\s*(?:%|x|bps|pts?)?\s*\)?\s*%?"
)
_AMOUNT: Final = re.compile(
    rf"{_FIGURE}(?:\s*[–—-]\s*{_FIGURE})?(?:\s*(?:\([a-z0-9]{{1,2}}\)|\*+))?"
    r"|(?:US\$|[$€£¥₽])?\s*(?:[–—-]{1,2}|\*+)\s*%?|N/?[AM]|NM|n/?[am]|[$€£¥₽]"
)
_DIGIT: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?:19|20)\d\d(?:\s*(?:\([a-z0-9]{1,2}\)|\*+))?")
_FEWEST_ROWS: Final = 2
_FEWEST_AMOUNTS: Final = 3
_LABELS_BETWEEN: Final = 4
_HEAD_LINES: Final = 5
_LABELS_ABOVE: Final = 4
_INDENT: Final = 40
_HEAD_GAP: Final = 2.2
_LABEL_GAP: Final = 3.0
_ROW_GAP: Final = 4.5
_LONGEST_VALUE: Final = 30
_SLACK: Final = 2.0
_FAR_LEFT: Final = 10_000.0
_LONG_VALUE: Final = 45
_TEXT_COLUMNS: Final = 0.3
# A label that ends so goes on in the next line, in whatever case that begins.
_UNFINISHED: Final = re.compile(
    r"\b(?:a|al|and|as|at|by|con|de|del|en|for|from|in|la|las|los|of|on|or|para|por|the|to|with|y|в|за|и|из|на|о|от|по|с|со)$"
)


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table of amounts: the lines `[start, end)` of its page, heads included, and its Markdown."""

    start: int
    end: int
    markdown: str


def figure_tables(lines: Sequence[Line]) -> list[FigureTable]:
    """The tables of amounts among the lines of a page, from top to bottom."""
    found: list[FigureTable] = []
    at = 0
    while at < len(lines):
        end = _end_of_run(lines, at) if _is_row(lines[at]) else at
        table = _table(lines, at, end, found[-1].end if found else 0) if end > at else None
        if table is not None:
            found.append(table)
        at = max(end, at + 1)
    return found


def _is_amount(cell: Cell) -> bool:
    return _is_amount_text(cell.text)


@lru_cache(maxsize=1 << 14)
def _is_amount_text(text: str) -> bool:
    """Every cell is asked about several times."""
    return _AMOUNT.fullmatch(text.strip()) is not None


def _is_row(line: Line) -> bool:
    """Whether the line ends in an amount that stands apart from what is before it."""
    values = line.cells[1:] if not _is_amount(line.cells[0]) else line.cells
    return bool(values) and _is_amount(values[-1]) and len(line.cells) > 1


def _is_data(line: Line) -> bool:
    """Whether a row holds amounts other than years."""
    amounts = [cell for cell in line.cells if _is_amount(cell) and _DIGIT.search(cell.text)]
    return any(not _YEAR.fullmatch(cell.text.strip()) for cell in amounts)


def _are_years(line: Line) -> bool:
    """Whether a row is the heads of another table: years, and perhaps a label."""
    texts = [cell.text.strip() for cell in line.cells]
    years = sum(_YEAR.fullmatch(text) is not None for text in texts)
    return years > 1 and years >= len(texts) - 1


def _end_of_run(lines: Sequence[Line], start: int) -> int:
    """Past the last row that belongs to the table that begins at `start`."""
    left = _first_amount(lines[start])
    end = start + 1
    seen = _is_data(lines[start])
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if line.middle - lines[at - 1].middle > _ROW_GAP * max(line.height, lines[at - 1].height):
            break
        if seen and _is_row(line) and _are_years(line):
            break
        seen = seen or (_is_row(line) and _is_data(line))
        if _is_row(line):
            left = min(left, _first_amount(line))
            end = at + 1
        elif at - end >= _LABELS_BETWEEN or not _is_label(line, left):
            break
    return end


def _first_amount(line: Line) -> float:
    return next(cell.left for cell in line.cells if _is_amount(cell))


def _is_label(line: Line, columns: float) -> bool:
    """Whether the line keeps clear of the columns of amounts, or is short values over them."""
    outside = [cell for cell in line.cells if cell.right > columns + _SLACK]
    if not outside:
        return True
    return len(line.cells) > 1 and all(len(cell.text) <= _LONGEST_VALUE for cell in line.cells[1:])


def _table(lines: Sequence[Line], start: int, end: int, floor: int) -> FigureTable | None:
    rows = lines[start:end]
    data = [line for line in rows if _is_row(line) and _is_data(line)]
    amounts = sum(_is_amount(cell) for line in data for cell in line.cells)
    if len(data) < _FEWEST_ROWS or amounts < _FEWEST_AMOUNTS:
        return None
    columns = _columns(data)
    if not columns or _holds_prose(data, columns[0][0]):
        return None
    body = next(at for at in range(start, end) if _is_row(lines[at]) and _is_data(lines[at]))
    body = _first_label(lines, start, body, columns[0][0])
    body = _over_labels(lines, body, columns, floor) if body == start else body
    top = _top(lines, min(start, body), columns, floor)
    heads = lines[top:body]
    rows_of_text = _joined_labels([_cells(line, columns) for line in lines[body:end]], lines[body:end])
    labels = [cell.right for line in lines[body:end] for cell in line.cells if cell.right <= columns[0][0]]
    labelled = [(columns[0][0] - _FAR_LEFT, max(labels, default=columns[0][0] - _SLACK)), *columns]
    header = header_of(heads, labelled) if heads else [""] * len(labelled)
    return FigureTable(top, end, _markdown([tidy_figures(row) for row in [header, *rows_of_text]]))


def _markdown(rows: list[list[str]]) -> str:
    """The table without empty rows and columns; its header row stays even when it is empty."""
    rows = [rows[0], *(row for row in rows[1:] if any(row))]
    used = [number for number in range(len(rows[0])) if any(row[number] for row in rows)]
    lines = [pipe_row([row[number] for number in used]) for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(used), *lines[1:]])


def _holds_prose(data: Sequence[Line], left: float) -> bool:
    """Whether these are columns of text, or prose beside a table: several texts before the first amount."""
    if any(len(cell.text) > _LONG_VALUE for line in data for cell in line.cells[1:]):
        return True
    several = sum(
        sum(cell.right <= left and not _is_amount(cell) for cell in line.cells) > 1 for line in data
    )
    return several > _TEXT_COLUMNS * len(data)


def _columns(data: Sequence[Line]) -> list[tuple[float, float]]:
    """Where amounts stand: extents that overlap are one column, and one amount never joins two."""
    cells = sorted(
        (cell for line in data for cell in line.cells if _is_amount(cell)),
        key=lambda cell: cell.right - cell.left,
    )
    columns: list[tuple[float, float]] = []
    for cell in cells:
        under = [column for column in columns if cell.overlap(column) > 0]
        if len(under) > 1:
            continue
        if under:
            columns[columns.index(under[0])] = (min(cell.left, under[0][0]), max(cell.right, under[0][1]))
        else:
            columns.append((cell.left, cell.right))
    columns.sort()
    return _without_words(_apart(columns), data)


def _without_words(columns: list[tuple[float, float]], data: Sequence[Line]) -> list[tuple[float, float]]:
    """The columns without those that hold only NA or NM, in rows where the column beside them is empty."""
    found = list(columns)
    for column in columns:
        rest = [other for other in found if other != column]
        held = [
            (cell, line)
            for line in data
            for cell in line.cells
            if _is_amount(cell) and _lies_in(cell, column, found)
        ]
        if not rest or not all(cell.text.strip().isalpha() for cell, _ in held):
            continue
        if not any(
            other is not cell and _lies_in(other, rest[nearest_column(cell, rest)], found)
            for cell, line in held
            for other in line.cells
        ):
            found = rest
    return found


def _lies_in(cell: Cell, column: tuple[float, float], columns: Sequence[tuple[float, float]]) -> bool:
    return cell.overlap(column) > 0 and columns[nearest_column(cell, columns)] == column


def _apart(columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The columns with those that have grown into each other as one."""
    found: list[tuple[float, float]] = []
    for left, right in columns:
        if found and left < found[-1][1]:
            found[-1] = (found[-1][0], max(right, found[-1][1]))
        else:
            found.append((left, right))
    return found


def _first_label(lines: Sequence[Line], start: int, body: int, columns: float) -> int:
    """The labels right above the first row of amounts are rows; what stands over the columns is a head."""
    while body > start and len(lines[body - 1].cells) == 1 and lines[body - 1].cells[0].right < columns:
        body -= 1
    return body


def _over_labels(lines: Sequence[Line], body: int, columns: Sequence[tuple[float, float]], floor: int) -> int:
    """The first of the labels between the heads of the columns and the first row of amounts, if any are."""
    at = body
    margin = lines[body].cells[0].left + _INDENT
    while at > max(floor, body - _LABELS_ABOVE) and _follows(lines[at - 1], lines[at], _LABEL_GAP):
        above = lines[at - 1]
        if len(above.cells) > 1:
            return at if _is_head(above, columns) else body
        if above.cells[0].left > margin or above.cells[0].right > columns[-1][0]:
            return body
        at -= 1
    return body


def _follows(above: Line, below: Line, gap: float = _HEAD_GAP) -> bool:
    return below.middle - above.middle <= gap * max(above.height, below.height)


def _top(lines: Sequence[Line], start: int, columns: Sequence[tuple[float, float]], floor: int) -> int:
    """The first of the lines above that stand over the columns."""
    top = start
    while top > max(floor, start - _HEAD_LINES):
        above, below = lines[top - 1], lines[top]
        if not _follows(above, below) or not _is_head(above, columns):
            break
        top -= 1
    return top


def _is_head(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line is heads of columns: short texts over them, the first of which may be over the labels."""
    left = columns[0][0]
    over = [cell for cell in line.cells if cell.right > left]
    if not over or any(len(cell.text) > 2 * _LONGEST_VALUE for cell in over):
        return False
    if len(line.cells) == 1:
        # A head over several columns is centred over them; a sentence begins at the margin.
        return over[0].left > left - (columns[-1][1] - left) / 2 and over[0].left > left - 60
    return all(cell.left > left - 60 for cell in line.cells[1:])


def _cells(line: Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    """The label, then one text per column."""
    row = [""] * (len(columns) + 1)
    for place, cell in enumerate(line.cells):
        is_label = not _is_amount(cell) and (place == 0 or cell.right <= columns[0][0] + _SLACK)
        column = 0 if is_label or cell.right < columns[0][0] else 1 + nearest_column(cell, columns)
        row[column] = f"{row[column]} {cell.text}".strip()
    return row


def _joined_labels(rows: list[list[str]], lines: Sequence[Line]) -> list[list[str]]:
    """A label set over two lines as one: the second stands right below the first and goes on with it."""
    if not rows:
        return rows
    gaps = [below.middle - above.middle for above, below in pairwise(lines)]
    step = 1.25 * median(gaps) if gaps else 0.0
    found = [rows[0]]
    for place, row in enumerate(rows[1:]):
        before = found[-1]
        goes_on = row[0][:1].islower() or (row[0] and not any(before[1:]) and _UNFINISHED.search(before[0]))
        continues = goes_on and before[0] and not before[0].endswith(":") and gaps[place] <= step
        if continues and (not any(before[1:]) or not any(row[1:])):
            found[-1] = [f"{before[0]} {row[0]}", *(a or b for a, b in zip(before[1:], row[1:], strict=True))]
        else:
            found.append(row)
    return found
