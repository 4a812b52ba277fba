"""What a query says besides its words: "phrases" in quotes and words to leave out, with a minus before them.

A phrase is held by a text that has its words one after another; as everywhere, endings and accents do not
count and neither do little words such as "de" or "the". A minus counts only before a word or a phrase and
after a blank, so that `AB-12` and `2019-2021` stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from atril.documents.analysis import analyze, fold
from atril.documents.chunking import passage
from atril.types import StoredChunk

_QUOTED: Final = r'"[^"]+"|“[^”]+”|«[^»]+»|„[^“”]+[“”]'
_OPERATOR: Final = re.compile(
    rf"(?<!\S)-(?:(?P<not_phrase>{_QUOTED})|(?P<not_word>[^\W_]\S*))|(?P<phrase>{_QUOTED})"
)
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Operators:
    """A query taken apart: `text` is what is searched for, with the words of phrases and without what is
    excluded."""

    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    _known: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def condition(self) -> Callable[[StoredChunk], bool] | None:
        """Whether a chunk holds every phrase and nothing that is excluded; `None` when nothing is asked."""
        return self._holds if self.phrases or self.excluded else None

    def _holds(self, stored: StoredChunk) -> bool:
        text, language = passage(stored.chunk), stored.document.language
        terms = [term.text for term in analyze(text, language)]
        return all(self._within(phrase, text, terms, language) for phrase in self.phrases) and not any(
            self._within(phrase, text, terms, language) for phrase in self.excluded
        )

    def _within(self, phrase: str, text: str, terms: list[str], language: str) -> bool:
        wanted = self._known.get((phrase, language))
        if wanted is None:
            wanted = tuple(term.text for term in analyze(phrase, language))
            self._known[phrase, language] = wanted
        if not wanted:  # nothing but little words, which terms leave out
            return fold(phrase) in fold(text)
        starts = (place for place, term in enumerate(terms) if term == wanted[0])
        return any(tuple(terms[place : place + len(wanted)]) == wanted for place in starts)


def parse_operators(query: str) -> Operators:
    """Never fails: a quote without its end is a character, and a query of nothing but exclusions is text."""
    phrases: list[str] = []
    excluded: list[str] = []

    def taken(match: re.Match[str]) -> str:
        phrase, not_phrase, not_word = match["phrase"], match["not_phrase"], match["not_word"]
        if phrase:
            inside = phrase[1:-1]
            if _WORD.search(inside):
                phrases.append(inside.strip())
            return f" {inside} "
        excluded.append((not_phrase[1:-1] if not_phrase else not_word).strip())
        return " "

    text = _OPERATOR.sub(taken, query)
    if not phrases and not excluded:
        return Operators(query)
    if not _WORD.search(text):
        return Operators(query)
    return Operators(" ".join(text.split()), tuple(phrases), tuple(each for each in excluded if each))
