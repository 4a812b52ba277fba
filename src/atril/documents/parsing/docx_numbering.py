"""The numbers that Word prints before paragraphs and does not keep in their text (ECMA-376 part 1, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from atril.documents.parsing.xmltree import Element, attribute, child, children, number

_PLACE: Final = re.compile(r"%([1-9])")
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщэюя"
_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
_LEVELS: Final = 9


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a paragraph: empty `text` for a bullet. `level` counts from 0; `group` is the list."""

    text: str
    level: int
    group: str


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    text: str
    start: int
    legal: bool


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts paragraphs as they come, in the order of the document."""

    def __init__(self, root: Element | None) -> None:
        abstract = {attribute(node, "abstractNumId"): node for node in children(root, "abstractNum")}
        lists: dict[str, _List] = {}
        self._lists: dict[str, _List] = {}
        for node in children(root, "num"):
            reference = child(node, "abstractNumId")
            source = attribute(reference, "val") if reference is not None else ""
            base = abstract.get(source)
            overrides = list(children(node, "lvlOverride"))
            if base is None:
                continue
            if overrides:
                # A list with its own starts counts by itself; the others share the count of their pattern.
                self._lists[attribute(node, "numId")] = _List(
                    _levels(base) | _overridden(_levels(base), overrides)
                )
            else:
                lists.setdefault(source, _List(_levels(base)))
                self._lists[attribute(node, "numId")] = lists[source]

    def next(self, properties: Element | None) -> Label | None:
        """The label of the next paragraph with this `numPr`; nothing for one without number or bullet."""
        identity, at = child(properties, "numId"), child(properties, "ilvl")
        found = self._lists.get(attribute(identity, "val")) if identity is not None else None
        level = min(max(number(attribute(at, "val")), 0), _LEVELS - 1) if at is not None else 0
        if found is None or level not in found.levels:
            return None
        shape = found.levels[level]
        found.counts[level] = found.counts.get(level, shape.start - 1) + 1
        for deeper in [each for each in found.counts if each > level]:
            del found.counts[deeper]
        if shape.format == "none" and not shape.text.strip():
            return None
        text = "" if shape.format == "bullet" else _label(found, shape)
        return Label(text, level, attribute(identity, "val"))


def _levels(node: Element) -> dict[int, _Level]:
    return {number(attribute(level, "ilvl")): _level(level) for level in children(node, "lvl")}


def _level(node: Element) -> _Level:
    values = {
        name: attribute(found, "val")
        for name in ("numFmt", "lvlText", "start")
        if (found := child(node, name)) is not None
    }
    legal = child(node, "isLgl")
    return _Level(
        values.get("numFmt", "decimal"),
        values.get("lvlText", ""),
        number(values.get("start"), 1),
        legal is not None and attribute(legal, "val", "1") not in ("0", "false", "off"),
    )


def _overridden(levels: dict[int, _Level], overrides: list[Element]) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for node in overrides:
        at = number(attribute(node, "ilvl"))
        own, start = child(node, "lvl"), child(node, "startOverride")
        shape = _level(own) if own is not None else levels.get(at)
        if shape is not None and start is not None:
            shape = _Level(shape.format, shape.text, number(attribute(start, "val"), 1), shape.legal)
        if shape is not None:
            found[at] = shape
    return found


def _label(numbers: _List, shape: _Level) -> str:
    def shown(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        level = numbers.levels.get(at)
        if level is None:
            return ""
        count = numbers.counts.get(at, level.start)
        return as_number(count, "decimal" if shape.legal else level.format)

    return _PLACE.sub(shown, shape.text).strip()


def as_number(count: int, style: str) -> str:
    """A count as Word prints it in one of its number formats; decimal for those of other scripts."""
    if count < 1 or style in ("decimal", "ordinal", "cardinalText", "ordinalText"):
        return str(count)
    if style == "decimalZero":
        return f"{count:02d}"
    if style in ("lowerLetter", "upperLetter"):
        text = _letters(count, _LATIN)
    elif style in ("russianLower", "russianUpper"):
        text = _letters(count, _RUSSIAN)
    elif style in ("lowerRoman", "upperRoman"):
        text = _roman(count)
    else:
        return "" if style in ("none", "bullet") else str(count)
    return text.upper() if style.startswith("upper") or style.endswith("Upper") else text


def _letters(count: int, alphabet: str) -> str:
    """a, b … z, aa, bb …: Word repeats the letter."""
    times, place = divmod(count - 1, len(alphabet))
    return alphabet[place] * min(times + 1, 10)


def _roman(count: int) -> str:
    if count > 5000:
        return str(count)
    text = ""
    for value, letters in _ROMAN:
        times, count = divmod(count, value)
        text += letters * times
    return text
