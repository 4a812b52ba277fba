"""Styles of OpenDocument files (ODF 1.3 part 3, 16): how text looks, and which lists are numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from atril.documents.parsing.docx_styles import is_white
from atril.documents.parsing.xmltree import Element, attribute, child, local, number

_DEEPEST: Final = 20
_TINY: Final = 2.0
_BOLD: Final = ("bold", "700", "800", "900")


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says of text; `None` where it leaves the word to the style above."""

    hidden: bool | None = None
    white: bool | None = None
    shaded: bool | None = None
    bold: bool | None = None
    centred: bool | None = None
    title: bool = False


class TextStyles:
    def __init__(self, *roots: Element) -> None:
        self._styles: dict[str, Element] = {}
        self._lists: dict[str, dict[int, Element]] = {}
        for root in roots:
            for node in root.iter():
                name = local(node)
                if name == "style":
                    self._styles[attribute(node, "name")] = node
                elif name == "list-style":
                    self._lists[attribute(node, "name")] = {
                        number(attribute(level, "level"), 1): level for level in node
                    }
        self._looks: dict[str, Look] = {}

    def look(self, name: str) -> Look:
        if name not in self._looks:
            self._looks[name] = self._resolved(name)
        return self._looks[name]

    def _resolved(self, name: str) -> Look:
        """Each property from the nearest style that has it."""
        found: dict[str, bool] = {}
        title = False
        for _ in range(_DEEPEST):
            node = self._styles.get(name)
            if node is None:
                break
            title = title or name == "Title"
            for key, value in _own_look(node).items():
                found.setdefault(key, value)
            name = attribute(node, "parent-style-name")
        return Look(**found, title=title)

    def list_level(self, name: str, level: int) -> Element | None:
        return self._lists.get(name, {}).get(level)

    def hides_table(self, name: str) -> bool:
        """Whether a sheet of this style is hidden."""
        properties = child(self._styles.get(name), "table-properties")
        return properties is not None and attribute(properties, "display") == "false"

    def hides_slide(self, name: str) -> bool:
        properties = child(self._styles.get(name), "drawing-page-properties")
        return properties is not None and attribute(properties, "visibility") == "hidden"

    def list_of(self, paragraph_style: str) -> str:
        node = self._styles.get(paragraph_style)
        return attribute(node, "list-style-name") if node is not None else ""


def _own_look(node: Element) -> dict[str, bool]:
    text, paragraph = child(node, "text-properties"), child(node, "paragraph-properties")
    found: dict[str, bool] = {}
    if text is not None:
        size = attribute(text, "font-size")
        if attribute(text, "display") == "none":
            found["hidden"] = True
        elif size.endswith("pt"):
            found["hidden"] = _points(size) <= _TINY
        if attribute(text, "color"):
            found["white"] = is_white(attribute(text, "color").lstrip("#"))
        if attribute(text, "font-weight"):
            found["bold"] = attribute(text, "font-weight") in _BOLD
    for properties in (text, paragraph):
        behind = attribute(properties, "background-color") if properties is not None else ""
        if behind and behind != "transparent":
            found["shaded"] = not is_white(behind.lstrip("#"))
    if paragraph is not None and attribute(paragraph, "text-align"):
        found["centred"] = attribute(paragraph, "text-align") == "center"
    return found


def _points(size: str) -> float:
    try:
        return float(size[:-2])
    except ValueError:
        return 12.0
