"""Canonical Markdown as a flat list of blocks, found line by line.

Not a CommonMark parser: it finds what matters for cutting and quoting text, in one pass and without ever
failing. Blocks are trimmed slices in order; together they hold every character that is not blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote"]


@dataclass(frozen=True, slots=True)
class Block:
    """A slice `[start, end)` of the text.

    `level` (1 to 6) and `title` (without marks) belong to headings. `items` are the starts of table rows and
    of the outermost list items; the first one is `start`. `header` is the end of a table's header (its
    delimiter row included), or `start` where a table has none.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    items: tuple[int, ...] = ()
    header: int = 0


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    """Without trailing blanks."""
    text: str
    """Without leading and trailing blanks."""

    @property
    def indent(self) -> int:
        return self.end - self.start - len(self.text)


_ATX = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_SETEXT = re.compile(r"(=+|-{2,})$")
_BULLET = re.compile(r"[-*+•◦▪·–—][ \t]+\S")
_ORDERED = re.compile(r"(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,4})[.)][ºª]?[ \t]+\S")
_RULE = re.compile(r"(?:-[ \t]*){3,}$|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_BAR = re.compile(r"(?<!\\)\|")
_EMPHASIS = re.compile(r"\*+|__+|`+|(?<!\w)_|_(?!\w)")
_LINK = re.compile(r"!?\[([^\]\[]{0,300})\]\([^)]{0,500}\)")
_SPECIAL: Final = frozenset("#`~|>-*+•◦▪·–—")
_LONGEST_SETEXT: Final = 200


def scan(text: str, start: int = 0, end: int | None = None) -> list[Block]:
    """The blocks of `text[start:end]`, with offsets in `text`."""
    return list(_Scanner(_lines(text, start, len(text) if end is None else end)).blocks())


def plain(title: str) -> str:
    """A heading's text without emphasis, code marks and link targets, blanks single."""
    return " ".join(_EMPHASIS.sub("", _LINK.sub(r"\1", title)).split())


def row_cells(row: str) -> list[str]:
    """The cells of a table's row as they stand, without the blanks around them; a bar behind a backslash is
    part of its cell."""
    inner = row.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(inner)]


def is_list_item(line: str) -> bool:
    """Whether a line begins with a bullet, a number or a letter of an enumeration."""
    return bool(_BULLET.match(line) or _ORDERED.match(line)) and not _RULE.match(line)


def _lines(text: str, start: int, end: int) -> list[_Line]:
    lines = []
    for raw in text[start:end].split("\n"):
        bare = raw.strip()
        lines.append(_Line(start, start + len(raw.rstrip()) if bare else start, bare))
        start += len(raw) + 1
    return lines


class _Scanner:
    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            if not self._lines[self._at].text:
                self._at += 1
                continue
            yield self._special() or self._ordered() or self._paragraph()

    def _special(self) -> Block | None:
        """The block that the first character of this line announces, if it does."""
        line = self._lines[self._at]
        if "|" in line.text and self._starts_table():
            return self._table()
        if line.text[0] not in _SPECIAL:
            return None
        if heading := _ATX.match(line.text):
            return self._heading(1, len(heading[1]), _without_closing(line.text[heading.end() :]))
        if fence := _FENCE.match(line.text):
            return self._code(fence[1])
        if line.text[0] == ">":
            return self._quote()
        if self._is_bullet(line):
            return self._bullets()
        return None

    def _heading(self, lines: int, level: int, title: str) -> Block:
        first, last = self._lines[self._at], self._lines[self._at + lines - 1]
        self._at += lines
        return Block("heading", _start(first), last.end, level=level, title=plain(title) or title.strip())

    def _code(self, fence: str) -> Block:
        first = last = self._lines[self._at]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.text:
                last = line
            if line.text.startswith(fence) and not line.text.strip(fence[0]):
                break
        return Block("code", _start(first), last.end)

    def _quote(self) -> Block:
        first = last = self._lines[self._at]
        while self._at < len(self._lines) and self._lines[self._at].text.startswith(">"):
            last = self._lines[self._at]
            self._at += 1
        return Block("quote", _start(first), last.end)

    def _starts_table(self) -> bool:
        """A row of cells followed by a delimiter row, or by another row when both begin with a bar."""
        line = self._lines[self._at].text
        following = self._lines[self._at + 1].text if self._at + 1 < len(self._lines) else ""
        if "|" in following and _DELIMITER.match(following):
            return True
        return (
            line.startswith("|") and line.count("|") > 1 and (line.endswith("|") or following.startswith("|"))
        )

    def _table(self) -> Block:
        rows = []
        while self._at < len(self._lines) and "|" in self._lines[self._at].text:
            rows.append(self._lines[self._at])
            self._at += 1
        start = _start(rows[0])
        has_header = len(rows) > 1 and _DELIMITER.match(rows[1].text) is not None
        items = (start, *(_start(row) for row in rows[1:]))
        return Block("table", start, rows[-1].end, items=items, header=rows[1].end if has_header else start)

    def _is_bullet(self, line: _Line) -> bool:
        return bool(_BULLET.match(line.text)) and not _RULE.match(line.text)

    def _bullets(self) -> Block:
        """Items, what is indented below them, and further items after one blank line."""
        first = last = self._lines[self._at]
        items = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.text:
                following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else line
                if not following.text or not (
                    self._is_bullet(following) or following.indent >= first.indent + 2
                ):
                    break
            elif self._is_bullet(line):
                if line.indent <= first.indent + 1:
                    items.append(_start(line))
            elif line.indent <= first.indent and self._interrupts(line):
                break
            last = line if line.text else last
            self._at += 1
        return Block("list", _start(first), last.end, items=tuple(items))

    def _ordered(self) -> Block | None:
        """Lines without blanks between them of which the first and another begin with a number or letter."""
        if not _ORDERED.match(self._lines[self._at].text):
            return None
        lines = self._until_interrupted()
        items = tuple(_start(line) for line in lines if _ORDERED.match(line.text))
        if len(items) < 2:
            return None
        self._at += len(lines)
        return Block("list", items[0], lines[-1].end, items=items)

    def _paragraph(self) -> Block:
        lines = self._until_interrupted()
        if len(lines) > 1 and _SETEXT.match(lines[-1].text):
            title = " ".join(line.text for line in lines[:-1])
            if len(title) <= _LONGEST_SETEXT:
                return self._heading(len(lines), 1 if lines[-1].text[0] == "=" else 2, title)
        self._at += len(lines)
        return Block("paragraph", _start(lines[0]), lines[-1].end)

    def _until_interrupted(self) -> list[_Line]:
        """This line and those after it up to a blank, a setext underline, or the start of another block."""
        lines = [self._lines[self._at]]
        for at in range(self._at + 1, len(self._lines)):
            line = self._lines[at]
            if not line.text or self._interrupts(line):
                break
            lines.append(line)
            if _SETEXT.match(line.text):
                break
        return lines

    def _interrupts(self, line: _Line) -> bool:
        first = line.text[0]
        if first not in _SPECIAL:
            return False
        return (
            first in ">|"
            or self._is_bullet(line)
            or _ATX.match(line.text) is not None
            or _FENCE.match(line.text) is not None
        )


def _without_closing(title: str) -> str:
    """Markdown lets a heading end in number signs after a blank."""
    bare = title.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) else title


def _start(line: _Line) -> int:
    return line.end - len(line.text)
