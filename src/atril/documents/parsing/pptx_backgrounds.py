"""What is behind the text of slides: white text is hidden only where all of it is white."""

from __future__ import annotations

from typing import Final

from atril.documents.parsing.docx_styles import is_white
from atril.documents.parsing.openxml import Package
from atril.documents.parsing.xmltree import Element, attribute, child, local

_WHITE_OF_THEME: Final = ("bg1", "lt1")
_MIXED_FILLS: Final = ("gradFill", "pattFill")


class Backgrounds:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._coloured: dict[str, bool] = {}

    def are_plain(self, slide: str) -> bool:
        """Whether nothing but white can be behind a text: on the slide, on its layout, on its master."""
        layouts = self._package.related(slide, "slideLayout")
        masters = [master for layout in layouts for master in self._package.related(layout, "slideMaster")]
        return not any(self._is_coloured(part) for part in (slide, *layouts, *masters))

    def _is_coloured(self, part: str) -> bool:
        if part not in self._coloured:
            self._coloured[part] = _shows_colour(self._package.tree(part))
        return self._coloured[part]


def _shows_colour(root: Element) -> bool:
    mapped, behind = child(root, "clrMap"), child(root, "cSld", "bg")
    if mapped is not None and attribute(mapped, "bg1", "lt1") != "lt1":
        return True
    if behind is not None and not any(map(_is_white_colour, behind.iter())):
        return True
    if next(root.iter("{*}pic", "{*}blipFill"), None) is not None:
        return True
    return any(
        local(fill) in _MIXED_FILLS or (local(fill) == "solidFill" and not any(map(_is_white_colour, fill)))
        for shape in root.iter("{*}spPr")
        for fill in shape
    )


def _is_white_colour(node: Element) -> bool:
    value = attribute(node, "val")
    return value in _WHITE_OF_THEME or is_white(value)
