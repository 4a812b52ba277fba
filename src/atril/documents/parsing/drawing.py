"""Text as slides and drawings keep it (ECMA-376 part 1, 21.1): paragraphs, lists and tables in DrawingML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from atril.documents.parsing.assembly import link
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_styles import is_white
from atril.documents.parsing.docx_text import formula
from atril.documents.parsing.openxml import Relation, reference
from atril.documents.parsing.parsed import Noticed
from atril.documents.parsing.xmltree import Element, attribute, child, children, local, number, own_text

_TINY: Final = 200
_WIDEST: Final = 200
_MOST_POINTS: Final = 2000


class DrawingText:
    """Reads the paragraphs of shapes; `noticed` gathers what could not be seen."""

    def __init__(self, relations: Mapping[str, Relation]) -> None:
        self._relations = relations
        self.noticed = Noticed()

    def lines(self, body: Element | None, *, bullets: bool, shaded: bool) -> list[str]:
        """The paragraphs of a text body; `bullets` says that they are list items unless they say otherwise.

        `shaded` says that there is, or may be, a colour behind the text.
        """
        found: list[str] = []
        counts: dict[int, int] = {}
        for node in children(body, "p"):
            text = one_line(self._text(node, shaded))
            self.noticed.end_line()
            properties = child(node, "pPr")
            level = min(max(number(attribute(properties, "lvl")) if properties is not None else 0, 0), 8)
            for deeper in [each for each in counts if each > level]:
                del counts[deeper]
            if not text:
                continue
            indent = "  " * level
            if child(properties, "buAutoNum") is not None:
                start = number(attribute(child(properties, "buAutoNum"), "startAt"), 1)
                counts[level] = counts.get(level, start - 1) + 1
                found.append(f"{indent}{counts[level]}. {text}")
            elif child(properties, "buNone") is None and (bullets or child(properties, "buChar") is not None):
                found.append(f"{indent}- {text}")
            else:
                found.append(text)
        return found

    def rows(self, table: Element) -> list[list[str]]:
        """A table; a merged cell's text stands in its first place."""
        return [
            [
                "" if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true")
                else " ".join(self.lines(child(cell, "txBody"), bullets=False, shaded=True))
                for cell in list(children(row, "tc"))[:_WIDEST]
            ]
            for row in children(table, "tr")
        ]  # fmt: skip

    def _text(self, paragraph: Element, shaded: bool) -> str:
        return "".join(self._pieces(paragraph, shaded))

    def _pieces(self, node: Element, shaded: bool) -> Iterator[str]:
        for each in node:
            name = local(each)
            if name in ("r", "fld"):
                text = "".join(own_text(run) for run in children(each, "t"))
                properties = child(each, "rPr")
                if text.strip() and _is_hidden(properties, shaded=shaded):
                    self.noticed.leave_out(text)
                elif attribute(each, "type") not in ("slidenum", "datetime"):
                    yield link(text, self._target(properties))
            elif name == "br":
                yield " "
            elif name in ("oMath", "oMathPara"):
                yield formula(each)
            elif name in ("m", "AlternateContent", "Choice"):
                yield from self._pieces(each, shaded)

    def _target(self, properties: Element | None) -> str:
        clicked = child(properties, "hlinkClick")
        relation = self._relations.get(reference(clicked)) if clicked is not None else None
        return relation.target if relation is not None and relation.external else ""


def chart_rows(root: Element) -> list[list[str]]:
    """A chart as the table it was drawn from: categories down, series across. Empty for other parts."""
    columns: list[list[str]] = []
    for series in root.iter():
        if local(series) != "ser":
            continue
        names, values = (
            _points(next((found for key in keys if (found := child(series, key)) is not None), None))
            for keys in (("cat", "xVal"), ("val", "yVal"))
        )
        columns = columns or [["", *names]]
        columns.append([" ".join(_points(child(series, "tx"))), *values])
    height = max(map(len, columns), default=0)
    return [[column[row] if row < len(column) else "" for column in columns] for row in range(height)]


def _points(node: Element | None) -> list[str]:
    if node is None:
        return []
    return [value.text or "" for value in node.iter() if local(value) == "v"][:_MOST_POINTS]


def _is_hidden(properties: Element | None, *, shaded: bool) -> bool:
    if properties is None:
        return False
    if 0 < number(attribute(properties, "sz"), 1800) <= _TINY:
        return True
    fill = child(properties, "solidFill")
    if fill is None:
        return False
    color = child(fill, "srgbClr")
    alpha = next(
        (number(attribute(node, "val"), 100_000) for node in fill.iter() if local(node) == "alpha"), 100_000
    )
    if alpha <= 0:
        return True
    return not shaded and color is not None and is_white(attribute(color, "val"))
