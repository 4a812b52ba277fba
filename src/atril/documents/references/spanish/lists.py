"""Lists of articles or provisions: "los artículos 14, 15.2 y 17 a 20", each with its paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from atril.documents.ordinals import fold, value_of
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import (
    FLAGS,
    NUMBER_IN_WORDS,
    PART,
    PART_NUMBERS,
    SUFFIX,
    first_part,
)

MOST_ENTRIES: Final = 60
"""Of a list or range; what says more is no list of articles."""
_HIGHEST_PARAGRAPH: Final = 20
_HIGHEST_ORDINAL_PARAGRAPH: Final = 10

# One article or provision, with the paragraph and the letters that its number carries: "305.2.b)", "149.1.7.ª",
# "33.3. bis". What follows the paragraph is passed over.
ITEM: Final = re.compile(
    rf"(?:(?P<number>\d{{1,3}}\.\d{{3}}(?![\d.])|\d{{1,4}}(?![\d/]))(?:\.?[ºª°](?!\w))?"
    rf"|(?P<words>(?:{NUMBER_IN_WORDS}|unic[oa])\b))"
    rf"(?P<suffix>(?:\.\s?|\s)?(?:{SUFFIX})\b)?"
    rf"(?:\.(?P<paragraph>\d{{1,2}}(?!\d|/)|(?:uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b)"
    rf"(?:\.?[ºª°])?(?:[\s.]\s?(?:{SUFFIX})\b)?)?"
    r"(?:\.?\s?\.?[a-zñ]\.?[ºª]?\)(?:(?:\s*,\s*|\s+[yeo]\s+)[a-zñ]\))*|\.[a-z](?=[\s,;.)])"
    r"|\.\d{1,2}(?![\d/])(?:\.?(?:[ºª°]|[oa]\b))?"
    r"|(?:\.\s|,\s?)\d{1,2}(?=,?\s+(?:de\s+la|del)\s+[A-Z]))*"
    r"(?(paragraph)(?:(?:\.\s|,\s?|\s+y\s+)\d{1,2}\.?[ºª°](?=[\s,.;])(?!\s+bis))*|)",
    FLAGS,
)
_SEPARATOR: Final = re.compile(
    r"(?:(?P<range>\s+al?\s+|\s*[-–]\s*(?=\d))|\s*,?\s+[yeou]\s+(?:en\s+|de\s+|por\s+)?|\s*[,;]\s*(?:en\s+)?)"
    r"(?:del\s+|el\s+|los\s+|la\s+|las\s+)?",
    FLAGS,
)
_KIND_AGAIN: Final = re.compile(r"(adicional|transitoria|final|derogatoria)(?:es|s)?\s+", FLAGS)
_INTO_DETAIL: Final = r"\s*,?\s*(?:en\s+(?:su|el|la)s?\s+)?"
_DETAIL: Final = re.compile(
    rf"{_INTO_DETAIL}(?:(?P<paragraph>apartados?)|{PART})\s+(?P<numbers>{PART_NUMBERS})", FLAGS
)
_PARAGRAPHS: Final = re.compile(
    rf"apartados?\s+(?P<numbers>{PART_NUMBERS})(?:{_INTO_DETAIL}{PART}\s+{PART_NUMBERS})*", FLAGS
)
_AMOUNT: Final = re.compile(
    r"\s*(?:%|por\s+(?:ciento|100)|euros|dias|meses|anos|horas"
    r"|de\s+(?:enero|febr|marzo|abril|mayo|jun|jul|ago|sep|oct|nov|dic))",
    FLAGS,
)
_FEMININE: Final = (
    "", "primera", "segunda", "tercera", "cuarta", "quinta", "sexta", "séptima", "octava", "novena", "décima",
    "undécima", "duodécima",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """An article or provision of a list, and the number of its paragraph as it is written."""

    key: str
    paragraph: str | None = None


def read_list(
    passage: Passage, item: re.Match[str], kind: str | None, plural: bool, paragraph: str | None
) -> tuple[int, list[Entry]]:
    """Where the list ends that begins with an `ITEM`, and its entries.

    `kind` is that of provisions, `paragraph` the one named before the first entry. In the singular only
    paragraphs can follow: "el artículo 275.1 y 2".
    """
    plain = passage.plain
    entries = [Entry(_key(passage, item, kind), item["paragraph"] or paragraph)]
    end = item.end()
    while True:
        end, detail = _details(plain, end)
        if detail and entries[-1].paragraph is None:
            entries[-1] = replace(entries[-1], paragraph=detail)
        separator = _SEPARATOR.match(plain, end)
        if separator is None or len(entries) > MOST_ENTRIES:
            break
        at = separator.end()
        if kind and (again := _KIND_AGAIN.match(plain, at)):
            kind, at, plural = again[1].lower(), again.end(), True
        following = ITEM.match(plain, at)
        if following is None or _AMOUNT.match(plain, following.end(), following.end() + 12):
            break
        in_range = separator["range"] is not None
        match _role(item, following, entries[-1], plural, in_range):
            case "paragraph":
                end = following.end()
            case "entry":
                key = _key(passage, following, kind)
                if in_range:
                    entries += [Entry(each) for each in _between(entries[-1].key, key)]
                entries.append(Entry(key, following["paragraph"]))
                item, end = following, following.end()
            case None:
                break
    return end, entries


def read_paragraphs(plain: str, at: int) -> tuple[int, str] | None:
    """Where "apartados 1 y 2, letra b)" ends, and its numbers; letters and rules after them are passed over."""
    found = _PARAGRAPHS.match(plain, at)
    return (found.end(), found["numbers"]) if found else None


def _role(
    item: re.Match[str], following: re.Match[str], last: Entry, plural: bool, in_range: bool
) -> Literal["paragraph", "entry"] | None:
    """What the number after a separator is; `None` when the sentence has gone on to something else."""
    if (plural or not in_range) and _is_paragraph(item, following, last, plural):
        return "paragraph"
    if plural and (following["words"] or "").lower() not in ("un", "una"):
        return "entry"
    return None


def _is_paragraph(item: re.Match[str], following: re.Match[str], last: Entry, plural: bool) -> bool:
    """ "275.1 y 2": the second number is a paragraph of the same article."""
    if not item["number"] or not following["number"] or following["paragraph"]:
        return False
    article, number = (int(each["number"].replace(".", "")) for each in (item, following))
    if last.paragraph is None:
        ordinal = item.group()[-1] in "ºª°"
        return plural and ordinal and number < min(_HIGHEST_ORDINAL_PARAGRAPH, article)
    if not plural:
        return number < _HIGHEST_PARAGRAPH
    return (value_of(last.paragraph.lower()) or 0) < number < min(_HIGHEST_PARAGRAPH, article)


def _details(plain: str, at: int) -> tuple[int, str | None]:
    """Where paragraphs, letters and numbers after an article end, and the first paragraph."""
    paragraph = None
    while found := _DETAIL.match(plain, at):
        if found["paragraph"] and paragraph is None:
            paragraph = first_part(found["numbers"])
        at = found.end()
    return at, paragraph


def _key(passage: Passage, item: re.Match[str], kind: str | None) -> str:
    if item["number"]:
        number = item["number"].replace(".", "")
    else:
        number = " ".join(passage.written[slice(*item.span("words"))].lower().split())
    suffix = f" {item['suffix'].strip('. ').lower()}" if item["suffix"] else ""
    return f"Disposición {kind} {number}{suffix}" if kind else number + suffix


def _between(first: str, last: str) -> list[str]:
    """The keys between the ends of a range, both left out; none when there are too many."""
    *name, low = first.split()
    start, stop = value_of(fold(low)), value_of(fold(last.split()[-1]))
    if start is None or stop is None or not 0 < stop - start <= MOST_ENTRIES:
        return []
    if not name:
        return [str(number) for number in range(start + 1, stop)]
    return [
        " ".join((*name, _FEMININE[number] if number < len(_FEMININE) else str(number)))
        for number in range(start + 1, stop)
    ]
