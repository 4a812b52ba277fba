"""The wording that several modules look for. Every pattern runs on a text without accents."""

from __future__ import annotations

import re
from typing import Final

from atril.documents.ordinals import NUMBER_WORDS, SUFFIXES, value_of
from atril.documents.references.mentions import Relative

FLAGS: Final = re.IGNORECASE

# Numbers: "20 bis", "vigésimo segundo", with any blanks between the words.
SUFFIX: Final = "|".join(SUFFIXES)
NUMBER_IN_WORDS: Final = NUMBER_WORDS.replace(" ", r"\s+")

# What an article is divided into, and how its parts are numbered: "2", "1.ª", "b)", "1.a)", "segundo".
PART: Final = r"(?:apartados?|parrafos?|letras?|numeros?|reglas?|incisos?|puntos?|ordinal(?:es)?|epigrafes?)"
_PART_NUMBER: Final = (
    rf"(?:\d{{1,2}}(?!\d)(?:\.?[ºª°])?(?:[\s.]\s?(?:{SUFFIX})\b)?"
    r"(?:\.?\s?[a-zñ]\)|\.[ºª°]?\d{1,2}(?![\d/])(?:\.?[ºª°])?|(?<=[a-z\d])\)(?=\s+(?:del|de\s+l)))*"
    rf"|[a-zñ]\)(?:\.?\d{{1,2}}\.?[ºª°]?)?|(?:{NUMBER_IN_WORDS}|ultim[oa])\b)"
)
PART_NUMBERS: Final = rf"{_PART_NUMBER}(?:(?:\s*,\s*|\s*,?\s+[yeo]\s+|\s+al?\s+){_PART_NUMBER})*"
_FIRST_NUMBER: Final = re.compile(r"\d{1,2}|[^\W\d_]+(?!\))")

# What takes the place of a name or number: "dicha", "la citada", "aquella", "anterior".
SAID_PARTICIPLE: Final = (
    r"(?:ya\s+)?(?:citad|dich|mism|referid|mencionad|propi|indicad|expresad|aludid|repetid)[oa]s?"
)
SAID: Final = rf"(?:{SAID_PARTICIPLE}|aquel(?:la)?|es[ea])"
BESIDE: Final = r"(?:(?P<previous>anterior|precedente)|(?P<next>siguiente|posterior))"

OF: Final = re.compile(r"\s*,?\s+(?:de\s+l[ao]s?|del?|en\s+(?:el|la))\s+", FLAGS)
ITS_BEFORE: Final = re.compile(r"\b(?:cuy[oa]s?|sus?)\s+$", FLAGS)

ANCHOR: Final = re.compile(
    r"\b(?:(?P<article>art(?:iculos?\b|s?\.|s?\b(?=\s\d)))"
    r"|(?P<provision>disposici(?:on|ones)\s+(?P<kind>adicional|transitoria|final|derogatoria)(?:es|s)?\b)"
    r"|(?P<paragraph>apartados?\s)"
    r"|(?P<division>(?:libro|titulo|capitulo|seccion|subseccion|anexo)s?\s)"
    r"|(?P<norm>(?-i:Ley|LEY|Real\s+[Dd]ecreto|REAL DECRETO|Estatuto|Reglamento|Codigo|Constitucion|Texto\s+[Rr]efundido"
    r"|texto\s+refundido|Orden|Decreto|Directiva)\b|ley\s(?=(?:organica\s)?\d|general\s)"
    r"|real\sdecreto[\s-](?=(?:ley|legislativo)?\s?\d)))",
    FLAGS,
)
"""Where a reference can begin; the group that matched says what may follow."""


def relative_of(found: re.Match[str]) -> Relative:
    """The side on which `BESIDE` looks."""
    return "previous" if found["previous"] else "next"


def first_part(numbers: str) -> str | None:
    """The first of `PART_NUMBERS`, unless it is a letter."""
    found = _FIRST_NUMBER.match(numbers)
    return found.group() if found else None


def in_digits(number: str | None) -> str | None:
    """The number of a paragraph in digits, however it is written; `None` for what is no number."""
    value = value_of(number.lower()) if number is not None else None
    return str(value) if value is not None else None
