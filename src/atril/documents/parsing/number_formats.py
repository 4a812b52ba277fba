"""Numbers of a spreadsheet as its reader sees them (ECMA-376 part 1, 18.8.30 and 18.8.31).

A cell keeps 45657 or 0.21 and a format; people look for 31/12/2024 and 21 %. Fractions and scientific
notation beyond what Python prints alike are shown as plain numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

BUILT_IN: Final = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
    12: "General", 13: "General", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
    18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
    37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00",
    44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that files name by number only. 14 and 22 follow the reader's country; ISO means the same to all."""

_TOKEN: Final = re.compile(
    r'"([^"]*)"|\\(.)|\[([^\]]*)\]|_.|\*.|(AM/PM|A/P)|(General)|(y+|m+|d+|h+|s+(?:[.,]0+)?)|([#0?.,%]+)|(E[+-])|(.)',
    re.IGNORECASE,
)  # fmt: skip
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*.', re.IGNORECASE)
_DATE: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
_MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
}
_DAYS: Final = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "ru": "понедельник вторник среда четверг пятница суббота воскресенье",
}
_LOCALES: Final = {"c0a": "es", "40a": "es", "80a": "es", "419": "ru", "409": "en", "809": "en"}
_LAST_DAY: Final = 2_958_465
_LONGEST: Final = 15


@dataclass(frozen=True, slots=True)
class Habits:
    """How a language writes numbers and names months."""

    language: str
    decimal: str
    group: str


_HABITS: Final = {"es": Habits("es", ",", "."), "ru": Habits("ru", ",", " ")}
_ENGLISH: Final = Habits("en", ".", ",")


def habits_of(language: str) -> Habits:
    return _HABITS.get(language, _ENGLISH)


@lru_cache(maxsize=2000)
def is_date(code: str) -> bool:
    """Whether a format shows a day or a time."""
    bare = _QUOTED.sub("", code.split(";")[0])
    return bare.lower() != "general" and _DATE.search(bare.replace("General", "")) is not None


def shown(value: str, code: str, habits: Habits, *, since_1904: bool = False) -> str:
    """A number as written in the file, in a format; as it is when it cannot be shown so."""
    if code == "General" and value.isdigit() and value.isascii() and len(value) < _LONGEST:
        return value.lstrip("0") or "0"
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite() or abs(number.adjusted()) > 300:
        return value
    if is_date(code):
        return _date(float(number), code, habits, since_1904=since_1904)
    return _number(number, code, habits)


def _number(number: Decimal, code: str, habits: Habits) -> str:
    sections = _sections(code)
    conditional = any(re.match(r"\s*\[[<>=]", section) for section in sections)
    section = sections[0]
    negative = number < 0
    if not conditional and len(sections) > 1 and negative:
        section, negative = sections[1], False
    elif not conditional and len(sections) > 2 and number == 0:
        section = sections[2]
    if not section.strip():
        return ""
    text = _section(abs(number), section, habits)
    return f"-{text}" if negative and any(char in "123456789" for char in text) else text


def _sections(code: str) -> list[str]:
    parts, quoted = [""], False
    for char in code:
        quoted ^= char == '"'
        if char == ";" and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _section(number: Decimal, section: str, habits: Habits) -> str:
    tokens = list(_TOKEN.finditer(section))
    if any(token[8] for token in tokens):
        return f"{float(number):.2E}"
    digits = "".join(token[7] for token in tokens if token[7])
    if "/" in _QUOTED.sub("", section):
        return general(number, habits)
    number *= 100 ** digits.count("%")
    shape = digits.replace("%", "")
    scale = len(shape) - len(shape.rstrip(","))
    amount = _digits(number / 1000**scale, shape.rstrip(","), habits)
    text, placed = "", False
    for token in tokens:
        if token[7]:
            if token[7].strip("%") and not placed:
                text, placed = text + amount, True
            text += "%" * token[7].count("%")
        elif token[5]:
            text, placed = text + general(number, habits), True
        elif token[3] is not None:
            text += token[3][1:].split("-")[0] if token[3].startswith("$") else ""
        elif token[0][0] in "_*":
            text += " " if token[0][0] == "_" else ""
        else:
            text += token[1] or token[2] or token[6] or token[9] or ""
    return " ".join(text.split())


def _digits(number: Decimal, shape: str, habits: Habits) -> str:
    whole, _, places = shape.partition(".")
    most, least = len(re.findall("[0#?]", places)), places.count("0")
    rounded = (
        number.quantize(Decimal(1).scaleb(-min(most, 30)), ROUND_HALF_UP)
        if number.adjusted() < 25
        else number
    )
    before, _, after = f"{rounded:f}".partition(".")
    after = after[:least] + after[least:].rstrip("0")
    if not rounded and "0" not in shape:
        return ""
    before = before.zfill(max(whole.count("0"), 1))
    if "," in whole.strip(","):
        before = (
            f"{int(before):,}".replace(",", habits.group) if before.lstrip("0") or before == "0" else before
        )
    return f"{before}{habits.decimal}{after}" if after else before


def general(number: Decimal, habits: Habits) -> str:
    """A number without a format: no more digits than are meant."""
    text = (
        f"{number:f}"
        if number == number.to_integral_value() and number.adjusted() < _LONGEST
        else f"{float(number):.{_LONGEST - 4}g}"
    )
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", habits.decimal)


def _date(serial: float, code: str, habits: Habits, *, since_1904: bool) -> str:
    section = _sections(code)[0]
    tokens = list(_TOKEN.finditer(section))
    if any(token[3] and token[3].lower().strip("hms") == "" for token in tokens):
        return _elapsed(serial, tokens)
    if not 0 <= serial <= _LAST_DAY:
        return general(Decimal(repr(serial)), habits)
    day = _moment(serial, since_1904=since_1904)
    language = next(
        (
            found
            for token in tokens
            if token[3] and (found := _LOCALES.get(token[3].rpartition("-")[2].lower()))
        ),
        habits.language,
    )
    half = any(token[4] for token in tokens)
    text = ""
    for place, token in enumerate(tokens):
        if token[6]:
            text += _field(token[6].lower(), day, language, half=half, minutes=_is_minutes(tokens, place))
        elif token[4]:
            text += "AM" if day.hour < 12 else "PM"
        else:
            text += token[1] or token[2] or token[9] or (token[7] or "").strip("#0?%") or ""
    return " ".join(text.split())


def _moment(serial: float, *, since_1904: bool) -> datetime:
    # Excel believes that 1900 was a leap year, so that days before March 1900 are one off.
    epoch = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 31 if serial < 60 else 30)
    return epoch + timedelta(seconds=round(serial * 86400))


def _is_minutes(tokens: list[re.Match[str]], place: int) -> bool:
    """`m` means minutes after hours and before seconds."""
    before = next((token[6] for token in reversed(tokens[:place]) if token[6]), "")
    after = next((token[6] for token in tokens[place + 1 :] if token[6]), "")
    return before[:1].lower() == "h" or after[:1].lower() == "s"


def _field(field: str, day: datetime, language: str, *, half: bool, minutes: bool) -> str:
    kind, width = field[0], len(field)
    if kind == "y":
        return f"{day.year:04d}" if width > 2 else f"{day.year % 100:02d}"
    if kind == "h":
        hour = (day.hour % 12 or 12) if half else day.hour
        return f"{hour:02d}" if width > 1 else str(hour)
    if kind == "s":
        return f"{day.second:02d}" if field[1:2] == "s" else str(day.second)
    if kind == "m" and minutes:
        return f"{day.minute:02d}" if width > 1 else str(day.minute)
    names = (_MONTHS if kind == "m" else _DAYS)[language].split()
    count, name = (day.month, names[day.month - 1]) if kind == "m" else (day.day, names[day.weekday()])
    if width > 2:
        return name if width == 4 else name[:3]
    return f"{count:02d}" if width == 2 else str(count)


def _elapsed(serial: float, tokens: list[re.Match[str]]) -> str:
    """A span of time, which may be longer than a day."""
    seconds = round(abs(serial) * 86400)
    hours, rest = divmod(seconds, 3600)
    text = f"{hours}:{rest // 60:02d}"
    if any((token[6] or "").lower().startswith("s") for token in tokens):
        text += f":{rest % 60:02d}"
    return f"-{text}" if serial < 0 else text
