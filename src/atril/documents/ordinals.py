"""Numbers as legislation writes them, in words, Roman or Arabic, and the one form in which keys compare.

The key of an article or provision is written many ways: "once" or "11", "Disposición adicional vigésimo
primera" or "vigesimoprimera". `place_key` gives all of them the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from atril.accents import without_accents

_UNITS: Final = {
    "un": 1, "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9,
}  # fmt: skip
_TEENS: Final = {
    "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciseis": 16,
    "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20,
}  # fmt: skip
_TENS: Final = {
    "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90,
}  # fmt: skip
_HUNDREDS: Final = {"cien": 100, "ciento": 100, "doscientos": 200, "trescientos": 300}
_ORDINAL_UNITS: Final = {
    "primer": 1, "segund": 2, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "setim": 7,
    "octav": 8, "noven": 9,
}  # fmt: skip
_ORDINAL_TENS: Final = {
    "decim": 10, "vigesim": 20, "trigesim": 30, "cuadragesim": 40, "quincuagesim": 50, "sexagesim": 60,
    "septuagesim": 70, "octogesim": 80, "nonagesim": 90, "centesim": 100,
}  # fmt: skip
_ENDINGS: Final = ("o", "a")
_SPECIAL: Final = {"undecim": 11, "duodecim": 12, "decimoprimer": 11, "decimosegund": 12}

SUFFIXES: Final = (
    "bis", "ter", "quater", "cuater", "quinquies", "sexies", "septies", "octies", "nonies", "novies",
    "decies", "undecies", "duodecies",
)  # fmt: skip
UNIQUE: Final = "unico"

_ROMAN: Final = re.compile(r"(?=[ivxlc])(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_DIGITS: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_COPY: Final = re.compile(r" \((\d+)\)\Z")
_PROVISION: Final = re.compile(
    r"disposicion(?:es)? (adicional|transitoria|final|derogatoria)(?:es|s)?\b ?(.*)"
)
_NUMERAL: Final = re.compile(r"(\d+)(?:[.]?[ºª°o]?)?([a-z]?)")


def _all_values() -> dict[str, int]:
    values = {**_UNITS, **_TEENS, **_TENS, **_HUNDREDS}
    values.update({f"veinti{unit}": 20 + value for unit, value in _UNITS.items()})
    values.update({"tercer": 3, "primer": 1})
    stems = {**_ORDINAL_UNITS, **_ORDINAL_TENS, **_SPECIAL}
    for ten, value in _ORDINAL_TENS.items():
        for unit, more in _ORDINAL_UNITS.items():
            stems.setdefault(f"{ten}o{unit}", value + more)
    for stem, value in stems.items():
        values.update({f"{stem}{ending}": value for ending in _ENDINGS})
    return values


VALUES: Final = _all_values()
"""What each folded word stands for; words that form one number are added up."""

_WORDS: Final = "|".join(sorted(VALUES, key=len, reverse=True))
_ORDINAL_FIRST: Final = "|".join(f"{ten}[oa]" for ten in _ORDINAL_TENS)
_CARDINAL_TENS: Final = "|".join(_TENS)
_CARDINAL_UNITS: Final = "|".join(_UNITS)
NUMBER_WORDS: Final = (
    rf"(?:(?:ciento|doscientos|trescientos) )?(?:(?:{_CARDINAL_TENS}) y (?:{_CARDINAL_UNITS})"
    rf"|(?:{_ORDINAL_FIRST}) (?:{'|'.join(_ORDINAL_UNITS)})[oa]|{_WORDS})"
)
"""A pattern for one number in words, in folded text with single blanks."""


@lru_cache(maxsize=1 << 14)
def fold(text: str) -> str:
    """Lower case, without accents and double blanks."""
    return " ".join(without_accents(text.lower()).split())


def value_of(words: str) -> int | None:
    """The number that folded words, Roman or Arabic digits stand for."""
    if words.isascii() and words.isdigit():
        return int(words)
    parts = [part for part in words.split() if part != "y"]
    if parts and all(part in VALUES for part in parts):
        return sum(VALUES[part] for part in parts)
    return _roman(words)


@lru_cache(maxsize=1 << 14)
def place_key(key: str) -> str:
    """The form in which two keys of the same article or provision are equal.

    "38", "20 bis", "11" for "once", "unico", "adicional 23", "final" for a provision without a number.
    """
    key = _COPY.sub("", fold(key)).replace("cuater", "quater")
    if provision := _PROVISION.fullmatch(key):
        number = _number(provision[2])
        return f"{provision[1]} {number}" if number else provision[1]
    return _number(key)


def copy_of(key: str) -> int:
    """Which of a document's articles with one key this is, from 1: "38 (2)" is the second."""
    found = _COPY.search(key)
    return int(found[1]) if found else 1


def _number(text: str) -> str:
    words = text.split()
    suffix = f" {words.pop()}" if len(words) > 1 and words[-1] in SUFFIXES else ""
    rest = " ".join(words)
    if rest in ("unico", "unica"):
        return UNIQUE + suffix
    if numeral := _NUMERAL.fullmatch(rest):
        return f"{int(numeral[1])}{numeral[2]}{suffix}"
    number = value_of(rest)
    return (str(number) if number is not None else rest) + suffix


def _roman(text: str) -> int | None:
    if not text or not _ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_DIGITS[letter] for letter in text]
    following = [*digits[1:], 0]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, following, strict=True))
