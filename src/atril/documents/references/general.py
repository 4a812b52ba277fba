"""References in any document: links, sections and pages, and articles in English and Russian."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from atril.documents.references.mentions import Mention

_LINK: Final = re.compile(
    r"\[(?<!!\[)[^\]\n]{1,300}\]\(<?(?P<address>[^\s()<>]{1,500})>?(?:\s+\"[^\"\n]{0,200}\")?\)"
)
_FOREIGN: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_SECTION: Final = re.compile(
    r"\b(?:(?:v[eé]ase|ver|v\.|see|cf\.|см\.)\s+(?:also\s+|tambi[eé]n\s+|(?:en\s+)?(?:la|el|the)\s+)?)?"
    r"(?:secci[oó]n|ep[ií]grafe|section|sect\.|sec\.|§|раздела?е?|пункта?е?|главы?е?)\s*"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?![\w/]|\.?[ºª])",
    re.IGNORECASE,
)
_PAGE: Final = re.compile(
    r"\b(?:p[aá]ginas?|p[aá]gs?\.|pages?|pp?\.|стр\.|страниц[аеуы]?)\s*(?P<number>\d{1,5})(?![\w/.]\w)",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"\s*,?\s+(?:del?(?:\s+la|\s+el)?|of(?:\s+the)?|in(?:\s+the)?)\s+(?P<name>[^\n.,;:()?¿!]{2,120})",
    re.IGNORECASE,
)
_ENGLISH: Final = re.compile(
    r"\b(?:articles?|arts?\.)\s+(?P<first>\d{1,4}[a-z]?(?:\(\d{1,2}\))?)(?P<more>(?:(?:\s*,\s*|\s*,?\s+(?:and|or|to)\s+|\s*[-–]\s*)\d{1,4}[a-z]?\b)*)"
    r"(?:\s+of\s+(?:(?P<this>this|the\s+present)\s+\w+|(?:the\s+)?(?P<norm>[A-Z][^\n.;:()?!]{2,120})))?",
    re.IGNORECASE,
)
_RUSSIAN: Final = re.compile(
    r"(?:\b(?:п\.|пункт(?:а|е|у|ом)?|ч\.|част(?:ь|и|ью))\s*(?P<part>\d{1,3})\s*,?\s*)?"
    r"\b(?:стат(?:ья|ьи|ье|ью|ьёй|ьей|ьях|ьям|ей)|ст\.|ст\.ст\.)\s*(?P<first>\d{1,4}(?:\.\d{1,2})?)"
    r"(?P<more>(?:(?:\s*,\s*|\s+и\s+|\s*[-–]\s*)\d{1,4}(?:\.\d{1,2})?(?![\w.]))*)"
    r"(?:\s+(?:(?P<this>настоящего|этого)\s+[а-яё]+|(?P<norm>[А-ЯЁ][^\n;:()?!]{1,120})))?",
    re.IGNORECASE,
)
_FURTHER: Final = re.compile(r"(?P<separator>\D*)(?P<number>\d{1,4}(?:\.\d{1,2})?[a-z]?)")
_RANGE: Final = re.compile(r"to|[-–]")
_LONGEST_RANGE: Final = 60


def find_general(text: str) -> list[Mention]:
    """Links, sections and pages; what a section or page is of is its `norm`."""
    found = [
        Mention(link.start(), link.end(), "link", value=unquote(link["address"]))
        for link in _LINK.finditer(text)
        if not _FOREIGN.match(link["address"])
    ]
    for pattern, kind in ((_SECTION, "section"), (_PAGE, "page")):
        for match in pattern.finditer(text):
            of = _OF.match(text, match.end())
            norm = of["name"].strip() if of else None
            found.append(Mention(match.start(), match.end(), kind, norm=norm, value=match["number"]))  # type: ignore[arg-type]
    return found


def find_english(text: str) -> list[Mention]:
    """ "Article 5(1) of Regulation …", "articles 5 to 7 of this Act"."""
    return [_articles(match) for match in _ENGLISH.finditer(text)]


def find_russian(text: str) -> list[Mention]:
    """«п. 3 ст. 81 ТК РФ», «статья 53 Трудового кодекса»."""
    return [_articles(match) for match in _RUSSIAN.finditer(text)]


def _articles(match: re.Match[str]) -> Mention:
    groups = match.groupdict()
    first, paragraph, norm = groups["first"], groups.get("part"), groups["norm"]
    if "(" in first:
        first, _, paragraph = first.rstrip(")").partition("(")
    return Mention(
        match.start(),
        match.end(),
        "article",
        tuple(_listed(first, groups["more"] or "")),
        apartado=paragraph,
        norm=norm.strip() if norm else None,
        relative="this" if groups["this"] else None,
    )


def _listed(first: str, more: str) -> list[str]:
    """The articles of "5, 7 to 9"; of a long range only its beginning and its end."""
    keys = [first]
    for found in _FURTHER.finditer(more):
        low, high = keys[-1], found["number"]
        if _RANGE.search(found["separator"]) and low.isdigit() and high.isdigit():
            keys += [str(each) for each in range(int(low) + 1, min(int(high), int(low) + _LONGEST_RANGE))]
        keys.append(high)
    return keys
