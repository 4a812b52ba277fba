"""Whether every number of an answer stands in what it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from atril.answering.numerals import digits, numerals, stated

_ENUMERATION: Final = re.compile(r"^\s*(?:[*#>-]\s*)*\d{1,2}[.)]\s", re.MULTILINE)
_MARK: Final = re.compile(r"\[[^\]\n]*\]")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A number at `start`–`end` of an answer that no source holds."""

    start: int
    end: int
    text: str


def foreign_numbers(answer: str, language: str, sources: Iterable[tuple[str, str]]) -> list[Foreign]:
    """The numbers of an answer that none of the `sources`, each with its language, holds in digits or words.

    Citation marks and the numbers of a list's items are no statements. Dates and amounts count by their
    parts: 12.5.2024 needs 12, 5 and 2024 or 12.5 and 2024.
    """
    bare = _ENUMERATION.sub(lambda match: " " * len(match[0]), answer)
    bare = _MARK.sub(lambda match: " " * len(match[0]), bare)
    said = stated(bare, language)
    if not said:
        return []
    held = list(sources)
    for read in (digits, numerals):  # words take ten times as long to read and are seldom needed
        known: set[str] = set()
        for text, spoken in held:
            for numeral in read(text, spoken):
                known.update(numeral.values)
                known.update(part for value in numeral.values for part in value.split("."))
        said = [each for each in said if not any(_known(value, known) for value in each.values)]
        if not said:
            return []
    return [Foreign(each.start, each.end, answer[each.start : each.end]) for each in said]


def _known(value: str, known: set[str]) -> bool:
    """Of a value with a point it is enough that both sides are known: a date, or the number of a paragraph."""
    if value in known:
        return True
    whole, point, rest = value.partition(".")
    return bool(point) and {whole, rest} <= known and max(len(whole), len(rest)) <= 2
