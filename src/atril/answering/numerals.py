"""Numbers in texts, in digits and in words, brought to one form so that they can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from atril.documents.analysis import fold

_DIGITS: Final = re.compile(r"(?<![\w])\d+(?:[.,   ’']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_GROUP: Final = re.compile(r"[   ’']")

# Beginnings of words stand for all their forms; = asks for the whole word.
_SIMPLE: Final = {
    "es": "=cero 0 =un 1 =uno 1 =una 1 =dos 2 =tres 3 =cuatro 4 =cinco 5 =seis 6 =siete 7 =ocho 8 =nueve 9 =diez 10 "
    "=once 11 =doce 12 =trece 13 =catorce 14 =quince 15 =dieciseis 16 =diecisiete 17 =dieciocho 18 =diecinueve 19 "
    "=veinte 20 =veintiun 21 =veintiuno 21 =veintiuna 21 =veintidos 22 =veintitres 23 =veinticuatro 24 "
    "=veinticinco 25 =veintiseis 26 =veintisiete 27 =veintiocho 28 =veintinueve 29 =treinta 30 =cuarenta 40 "
    "=cincuenta 50 =sesenta 60 =setenta 70 =ochenta 80 =noventa 90 =cien 100 =ciento 100 doscient 200 trescient 300 "
    "cuatrocient 400 quinient 500 seiscient 600 setecient 700 ochocient 800 novecient 900 =mil 1000 millon 1000000",
    "en": "=zero 0 =one 1 =two 2 =three 3 =four 4 =five 5 =six 6 =seven 7 =eight 8 =nine 9 =ten 10 =eleven 11 "
    "=twelve 12 =thirteen 13 =fourteen 14 =fifteen 15 =sixteen 16 =seventeen 17 =eighteen 18 =nineteen 19 =twenty 20 "
    "=thirty 30 =forty 40 =fifty 50 =sixty 60 =seventy 70 =eighty 80 =ninety 90 hundred 100 thousand 1000 "
    "million 1000000",
    "ru": "=ноль 0 =нуля 0 =один 1 =одна 1 =одно 1 =одного 1 =одной 1 =одному 1 =одну 1 =одним 1 =два 2 =две 2 =двух 2 "
    "=двум 2 =двумя 2 =три 3 =трех 3 =трем 3 =тремя 3 =четыре 4 =четырех 4 =четырем 4 =пять 5 =пяти 5 =пятью 5 =шесть 6 "
    "=шести 6 =семь 7 =семи 7 =восемь 8 =восьми 8 =девять 9 =девяти 9 =десять 10 =десяти 10 одиннадцат 11 "
    "двенадцат 12 тринадцат 13 четырнадцат 14 пятнадцат 15 шестнадцат 16 семнадцат 17 восемнадцат 18 девятнадцат 19 "
    "двадцат 20 тридцат 30 =сорок 40 =сорока 40 пятьдесят 50 пятидесят 50 шестьдесят 60 шестидесят 60 семьдесят 70 "
    "семидесят 70 восемьдесят 80 восьмидесят 80 девяност 90 =сто 100 =ста 100 =двести 200 =двухсот 200 =триста 300 "
    "=трехсот 300 =четыреста 400 =четырехсот 400 пятьсот 500 =пятисот 500 шестьсот 600 =шестисот 600 семьсот 700 "
    "=семисот 700 восемьсот 800 =восьмисот 800 девятьсот 900 =девятисот 900 тысяч 1000 миллион 1000000",
}
_JOINING: Final = {"es": frozenset(("y",)), "en": frozenset(("and",)), "ru": frozenset[str]()}
_UNITS: Final = {
    "es": "dia mes ano hora semana minuto segundo euro centimo por trabajador punto vez veces",
    "en": "day month year hour week minute second euro dollar cent percent per employee worker point time",
    "ru": "дн день месяц год лет час недел минут секунд евро рубл процент работник раз",
}
_LANGUAGES: Final = tuple(_SIMPLE)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at `start`–`end` of a text and every value it may mean: 1.500 is 1500, or one and a half."""

    start: int
    end: int
    values: frozenset[str]
    worded: bool = False


def numerals(text: str, language: str) -> list[Numeral]:
    """All numbers of a text, in order."""
    found = [*digits(text, language), *_in_words(text, language)]
    return sorted(found, key=lambda each: (each.start, each.end))


def digits(text: str, language: str) -> list[Numeral]:
    """The numbers in digits alone, which are written alike in every language."""
    return [Numeral(*match.span(), _values(match[0])) for match in _DIGITS.finditer(text)]


def stated(text: str, language: str) -> list[Numeral]:
    """The numbers of a text that tell how much, when or which: those in digits, and those in words before a
    unit of time or money. "One of them" tells nothing."""
    units = _UNITS.get(language, "").split()
    return [
        each for each in numerals(text, language) if not each.worded or _followed_by(text, each.end, units)
    ]


def words_pattern(language: str) -> str:
    """A regular expression for one number word of a language, folded."""
    return "|".join(word[1:] if word.startswith("=") else rf"{word}\w*" for word, _ in _pairs(language))


def _followed_by(text: str, at: int, units: list[str]) -> bool:
    word = _WORD.search(text, at)
    return word is not None and not text[at : word.start()].strip() and fold(word[0]).startswith(tuple(units))


def _values(written: str) -> frozenset[str]:
    plain = _GROUP.sub("", written)
    values = {_bare(plain.replace(".", "").replace(",", ""))}
    point = max(plain.rfind("."), plain.rfind(","))
    if point >= 0:
        whole = plain[:point].replace(".", "").replace(",", "")
        fraction = plain[point + 1 :]
        grouped = len(fraction) == 3 and len(whole) <= 3
        if not grouped:
            values.clear()
        values.add(f"{_bare(whole)}.{fraction.rstrip('0')}".rstrip("."))
    return frozenset(values)


def _bare(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _in_words(text: str, language: str) -> Iterator[Numeral]:
    """Runs of number words, each read as one number; what only part of a run says is a number, too."""
    words, joining = _words(language), _JOINING.get(language, frozenset())
    run: list[tuple[int, int, int]] = []
    last = 0
    for match in _WORD.finditer(text):
        folded = fold(match[0])
        value = words.get(folded)
        if value is None:
            value = next((each for begin, each in _beginnings(language) if folded.startswith(begin)), None)
        apart = bool(run) and text[last : match.start()].strip(" -\u00a0") != ""
        if run and apart:
            yield from _read(run)
            run = []
        if value is not None:
            run.append((match.start(), match.end(), value))
            last = match.end()
        elif run and folded in joining:
            last = match.end()
        elif run:
            yield from _read(run)
            run = []
    if run:
        yield from _read(run)


def _read(run: list[tuple[int, int, int]]) -> Iterator[Numeral]:
    total = part = 0
    for _, _, value in run:
        if value >= 1000:
            total += max(part, 1) * value
            part = 0
        elif value == 100 and 0 < part < 10:
            part *= 100
        else:
            part += value
    yield Numeral(run[0][0], run[-1][1], frozenset((str(total + part),)), worded=True)


@cache
def _words(language: str) -> dict[str, int]:
    return {word[1:]: value for word, value in _pairs(language) if word.startswith("=")}


@cache
def _beginnings(language: str) -> tuple[tuple[str, int], ...]:
    return tuple((word, value) for word, value in _pairs(language) if not word.startswith("="))


def _pairs(language: str) -> list[tuple[str, int]]:
    known = (language,) if language in _SIMPLE else _LANGUAGES
    parts = [part for each in known for part in _SIMPLE[each].split()]
    return [(word, int(value)) for word, value in zip(parts[::2], parts[1::2], strict=True)]
