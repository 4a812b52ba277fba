"""Words that stand for one another, and the file a user may write them in.

The file has one group to a line, its words or phrases separated by commas, each of which finds all the
others; `a, b => c` makes `a` and `b` find `c` and not the reverse. `#` begins a comment. Any language will
do, and several at once: words are compared as the search compares them, without accents and endings.

    # synonyms.txt
    nómina, recibo de salarios
    MuleSoft => plataforma
    отпуск, vacation
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from atril.documents.analysis import QueryTerm, query_terms
from atril.errors import InvalidSetting
from atril.retrieval.glossary import Glossary

ARROW: Final = "=>"


@dataclass(frozen=True, slots=True)
class Synonym:
    """What may stand instead of `query[start:end]`."""

    start: int
    end: int
    words: tuple[str, ...]


class SynonymSource(Protocol):
    """Where synonyms come from: a file, or the glossary of a profile."""

    def synonyms(self, query: str, languages: Sequence[str]) -> Sequence[Synonym]:
        """The synonyms of parts of a query, in order and not overlapping; `languages` are the library's."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """`said` finds `found`."""

    said: str
    found: tuple[str, ...]


class SynonymFile:
    """The rules of a file, ready to be applied."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._read: dict[tuple[str, ...], list[tuple[list[QueryTerm], Rule]]] = {}

    @classmethod
    def load(cls, path: Path) -> SynonymFile:
        """Raises `InvalidSetting` when the file cannot be read, or a line has no comma and no arrow."""
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidSetting(name="synonyms", value=str(path), problem="unreadable_file") from error
        rules: dict[str, list[str]] = {}
        for number, line in enumerate(lines, start=1):
            content = line.partition("#")[0].strip()
            if not content:
                continue
            found = _rules(content)
            if not found:
                raise InvalidSetting(name="synonyms", value=f"{path}:{number}", problem="synonym_line")
            for rule in found:
                rules.setdefault(rule.said, []).extend(rule.found)
        return cls([Rule(said, tuple(dict.fromkeys(found))) for said, found in rules.items()])

    def synonyms(self, query: str, languages: Sequence[str]) -> list[Synonym]:
        """The longest rule that applies at each word."""
        words = query_terms(query, languages)
        rules = self._analysed(tuple(languages))
        found: list[Synonym] = []
        place = 0
        while place < len(words):
            fitting = [
                (len(said), rule) for said, rule in rules if _same(said, words[place : place + len(said)])
            ]
            length, rule = max(fitting, key=lambda each: each[0], default=(1, None))
            if rule is not None:
                found.append(Synonym(words[place].start, words[place + length - 1].end, rule.found))
            place += length
        return found

    def _analysed(self, languages: tuple[str, ...]) -> list[tuple[list[QueryTerm], Rule]]:
        if languages not in self._read:
            read = [(query_terms(rule.said, languages), rule) for rule in self._rules]
            self._read[languages] = [(said, rule) for said, rule in read if said]
        return self._read[languages]


@dataclass(frozen=True, slots=True)
class SynonymsOf:
    """The synonyms of a user's file and of a profile's glossary; where both say something, the file does."""

    source: SynonymSource | None
    glossary: Glossary | None

    def synonyms(self, query: str, languages: Sequence[str]) -> list[Synonym]:
        own = list(self.source.synonyms(query, languages)) if self.source else []
        found = self.glossary.expand(query, languages) if self.glossary else ()
        others = [
            Synonym(each.start, each.end, tuple(each.terms))
            for each in found
            if not any(each.start < one.end and one.start < each.end for one in own)
        ]
        return sorted((*own, *others), key=lambda each: each.start)


def _rules(line: str) -> list[Rule]:
    left, arrow, right = line.partition(ARROW)
    said, found = _parts(left), _parts(right)
    if arrow:
        return [Rule(each, tuple(found)) for each in said] if found else []
    if len(said) < 2:
        return []
    return [Rule(each, tuple(other for other in said if other != each)) for each in said]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _same(said: Sequence[QueryTerm], words: Sequence[QueryTerm]) -> bool:
    return len(said) == len(words) and all(
        not set(one.terms).isdisjoint(other.terms) for one, other in zip(said, words, strict=True)
    )
