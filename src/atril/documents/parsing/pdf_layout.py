"""Tables without rules: what stands where on a PDF page, when the reading order lost its columns.

Statements and price lists are often columns of bare text. A line of such a page is several cells with
wide gaps between them; lines like that in a row are a table, and their columns are where cells overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, Protocol

_WIDE_GAP: Final = 1.3
_WORD_GAP: Final = 0.12
_SAME_LINE: Final = 0.5
_LONG_CELL: Final = 45
_BETWEEN_AMOUNTS: Final = re.compile(r"(?<=[\d)—–-])\s+(?=[$€£¥₽])")
_FULL_LINE: Final = 0.85
_PARAGRAPH_GAP: Final = 1.7
_CURRENCY: Final = re.compile(r"(?:US\$|[$€£¥₽])")
_ONE_AMOUNT: Final = re.compile(
    r"[$€£¥₽]\s*[–—-](?!\S)|(?:[$€£¥₽]\s*)?\(?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+)\)?(?:\s?%)?"
)
_AMOUNTS: Final = re.compile(rf"(?:{_ONE_AMOUNT.pattern})(?:\s+(?:{_ONE_AMOUNT.pattern}))+")
_AMOUNT_ENDS: Final = re.compile(r"(?:^|[\s$€£¥₽(])[\d.,]*\d\)?\s*%?$|^[–—-]$|[$€£¥₽]\s*[–—-]$")
_AMOUNT_STARTS: Final = re.compile(r"(?:[$€£¥₽]|[(–—-]?[$€£¥₽]?\s*\d[\d.,]*\)?%?$)")
_AMOUNT_GAP: Final = 0.35
_SIGNED: Final = re.compile(r"[$€£¥₽]\s?\(?\d[\d.,]*\)?")
_SIGNED_GAP: Final = 0.6
_DIGIT: Final = re.compile(r"\d")
_AMID: Final = 0.3
_OVER_ONE: Final = 0.7
_FAR_WIDER: Final = 1.5
_CLOSER: Final = re.compile(r"\)?\s*%|\)")


class Box(Protocol):
    """A rectangle in points from the top left corner of the page."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...


class Item(Box, Protocol):
    """A run of text as it was set."""

    @property
    def text(self) -> str: ...


@dataclass(slots=True)
class Cell:
    """Text set without a wide gap, and its horizontal extent in points."""

    text: str
    left: float
    right: float

    def overlap(self, other: tuple[float, float]) -> float:
        return min(self.right, other[1]) - max(self.left, other[0])


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page, its cells from left to right; `middle` is its height on the page in points."""

    middle: float
    height: float
    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)


def lines_of(items: Iterable[Item]) -> list[Line]:
    """The lines of a page from top to bottom, made of every item with text."""
    rows: list[list[Item]] = []
    for item in sorted((item for item in items if item.text.strip()), key=lambda item: _middle(item)):
        last = rows[-1][0] if rows else None
        if last is not None and abs(_middle(item) - _middle(last)) <= _SAME_LINE * min(
            item.height, last.height
        ):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [_line(row) for row in rows]


def inside(lines: Sequence[Line], box: Box) -> list[Line]:
    """What of the lines lies inside the box."""
    left, right = box.x - 2, box.x + box.width + 2
    found = []
    for line in lines:
        if box.y - 1 <= line.middle <= box.y + box.height + 1:
            cells = tuple(cell for cell in line.cells if left <= (cell.left + cell.right) / 2 <= right)
            if cells:
                found.append(Line(line.middle, line.height, cells))
    return found


def is_tabular(lines: Sequence[Line]) -> bool:
    """Whether most of these lines are rows of short cells; two columns of prose are not."""
    rows = [line for line in lines if len(line.cells) > 1]
    if len(rows) < 2 or len(rows) < 0.5 * len(lines):
        return False
    later = [cell.text for row in rows for cell in row.cells[1:]]
    return median(map(len, later)) <= _LONG_CELL


def table_of(lines: Sequence[Line]) -> list[list[str]]:
    """Rows of cells in common columns; no rows when the lines have no columns in common."""
    columns = columns_of(lines)
    return [in_columns(line.cells, columns) for line in lines] if len(columns) > 1 else []


def columns_of(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Horizontal extents that cells share, judged by the lines with many cells."""
    counts = [len(line.cells) for line in lines if len(line.cells) > 1]
    if not counts:
        return []
    typical = max(2, round(median(counts)))
    extents = sorted(
        (cell.left, cell.right) for line in lines if len(line.cells) >= typical for cell in line.cells
    )
    merged: list[tuple[float, float]] = []
    for left, right in extents:
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def in_columns(cells: Iterable[Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    """One text per column; a cell goes where it overlaps most, or else to the nearest column.

    Amounts set in one run over as many columns are shared out.
    """
    row = [""] * len(columns)
    for cell in cells:
        under = [number for number, column in enumerate(columns) if cell.overlap(column) > 0]
        amounts = _BETWEEN_AMOUNTS.split(cell.text)
        if len(amounts) > 1 and len(amounts) == len(under):
            for number, amount in zip(under, amounts, strict=True):
                row[number] = f"{row[number]} {amount}".strip()
            continue
        best = nearest_column(cell, columns)
        row[best] = f"{row[best]} {cell.text}".strip()
    return row


def nearest_column(cell: Cell, columns: Sequence[tuple[float, float]]) -> int:
    """The column that the cell overlaps most, or else stands nearest to."""
    return max(range(len(columns)), key=lambda number: cell.overlap(columns[number]))


def header_of(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[str]:
    """The lines above a table as one header row: a cell over or amid several columns heads each of them."""
    header = [""] * len(columns)
    below: list[str] = [""] * len(columns)
    for line in reversed(lines):
        spread = _spread(line.cells, columns, below)
        row = [""] * len(columns)
        for place, cell in enumerate(line.cells):
            under = [number for number, column in enumerate(columns) if cell.overlap(column) > 0]
            for number in spread.get(place) or under or [nearest_column(cell, columns)]:
                row[number] = f"{row[number]} {cell.text}".strip()
        header = [f"{over} {head}".strip() for over, head in zip(row, header, strict=True)]
        below = header
    return header


def _spread(
    cells: Sequence[Cell], columns: Sequence[tuple[float, float]], below: Sequence[str]
) -> dict[int, list[int]]:
    """Which cells of a line of heads stand in the middle of a group of columns, and of which.

    Every column but the first, that of labels, belongs to its nearest cell. Over the middle one of three
    columns a cell may be a head of that one alone; it is not when it is far wider, or when it or all heads
    below it hold digits.
    """
    groups: dict[int, list[int]] = {}
    places = [place for place, cell in enumerate(cells) if len(columns) > 1 and cell.right > columns[1][0]]
    for number, column in list(enumerate(columns))[1:] if places else []:
        near = min(places, key=lambda place: abs(_centre(cells[place]) - sum(column) / 2))
        groups.setdefault(near, []).append(number)
    return {place: group for place, group in groups.items() if _heads(cells[place], group, columns, below)}


def _heads(
    cell: Cell, group: Sequence[int], columns: Sequence[tuple[float, float]], below: Sequence[str]
) -> bool:
    left, right = columns[group[0]][0], columns[group[-1]][1]
    if len(group) < 2 or abs(_centre(cell) - (left + right) / 2) > _AMID * (right - left) / len(group):
        return False
    if _DIGIT.search(cell.text) or all(_DIGIT.search(below[each]) for each in group):
        return True
    width = cell.right - cell.left
    if len(group) % 2:
        middle = columns[group[len(group) // 2]]
        return width > _FAR_WIDER * (middle[1] - middle[0])
    return max(cell.overlap(columns[each]) for each in group) < _OVER_ONE * width


def _centre(cell: Cell) -> float:
    return (cell.left + cell.right) / 2


def paragraphs_of(lines: Sequence[Line]) -> list[str]:
    """Lines of prose as paragraphs; a line that ends early keeps its break."""
    right = max((line.cells[-1].right for line in lines), default=0.0)
    found: list[str] = []
    before: Line | None = None
    for line in lines:
        text = "   ".join(cell.text for cell in line.cells)
        if before is None or line.middle - before.middle > _PARAGRAPH_GAP * max(before.height, line.height):
            found.append(text)
        else:
            found[-1] += (" " if before.cells[-1].right >= _FULL_LINE * right else "\n") + text
        before = line
    return found


def tidy_figures(row: Sequence[str]) -> list[str]:
    """Currency signs joined to the amount on their right, and closing brackets to the one on their left."""
    cells = list(row)
    for place in range(len(cells) - 1):
        sign = re.search(rf"(?:^|\s)({_CURRENCY.pattern})$", cells[place])
        if sign and cells[place + 1][:1].isdigit() | (cells[place + 1][:1] in "(—–-"):
            cells[place + 1] = f"{sign[1]} {cells[place + 1]}"
            cells[place] = cells[place][: sign.start()]
    for place in range(len(cells) - 1, 0, -1):
        if _CLOSER.fullmatch(cells[place]) and cells[place - 1]:
            cells[place - 1] += cells[place]
            cells[place] = ""
    return cells


def _middle(item: Box) -> float:
    return item.y + item.height / 2


def _line(items: list[Item]) -> Line:
    items = sorted(items, key=lambda item: item.x)
    height = median(item.height for item in items)
    runs = [run for item in items for run in _runs(item)]
    cells = [runs[0]]
    for before, run in pairwise(runs):
        gap = run.left - before.right
        last = cells[-1]
        if (
            (gap > _WIDE_GAP * height and not _CURRENCY.fullmatch(last.text))
            or (
                gap > _AMOUNT_GAP * height
                and _AMOUNT_ENDS.search(last.text)
                and _AMOUNT_STARTS.match(run.text)
            )
            or (gap > _SIGNED_GAP * height and _SIGNED.fullmatch(run.text))
        ):
            cells.append(run)
        else:
            last.text += (" " if gap > _WORD_GAP * height else "") + run.text
            last.right = max(last.right, run.right)
    return Line(median(_middle(item) for item in items), height, tuple(cells))


def _runs(item: Item) -> list[Cell]:
    """The item, or where it is nothing but several amounts, each of them where it must stand."""
    text = item.text.strip()
    if not _AMOUNTS.fullmatch(text):
        return [Cell(text, item.x, item.x + item.width)]
    step = item.width / len(text)
    return [
        Cell(found.group(), item.x + found.start() * step, item.x + found.end() * step)
        for found in _ONE_AMOUNT.finditer(text)
    ]
