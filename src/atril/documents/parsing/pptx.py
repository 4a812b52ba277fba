"""Presentations (ECMA-376 part 1, 19): one page per slide, with its title, text, tables and notes.

Hidden slides keep their number and lose their text; what lies off the slide is left out too. Both are
reported with the number of the slide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from atril.documents.parsing.assembly import (
    check_text,
    heading,
    image,
    joined,
    language_of,
    paged,
    paragraph,
    part,
    table,
    tidy_metadata,
    title_of,
)
from atril.documents.parsing.canonical import one_line, pipe_table
from atril.documents.parsing.drawing import DrawingText, chart_rows
from atril.documents.parsing.openxml import Package, reference
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.pptx_backgrounds import Backgrounds
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

_TITLES: Final = ("title", "ctrTitle")
_FURNITURE: Final = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_DEEPEST: Final = 20
_WIDE: Final = (12_192_000, 6_858_000)
_OFF: Final = ("0", "false")
_ON: Final = ("1", "true")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Something on a slide; `body` is its text, and `place` its type of placeholder."""

    node: Element
    place: str | None
    title: bool


@reader_of_file
def read_pptx(name: str, data: bytes) -> ParsedDocument:
    """A presentation. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = Package(data)
    main = package.main_part()
    root = package.tree(main)
    relations = package.relations(main)
    size = child(root, "sldSz")
    extent = (
        (
            number(attribute(size, "cx"), _WIDE[0], most=10**9),
            number(attribute(size, "cy"), _WIDE[1], most=10**9),
        )
        if size is not None
        else _WIDE
    )
    slides: list[_Slide] = []
    backgrounds = Backgrounds(package)
    for node in children(child(root, "sldIdLst"), "sldId"):
        relation = relations.get(reference(node))
        if relation is not None and relation.target in package:
            slides.append(_Slide(package, relation.target, extent, backgrounds))
    contents = [slide.blocks() for slide in slides]
    language = language_of(block for blocks in contents for block in blocks)
    texts = [
        joined([*blocks, *part("notes", 3, slide.notes(), language)])
        for slide, blocks in zip(slides, contents, strict=True)
    ]
    text, pages = paged(texts)
    check_text(text)
    warnings = tuple(each for at, slide in enumerate(slides, 1) for each in slide.noticed.warnings(at))
    stated, metadata = package.properties()
    title = title_of(name, text, stated)
    return ParsedDocument(text, title, "pptx", tidy_metadata(metadata), pages, warnings)


class _Slide:
    def __init__(
        self, package: Package, name: str, extent: tuple[int, int], backgrounds: Backgrounds
    ) -> None:
        self._package = package
        self._name = name
        self._root = package.tree(name)
        self._extent = extent
        self._text = DrawingText(package.relations(name))
        self._hidden = attribute(self._root, "show") in _OFF
        self._backgrounds = backgrounds
        self.noticed = self._text.noticed

    def blocks(self) -> list[str]:
        """The title, then the other shapes in the order they were drawn."""
        found: list[str] = []
        shapes = list(self._shapes(child(self._root, "cSld", "spTree"), 0))
        for shape in sorted(shapes, key=lambda shape: not shape.title):
            found += self._shape(shape)
        found = [block for block in found if block]
        if self._hidden:
            self.noticed.leave_out("\n".join(found) + "\n")
        for name in self._package.related(self._name, "comments"):
            self.noticed.add("comments")
            self.noticed.leave_out("\n".join(self._package.tree(name).itertext()), "comments")
        return [] if self._hidden else found

    def notes(self) -> list[str]:
        if self._hidden:
            return []
        lines: list[str] = []
        for name in self._package.related(self._name, "notesSlide"):
            tree = child(self._package.tree(name), "cSld", "spTree")
            reader = DrawingText(self._package.relations(name))
            for shape in self._shapes(tree, 0):
                if shape.place in ("body", "other"):
                    lines += reader.lines(child(shape.node, "txBody"), bullets=False, shaded=True)
        return [paragraph(line) for line in lines]

    def _shapes(self, tree: Element | None, depth: int) -> Iterator[_Shape]:
        """Shapes with what groups hold, the furniture of the template and what cannot be seen left out."""
        for node in tree if tree is not None and depth < _DEEPEST else ():
            name = local(node)
            if name == "AlternateContent":
                choice = child(node, "Choice")
                yield from self._shapes(
                    choice if choice is not None and len(choice) else child(node, "Fallback"), depth + 1
                )
                continue
            if name not in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp"):
                continue
            if self._is_unseen(node, inside_group=depth > 0):
                self._leave_out(node)
                continue
            if name == "grpSp":
                yield from self._shapes(node, depth + 1)
                continue
            place = _placeholder(node)
            if place not in _FURNITURE:
                yield _Shape(node, place, place in _TITLES)

    def _leave_out(self, shape: Element) -> None:
        for paragraph_of in (each for each in shape.iter() if local(each) == "p"):
            self.noticed.leave_out(
                "".join(own_text(text) for text in paragraph_of.iter() if local(text) == "t")
            )
            self.noticed.end_line()

    def _is_unseen(self, node: Element, *, inside_group: bool) -> bool:
        """Switched off, or wholly outside the slide. Groups have coordinates of their own."""
        named = next((child(each, "cNvPr") for each in node if local(each).startswith("nv")), None)
        if named is not None and attribute(named, "hidden") in _ON:
            return True
        frame = next(
            (
                found
                for each in (node, child(node, "spPr"), child(node, "grpSpPr"))
                if (found := child(each, "xfrm")) is not None
            ),
            None,
        )
        offset, size = child(frame, "off"), child(frame, "ext")
        if inside_group or offset is None or size is None:
            return False
        left, top = (number(attribute(offset, name), most=10**9) for name in ("x", "y"))
        width, height = (number(attribute(size, name), most=10**9) for name in ("cx", "cy"))
        turned = max(width, height)
        return left + turned <= 0 or top + turned <= 0 or left >= self._extent[0] or top >= self._extent[1]

    def _shape(self, shape: _Shape) -> list[str]:
        node = shape.node
        name = local(node)
        if name == "pic":
            return [image(_description(node))]
        if name == "graphicFrame":
            return self._frame(node)
        filled = child(node, "spPr")
        shaded = (
            shape.place is not None
            or (
                filled is not None
                and child(filled, "noFill") is None
                and any(local(each).endswith("Fill") for each in filled)
            )
            or child(node, "style") is not None
        )
        shaded = shaded or not self._backgrounds.are_plain(self._name)
        lines = self._text.lines(child(node, "txBody"), bullets=shape.place == "body", shaded=shaded)
        if shape.title:
            return [heading(2, " ".join(lines))]
        return _grouped(lines)

    def _frame(self, node: Element) -> list[str]:
        """A table, the words of a chart or diagram, or a picture of what cannot be read."""
        for each in node.iter():
            if local(each) == "tbl":
                return table(self._text.rows(each))
        related = [
            relation.target
            for kind in ("chart", "relIds")
            for each in node.iter()
            if local(each) == kind
            for relation in (
                self._package.relations(self._name).get(reference(each) or reference(each, "dm")),
            )
            if relation is not None and relation.target in self._package
        ]
        blocks: list[str] = []
        for target in related:
            root = self._package.tree(target)
            blocks += [pipe_table(chart_rows(root)) or paragraph("; ".join(_words(root)))]
        return blocks if any(blocks) else [image(_description(node))]


def _placeholder(node: Element) -> str | None:
    """The type of placeholder, `body` for those of content, nothing for a free shape."""
    for each in node:
        if local(each).startswith("nv"):
            found = child(each, "nvPr", "ph")
            if found is not None:
                kind = attribute(found, "type", "body")
                return "body" if kind in ("obj", "body") else kind
    return None


def _description(node: Element) -> str:
    named = next((child(each, "cNvPr") for each in node if local(each).startswith("nv")), None)
    return attribute(named, "descr") if named is not None else ""


def _words(root: Element) -> list[str]:
    """The texts of a diagram, each once and in order."""
    found = [
        one_line(own_text)
        for node in root.iter()
        if local(node) == "t" and (own_text := node.text or "").strip()
    ]
    return list(dict.fromkeys(word for word in found if word))[:_MOST_WORDS]


def _grouped(lines: list[str]) -> list[str]:
    """Items of a list together, other lines each by itself."""
    blocks: list[str] = []
    in_list = False
    for line in lines:
        is_item = line.lstrip().startswith("- ") or line.lstrip().partition(". ")[0].isdigit()
        if is_item and in_list:
            blocks[-1] += f"\n{line}"
        else:
            blocks.append(line if is_item else paragraph(line))
        in_list = is_item
    return blocks


_MOST_WORDS: Final = 400
