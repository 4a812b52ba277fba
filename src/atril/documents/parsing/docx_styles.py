"""Styles of a Word document: which paragraphs are headings, and which runs nobody sees.

A property holds from the run itself, else its character style, else its paragraph style, each through the
styles it is based on, else the document's defaults (ECMA-376 part 1, 17.7.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from atril.documents.parsing.xmltree import Element, attribute, child, children, number

# Word itself writes the English name whatever its language; other programs write their own.
_HEADING_NAME: Final = re.compile(
    r"(?:heading|título|titulo|encabezado|заголовок|überschrift|titre|titolo|rubrik|kop|nagłówek|otsikko)"
    r"[ _-]?(\d)\b", re.IGNORECASE
)  # fmt: skip
_TITLE_NAMES: Final = frozenset(
    ("title", "título", "titulo", "название", "заглавие", "titel", "titre", "titolo")
)
_CONTENTS_NAME: Final = re.compile(r"(?:toc|tdc|оглавление|содержание|verzeichnis) ?\d", re.IGNORECASE)
_DEEPEST: Final = 20
_TINY: Final = 4
_NEARLY_WHITE: Final = 0xFA
_BODY_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    paragraph: Element | None
    run: Element | None


class Styles:
    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self.default = ""
        for node in children(root, "style"):
            identity = attribute(node, "styleId")
            based = child(node, "basedOn")
            self._styles[identity] = _Style(
                attribute(name, "val") if (name := child(node, "name")) is not None else "",
                attribute(based, "val") if based is not None else "",
                child(node, "pPr"),
                child(node, "rPr"),
            )
            if attribute(node, "type") == "paragraph" and attribute(node, "default") in ("1", "true", "on"):
                self.default = identity
        self._defaults = child(root, "docDefaults", "rPrDefault", "rPr")
        self._levels: dict[str, int] = {}
        self._properties: dict[tuple[str, str, str], Element | None] = {}

    def chain(self, identity: str) -> list[_Style]:
        """The style and those it is based on, nearest first."""
        found: list[_Style] = []
        while identity in self._styles and len(found) < _DEEPEST:
            found.append(self._styles[identity])
            identity = found[-1].based_on
        return found

    def heading_level(self, paragraph: Element | None, style: str) -> int:
        """1 to 6 for a heading, 0 for other text. `paragraph` is its `pPr`."""
        own = child(paragraph, "outlineLvl")
        if own is not None:
            level = number(attribute(own, "val"), _BODY_LEVEL)
            return min(level + 1, 6) if 0 <= level < _BODY_LEVEL else 0
        if style not in self._levels:
            self._levels[style] = self._style_level(style)
        return self._levels[style]

    def _style_level(self, identity: str) -> int:
        for style in self.chain(identity):
            if level := heading_of_name(style.name):
                return level
            outline = child(style.paragraph, "outlineLvl")
            if outline is not None:
                level = number(attribute(outline, "val"), _BODY_LEVEL)
                return min(level + 1, 6) if 0 <= level < _BODY_LEVEL else 0
        return 0

    def is_title(self, identity: str) -> bool:
        return any(style.name.strip().lower() in _TITLE_NAMES for style in self.chain(identity)[:1])

    def is_contents(self, identity: str) -> bool:
        """Whether paragraphs of this style are entries of a table of contents."""
        return any(_CONTENTS_NAME.match(style.name) for style in self.chain(identity)[:1])

    def numbering(self, identity: str) -> Element | None:
        """The `numPr` that a paragraph style brings with it."""
        for style in self.chain(identity):
            found = child(style.paragraph, "numPr")
            if found is not None:
                return found
        return None

    def property(self, run: Element | None, name: str, paragraph_style: str) -> Element | None:
        """The element of a run property as it holds for a run; `run` is its `rPr`."""
        own = child(run, name)
        if own is not None:
            return own
        character = child(run, "rStyle")
        styles = attribute(character, "val") if character is not None else "", paragraph_style
        key = (*styles, name)
        if key not in self._properties:
            self._properties[key] = self._styled(styles, name)
        return self._properties[key]

    def _styled(self, styles: tuple[str, str], name: str) -> Element | None:
        for identity in styles:
            for style in self.chain(identity):
                found = child(style.run, name)
                if found is not None:
                    return found
        return child(self._defaults, name)

    def is_set(self, run: Element | None, name: str, paragraph_style: str) -> bool:
        """A property that is on or off."""
        found = self.property(run, name, paragraph_style)
        return found is not None and attribute(found, "val", "1") not in ("0", "false", "off", "none")

    def size(self, run: Element | None, paragraph_style: str) -> int:
        """Half points; 20 where nothing says it."""
        found = self.property(run, "sz", paragraph_style)
        return number(attribute(found, "val"), 20) if found is not None else 20

    def is_hidden(self, run: Element | None, paragraph_style: str, *, shaded: bool) -> bool:
        """Hidden by its property, too small to see, or white where nothing dark is behind it."""
        if self.is_set(run, "vanish", paragraph_style) or self.size(run, paragraph_style) <= _TINY:
            return True
        color = self.property(run, "color", paragraph_style)
        if shaded or color is None or not is_white(attribute(color, "val")):
            return False
        behind = [self.property(run, name, paragraph_style) for name in ("shd", "highlight")]
        return not any(is_shading(node) for node in behind)


def heading_of_name(name: str) -> int:
    """The level that the name of a style stands for, 0 for none."""
    named = _HEADING_NAME.match(name)
    if named:
        return min(max(int(named[1]), 1), 6)
    return int(name.strip().lower() in _TITLE_NAMES)


def is_white(color: str) -> bool:
    """Whether RRGGBB, perhaps with alpha before it, is white to the eye."""
    if not re.fullmatch(r"(?:[0-9A-Fa-f]{2})?[0-9A-Fa-f]{6}", color):
        return color.lower() == "white"
    return (
        all(int(color[at : at + 2], 16) >= _NEARLY_WHITE for at in (-6, -4))
        and int(color[-2:], 16) >= _NEARLY_WHITE
    )


def is_shading(node: Element | None) -> bool:
    """Whether a shading or highlight puts a colour behind the text."""
    if node is None:
        return False
    fill = attribute(node, "fill") or attribute(node, "val")
    pattern = attribute(node, "val")
    if pattern.startswith(("pct", "solid")):
        return True
    return fill.lower() not in ("", "auto", "none", "clear", "nil") and not is_white(fill)
