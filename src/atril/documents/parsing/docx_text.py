"""The text of one Word paragraph as its reader sees it: revisions accepted, hidden runs left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from atril.documents.parsing.assembly import image, link
from atril.documents.parsing.docx_styles import Styles
from atril.documents.parsing.openxml import Relation, reference
from atril.documents.parsing.parsed import Noticed
from atril.documents.parsing.xmltree import Element, attribute, child, local, own_text

_PASSED_THROUGH: Final = frozenset(
    (
        "ins",
        "moveTo",
        "smartTag",
        "sdt",
        "sdtContent",
        "fldSimple",
        "customXml",
        "dir",
        "bdo",
        "ruby",
        "rubyBase",
    )
)
_CHARACTERS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_NOTES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_DRAWN: Final = frozenset(("drawing", "pict", "object", "AlternateContent"))
_PICTURES: Final = frozenset(("blip", "imagedata", "chart", "relIds"))
_SYMBOL_FONT_BASE: Final = 0xF000
_SYMBOL_MARKS: Final = {
    "\xfe": "☒",
    "\xfd": "☒",
    "\xa8": "☐",
    "\x6f": "☐",
    "\xfc": "✓",
    "\xb7": "•",
    "\xa7": "•",
    "\xe0": "→",
}


@dataclass(slots=True)
class Line:
    """A paragraph's text, and whether all its letters are bold. `boxes` are text boxes anchored in it."""

    text: str
    strong: bool
    size: int
    boxes: list[Element] = field(default_factory=list)


class TextReader:
    """Reads paragraphs; `noticed` gathers what their text does not hold."""

    def __init__(
        self, styles: Styles, relations: Mapping[str, Relation], note: Callable[[str, str], str]
    ) -> None:
        """`note` gives the mark of a footnote or endnote by its kind and id."""
        self._styles = styles
        self._relations = relations
        self._note = note
        self.noticed = Noticed()

    def line(self, paragraph: Element, style: str, *, shaded: bool) -> Line:
        """`shaded` says that there is, or may be, something darker than paper behind the paragraph."""
        runs = _Runs(self, style, shaded)
        runs.walk(paragraph)
        self.noticed.end_line()
        return Line("".join(runs.parts).strip(), runs.bold and not runs.thin, runs.size, runs.boxes)

    def run_is_hidden(self, run: Element, style: str, *, shaded: bool) -> bool:
        if not self._styles.is_hidden(child(run, "rPr"), style, shaded=shaded):
            return False
        self.noticed.leave_out("".join(own_text(node) for node in run if local(node) == "t"))
        return True

    def run_weight(self, run: Element, style: str) -> tuple[bool, int]:
        properties = child(run, "rPr")
        return self._styles.is_set(properties, "b", style), self._styles.size(properties, style)

    def target(self, hyperlink: Element) -> str:
        relation = self._relations.get(reference(hyperlink))
        return relation.target if relation is not None and relation.external else ""

    def mark(self, kind: str, identity: str) -> str:
        return self._note(kind, identity)


@dataclass(slots=True)
class _Runs:
    reader: TextReader
    style: str
    shaded: bool
    parts: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    bold: bool = False
    thin: bool = False
    size: int = 0

    def walk(self, node: Element) -> None:
        for each in node:
            name = local(each)
            if name == "r":
                self._run(each)
            elif name == "hyperlink":
                inner = _Runs(self.reader, self.style, self.shaded)
                inner.walk(each)
                self.parts.append(link("".join(inner.parts), self.reader.target(each)))
                self.boxes += inner.boxes
                self.bold, self.thin = self.bold or inner.bold, self.thin or inner.thin
            elif name in _PASSED_THROUGH:
                self.walk(each)
            elif name in ("oMath", "oMathPara"):
                self.parts.append(formula(each))

    def _run(self, run: Element) -> None:
        if self.reader.run_is_hidden(run, self.style, shaded=self.shaded):
            return
        before = len(self.parts)
        for each in run:
            name = local(each)
            if name == "t":
                self.parts.append(own_text(each))
            elif name in _CHARACTERS:
                self.parts.append(
                    _CHARACTERS[name] if attribute(each, "type") not in ("page", "column") else "\n"
                )
            elif name == "sym":
                self.parts.append(_symbol(each))
            elif name in _NOTES:
                self.parts.append(self.reader.mark(_NOTES[name], attribute(each, "id")))
            elif name == "ruby":
                self.walk(each)
            elif name in _DRAWN:
                self._drawn(each)
        self._weigh(run, "".join(self.parts[before:]))

    def _weigh(self, run: Element, text: str) -> None:
        if any(char.isalnum() for char in text):
            bold, size = self.reader.run_weight(run, self.style)
            self.size = max(self.size, size)
            self.bold, self.thin = self.bold or bold, self.thin or not bold

    def _drawn(self, node: Element) -> None:
        """Text boxes and pictures; of two versions of a drawing the first that shows something."""
        if local(node) == "AlternateContent":
            for version in node:
                boxes, parts = len(self.boxes), len(self.parts)
                for each in version:
                    self._drawn(each)
                if (len(self.boxes), len(self.parts)) != (boxes, parts):
                    return
            return
        found = _boxes(node)
        self.boxes += found
        if not found and any(local(each) in _PICTURES for each in node.iter()):
            self.parts.append(f" {image(_description(node))} ")


def _boxes(node: Element) -> list[Element]:
    """The outermost text boxes below a drawing, each drawn once."""
    found: list[Element] = []
    for each in node:
        name = local(each)
        if name == "txbxContent":
            found.append(each)
        elif name == "AlternateContent":
            found += next((boxes for version in each if (boxes := _boxes(version))), [])
        else:
            found += _boxes(each)
    return found


def _description(node: Element) -> str:
    for each in node.iter():
        if local(each) in ("docPr", "shape"):
            return attribute(each, "descr") or attribute(each, "alt") or attribute(each, "title")
    return ""


def _symbol(node: Element) -> str:
    """A character of a symbol font: what it draws where that is known, else a bullet."""
    try:
        code = int(attribute(node, "char"), 16)
    except ValueError:
        return ""
    if code < _SYMBOL_FONT_BASE:
        return chr(code) if code >= 0x20 else ""
    return _SYMBOL_MARKS.get(chr(code - _SYMBOL_FONT_BASE), "•") if code <= _SYMBOL_FONT_BASE + 0xFF else ""


def formula(node: Element) -> str:
    """An Office formula on one line: fractions with a stroke, powers with a caret."""
    name = local(node)
    if name == "t":
        return node.text or ""
    parts = {
        local(each): formula(each) for each in node if local(each) in ("num", "den", "e", "sup", "sub", "deg")
    }
    if name == "f":
        return f"({parts.get('num', '')})/({parts.get('den', '')})"
    if name in ("sSup", "sSub", "sSubSup"):
        low = f"_{parts['sub']}" if parts.get("sub") else ""
        high = f"^{parts['sup']}" if parts.get("sup") else ""
        return f"{parts.get('e', '')}{low}{high}"
    if name == "rad":
        return f"√({parts.get('e', '')})"
    if name.endswith("Pr"):
        return ""
    return "".join(formula(each) for each in node)
