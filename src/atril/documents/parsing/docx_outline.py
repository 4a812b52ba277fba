"""From the paragraphs of a Word document to Markdown blocks.

Half of all documents have no heading styles: their headings are short bold paragraphs. Those are taken for
headings only where no style says better, and only while they are few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, Literal

from atril.documents.parsing.assembly import heading, paragraph
from atril.documents.parsing.canonical import one_line

_SIMPLE_LABEL: Final = re.compile(r"(?:\d{1,3}|[^\W\d_]|[ivxIVX]{2,4})[.)]$")
_DIVISION: Final = re.compile(
    r"(?:artículo|art\.|cláusula|capítulo|título|sección|anexo|disposición|статья|глава|раздел|приложение"
    r"|article|chapter|section|part|annex|appendix|schedule)\s+(?:\d|[IVXLC]+\b|[A-ZА-Я]\b|primer|segund|tercer|únic)",
    re.IGNORECASE,
)  # fmt: skip
_PICTURE: Final = re.compile(r"!\[[^\]\n]*\]\(\)")
_DEPTH: Final = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)[.)]?\s+\S")
_LONGEST: Final = 140
_TEXT_PER_HEADING: Final = 5000
_MOST: Final = 0.4
_BOLD_ENOUGH: Final = 2


@dataclass(frozen=True, slots=True)
class Item:
    """One paragraph, or a block that is Markdown already (`kind` "block").

    `level` is that of a heading (1 to 6) or of a list item (from 0). `label` is the number before it, empty
    for bullets; items of one list have one `group`. `strong` says that all of it is bold, `size` in half
    points how large its letters are.
    """

    kind: Literal["heading", "list", "text", "block"]
    text: str
    level: int = 0
    label: str = ""
    strong: bool = False
    centred: bool = False
    size: int = 0
    group: str = ""


def blocks_of(items: Sequence[Item]) -> list[str]:
    """Items as Markdown blocks; the items of one list come as one block."""
    blocks: list[str] = []
    lines: list[str] = []
    group = ""
    for item in items:
        if lines and item.kind == "list" and item.level == 0 and item.group != group:
            blocks.append("\n".join(lines))
            lines = []
        group = item.group
        if item.kind == "list" and (
            not item.label or _SIMPLE_LABEL.match(item.label) or item.label[0] == "("
        ):
            lines += _list_lines(item)
            continue
        if lines:
            blocks.append("\n".join(lines))
            lines = []
        blocks.append(_block(item))
    return [*blocks, "\n".join(lines)] if lines else blocks


def _block(item: Item) -> str:
    text = f"{item.label} {item.text}" if item.label else item.text
    if item.kind == "block":
        return item.text
    return heading(item.level, text) if item.kind == "heading" else paragraph(text)


def _list_lines(item: Item) -> list[str]:
    mark = item.label if item.label and _SIMPLE_LABEL.match(item.label) else f"- {item.label}".strip()
    indent = "   " * item.level
    first, *others = [line for line in item.text.split("\n") if line.strip()] or [""]
    return [
        f"{indent}{mark} {first.strip()}",
        *(f"{indent}{' ' * len(mark)} {line.strip()}" for line in others),
    ]


def with_headings(items: Sequence[Item]) -> list[Item]:
    """The items with bold lines and titles of divisions raised to headings, where styles hardly do it."""
    length = sum(len(item.text) for item in items)
    if sum(item.kind == "heading" for item in items) > max(1, length / _TEXT_PER_HEADING):
        return list(items)
    likely = [place for place, item in enumerate(items) if _is_likely(item)]
    prose = sum(item.kind in ("text", "list") for item in items)
    if not likely or len(likely) > max(_BOLD_ENOUGH, _MOST * prose):
        return list(items)
    sizes = [item.size for item in items if item.kind in ("text", "list") and not item.strong and item.size]
    body = median(sizes) if sizes else 0
    raised = list(items)
    for place in likely:
        item = items[place]
        large = item.centred or item.text.isupper() or (item.size > body > 0)
        level = 1 if place == 0 else _numbered_level(f"{item.label} {item.text}") or (2 if large else 3)
        raised[place] = replace(item, kind="heading", text=one_line(item.text), level=level)
    return list(_without_last(raised))


def _numbered_level(text: str) -> int:
    """2 for "1. Object", 3 for "1.1 Scope", 0 without a number."""
    found = _DEPTH.match(text)
    return 2 + found[1].count(".") if found else 0


def _is_likely(item: Item) -> bool:
    text = one_line(item.text)
    if item.kind not in ("text", "list") or not 3 <= len(text) <= _LONGEST or _PICTURE.search(text):
        return False
    if item.kind == "list" and not item.label:
        return False
    if _DIVISION.match(text):
        return item.strong or item.centred or len(text) < _LONGEST // 2
    return item.strong and text[-1] not in ".,;:?!…" and any(char.isalpha() for char in text)


def _without_last(items: Sequence[Item]) -> Iterator[Item]:
    """A heading with nothing below it, such as a signature in bold, is text."""
    last = max((place for place, item in enumerate(items) if item.kind != "heading"), default=-1)
    for place, item in enumerate(items):
        yield replace(item, kind="text", level=0) if item.kind == "heading" and place > last else item


def is_running(text: str) -> bool:
    """Whether a header or footer holds no more than a page number."""
    return _PAGE_NUMBER.fullmatch(one_line(text)) is not None


_PAGE_NUMBER: Final = re.compile(
    r"[-–—\s]*(?:page|página|pág\.?|p\.|страница|стр\.?|лист)?\s*\d{0,5}\s*(?:(?:of|de|из|/)\s*\d{0,5})?[-–—\s]*",
    re.IGNORECASE,
)


def unique(texts: Iterable[str]) -> list[str]:
    """Texts in order, each once whatever its blanks."""
    return list({one_line(text): text for text in texts if text.strip()}.values())
