"""Divisions of a norm: "el capítulo II del título III", "los títulos I, III y IV", "el capítulo anterior"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from atril.documents.ordinals import value_of
from atril.documents.references.mentions import Relative
from atril.documents.references.spanish.lists import MOST_ENTRIES
from atril.documents.references.spanish.patterns import BESIDE, FLAGS, NUMBER_IN_WORDS, OF, relative_of

_OUTERMOST_FIRST: Final = ("anexo", "libro", "titulo", "capitulo", "seccion", "subseccion")
_DIVISION: Final = re.compile(
    rf"(?P<kind>libro|titulo|capitulo|seccion|subseccion|anexo)s?\s+"
    rf"(?:{BESIDE}\b|(?P<number>[IVXLC]+\b|\d{{1,3}}\b(?![/.,]\d)|{NUMBER_IN_WORDS}\b)(?:\.?[ºª°]|\.[ao]\b)?"
    r"(?P<more>(?:(?:\s*,\s*|\s+[yea]l?\s+)(?:[IVXLC]+|\d{1,3})\b(?:\.?[ºª°]|\.[ao]\b)?(?![/.,]\d))*))",
    FLAGS,
)
_MORE: Final = re.compile(r"(,|y|e|al?)\s+([ivxlc]+|\d{1,3})\b")
_COMMA: Final = re.compile(r"\s*,\s+(?=(?:libro|titulo|capitulo|seccion|subseccion)\s)", FLAGS)


@dataclass(frozen=True, slots=True)
class Divisions:
    """What is named, and where that ends: each of `values` is a chain of divisions from the outermost in.

    The division before or after this one has `relative`, and its kind is the only value.
    """

    end: int
    values: tuple[str, ...]
    relative: Relative | None = None


def read_divisions(plain: str, at: int) -> Divisions | None:
    """The divisions that are named here, from the innermost out."""
    chain: list[str] = []
    further: list[int] = []
    end = at
    while found := _DIVISION.match(plain, at):
        kind = found["kind"].lower()
        if not found["number"]:
            return Divisions(found.end(), (kind,), relative_of(found))
        number = value_of(" ".join(found["number"].lower().split()))
        if number is None:
            break
        end = found.end()
        if any(each.startswith(f"{kind} ") for each in chain):
            break
        if not chain:
            further = _further(number, found["more"])
        chain.append(f"{kind} {number}")
        of = OF.match(plain, end) or _COMMA.match(plain, end)
        if of is None:
            break
        at = of.end()
    if not chain:
        return None
    kind = chain[0].split()[0]
    innermost = (chain[0], *(f"{kind} {number}" for number in further))
    return Divisions(end, tuple("/".join(sorted([each, *chain[1:]], key=_rank)) for each in innermost))


def _rank(division: str) -> int:
    return _OUTERMOST_FIRST.index(division.split()[0])


def _further(first: int, more: str) -> list[int]:
    """The numbers after the first of "títulos I, III y IV" or "capítulos I a III"."""
    found = [first]
    for separator, word in _MORE.findall(more.lower()):
        number = value_of(word)
        if number is not None:
            if separator.startswith("a"):
                found += range(found[-1] + 1, min(number, found[-1] + MOST_ENTRIES))
            found.append(number)
    return found[1:]
