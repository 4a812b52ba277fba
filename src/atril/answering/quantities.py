"""Questions for a quantity ("how many days", "until when") and sentences that state one."""

from __future__ import annotations

import re
from typing import Final

_ASKS: Final = {
    "es": r"cu[aá]nt[oa]s?|cu[aá]ndo|plazos?|duraci[oó]n|dura|durar|m[aá]xim[oa]s?|m[ií]nim[oa]s?|edad|l[ií]mite"
    r"|importe|porcentaje|cuant[ií]a|precio",
    "en": r"how (?:many|much|long|old|often|far)|when|deadline|duration|maximum|minimum|age|limit|amount|percentage"
    r"|price|cost",
    "ru": r"сколько|когда|срок\w*|длительност\w*|максимальн\w*|минимальн\w*|возраст\w*|лимит\w*|размер\w*|процент\w*"
    r"|цен[аыуе]|стоимост\w*",
}
_NUMBERS: Final = {
    "es": r"una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\w+|veint\w+"
    r"|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien(?:to)?|\w+cientos|mil|mitad|doble",
    "en": r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|half|double",
    "ru": r"один|одного|одной|два|двух|две|три|трёх|трех|четыр\w+|пят\w+|шест\w+|сем[ьи]|восьм\w+|восемь|девят\w+"
    r"|десят\w+|\w+надцат\w+|двадцат\w+|тридцат\w+|сорок\w*|ст[оа]|тысяч\w*|полов\w+",
}
_UNITS: Final = {
    "es": r"d[ií]as?|mes(?:es)?|años?|horas?|minutos?|semanas?|trimestres?|por ciento|%|euros?|veces|jornadas?"
    r"|mensualidades",
    "en": r"days?|months?|years?|hours?|minutes?|weeks?|quarters?|per ?cent|%|dollars?|pounds?|euros?|times",
    "ru": r"дн\w+|месяц\w*|год\w*|лет|час\w*|минут\w*|недел\w*|процент\w*|%|рубл\w*|раз\w*",
}
_ASKED: Final = {
    language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _ASKS.items()
}
_STATED: Final = {
    language: re.compile(rf"\d|\b(?:{words})\b", re.IGNORECASE) for language, words in _NUMBERS.items()
}
_MEASURED: Final = {
    language: re.compile(
        rf"(?:\d|\b(?:{_NUMBERS[language]})\b)(?:\s+\w+)?\s+(?:{units})(?!\w)|\d\s*%", re.IGNORECASE
    )
    for language, units in _UNITS.items()
}
_DIGITS: Final = re.compile(r"\d")


def asks_quantity(question: str, language: str) -> bool:
    """Whether the question wants a number, a date or a term; never for a language without word lists."""
    asked = _ASKED.get(language)
    return asked is not None and asked.search(question) is not None


def states_quantity(sentence: str, language: str) -> bool:
    """Whether the sentence holds a number, in digits or in words."""
    return _STATED.get(language, _DIGITS).search(sentence) is not None


def states_measure(sentence: str, language: str) -> bool:
    """Whether the sentence holds a number of something that is measured: days, hours, euros, a percentage."""
    measured = _MEASURED.get(language)
    return measured is not None and measured.search(sentence) is not None
