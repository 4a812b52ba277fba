"""Questions for a quantity ("how many days", "until when") and sentences that state one."""

from __future__ import annotations

import re
from typing import Final

from atril.answering.numerals import words_pattern
from atril.documents.analysis import fold

_ASKS: Final = {
    "es": r"cu[aá]nt[oa]s?|cu[aá]ndo|plazos?|duraci[oó]n|dura|durar|m[aá]xim[oa]s?|m[ií]nim[oa]s?|edad|l[ií]mite"
    r"|importe|porcentaje|cuant[ií]a|precio",
    "en": r"how (?:many|much|long|old|often|far)|when|deadline|duration|maximum|minimum|age|limit|amount|percentage"
    r"|price|cost",
    "ru": r"сколько|когда|срок\w*|длительност\w*|максимальн\w*|минимальн\w*|возраст\w*|лимит\w*|размер\w*|процент\w*"
    r"|цен[аыуе]|стоимост\w*",
}
_PARTS: Final = {"es": "mitad|doble", "en": "half|double", "ru": r"полов\w+"}
_UNITS: Final = {
    "es": r"dias?|mes(?:es)?|anos?|horas?|minutos?|semanas?|trimestres?|por ciento|%|euros?|veces|jornadas?"
    r"|mensualidades",
    "en": r"days?|months?|years?|hours?|minutes?|weeks?|quarters?|per ?cent|%|dollars?|pounds?|euros?|times",
    "ru": r"дн\w+|месяц\w*|год\w*|лет|час\w*|минут\w*|недел\w*|процент\w*|%|рубл\w*|раз\w*",
}
_ASKED: Final = {
    language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _ASKS.items()
}
_WORDS: Final = {language: f"{words_pattern(language)}|{parts}" for language, parts in _PARTS.items()}
_STATED: Final = {language: re.compile(rf"\d|\b(?:{words})\b") for language, words in _WORDS.items()}
_MEASURED: Final = {
    language: re.compile(rf"(?:\d|\b(?:{_WORDS[language]})\b)(?:\s+\w+)?\s+(?:{units})(?!\w)|\d\s*%")
    for language, units in _UNITS.items()
}
_DIGITS: Final = re.compile(r"\d")


def asks_quantity(question: str, language: str) -> bool:
    """Whether the question wants a number, a date or a term; never for a language without word lists."""
    asked = _ASKED.get(language)
    return asked is not None and asked.search(question) is not None


def states_quantity(sentence: str, language: str) -> bool:
    """Whether the sentence holds a number, in digits or in words."""
    return _STATED.get(language, _DIGITS).search(fold(sentence)) is not None


def states_measure(sentence: str, language: str) -> bool:
    """Whether the sentence holds a number of something that is measured: days, hours, euros, a percentage."""
    measured = _MEASURED.get(language)
    return measured is not None and measured.search(fold(sentence)) is not None
