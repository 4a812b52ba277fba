"""One page of a PDF as Markdown.

liteparse finds the blocks of a page in reading order: headings, paragraphs, lists, ruled tables. Tables of
figures are built from where the figures stand, because columns without rules come out as run-on paragraphs.
A page whose blocks lost figures or words is set whole from its lines: what is missing cannot be found.
Running heads and page numbers go to one line at the foot of their page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from liteparse.types import LayoutBlock, TextItem

from atril.documents.parsing.canonical import canonical, one_line, pipe_table, plain, single_blank_lines
from atril.documents.parsing.pdf_blocks import block_text, is_prose, mended, table_text, unmarked
from atril.documents.parsing.pdf_columns import Stretch, stretches
from atril.documents.parsing.pdf_layout import (
    Line,
    inside,
    is_tabular,
    lines_of,
    paragraphs_of,
    table_of,
    tidy_figures,
)
from atril.documents.parsing.pdf_tables import FigureTable, figure_tables

_NUMBER: Final = re.compile(r"\d[\d.,]*\d|\d")
_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LOST_WORDS: Final = 0.08
_SENTENCE_END: Final = re.compile(r"[.;:!?]$")
_EDGE_LINES: Final = 3
_FOOT_LENGTH: Final = 240
_PAGE_NUMBER: Final = re.compile(r"[-–—\s]*(?:\d{1,4}|[A-Z]{1,2}-\d{1,3}|[ivxl]{1,6})[-–—\s]*")
# Page numbers, and signs of currency whose amounts stand elsewhere.
_STRAY: Final = re.compile(rf"{_PAGE_NUMBER.pattern}|[$€£¥₽\s]+")
_AROUND: Final = " -–—|·"
# What Symbol and Wingdings draw as list marks, in the private area where fonts without a map put them.
_SYMBOL_BULLET: Final = re.compile(r"[\uf0a7\uf0b7\uf0a8\uf0d8\uf0fc\uf076\uf06e\uf071]")
_HEADS_WITHIN: Final = 40
_PROSE: Final = ("paragraph", "heading")
_NO_TEXT: Final = ("rule", "figure")


def page_text(items: Sequence[TextItem], blocks: Sequence[LayoutBlock], grid: str = "") -> tuple[str, str]:
    """The canonical text of a page, and the line of its running heads, feet and page number.

    `grid` is liteparse's plain text, the only place where it keeps every page number.
    """
    blocks = mended(blocks, items)
    lines = lines_of(items)
    edges = _edges(lines, blocks)
    lines = [line for number, line in enumerate(lines) if number not in edges]
    parts = stretches(lines)
    text = "\n\n".join(_stretch(part, blocks if len(parts) == 1 else _within(blocks, part)) for part in parts)
    feet = [one_line(line.text).strip(_AROUND) for line in edges.values()]
    foot = " · ".join(part for part in [*feet, *_lost_numbers(grid, items)] if part)
    return single_blank_lines(_clean(text)), plain(_clean(foot))


def _stretch(part: Stretch, blocks: Sequence[LayoutBlock]) -> str:
    text = "\n\n".join(found for found in _render(blocks, part.lines) if not _STRAY.fullmatch(found))
    return text if _keeps_all(text, part.lines) else _from_lines(part.lines)


def _within(blocks: Sequence[LayoutBlock], part: Stretch) -> list[LayoutBlock]:
    """The blocks that lie in one column; those that reach into the other hold text of both."""
    return [
        block for block in blocks
        if block.bbox is not None
        and part.left - 5 <= block.bbox.x and block.bbox.x + block.bbox.width <= part.right + 5
        and part.top <= block.bbox.y + block.bbox.height and block.bbox.y <= part.bottom
    ]  # fmt: skip


def _clean(text: str) -> str:
    return canonical(_SYMBOL_BULLET.sub("•", text))


def _edges(lines: Sequence[Line], blocks: Sequence[LayoutBlock]) -> dict[int, Line]:
    """The first and last lines that liteparse leaves out as running heads or feet, and bare page numbers."""
    boxes = [block.bbox for block in blocks if block.bbox is not None and block.kind not in _NO_TEXT]
    if not boxes:
        return {}
    found: dict[int, Line] = {}
    count = len(lines)
    for run in (range(min(_EDGE_LINES, count)), range(count - 1, max(count - 1 - _EDGE_LINES, -1), -1)):
        for number in run:
            line = lines[number]
            if not _PAGE_NUMBER.fullmatch(line.text) and any(inside([line], box) for box in boxes):
                break
            found[number] = line
    if sum(len(line.text) for line in found.values()) > _FOOT_LENGTH:
        return {}
    return dict(sorted(found.items()))


def _lost_numbers(grid: str, items: Sequence[TextItem]) -> list[str]:
    """Page numbers that are in the grid's first or last lines and in no item."""
    if not grid:
        return []
    rows = grid.strip().splitlines()
    edges = [*rows[:_EDGE_LINES], *rows[max(len(rows) - _EDGE_LINES, _EDGE_LINES) :]]
    lost = Counter(_NUMBER.findall(grid)) - Counter(_NUMBER.findall(" ".join(item.text for item in items)))
    return (
        [number for number in _NUMBER.findall(" ".join(edges)) if lost[number] > 0][:_EDGE_LINES]
        if lost
        else []
    )


def _keeps_all(text: str, lines: Sequence[Line]) -> bool:
    """Whether the numbers of the lines and nearly all their words are in the text."""
    wanted = " ".join(line.text for line in lines)
    if Counter(_NUMBER.findall(wanted)) - Counter(_NUMBER.findall(text)):
        return False
    words = Counter(_LONG_WORD.findall(wanted))
    # A word hyphenated at the end of a line is in the text in one piece.
    missing = words - Counter(_LONG_WORD.findall(text))
    return missing.total() <= _LOST_WORDS * words.total() and (bool(text) or not lines)


def _render(blocks: Sequence[LayoutBlock], lines: list[Line]) -> list[str]:
    """The blocks as Markdown, with each table of figures in the place of the blocks that it is made of."""
    tables = figure_tables(lines)
    if not tables:
        return _render_blocks(blocks, lines)
    table_at = {number: table for table in tables for number in range(table.start, table.end)}
    found: list[str] = []
    waiting: list[LayoutBlock] = []
    done: set[int] = set()
    for block in blocks:
        own = _numbers_inside(lines, block)
        if not any(number in table_at for number in own):
            waiting.append(block)
            continue
        found += _render_blocks(waiting, lines)
        waiting = []
        found += _around_tables(own, lines, table_at, done)
    found += _render_blocks(waiting, lines)
    return found + [table.markdown for table in tables if table.start not in done]


def _numbers_inside(lines: Sequence[Line], block: LayoutBlock) -> list[int]:
    box = block.bbox
    if box is None or block.kind in _NO_TEXT:
        return []
    return [
        number
        for number, line in enumerate(lines)
        if box.y - 1 <= line.middle <= box.y + box.height + 1 and inside((line,), box)
    ]


def _around_tables(
    numbers: Sequence[int], lines: Sequence[Line], table_at: dict[int, FigureTable], done: set[int]
) -> list[str]:
    """The lines of a block that reaches into tables: the tables, each once, and what is left as paragraphs."""
    found: list[str] = []
    run: list[Line] = []
    for number in numbers:
        table = table_at.get(number)
        if table is None:
            run.append(lines[number])
        elif table.start not in done:
            found += [_from_lines(run), table.markdown]
            done.add(table.start)
            run = []
    return [part for part in [*found, _from_lines(run)] if part]


def _render_blocks(blocks: Sequence[LayoutBlock], lines: list[Line]) -> list[str]:
    """The blocks as Markdown. Column heads above a table become its header row."""
    found: list[str] = []
    heads: list[Line] = []
    before: LayoutBlock | None = None
    claimed = _claimed_heads(blocks)
    remaining = [
        block for block in blocks if not any(block is head for late in claimed.values() for head in late)
    ]
    for place, block in enumerate(remaining):
        own = inside(lines, block.bbox) if block.bbox else []
        below = remaining[place + 1] if place + 1 < len(remaining) else None
        if block.kind == "table" and is_prose(block):
            found.append(_from_lines([*heads, *own]))
            heads = []
        elif block.kind == "table":
            late = [
                line for head in claimed.get(id(block), ()) if head.bbox for line in inside(lines, head.bbox)
            ]
            over = sorted([*heads, *late], key=lambda line: line.middle)
            found.append(_of_figures([*over, *own]) or table_text(block, over))
            heads = []
        elif block.kind in _PROSE and _are_heads(own, below, lines):
            heads = [*heads, *own]
        elif block.kind in _PROSE and is_tabular([*heads, *own]):
            found.append(_from_lines([*heads, *own]))
            heads = []
        elif block.kind == "paragraph" and before is not None and _continues(block, before, found[-1:]):
            found[-1] += " " + unmarked(block)
        else:
            found.append(block_text(block, own))
        before = block if block.kind == "paragraph" and found and not heads else None
    return [part for part in found if part]


def _of_figures(lines: list[Line]) -> str:
    """The lines as one table of figures, or nothing when they are more or less than that."""
    tables = figure_tables(lines)
    return tables[0].markdown if len(tables) == 1 and tables[0].end - tables[0].start == len(lines) else ""


def _claimed_heads(blocks: Sequence[LayoutBlock]) -> dict[int, list[LayoutBlock]]:
    """Column heads that were read after the table they stand above, by the identity of the table."""
    claimed: dict[int, list[LayoutBlock]] = {}
    for place, table in enumerate(blocks):
        if table.kind != "table" or table.bbox is None:
            continue
        top, left, right = table.bbox.y, table.bbox.x, table.bbox.x + table.bbox.width
        claimed[id(table)] = [
            block
            for block in blocks[place + 1 :]
            if block.kind in _PROSE and block.bbox is not None
            and top - _HEADS_WITHIN <= block.bbox.y and block.bbox.y + block.bbox.height <= top + 2
            and left < block.bbox.x and block.bbox.x + block.bbox.width <= right + 5
        ]  # fmt: skip
    return claimed


def _are_heads(own: list[Line], below: LayoutBlock | None, lines: list[Line]) -> bool:
    """Whether these lines are the column heads of the block below."""
    if below is None or not own or len(own) > 4 or not any(len(line.cells) > 1 for line in own):
        return False
    return below.kind == "table" or (below.bbox is not None and is_tabular(inside(lines, below.bbox)))


def _continues(block: LayoutBlock, before: LayoutBlock, last: list[str]) -> bool:
    """Whether a paragraph was cut in two where its type changes."""
    if block.bbox is None or before.bbox is None or not last or _SENTENCE_END.search(last[0]):
        return False
    gap = block.bbox.y - (before.bbox.y + before.bbox.height)
    return -2 < gap < 3 and block.bbox.x <= before.bbox.x + 2


def _from_lines(lines: Sequence[Line]) -> str:
    """Lines set again: figures and rows of cells as tables, the rest as paragraphs."""
    found: list[str] = []
    at = 0
    for table in figure_tables(lines):
        found += [_set_runs(lines[at : table.start]), table.markdown]
        at = table.end
    return "\n\n".join(part for part in [*found, _set_runs(lines[at:])] if part)


def _set_runs(lines: Sequence[Line]) -> str:
    found: list[str] = []
    run: list[Line] = []
    for line in [*lines, None]:
        if line is not None and (not run or (len(line.cells) > 1) == (len(run[-1].cells) > 1)):
            run.append(line)
            continue
        found.append(_set_run(run))
        run = [line] if line is not None else []
    return "\n\n".join(part for part in found if part)


def _set_run(run: list[Line]) -> str:
    if not run:
        return ""
    rows = table_of(run) if len(run[0].cells) > 1 and is_tabular(run) else []
    if rows:
        return pipe_table([tidy_figures(row) for row in rows])
    return "\n\n".join(plain(part) for part in paragraphs_of(run))
