"""What the text of a Rich Text file adds up to: paragraphs, lists, tables and notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from atril.documents.parsing.assembly import table
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_outline import Item

_BULLETS: Final = re.compile(r"[•·▪◦‣●○■□➢✓\-–—*\uf0b7\uf0a7o§]?$")
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Look:
    """The state of the characters and the paragraph, restored at the end of a group."""

    place: str = "body"
    hidden: bool = False
    deleted: bool = False
    bold: bool = False
    size: int = 24
    color: int = 0
    shaded: bool = False
    style: int = 0
    level: int = 0
    indent: int = 0
    in_table: bool = False
    centred: bool = False


@dataclass(slots=True)
class _Paragraph:
    parts: list[str] = field(default_factory=list)
    label: str | None = None
    thin: bool = False
    bold: bool = False
    size: int = 0


class Story:
    """Gathers the paragraphs of the body as `items` and those of headers and footers as `margins`."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.margins: list[str] = []
        self.levels: dict[int, int] = {}
        """The heading levels of paragraph styles, by number."""
        self._paragraph = _Paragraph()
        self._rows: list[list[str]] = []
        self._row: list[str] = []
        self._notes: list[str] = []
        self._note_count = 0

    def add(self, text: str, look: Look) -> None:
        paragraph = self._paragraph
        paragraph.parts.append(text)
        if any(char.isalnum() for char in text):
            paragraph.bold |= look.bold
            paragraph.thin |= not look.bold
            paragraph.size = max(paragraph.size, look.size)

    def label(self, text: str) -> None:
        """What a program printed before the paragraph: its number or bullet."""
        self._paragraph.label = one_line(text)

    def end_line(self) -> None:
        """The end of a paragraph inside a cell."""
        self._paragraph.parts.append("\n")

    def end_cell(self) -> None:
        self._row.append(one_line("".join(self._paragraph.parts)))
        self._paragraph = _Paragraph()

    def end_row(self) -> None:
        if self._row:
            self._rows.append(self._row)
            self._row = []

    def end_paragraph(self, look: Look, *, margin: bool = False) -> None:
        paragraph, self._paragraph = self._paragraph, _Paragraph()
        text = "".join(paragraph.parts).strip()
        if not text:
            return
        if margin:
            self.margins.append(text)
            return
        self._end_table()
        level = min(look.level or self.levels.get(look.style, 0), _DEEPEST)
        strong = paragraph.bold and not paragraph.thin
        label = paragraph.label
        shown = "" if label is None or _BULLETS.match(label) else label
        if level:
            self._end_notes()
            self.items.append(Item("heading", one_line(text), level, shown))
        elif label is not None:
            self.items.append(Item("list", text, look.indent, shown, strong, size=paragraph.size))
        else:
            self.items.append(Item("text", text, strong=strong, centred=look.centred, size=paragraph.size))

    def note(self, text: str) -> None:
        """A note anchored here; its text stands before the next heading."""
        self._note_count += 1
        self._paragraph.parts.append(f"[^{self._note_count}]")
        self._notes.append(f"[^{self._note_count}]: {text}")

    def finish(self, look: Look) -> None:
        self.end_paragraph(look)
        if self._paragraph.parts or self._row:
            self.end_cell()
        self.end_row()
        self._end_table()
        self._end_notes()

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        self.items += [Item("block", block) for block in table(rows)]

    def _end_notes(self) -> None:
        notes, self._notes = self._notes, []
        self.items += [Item("block", note) for note in notes]
