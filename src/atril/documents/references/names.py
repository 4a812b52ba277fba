"""What documents are called in the texts that refer to them.

A name is compared as its folded words without articles and prepositions, so that "Ley sobre Infracciones y
Sanciones en el Orden Social" and "Ley de Infracciones y Sanciones del Orden Social" meet. A text names a
document when some name is the beginning of what the text says: "Estatuto de los Trabajadores en materia
de …". The longest such name counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from atril.documents.ordinals import fold

LONGEST_NAME: Final = 24
"""Words of a name that are compared."""

_CONNECTORS: Final = frozenset((
    "de", "del", "la", "el", "los", "las", "lo", "en", "y", "e", "o", "u", "a", "al", "sobre", "para", "por", "que", "se",
    "the", "of", "on", "for", "and", "in", "о", "об", "и", "в", "на",
))  # fmt: skip
WORD: Final = re.compile(r"[^\W_]+(?:[/.-][^\W_]+)*")
_TYPED: Final = re.compile(
    r"(?P<type>ley(?: organica| foral)?|real decreto(?:[- ]?ley| legislativo)?|decreto(?:[- ]?ley| legislativo)?|orden"
    r"(?: ministerial)?(?: (?!de\b)[a-z]{2,4})?)[ /](?:n[.º°] ?|num[.]? ?)?(?P<number>\d{1,5}/(?:18|19|20)?\d{2})(?![\d/])"
)
_ORDER: Final = re.compile(
    r"orden (?:ministerial )?(?:de|del) (?P<day>\d{1,2}) de (?P<month>[a-z]+) de (?P<year>\d{4})"
)
_APPROVES: Final = re.compile(r"por (?:el|la) que se aprueba(?:n)? (?:el|la|los|las) (?P<name>.+)")
_DATED: Final = re.compile(r"\A[^,]{0,60}, de \d{1,2} de [a-z]+(?: de \d{4})?,? (?P<rest>.+)")
_RECAST: Final = re.compile(r"(?:texto (?:refundido|articulado)(?: de)? (?:la |el |del )?)+")
_YEAR: Final = re.compile(r",? (?:de|del) (?:\d{1,2} de [a-z]+ de |ano )?(?P<year>1[89]\d\d|20\d\d)\Z")
_NUMBERED: Final = re.compile(r"\b\d{1,5}/((?:18|19|20)\d{2})\b")
_DATES: Final = ("enactment_date", "publication_date")
_TAIL: Final = re.compile(r"(?:(?:de|del|la|el|los|las|por (?:el|la) que se|sobre|para) ?)+")


@lru_cache(maxsize=1 << 14)
def name_key(text: str) -> str:
    """The words of a name that count, folded, separated by blanks; at most `LONGEST_NAME`."""
    folded = fold(text)
    if typed := typed_norm(folded):
        return typed
    year = _YEAR.search(folded)
    folded = _RECAST.sub("", folded[: year.start()] if year else folded)
    words = [word for word in WORD.findall(folded) if word not in _CONNECTORS][:LONGEST_NAME]
    return " ".join([year["year"], *words] if year and words else words)


def typed_norm(folded: str) -> str | None:
    """The canonical name of a norm that is called by type and number: "ley 20/2007"."""
    if found := _TYPED.match(folded):
        kind = " ".join(re.split(r"[- ]", found["type"].replace("decretoley", "decreto ley")))
        number, year = found["number"].split("/")
        return f"{kind} {int(number)}/{_full_year(year)}"
    if found := _ORDER.match(folded):
        return f"orden {int(found['day'])} {found['month']} {found['year']}"
    return None


def beginnings(key: str) -> Iterator[str]:
    """The names that could be meant by a text that begins with this key, the longest first."""
    words = key.split()
    for size in range(min(len(words), LONGEST_NAME), 0, -1):
        yield " ".join(words[:size])


def possible_names(text: str) -> set[str]:
    """Every name key that the words of a text could be, whether or not any document is called so."""
    words = [word for each in WORD.findall(text) if (word := fold(each)) not in _CONNECTORS]
    return {
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1)
    }


def titles_of(title: str) -> Iterator[str]:
    """The names that a title gives its document: the whole, type and number, what it approves or is about."""
    folded = fold(title)
    yield folded
    kind = re.match(r"[^\W\d_]+(?: organica)?", folded)
    if dated := _DATED.match(folded):
        rest = _TAIL.sub("", dated["rest"], count=1) if _TAIL.match(dated["rest"]) else dated["rest"]
        yield from _about(kind.group() if kind else "", rest)
    if approves := _APPROVES.search(folded):
        yield _RECAST.sub("", approves["name"])
        yield from _shorter(_RECAST.sub("", approves["name"]))
    if folded.startswith("constitucion"):
        yield "constitucion"


def _about(kind: str, rest: str) -> Iterator[str]:
    if kind.startswith(("ley", "codigo")):
        yield f"{kind} {rest}"
        if kind != "ley":
            yield f"ley {rest}"
    if rest.startswith(("estatuto", "reglamento", "codigo")):
        yield rest


def _shorter(name: str) -> Iterator[str]:
    """A law of a statute is known as the statute."""
    if found := re.match(r"ley del (estatuto .+)", name):
        yield found[1]


def year_of(title: str, metadata: Mapping[str, str]) -> int | None:
    """The year of a norm: of its enactment, else of its publication, else of the number in its title."""
    for key in _DATES:
        if dated := re.match(r"\d{4}", metadata.get(key, "")):
            return int(dated[0])
    numbered = _NUMBERED.search(title)
    return int(numbered[1]) if numbered else None


def says_when(key: str) -> int | None:
    """The year that a name key holds, as that of a norm with a number does."""
    found = _NUMBERED.search(key) or re.match(r"(\d{4}) ", key)
    return int(found[1]) if found else None


def names_of(title: str, others: Iterable[str] = (), year: str = "") -> set[str]:
    """Every name key of a document: from its title, and from other titles and abbreviations.

    A law of another year has other articles, so every title goes with the year as well, if that is known.
    """
    found = {name_key(name) for source in (title, *others) for name in titles_of(source)}
    found |= {name_key(name) for name in others}
    if year:
        found |= {f"{year} {key}" for key in found if "/" not in key}
    return {key for key in found if key and key != year}


def _full_year(year: str) -> str:
    if len(year) == 4:
        return year
    return f"19{year}" if int(year) > 30 else f"20{year}"


@dataclass(frozen=True)
class NormNames:
    """Names of documents, each with the identifier of the document it means.

    Make one with `build`; an empty one finds what names itself: "Ley 20/2007".
    """

    identifiers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def build(cls, names: Mapping[str, str]) -> NormNames:
        """From written names (titles, abbreviations) or name keys to identifiers."""
        keys = {name_key(name): identifier for name, identifier in names.items()}
        keys.pop("", None)
        return cls(keys)

    def find(self, text: str) -> str | None:
        """The identifier of the document that a text which begins with its name means."""
        return next(
            (self.identifiers[key] for key in beginnings(name_key(text)) if key in self.identifiers), None
        )

    def named_at(self, words: Sequence[str]) -> tuple[int, str] | None:
        """How many of the words the longest name that begins them takes, and its identifier."""
        best: tuple[int, str] | None = None
        key = ""
        for count, word in enumerate(words[: 2 * LONGEST_NAME], start=1):
            folded = fold(word)
            if folded in _CONNECTORS:
                continue
            key = f"{key} {folded}" if key else folded
            if identifier := self.identifiers.get(key):
                best = count, identifier
        return best


NO_NAMES: Final = NormNames()
