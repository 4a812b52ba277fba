"""Word documents (ECMA-376 part 1): what a reader of the document sees, in its structure.

Insertions are kept and deletions dropped; comments and text nobody sees are left out and reported. Notes
stand at the end of their section; headers and footers, once each, in a part of their own at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from atril.documents.parsing.assembly import document, joined, language_of, part, table
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_numbering import Numbering, as_number
from atril.documents.parsing.docx_outline import Item, blocks_of, is_running, unique, with_headings
from atril.documents.parsing.docx_styles import Styles, is_shading
from atril.documents.parsing.docx_text import TextReader
from atril.documents.parsing.openxml import Package
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.documents.parsing.xmltree import (
    Element,
    attribute,
    child,
    children,
    local,
    number,
    own_text,
    reader_of_file,
)
from atril.errors import UnreadableDocument

_WRAPPERS: Final = frozenset(("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_PLAIN_TABLES: Final = frozenset(("", "tablenormal", "tablegrid", "normal table", "table grid"))
_MARGINS: Final = ("header", "footer")
_CONTENTS_ENTRY: Final = re.compile(r"\w.*\t+\d{1,4}$")
_WIDEST: Final = 500


@reader_of_file
def read_docx(name: str, data: bytes) -> ParsedDocument:
    """A Word document. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = Package(data)
    main = package.main_part()
    root = package.tree(main)
    body = child(root, "body")
    if body is None:
        raise UnreadableDocument(reason="corrupt", detail="no body in the document")
    styles = Styles(next((package.tree(found) for found in package.related(main, "styles")), None))
    numbering = Numbering(next((package.tree(found) for found in package.related(main, "numbering")), None))
    story = _Story(package, main, styles, numbering)
    blocks = blocks_of(with_headings(story.items(body, shaded=child(root, "background") is not None)))
    margins = part("margins", 1, _margins(package, main, styles, story.noticed), language_of(blocks))
    for comments in map(package.tree, package.related(main, "comments")):
        if len(comments):
            story.noticed.add("comments")
            story.noticed.leave_out(_every_text(comments), "comments")
    title, metadata = package.properties()
    return document(
        name,
        "docx",
        blocks,
        after=margins,
        stated=story.title or title,
        metadata=metadata,
        noticed=story.noticed,
    )


def _margins(package: Package, main: str, styles: Styles, noticed: Noticed) -> list[str]:
    texts: list[str] = []
    for kind in _MARGINS:
        for found in package.related(main, kind):
            story = _Story(package, found, styles, Numbering(None))
            texts += blocks_of(story.items(package.tree(found)))
            noticed.take(story.noticed.warnings())
    return [text for text in unique(texts) if not is_running(text) and text.strip(" ![]()|-\n")]


def _every_text(node: Element) -> str:
    """What the paragraphs below an element say, a line for each."""
    paragraphs = (each for each in node.iter() if local(each) == "p")
    lines = ("".join(own_text(text) for text in each.iter() if local(text) == "t") for each in paragraphs)
    return "".join(f"{line}\n" for line in lines if line)


class _Story:
    """One part with text in it: the body, a header, the notes."""

    def __init__(self, package: Package, name: str, styles: Styles, numbering: Numbering) -> None:
        self._styles = styles
        self._numbering = numbering
        self._reader = TextReader(styles, package.relations(name), self._mark)
        self._package = package
        self._name = name
        self._notes: dict[str, dict[str, Element]] = {}
        self._pending: list[tuple[str, str, str]] = []
        self._marks = {"footnote": 0, "endnote": 0}
        self.title = ""

    @property
    def noticed(self) -> Noticed:
        return self._reader.noticed

    def items(self, root: Element, *, shaded: bool = False) -> list[Item]:
        """The paragraphs and tables below an element; notes stand before the heading after them.

        `shaded` says that the page has a colour of its own, so that white text can be seen.
        """
        found: list[Item] = []
        for item in self._items(root, shaded=shaded):
            if item.kind == "heading":
                found += self._noted()
            found.append(item)
        return found + self._noted()

    def _items(self, root: Element, *, shaded: bool) -> Iterator[Item]:
        for node in root:
            name = local(node)
            if name == "p":
                yield from self._paragraph(node, shaded=shaded)
            elif name == "tbl":
                yield from self._table(node)
            elif name in _WRAPPERS:
                yield from self._items(node, shaded=shaded)

    def _paragraph(self, node: Element, *, shaded: bool) -> Iterator[Item]:
        properties = child(node, "pPr")
        named = child(properties, "pStyle")
        style = attribute(named, "val") if named is not None else self._styles.default
        shaded = shaded or is_shading(child(properties, "shd"))
        line = self._reader.line(node, style, shaded=shaded)
        if line.text:
            yield self._item(properties, style, line.text, line.strong, line.size)
        for box in line.boxes:
            yield from self._items(box, shaded=True)

    def _item(self, properties: Element | None, style: str, text: str, strong: bool, size: int) -> Item:
        own = child(properties, "numPr")
        numbered = own if own is not None else self._styles.numbering(style)
        label = self._numbering.next(_complete(numbered, self._styles.numbering(style)))
        level = self._styles.heading_level(properties, style)
        if level:
            if self._styles.is_title(style) and not self.title:
                self.title = text
            return Item("heading", text, level, label.text if label else "")
        if self._styles.is_contents(style) or _CONTENTS_ENTRY.search(text):
            return Item("list", one_line(text))
        if label:
            return Item("list", text, label.level, label.text, strong, size=size, group=label.group)
        aligned = child(properties, "jc")
        centred = aligned is not None and attribute(aligned, "val") == "center"
        return Item("text", text, strong=strong, centred=centred, size=size)

    def _table(self, node: Element) -> Iterator[Item]:
        """A table as rows; one that only lays out the page as what it holds."""
        styled = child(node, "tblPr", "tblStyle")
        shaded = styled is not None and attribute(styled, "val").lower() not in _PLAIN_TABLES
        rows = [self._cells(row) for row in _through(node, "tr") if not self._is_left_out(row)]
        cells = [cell for row in rows for cell, _ in row if cell is not None]
        if len(cells) < 2 or any(_lays_out(cell, self._styles) for cell in cells):
            for cell in cells:
                yield from self._items(cell, shaded=True)
            return
        grid = [
            [text for cell, span in row for text in [self._cell_text(cell, shaded), *[""] * (span - 1)]]
            for row in rows
        ]
        yield from (Item("block", block) for block in table(grid))

    def _is_left_out(self, row: Element) -> bool:
        properties = child(row, "trPr")
        if child(properties, "del") is not None:
            return True
        hidden = child(properties, "hidden") is not None
        if hidden:
            self.noticed.leave_out(_every_text(row))
        return hidden

    def _cells(self, row: Element) -> list[tuple[Element | None, int]]:
        """The cells of a row with how many columns each takes; nothing for those merged into one above."""
        before = child(row, "trPr", "gridBefore")
        found: list[tuple[Element | None, int]] = []
        if before is not None:
            found.append((None, _span(before)))
        for cell in _through(row, "tc"):
            properties = child(cell, "tcPr")
            across, down = child(properties, "gridSpan"), child(properties, "vMerge")
            merged = down is not None and attribute(down, "val", "continue") == "continue"
            found.append((None if merged else cell, _span(across)))
        return found

    def _cell_text(self, cell: Element | None, shaded: bool) -> str:
        if cell is None:
            return ""
        shaded = shaded or is_shading(child(cell, "tcPr", "shd"))
        texts: list[str] = []
        for item in self._items(cell, shaded=shaded):
            if item.kind == "block":
                texts.append(_within_cell(item.text))
            else:
                mark = item.label or ("•" if item.kind == "list" else "")
                texts.append(f"{mark} {item.text}".strip())
        return " ".join(one_line(text) for text in texts)

    def _mark(self, kind: str, identity: str) -> str:
        self._marks[kind] += 1
        count = self._marks[kind]
        mark = str(count) if kind == "footnote" else as_number(count, "lowerRoman")
        self._pending.append((kind, identity, mark))
        return f"[^{mark}]"

    def _noted(self) -> list[Item]:
        """The texts of the notes that were pointed to since the last call."""
        pending, self._pending = self._pending, []
        found: list[Item] = []
        for kind, identity, mark in pending:
            note = self._all_notes(kind).get(identity)
            text = joined(item.text for item in self._items(note, shaded=False)) if note is not None else ""
            if text:
                found.append(Item("block", f"[^{mark}]: {one_line(text)}"))
        return found

    def _all_notes(self, kind: str) -> dict[str, Element]:
        if kind not in self._notes:
            self._notes[kind] = {
                attribute(note, "id"): note
                for found in self._package.related(self._name, f"{kind}s")
                for note in children(self._package.tree(found), kind)
            }
        return self._notes[kind]


def _complete(own: Element | None, styled: Element | None) -> Element | None:
    """A paragraph may give the level only, and leave the list to its style."""
    if own is None or child(own, "numId") is not None or styled is None:
        return own
    return styled


def _span(node: Element | None) -> int:
    return min(max(number(attribute(node, "val"), 1), 1), _WIDEST) if node is not None else 1


def _through(node: Element, name: str) -> Iterator[Element]:
    """Children of this name, also inside content controls and revisions."""
    for each in node:
        if local(each) == name:
            yield each
        elif local(each) in _WRAPPERS:
            yield from _through(each, name)


def _lays_out(cell: Element, styles: Styles) -> bool:
    """Whether a cell holds a table of its own with rows and columns, or a heading."""
    for node in cell.iter("{*}tbl", "{*}pStyle"):
        name = local(node)
        if name == "tbl" and sum(1 for row in _through(node, "tr") for _ in _through(row, "tc")) > 2:
            return True
        if name == "pStyle" and styles.heading_level(None, attribute(node, "val")):
            return True
    return False


def _within_cell(block: str) -> str:
    """A small table inside a cell, its rows after each other."""
    lines = [line for line in block.split("\n") if not set(line) <= set("|-")]
    rows = [
        ", ".join(cell.strip() for cell in line.strip("| ").split(" | ") if cell.strip()) for line in lines
    ]
    return "; ".join(rows)
