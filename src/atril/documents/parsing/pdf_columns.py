"""Pages set in two columns, where prose stands beside a table or beside other prose.

Lines of both columns at one height would be taken for rows. A column of prose gives itself away: line after
line begins at one place near the middle of the page and runs on to the margin, nothing crosses the gutter
before it, and what is on the other side has about as many lines. A glossary, whose terms are few and whose
gutter lies to the left, is left whole. Two columns that both mix prose with tables give themselves away by
paragraphs on either side, each as wide as its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from atril.documents.parsing.pdf_layout import Line

_FEWEST_LINES: Final = 6
_MIDDLE: Final = (0.35, 0.65)
_ALIGNED: Final = 4.0
_PROSE_LENGTH: Final = 25
_FULL: Final = 0.8
_MOSTLY: Final = 0.55
_FEWEST_BESIDE: Final = 0.5
_LEADING: Final = 3.5
_PARAGRAPH: Final = 3
_INDENT: Final = 12.0
_AMOUNT_END: Final = frozenset("0123456789)%-–—")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines to be read one after the other, and where they stand, in points."""

    lines: list[Line]
    left: float
    right: float

    @property
    def top(self) -> float:
        return self.lines[0].middle

    @property
    def bottom(self) -> float:
        return self.lines[-1].middle


def stretches(lines: Sequence[Line]) -> list[Stretch]:
    """The lines of a page in the order of reading: one stretch, or more where there are two columns."""
    if not lines:
        return []
    left = min(line.cells[0].left for line in lines)
    right = max(line.cells[-1].right for line in lines)
    for gutter in _gutters(lines, left, right):
        band = _band(lines, gutter, right)
        if band is not None:
            start, end = band
            sides = _sides(lines[start:end], gutter)
            inner = [Stretch(sides[0], left, gutter), Stretch(sides[1], gutter, right)]
            return [*stretches(lines[:start]), *inner, *stretches(lines[end:])]
    return [Stretch(list(lines), left, right)]


def _gutters(lines: Sequence[Line], left: float, right: float) -> list[float]:
    """Where columns of prose may begin, the likeliest first."""
    low, high = (left + share * (right - left) for share in _MIDDLE)
    starts = sorted(
        cell.left
        for line in lines
        for cell in line.cells
        if low <= cell.left <= high and len(cell.text) >= _PROSE_LENGTH
    )
    groups: list[list[float]] = []
    for start in starts:
        if groups and start - groups[-1][0] <= _ALIGNED:
            groups[-1].append(start)
        else:
            groups.append([start])
    groups = [group for group in groups if len(group) >= _FEWEST_LINES]
    return [group[0] - _ALIGNED / 2 for group in sorted(groups, key=len, reverse=True)]


def _band(lines: Sequence[Line], gutter: float, right: float) -> tuple[int, int] | None:
    """The longest run of lines that the gutter parts, when prose is on its right."""
    crossed = [
        number
        for number, line in enumerate(lines)
        if any(cell.left < gutter - _ALIGNED and cell.right > gutter + _ALIGNED for cell in line.cells)
    ]
    runs = [(before + 1, after) for before, after in pairwise([-1, *crossed, len(lines)])]
    start, end = max(runs, key=lambda run: run[1] - run[0])
    sides = _sides(lines[start:end], gutter)
    if len(sides[0]) < _beside(sides[1]):
        return None
    least = _PARAGRAPH - 1 if _has_figures(sides[0]) else _PARAGRAPH
    mixed = _has_figures(sides[1]) and all(_longest_paragraph(side) >= least for side in sides)
    return (start, end) if mixed or _is_column(sides[1], right) else None


def _longest_paragraph(lines: Sequence[Line]) -> int:
    """How many full lines of prose stand close below each other."""
    left, right = min(line.cells[0].left for line in lines), max(line.cells[-1].right for line in lines)
    most = run = 0
    above: Line | None = None
    for line in lines:
        full = (
            len(line.cells) == 1
            and len(line.text) >= _PROSE_LENGTH
            and line.cells[0].left <= left + _INDENT
            and line.cells[0].right >= left + _FULL * (right - left)
        )
        near = above is not None and line.middle - above.middle <= _LEADING * line.height
        run = (run + 1 if near and run else 1) if full else 0
        most, above = max(most, run), line
    return most


def _has_figures(lines: Sequence[Line]) -> bool:
    """Whether a table of figures stands among the lines."""
    return (
        sum(len(line.cells) > 1 and line.cells[-1].text[-1:] in _AMOUNT_END for line in lines) >= _PARAGRAPH
    )


def _beside(prose: Sequence[Line]) -> int:
    return max(_FEWEST_LINES, round(_FEWEST_BESIDE * len(prose)))


def _is_column(lines: Sequence[Line], right: float) -> bool:
    """Whether most of these lines are one long cell that runs to the margin, close below each other."""
    if len(lines) < _FEWEST_LINES:
        return False
    left = min(line.cells[0].left for line in lines)
    full = left + _FULL * (right - left)
    prose = [line for line in lines if len(line.cells) == 1 and len(line.text) >= _PROSE_LENGTH]
    near = sum(
        below.middle - above.middle <= _LEADING * max(above.height, below.height)
        for above, below in pairwise(lines)
    )
    reaching = sum(line.cells[0].right >= full for line in prose)
    return (
        len(prose) >= max(_FEWEST_LINES, _MOSTLY * len(lines))
        and reaching >= _MOSTLY * len(prose)
        and near >= _MOSTLY * len(lines)
    )


def _sides(lines: Sequence[Line], gutter: float) -> tuple[list[Line], list[Line]]:
    """What of the lines is left and right of the gutter."""
    left, right = [], []
    for line in lines:
        before = tuple(cell for cell in line.cells if cell.left < gutter)
        after = tuple(cell for cell in line.cells if cell.left >= gutter)
        if before:
            left.append(Line(line.middle, line.height, before))
        if after:
            right.append(Line(line.middle, line.height, after))
    return left, right
