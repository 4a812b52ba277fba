"""The pages that hold the financial statements of a document, for questions about figures they state.

Who asks for a gross margin or for the growth of a revenue is answered by a table that says neither word often,
while dozens of pages comment on them. So the statement that a figure comes from is found by its own looks: its
title, the lines that every such statement has, and many numbers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from atril.profiles.profile import GlossaryEntry, Profile
from atril.retrieval.glossary import Glossary
from atril.types import Page

HEAD: Final = 400
"""Characters at the top of a page among which its title stands."""

ASIDE: Final = 90
"""Most characters that stand in one line before a title: who it is of. With more the line is a sentence."""

TITLED: Final = 0.5
UNTITLED: Final = 0.8
"""Share of the lines of a statement from which a page is one, with its title at the top and without."""

TITLE: Final = 0.5
"""What the title counts beside all the lines."""

NUMBERS: Final = 20
"""Fewest numbers of two digits or more in a statement."""

_NUMBER: Final = re.compile(r"\d[\d.,]*\d")
_BEHIND_TITLE: Final = re.compile(r"(?!\w|(?: \w+){0,3} data\b)")
_BREAKDOWN: Final = "breakdown"


@dataclass(frozen=True, slots=True)
class Looks:
    """How one kind of statement is recognised in one language: titles, and groups of lines that say the same."""

    titles: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]

    def likeness(self, text: str) -> float:
        """How much a page is this statement, up to 1 and `TITLE`; 0 when it is not. `text` is in lower case."""
        flat = " " + " ".join(text.split())
        titled = any(self._entitles(line) for line in text[:HEAD].splitlines())
        held = sum(any(f" {line}" in flat for line in group) for group in self.lines) / len(self.lines)
        if held < (TITLED if titled else UNTITLED) or len(_NUMBER.findall(flat)) < NUMBERS:
            return 0.0
        return held + TITLE * titled

    def _entitles(self, line: str) -> bool:
        """Whether a line is a title, possibly with a name before it and a unit behind it; "selected income
        statement data" is none."""
        for title in self.titles:
            before, found, after = line.partition(title)
            if found and len(before) <= ASIDE and _BEHIND_TITLE.match(after):
                return True
        return False


@dataclass(frozen=True, slots=True)
class Statements:
    """Which statements a question needs, and where they are. `looks` are by language, then by kind."""

    looks: Mapping[str, Mapping[str, Looks]]
    glossaries: tuple[Glossary, ...]

    def needed(self, question: str) -> tuple[str, ...]:
        """The kinds of statement that the figures in the question come from, each once; none when it asks how
        a figure is made up of parts."""
        kinds = [
            kind
            for glossary in self.glossaries
            for found in glossary.expand(question, (glossary.language,))
            for kind in found.terms
        ]
        return () if _BREAKDOWN in kinds else tuple(dict.fromkeys(kinds))

    def find(self, text: str, pages: Sequence[Page], language: str, kinds: Sequence[str]) -> list[Page]:
        """The page where each of these statements begins, as far as the document has them, in their order."""
        looks = self.looks.get(language, {})
        wanted = [looks[kind] for kind in kinds if kind in looks]
        if not wanted:
            return []
        plain = [(page, _plain(text[page.start : page.end])) for page in pages]
        best = (max(plain, key=lambda each: look.likeness(each[1]), default=None) for look in wanted)
        found = (
            each[0] for look, each in zip(wanted, best, strict=True) if each and look.likeness(each[1]) > 0.0
        )
        return list(dict.fromkeys(found))


@cache
def load_statements() -> Statements:
    """What ships with Atril, in English, Spanish and Russian."""
    source = files("atril.answering").joinpath("statements.toml")
    told = tomllib.loads(source.read_text(encoding="utf-8"))
    breakdowns: Mapping[str, list[str]] = told.pop("breakdowns")
    looks: dict[str, dict[str, Looks]] = {}
    phrases: dict[str, dict[str, list[str]]] = {}
    for kind, languages in told.items():
        for language, entry in languages.items():
            lines = tuple(tuple(group) for group in entry["lines"])
            looks.setdefault(language, {})[kind] = Looks(tuple(entry["titles"]), lines)
            for phrase in entry["figures"]:
                phrases.setdefault(language, {}).setdefault(phrase, []).append(kind)
    for language, named in breakdowns.items():
        phrases[language] |= {phrase: [_BREAKDOWN] for phrase in named}
    return Statements(looks, tuple(_glossary(language, held) for language, held in phrases.items()))


def _glossary(language: str, phrases: Mapping[str, Sequence[str]]) -> Glossary:
    entries = tuple(GlossaryEntry((phrase,), tuple(kinds)) for phrase, kinds in phrases.items())
    return Glossary(Profile(name="statements", language=language, glossary=entries))


def _plain(text: str) -> str:
    return text.lower().replace("’", "'")
