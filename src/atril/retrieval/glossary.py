"""Everyday words in a question and what the documents say instead, from a profile's glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from atril.documents.analysis import analyze, fold, query_terms
from atril.profiles.profile import Profile

MAX_STEP: Final = 1
"""Words that may stand between one word of a phrase and the next; empty function words don't count."""
MAX_GAP: Final = 2
"""The same for a whole phrase."""

EXACT: Final = "="
"""Before a word of a phrase: this form and no other, function words included."""

# Function words without which a phrase says something else: "horas" is not "más horas".
_TELLING: Final = {
    "es": "no nunca nada nadie entre hasta bajo mas menos otro otra otros otras mismo misma mismos mismas "
    "todo toda todos todas cuanto cuanta cuantos cuantas solo",
    "en": "no not without never nothing between until under more less same other all how only",
    "ru": "не без нет ни никогда ничего между до под больше меньше другой все только сколько",
}

_WORD: Final = re.compile(r"[^\W_]+")
_PHRASE_WORD: Final = re.compile(rf"{EXACT}?[^\W_]+(?:[-.,/%][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Expansion:
    """What documents say for `question[start:end]`."""

    start: int
    end: int
    terms: tuple[str, ...]


class _Word(NamedTuple):
    """A word of a question: its term, empty for a function word that tells nothing; whether it is any
    function word; and its form as `=form`."""

    term: str
    function: bool
    exact: str
    start: int
    end: int


class _Part(NamedTuple):
    """A word of a phrase: a term or `=form`, and whether the next word must follow at once."""

    key: str
    tight: bool


class _Phrase(NamedTuple):
    parts: tuple[_Part, ...]
    terms: tuple[str, ...]


class _Match(NamedTuple):
    """A phrase found: the numbers of its first and last word, its length, and the words in its gaps."""

    first: int
    last: int
    length: int
    gap: int
    terms: tuple[str, ...]


class Glossary:
    """A profile's glossary made ready: phrases are compared as the search compares words, by their terms."""

    def __init__(self, profile: Profile) -> None:
        self._language = profile.language
        self._forms = {
            _term(form, profile.language): _term(word, profile.language)
            for word, forms in profile.forms.items()
            for form in forms
        }
        self._by_first: dict[str, list[_Phrase]] = {}
        for entry in profile.glossary:
            for phrase in entry.phrases:
                if parts := self.parts(phrase):
                    self._by_first.setdefault(parts[0].key, []).append(_Phrase(parts, entry.terms))

    @property
    def language(self) -> str:
        """The language of its phrases."""
        return self._language

    def parts(self, phrase: str) -> tuple[_Part, ...]:
        """What has to be in a question for the phrase to be found; nothing for a phrase of empty words."""
        parts = []
        for found in _PHRASE_WORD.findall(phrase):
            if found.startswith(EXACT):
                parts.append(_Part(EXACT + fold(found[1:]), tight=True))
            else:
                parts += [_Part(word.term, word.function) for word in self._words(found) if word.term]
        return tuple(parts)

    def expand(self, question: str, languages: Sequence[str]) -> tuple[Expansion, ...]:
        """The phrases of the glossary in the question, in order and without overlap.

        `languages` are those of the library; there is nothing to say when the profile's is not among them.
        A phrase may have a word or two in between. Where phrases overlap, the one of more words counts; what
        is found between its words is added to it.
        """
        if self._language not in languages:
            return ()
        words = self._words(question)
        chosen: list[_Match] = []
        for match in sorted(self._matches(words), key=lambda each: (-each.length, each.gap, each.first)):
            _choose(chosen, match)
        return tuple(
            Expansion(words[match.first].start, words[match.last].end, match.terms)
            for match in sorted(chosen, key=lambda each: each.first)
        )

    def terms(self, question: str) -> frozenset[str]:
        """The terms of every phrase in the question, of those inside others too."""
        return frozenset(term for match in self._matches(self._words(question)) for term in match.terms)

    def _words(self, text: str) -> list[_Word]:
        """Every word in order, as a search reads it; a code or a number is one word."""
        telling, forms = _telling(self._language), self._forms
        words: list[_Word] = []
        position = 0

        def functions(until: int) -> None:
            for found in _WORD.finditer(text, position, until):
                form = fold(found.group())
                words.append(_Word(telling.get(form, ""), True, EXACT + form, found.start(), found.end()))

        for term, start, end in analyze(text, self._language):
            functions(start)
            words.append(_Word(forms.get(term, term), False, EXACT + fold(text[start:end]), start, end))
            position = end
        functions(len(text))
        return words

    def _matches(self, words: Sequence[_Word]) -> Iterator[_Match]:
        for first, word in enumerate(words):
            for key in (word.term, word.exact) if word.term else (word.exact,):
                for phrase in self._by_first.get(key, ()):
                    if match := _match(phrase, words, first):
                        yield match


def _match(phrase: _Phrase, words: Sequence[_Word], first: int) -> _Match | None:
    """The phrase where it begins at `first`, at the nearest place for each of its words."""
    last, gap = first, 0
    for part, following in zip(phrase.parts, phrase.parts[1:], strict=False):
        step = 0 if part.tight else min(MAX_STEP, MAX_GAP - gap)
        for place in range(last + 1, len(words)):
            word = words[place]
            if following.key in (word.term, word.exact):
                break
            if word.term:
                step, gap = step - 1, gap + 1
                if step < 0:
                    return None
        else:
            return None
        last = place
    return _Match(first, last, len(phrase.parts), gap, phrase.terms)


def _choose(chosen: list[_Match], match: _Match) -> None:
    """Takes the match, unless a better one stands where it does."""
    for place, better in enumerate(chosen):
        if match.last < better.first or better.last < match.first:
            continue
        equal = (match.first, match.last, match.length) == (better.first, better.last, better.length)
        inside = better.first <= match.first and match.last <= better.last
        if equal or (inside and better.gap):
            chosen[place] = better._replace(terms=tuple(dict.fromkeys((*better.terms, *match.terms))))
        return
    chosen.append(match)


def _term(word: str, language: str) -> str:
    """The term of a single word, whether or not a search would look for it."""
    return query_terms(word, [language])[0].terms[0]


@cache
def _telling(language: str) -> Mapping[str, str]:
    """Telling function word to its term, in which its forms meet."""
    return {word: _term(word, language) for word in _TELLING.get(language, "").split()}
