"""Headings of legislation: the key of the article or provision that a heading opens.

A key is what people cite: "38", "20 bis", "once", "único", "15.1", "Disposición adicional vigesimotercera".
Ordinal marks, final stops and remarks such as "[sic]" are not part of it.
"""

from __future__ import annotations

import re
from typing import Final

from atril.accents import without_accents

_SUFFIX = r"bis|ter|qu[aá]ter|quinquies|sexies|septies|octies|nonies|novies|decies|undecies|duodecies"
_ARTICLE = re.compile(r"(?:art[íi]culos?|art[íi]cle|article|art\.?)\s+(?P<rest>\S.*)", re.IGNORECASE)
_RUSSIAN = re.compile(r"(?:статья|ст\.)\s*(?P<key>\d+(?:[.-]\d+)*)(?![\w-])", re.IGNORECASE)
_NUMBER = re.compile(
    rf"(?P<number>\d{{1,3}}(?:\.\d{{3}})+(?!\d)|\d+(?:[-.]\d+)*)(?:\.?[ºª°o](?!\w))?(?P<letter>[a-z]?)(?!\w)"
    rf"(?:\s+(?P<suffix>{_SUFFIX})\b\.?)?(?!\s*[,;])",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"(?=[IVXLCDM])[IVXLCDM]+(?=[\s.:]|$)")
_PROVISION = re.compile(
    r"disposici[óo]n\s+(?P<kind>adicional|transitoria|final|derogatoria)(?P<rest>.*)", re.IGNORECASE
)
_DIVISION = re.compile(
    r"(?:t[íi]tulo|cap[íi]tulo|secci[óo]n|libro|parte|anexo|title|chapter|part|book|annex|schedule"
    r"|глава|раздел|часть|приложение|подраздел)(?![^\W\d_])",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s?[\[(][^\])]{0,60}[\])]")
_ORDINAL_MARK = re.compile(r"\.?[ºª°]")

_CARDINALS: Final = frozenset((
    "uno", "una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce",
    "trece", "catorce", "quince", "veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta",
    "ochenta", "noventa", "cien", "ciento",
))  # fmt: skip
_NUMBER_STEMS: Final = (
    "dieci", "veinti", "primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven",
    "decim", "undecim", "duodecim", "vigesim", "trigesim", "cuadragesim", "quincuagesim", "sexagesim",
    "septuagesim", "octogesim", "nonagesim", "centesim", "unic",
)  # fmt: skip
_LONGEST_KEY: Final = 6


def article_key(title: str) -> str | None:
    """The key of the article or provision that a heading with this title opens, or `None`."""
    title = " ".join(title.split())
    if provision := _PROVISION.match(title):
        return _provision_key(provision["kind"], provision["rest"])
    if russian := _RUSSIAN.match(title):
        return russian["key"]
    if article := _ARTICLE.match(title):
        return _number_key(article["rest"]) or _word_key(article["rest"])
    return None


def is_division(title: str) -> bool:
    """Whether the heading opens a title, chapter, section, book or annex, and so closes every article."""
    return _DIVISION.match(title) is not None


class ArticleKeys:
    """The keys of one document in order; a key met again gets " (2)", then " (3)"."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def next(self, title: str) -> str | None:
        key = article_key(title)
        if key is None:
            return None
        times = self._seen[key] = self._seen.get(key, 0) + 1
        return key if times == 1 else f"{key} ({times})"


def _number_key(rest: str) -> str | None:
    if found := _NUMBER.match(rest):
        number = re.sub(r"\.(?=\d{3})", "", found["number"]) + found["letter"]
        return f"{number} {found['suffix'].lower()}" if found["suffix"] else number
    roman = _ROMAN.match(rest)
    return roman.group() if roman else None


def _word_key(rest: str) -> str | None:
    """Numbers in words up to the first stop: one of the outer words must be one, misspelt others may not be."""
    words = re.split(r"[.:;(\[]", rest, maxsplit=1)[0].lower().split()
    if not 0 < len(words) <= _LONGEST_KEY:
        return None
    return " ".join(words) if _is_number(words[0]) or _is_number(words[-1]) else None


def _provision_key(kind: str, rest: str) -> str | None:
    """The kind with its ordinal; `None` for running text such as "Disposición final del proceso"."""
    rest = _REMARK.sub("", rest)
    name, words = f"Disposición {kind.lower()}", []
    for word in _ORDINAL_MARK.sub("", re.split(r"[.:;]", rest, maxsplit=1)[0]).lower().split():
        if not (_is_number(word) or word.isdigit() or re.fullmatch(_SUFFIX, word)):
            break
        words.append(word)
    if words:
        return " ".join((name, *words))
    return name if not rest.strip(" .:") or rest.lstrip().startswith((".", ":")) else None


def _is_number(word: str) -> bool:
    folded = without_accents(word)
    return folded in _CARDINALS or folded.startswith(_NUMBER_STEMS)
