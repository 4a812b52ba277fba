"""Which elements of a page a reader does not see, as far as the page itself says.

Inline styles, attributes, and the page's own style sheets: selectors of tags, classes and ids, alone or one
inside another, in the order of their weight. Sheets that would have to be fetched are not known, so text
in the colour of paper counts as hidden only where the page leaves no doubt about the paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

Style = dict[str, str]

_LARGEST_SHEET: Final = 500_000
_RULES: Final = 5_000
_COMMENT: Final = re.compile(r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")
_BRACE: Final = re.compile(r"[{}]")
_COMPOUND: Final = re.compile(r"(?:[a-z][a-z0-9]*|\*)?(?:[.#][\w-]+)*\Z", re.I)
_PART: Final = re.compile(r"([.#]?)([\w-]+)")
_LENGTH: Final = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|ex|ch|vw|vh|cm|mm|in|%)?")
_PIXELS: Final = {"pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "%": 0.16, "vw": 12.0, "vh": 8.0,
                  "cm": 38.0, "mm": 3.8, "in": 96.0}  # fmt: skip
_TINY: Final = 3.0
_FAR_OFF: Final = -400.0
_NAMED: Final = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240),
                 "ghostwhite": (248, 248, 255), "whitesmoke": (245, 245, 245)}  # fmt: skip
_PAPER: Final = (255, 255, 255)
_ALIKE: Final = 12
_CLIPPED: Final = re.compile(r"rect\(\s*(?:0|1px)(?:px)?[\s,]+(?:0|1px)|inset\(\s*(?:50|100)%|circle\(0")
_MOVED_AWAY: Final = re.compile(r"scale[xy]?\(\s*0(?:\.0+)?\s*[,)]|translate[xy]?\([^)]*-\d{4,}")


@dataclass(frozen=True, slots=True)
class _Rule:
    weight: tuple[int, int, int, int]
    compounds: tuple[str, ...]
    style: Style


@dataclass(slots=True)
class Visibility:
    """Answers for the elements of one page."""

    rules: dict[str, list[_Rule]] = field(default_factory=dict)
    paper_is_known: bool = True
    _styles: dict[Any, Style] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Any) -> Visibility:
        visibility = cls()
        sheets = "\n".join("".join(sheet.itertext()) for sheet in root.iter("style"))
        for rule in _rules(sheets[:_LARGEST_SHEET]):
            visibility.rules.setdefault(_key(rule.compounds[-1]), []).append(rule)
        visibility.paper_is_known = not any(
            "stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link")
        )
        return visibility

    def hides(self, node: Any) -> bool:
        """Whether an element is hidden by what is said of itself; what hides its parents hides it too."""
        if node.get("hidden") is not None:
            return True
        style = self.style(node)
        if not style:
            return False
        return _is_off(style) or self._is_tiny(node, style) or self._is_paper_on_paper(node, style)

    def style(self, node: Any) -> Style:
        """The declarations for an element itself, without those it inherits."""
        if node not in self._styles:
            matching = [
                rule for key in _keys(node) for rule in self.rules.get(key, ()) if _matches(rule, node)
            ]
            merged: Style = {}
            if node.get("color"):
                merged["color"] = node.get("color").lower()
            if node.get("bgcolor"):
                merged["background-color"] = node.get("bgcolor").lower()
            for rule in sorted(matching, key=lambda rule: rule.weight):
                merged |= rule.style
            self._styles[node] = merged | _declarations(node.get("style") or "")
        return self._styles[node]

    def _is_tiny(self, node: Any, style: Style) -> bool:
        size = _pixels(style.get("font-size", ""))
        return size is not None and size < _TINY and not self._restored(node, "font-size")

    def _is_paper_on_paper(self, node: Any, style: Style) -> bool:
        if "color" not in style or self._restored(node, "color"):
            return False
        colour = _colour(style["color"])
        if style["color"].startswith("transparent") or colour is None:
            return style["color"].startswith("transparent") and "background-clip" not in str(style)
        while node is not None:
            own = self.style(node)
            painted = own.get("background-color") or own.get("background")
            if painted:
                paper = _colour(painted)
                return paper is not None and _alike(colour, paper)
            node = node.getparent()
        return self.paper_is_known and _alike(colour, _PAPER)

    def _restored(self, node: Any, name: str) -> bool:
        """Whether something inside sets the property anew; then each part is judged by itself."""
        return any(
            name in self.style(inner) for inner in node.iterdescendants() if isinstance(inner.tag, str)
        )


def _is_off(style: Style) -> bool:
    if style.get("display", "").startswith("none") or style.get("visibility", "") in ("hidden", "collapse"):
        return True
    opacity = _LENGTH.match(style.get("opacity", ""))
    if opacity and float(opacity[1]) * (0.01 if opacity[2] == "%" else 1) < 0.05:
        return True
    if style.get("position") in ("absolute", "fixed") and _is_moved(
        style, ("left", "top", "right", "bottom")
    ):
        return True
    if _is_moved(style, ("text-indent", "margin-left", "margin-top")):
        return True
    if _CLIPPED.search(style.get("clip", "") + style.get("clip-path", "")):
        return True
    if _MOVED_AWAY.search(style.get("transform", "")):
        return True
    sizes = (_pixels(style.get(name, "")) for name in ("width", "height", "max-height", "max-width"))
    return style.get("overflow", "") == "hidden" and any(size is not None and size <= 1 for size in sizes)


def _is_moved(style: Style, names: tuple[str, ...]) -> bool:
    return any((_pixels(style.get(name, "")) or 0.0) <= _FAR_OFF for name in names)


def _rules(sheet: str) -> Iterator[_Rule]:
    """The rules that hold on a screen. Blocks for print or for some sizes of window are left out."""
    sheet, place, number = _COMMENT.sub(" ", sheet), 0, 0
    nested: list[bool] = []
    head = ""
    for brace in _BRACE.finditer(sheet):
        text = (
            sheet[place : brace.start()].rpartition(";")[2].strip()
            if brace[0] == "{"
            else sheet[place : brace.start()]
        )
        place = brace.end()
        if brace[0] == "{":
            if text.startswith("@"):
                nested.append(_is_for_screen(text.lower()))
                head = ""
            else:
                head = text
        elif head:
            if all(nested):
                for selector in head.split(",")[:200]:
                    number += 1
                    if number > _RULES:
                        return
                    yield from _rule(selector.strip(), text, number)
            head = ""
        elif nested:
            nested.pop()


def _is_for_screen(condition: str) -> bool:
    return condition.startswith(("@layer", "@supports")) or condition.rstrip() in (
        "@media screen",
        "@media all",
    )


def _rule(selector: str, body: str, number: int) -> Iterator[_Rule]:
    compounds = tuple(selector.replace(">", " ").split())
    if compounds and all(_COMPOUND.match(compound) for compound in compounds):
        style = _declarations(body)
        ids, classes = selector.count("#"), selector.count(".")
        if style:
            yield _Rule((ids, classes, len(compounds), number), compounds, style)


def _declarations(body: str) -> Style:
    style: Style = {}
    for declaration in body.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            style[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return style


def _key(compound: str) -> str:
    """What to look a rule up by: its last class or id, else its tag."""
    parts = _PART.findall(compound)
    mark, name = parts[-1] if parts else ("", "*")
    return f"{mark}{name}" if mark else name.lower()


def _keys(node: Any) -> list[str]:
    classes = (node.get("class") or "").split()
    return [node.tag, "*", *(f".{name}" for name in dict.fromkeys(classes)), f"#{node.get('id')}"]


def _matches(rule: _Rule, node: Any) -> bool:
    if not _is(rule.compounds[-1], node):
        return False
    wanted = list(rule.compounds[:-1])
    for ancestor in node.iterancestors() if wanted else ():
        if _is(wanted[-1], ancestor):
            wanted.pop()
            if not wanted:
                return True
    return not wanted


def _is(compound: str, node: Any) -> bool:
    classes = (node.get("class") or "").split()
    return all(
        (name in classes) if mark == "." else (name == node.get("id")) if mark else name.lower() == node.tag
        for mark, name in _PART.findall(compound)
    )


def _pixels(value: str) -> float | None:
    found = _LENGTH.match(value)
    return float(found[1]) * _PIXELS.get(found[2] or "px", 1.0) if found else None


def _colour(value: str) -> tuple[int, int, int] | None:
    """Red, green and blue, 0 to 255, of the first colour in a value; `None` for one that is not known."""
    word = value.split("(")[0].split()[0] if value.split() else ""
    if word in _NAMED:
        return _NAMED[word]
    short = re.match(r"#?([0-9a-f])([0-9a-f])([0-9a-f])\Z", word)
    if short:
        red, green, blue = (int(digit * 2, 16) for digit in short.groups())
        return red, green, blue
    long = re.match(r"#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?\Z", word)
    if long:
        red, green, blue = (int(pair, 16) for pair in long.groups())
        return red, green, blue
    listed = re.match(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})", value)
    if listed:
        red, green, blue = (int(part) for part in listed.groups())
        return red, green, blue
    return None


def _alike(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _ALIKE


def prose_in_comments(source: str) -> list[str]:
    """The comments of the page that hold sentences, which markup that is switched off or notes of programs
    do not."""
    found: list[str] = []
    place = 0
    while (start := source.find("<!--", place)) >= 0:
        end = source.find("-->", start)
        if end < 0:
            break
        comment = source[start + 4 : end]
        if not re.search(r"[<>{};=]|^\s*\[", comment) and len(re.findall(r"[^\W\d_]{2,}", comment)) >= 6:
            found.append(comment)
        place = end
    return found
