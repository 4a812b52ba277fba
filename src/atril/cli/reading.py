"""Slices of Markdown as a person reads them in a terminal: cells between dots, no lines of dashes, no marks."""

from __future__ import annotations

import re
from typing import Final

from atril.documents.blocks import row_cells

_RULE: Final = re.compile(r"[|:\-\s]*-{2,}[|:\-\s]*")
_HEADING: Final = re.compile(r"#{1,6}\s+(?P<words>.*)")
_BETWEEN: Final = " · "


def readable(markdown: str) -> str:
    """Prose as one line, each row of a table as a line of its own; headings only where there is nothing else."""
    lines: list[tuple[str, bool]] = []
    headings: list[str] = []
    for line in (each.strip() for each in markdown.splitlines()):
        if not line or _RULE.fullmatch(line):
            continue
        if (heading := _HEADING.fullmatch(line)) is not None:
            headings.append(heading["words"])
        elif line.startswith("|") or line.endswith("|"):
            lines.append((_row(line), True))
        else:
            lines.append((" ".join(line.split()), False))
    if not lines:
        return _BETWEEN.join(headings)
    text = ""
    for number, (line, alone) in enumerate(lines):
        before = lines[number - 1][1] if number else True
        text += (("\n" if alone or before else " ") if number else "") + line
    return text


def _row(line: str) -> str:
    return _BETWEEN.join(cell for cell in row_cells(line) if cell)
