"""Text of OpenDocument files (ODF 1.3 part 3): paragraphs, lists, tables and frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from atril.documents.parsing.assembly import image, link, table
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_numbering import as_number
from atril.documents.parsing.docx_outline import Item
from atril.documents.parsing.opendocument_styles import Look, TextStyles
from atril.documents.parsing.parsed import Noticed
from atril.documents.parsing.xmltree import Element, attribute, child, children, local, number

_DEEPEST: Final = 20
_DROPPED: Final = frozenset(
    ("tracked-changes", "annotation-end", "sequence-decls", "variable-decls", "forms", "page-number", "page-count",
     "change", "change-start", "change-end", "user-field-decls", "desc", "title")
)  # fmt: skip
_WRAPPERS: Final = frozenset(
    ("section", "table-of-content", "index-body", "index-title", "alphabetical-index", "illustration-index",
     "bibliography", "user-index", "table-index")
)  # fmt: skip
_WRITTEN: Final = ("text-box", "custom-shape", "rect", "ellipse", "polygon", "path", "caption")
_SHAPES: Final = frozenset((*_WRITTEN, "frame", "g"))
_FORMATS: Final = {
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "1": "decimal",
}
_WIDEST: Final = 200
_MOST_REPEATED: Final = 50


class TextBody:
    """Reads the paragraphs below an element; `noticed` gathers what else there is."""

    def __init__(self, styles: TextStyles) -> None:
        self._styles = styles
        self.noticed = Noticed()
        self.title = ""
        self._notes: list[str] = []
        self._frames: list[Element] = []
        self._count = 0
        self._lists = 0
        self._last_list: dict[str, int] = {}

    def items(self, root: Element) -> list[Item]:
        """Paragraphs, lists and tables; notes stand before the heading after them."""
        found: list[Item] = []
        for item in self._items(root, shaded=False):
            if item.kind == "heading":
                found += self._noted()
            found.append(item)
        return found + self._noted()

    def shape_items(self, shape: Element) -> list[Item]:
        """What is written in a shape, which lies on a ground of its own."""
        return [*self._frame(shape), *self._noted()]

    def _noted(self) -> list[Item]:
        notes, self._notes = self._notes, []
        return [Item("block", note) for note in notes]

    def _items(self, root: Element, *, shaded: bool) -> Iterator[Item]:
        for node in root:
            name = local(node)
            if name in ("p", "h"):
                yield from self._paragraph(node, shaded=shaded)
            elif name == "list":
                self._lists += 1
                yield from self._list(node, 1, attribute(node, "style-name"), str(self._lists))
            elif name == "table":
                yield from self._table(node)
            elif name in _SHAPES:
                yield from self._frame(node)
            elif name in _WRAPPERS:
                if attribute(node, "display") == "none":
                    self._report(node)
                else:
                    yield from self._items(node, shaded=shaded)

    def _paragraph(self, node: Element, *, shaded: bool) -> Iterator[Item]:
        style = attribute(node, "style-name")
        look = self._styles.look(style)
        frames, self._frames = self._frames, []
        text = self._text(node, look, shaded=shaded).strip()
        self.noticed.end_line()
        anchored, self._frames = self._frames, frames
        level = (
            min(max(number(attribute(node, "outline-level"), 1), 1), 6)
            if local(node) == "h"
            else int(look.title)
        )
        if text and look.title and not self.title:
            self.title = text
        if text and level:
            yield Item("heading", one_line(text), level)
        elif text:
            yield Item("text", text, strong=bool(look.bold), centred=bool(look.centred))
        for frame in anchored:
            yield from self._frame(frame)

    def _text(self, node: Element, look: Look, *, shaded: bool) -> str:
        """The text of a paragraph or span, in the look it has there."""
        unseen = bool(look.hidden) or (bool(look.white) and not (shaded or look.shaded))
        parts: list[str] = []

        def add(text: str | None) -> None:
            if text and unseen and text.strip():
                self.noticed.leave_out(text)
            elif text:
                parts.append(" ".join(f"|{text}|".split())[1:-1])

        add(node.text)
        for each in node:
            name = local(each)
            if name == "s":
                parts.append(" ")
            elif name == "tab":
                parts.append("\t")
            elif name == "line-break":
                parts.append("\n")
            elif name in ("frame", "custom-shape", "g"):
                parts.append(self._inline_frame(each))
            elif name == "note":
                parts.append(self._note(each))
            elif name == "annotation":
                self.noticed.add("comments")
                self.noticed.leave_out(" ".join(each.itertext()) + "\n", "comments")
            elif name in ("hidden-text", "hidden-paragraph"):
                self._report(each)
            elif name and name not in _DROPPED:
                inner = self._merged(look, attribute(each, "style-name")) if name == "span" else look
                text = self._text(each, inner, shaded=shaded)
                parts.append(link(text, attribute(each, "href")) if name == "a" else text)
            add(each.tail)
        return "".join(parts)

    def _merged(self, outer: Look, style: str) -> Look:
        own = self._styles.look(style)
        return Look(
            *(
                getattr(own, name) if getattr(own, name) is not None else getattr(outer, name)
                for name in ("hidden", "white", "shaded", "bold", "centred")
            )
        )

    def _report(self, node: Element) -> None:
        hidden = "".join(node.itertext()) + attribute(node, "string-value")
        self.noticed.leave_out(f"{hidden}\n")

    def _note(self, node: Element) -> str:
        self._count += 1
        cited = child(node, "note-citation")
        mark = one_line("".join(cited.itertext())) if cited is not None else ""
        mark = mark or str(self._count)
        body = child(node, "note-body")
        texts = [item.text for item in self._items(body, shaded=False)] if body is not None else []
        self._notes.append(f"[^{mark}]: {one_line(' '.join(texts))}")
        return f"[^{mark}]"

    def _inline_frame(self, node: Element) -> str:
        """A picture is a mark in the text; a box is read after its paragraph."""
        if any(local(each) in ("text-box", "p", "table") for each in node.iter()):
            self._frames.append(node)
            return ""
        pictured = any(local(each) in ("image", "object") for each in node.iter())
        return f" {image(_description(node))} " if pictured else ""

    def _frame(self, node: Element) -> Iterator[Item]:
        boxes = [node] if local(node) in _WRITTEN else list(children(node, "text-box"))
        for box in boxes:
            yield from self._items(box, shaded=True)
        for grid in children(node, "table"):
            yield from self._table(grid)
        if local(node) == "g":
            yield from self._items(node, shaded=True)
        elif not boxes and any(local(each) in ("image", "object") for each in node):
            yield Item("block", image(_description(node)))

    def _list(self, node: Element, level: int, style: str, group: str) -> Iterator[Item]:
        shape = self._styles.list_level(style, level)
        numbered = (
            shape is not None and local(shape) == "list-level-style-number" and attribute(shape, "num-format")
        )
        first = number(attribute(shape, "start-value"), 1) if shape is not None else 1
        goes_on = attribute(node, "continue-numbering") == "true" or attribute(node, "continue-list")
        count = self._last_list.get(f"{style}/{level}", first - 1) if goes_on else first - 1
        for entry in node:
            if local(entry) not in ("list-item", "list-header") or level > _DEEPEST:
                continue
            if local(entry) == "list-item":
                count = number(attribute(entry, "start-value"), count + 1)
            label = ""
            if numbered and shape is not None and local(entry) == "list-item":
                shown = as_number(count, _FORMATS.get(attribute(shape, "num-format"), "decimal"))
                label = f"{attribute(shape, 'num-prefix')}{shown}{attribute(shape, 'num-suffix') or '.'}"
            yield from self._entry(entry, level, style, label, group)
        self._last_list[f"{style}/{level}"] = count

    def _entry(self, entry: Element, level: int, style: str, label: str, group: str) -> Iterator[Item]:
        labelled = False
        for node in entry:
            if local(node) == "list":
                yield from self._list(node, level + 1, attribute(node, "style-name") or style, group)
                continue
            for item in self._items([node], shaded=False):
                if item.kind == "text" and not labelled:
                    yield Item("list", item.text, level - 1, label, item.strong, group=group)
                elif item.kind == "heading" and not labelled:
                    yield Item("heading", item.text, item.level, label)
                else:
                    yield item
                labelled = True

    def _table(self, node: Element) -> Iterator[Item]:
        rows = list(self._rows(node))
        cells = [cell for row in rows for cell in row if cell is not None]
        if len(cells) < 2 or any(_lays_out(cell) for cell in cells):
            for cell in cells:
                yield from self._items(cell, shaded=True)
            return
        grid = [[self._cell(cell) for cell in row] for row in rows]
        yield from (Item("block", block) for block in table(grid))

    def _rows(self, node: Element) -> Iterator[list[Element | None]]:
        for each in node:
            name = local(each)
            if name in ("table-header-rows", "table-rows", "table-row-group"):
                yield from self._rows(each)
            elif name == "table-row":
                if attribute(each, "visibility") in ("collapse", "filter"):
                    self._report(each)
                    continue
                row: list[Element | None] = []
                for cell in each:
                    times = min(number(attribute(cell, "number-columns-repeated"), 1), _MOST_REPEATED)
                    row += [cell if local(cell) == "table-cell" else None] * max(times, 1)
                yield row[:_WIDEST]

    def _cell(self, cell: Element | None) -> str:
        if cell is None:
            return ""
        texts = [
            f"{item.label or '•'} {item.text}" if item.kind == "list" else item.text
            for item in self._items(cell, shaded=True)
        ]
        return " ".join(one_line(text) for text in texts)


def _lays_out(cell: Element) -> bool:
    return any(local(node) in ("table", "h") for node in cell.iter())


def _description(node: Element) -> str:
    for name in ("desc", "title"):
        for each in node.iter():
            if local(each) == name and (each.text or "").strip():
                return str(each.text)
    return ""
