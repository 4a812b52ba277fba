"""Words to terms: what a document is found by, and what a highlight marks.

Every word has one canonical term, the same for all its spellings with and without accents:
`fold(stem(restore(fold(word))))`. Folding lowercases and strips Latin and Greek diacritics; restoring makes a
Spanish plural singular and puts back the accents that the stemmer's rules look for, as a function of the
folded word alone, so that "devolución", "devolucion" and "devoluciones" meet. Stemmers are Snowball's for es, en and ru; a word of any
other language is folded and kept whole.

Codes and numbers (`ABC-1234/56`, `53.1`, `1.234,56`, `COVID-19`), e-mail addresses and host names are one
term, and initials lose their dots ("S.A." is "sa"). Han and kana are written without spaces, so each character is a term of its own.

Offsets are code points of the text as given.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import Stemmer

from atril.documents.spanish_stemming import restore

ANALYZER_VERSION: Final = f"1-snowball{Stemmer.version()}"
"""Changes whenever the same text could give other terms."""

_STEMMERS: Final = {"es": "spanish", "en": "english", "ru": "russian"}
_CACHED_WORDS: Final = 1 << 16
_SHORT: Final = 3
_MAX_COUNT: Final = int(np.iinfo(np.uint16).max)

# Marks that continue a word: combining diacritics, vowel points, Indic signs, soft hyphens and joiners.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u109f"
    "\u00ad\u200c\u200d"
)
_HAN = "\u3040-\u30ff\u3400-\u9fff"
_LETTERS = rf"[^\W_ºª{_HAN}]"
_WORD = rf"{_LETTERS}+(?:[{_MARKS}]+{_LETTERS}*)*"
_DASHES = "\u2010\u2011\u2012\u2013"

_RUN = re.compile(rf"{_WORD}(?:[-/.,:@_+&'’{_DASHES}]{_WORD})*|[{_HAN}]")
"""Words joined by marks without a blank. Most runs are one word; `_split` decides about the others."""

_RARE = re.compile(rf"[_ºª{_HAN}{_MARKS}]")
_RUN_WITHOUT_RARE = re.compile(rf"\w+(?:[-/.,:@+&'’{_DASHES}]\w+)*")
"""The same runs in a text without any rare character, found in half the time."""

_RUNS = (_RUN, _RUN_WITHOUT_RARE)
_PIECES = (re.compile(f"({_RUN.pattern})"), re.compile(f"({_RUN_WITHOUT_RARE.pattern})"))

_PLAIN = re.compile(_WORD)
_PIECE = re.compile(
    rf"""
      (?P<address>[^\W_][\w.+-]{{0,63}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}})
    | (?P<host>(?:www\.[\w-]{{1,63}}|[a-z][a-z0-9-]{{1,62}})(?:\.[a-z0-9-]{{1,63}}){{0,8}}
        \.(?:com|org|net|edu|gov|gob|int|info|io|eu|es|ru|uk|mx|ar|cl|pe|us|de|fr|it|pt))(?![\w-])
    | (?P<initials>(?<!\w)(?:[^\W\d_ºª]\.){{1,8}}[^\W\d_ºª](?!\w))
    | (?P<pair>(?<!\w)[^\W\d_]{{1,2}}&[^\W\d_]{{1,2}}(?!\w))
    | (?P<code>{_WORD}(?:(?:[-/_{_DASHES}]|(?<=\d)[.,:](?=\d)){_WORD})*)
    """,
    re.VERBOSE,
)

_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_MARKED = re.compile(r"([a-z\u0370-\u03ff])[\u0300-\u036f]+")
_STRESS = re.compile("[\u0300\u0301]|(?<=е)\u0308")
_LETTERS_WITHOUT_DECOMPOSITION = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
    | dict.fromkeys("\u00ad\u200c\u200d", "")
    | dict.fromkeys(_DASHES, "-")
)


class Term(NamedTuple):
    """A canonical term and where its word stands: `[start, end)` in the analysed text.

    A tuple, because a long text has a million of them and a frozen dataclass takes twice as long to make.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """The terms of one passage: distinct `ids` in ascending order, how often each occurs, and their sum.

    Counts saturate at 65,535; `length` does not.
    """

    ids: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]
    length: int


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One word of a query and its distinct canonical terms, one or more, in the order of the languages."""

    word: str
    start: int
    end: int
    terms: tuple[str, ...]


def analyze(text: str, language: str) -> list[Term]:
    """The terms of `text` in order, stopwords left out. `language` is ISO 639-1; any other code only folds."""
    known = _analyzer(language)
    terms: list[Term] = []
    for match in _pattern(text).finditer(text):
        position = match.start()
        for term, start, end, stop in known(match[0]):
            if not stop:
                terms.append(Term(term, position + start, position + end))
    return terms


def find_terms(text: str, language: str, wanted: Collection[str]) -> list[Term]:
    """Those terms of `analyze` that are in `wanted`, several times faster: a search does this to every hit."""
    known, terms_of = _analyzer(language), _terms(language)
    pieces = _pattern(text, _PIECES).split(text)  # what stands between two runs, and a run, in turn
    runs = pieces[1::2]
    # Neither folding nor stemming changes how a word of three letters or more begins, which spares most words
    # their analysis.
    initials = {term[0] for term in wanted}
    telling = {
        run
        for run in set(runs)
        if _INITIAL[run[0]] in initials or len(run) < _SHORT or not run.isalpha()
        for term in terms_of[run]
        if term in wanted
    }
    ends = list(accumulate(map(len, pieces))) if telling else []
    return [
        Term(term, ends[2 * place] + start, ends[2 * place] + end)
        for place, run in enumerate(runs)
        if run in telling
        for term, start, end, stop in known(run)
        if term in wanted and not stop
    ]


def distinct_terms(text: str, language: str) -> set[str]:
    """The different terms of `analyze`, found several times faster."""
    known = _analyzer(language)
    return {term for run in set(_runs(text)) for term, _, _, stop in known(run) if not stop}


def term_id(term: str) -> int:
    """The term's number in sparse vectors: CRC-32 of its UTF-8 bytes, an unsigned 32-bit integer.

    Two of 100,000 terms share a number about once; then both match where either stands.
    """
    return zlib.crc32(term.encode())


def term_counts(text: str, language: str) -> TermCounts:
    """The terms of a passage as numbers, for weights and statistics; the same words as `analyze`."""
    known = _ids(language)
    totals: dict[int, int] = {}
    for run, times in Counter(_runs(text)).items():
        for number in known(run):
            totals[number] = totals.get(number, 0) + times
    ids = np.fromiter(totals.keys(), dtype=np.uint32, count=len(totals))
    counts = np.fromiter((min(n, _MAX_COUNT) for n in totals.values()), dtype=np.uint16, count=len(totals))
    order = np.argsort(ids)
    return TermCounts(ids[order], counts[order], sum(totals.values()))


def query_terms(query: str, languages: Sequence[str]) -> list[QueryTerm]:
    """One entry per word of the query, with its term in each of the languages.

    A word that is a stopword in any of them is dropped, unless only such words are there: then all stay.
    No languages means folding only.
    """
    words: list[QueryTerm] = []
    content: list[QueryTerm] = []
    analyzers = [_analyzer(language) for language in languages or ("und",)]
    for match in _RUN.finditer(query):
        for readings in zip(*(known(match.group()) for known in analyzers), strict=True):
            start, end = match.start() + readings[0][1], match.start() + readings[0][2]
            terms = tuple(dict.fromkeys(term for term, _, _, _ in readings))
            word = QueryTerm(query[start:end], start, end, terms)
            words.append(word)
            if not any(stop for _, _, _, stop in readings):
                content.append(word)
    return content or words


def fold(word: str) -> str:
    """Lowercase without Latin and Greek diacritics and without stress marks; ё is е, and й stays й."""
    lowered = word.lower()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFKD", lowered.translate(_LETTERS_WITHOUT_DECOMPOSITION))
    bare = _STRESS.sub("", _MARKED.sub(r"\1", decomposed))
    return unicodedata.normalize("NFC", bare).lower()


def is_stopword(word: str, language: str) -> bool:
    """Whether the analyzer of this language leaves the word out."""
    return fold(word) in _stopwords(language)


_Word: TypeAlias = tuple[str, int, int, bool]
"""A word's term, its start and end in the run, and whether it is a stopword. Plain tuples of plain values,
because the garbage collector does not look at those, and tens of thousands are remembered: with objects each
of its full rounds stopped the program for a tenth of a second."""


@cache
def _stopwords(language: str) -> frozenset[str]:
    if language not in _STEMMERS:
        return frozenset()
    lines = (
        files(__package__).joinpath("stopwords", f"{language}.txt").read_text(encoding="utf-8").splitlines()
    )
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def _analyzer(language: str) -> Callable[[str], tuple[_Word, ...]]:
    """Run of text to its words, remembered: a text has far fewer distinct words than words."""
    language = language if language in _STEMMERS else "und"
    stopwords = _stopwords(language)
    canonical = _canonical(language)

    @lru_cache(maxsize=_CACHED_WORDS)
    def words(run: str) -> tuple[_Word, ...]:
        found = []
        for start, end in _split(run):
            folded = fold(run[start:end])
            if _INITIALS.fullmatch(folded):
                folded = folded.replace(".", "")
            if folded:
                found.append((canonical(folded), start, end, folded in stopwords))
        return tuple(found)

    return words


def _runs(text: str) -> list[str]:
    return _pattern(text).findall(text)


def _pattern(text: str, patterns: tuple[re.Pattern[str], re.Pattern[str]] = _RUNS) -> re.Pattern[str]:
    with_rare, without_rare = patterns
    return with_rare if _RARE.search(text) else without_rare


class _TermsOfRuns(dict[str, tuple[str, ...]]):
    """Run of text to its terms, stopwords left out. A plain dictionary answers in half the time of a cached
    function."""

    def __init__(self, known: Callable[[str], tuple[_Word, ...]]) -> None:
        self._known = known

    def __missing__(self, run: str) -> tuple[str, ...]:
        if len(self) >= _CACHED_WORDS:
            self.clear()
        terms = self[run] = tuple(term for term, _, _, stop in self._known(run) if not stop)
        return terms


class _Initials(dict[str, str]):
    """Letter to the letter that a folded word would begin with."""

    def __missing__(self, letter: str) -> str:
        initial = self[letter] = fold(letter)[:1]
        return initial


_INITIAL: Final = _Initials()


@cache
def _terms(language: str) -> _TermsOfRuns:
    return _TermsOfRuns(_analyzer(language))


@cache
def _ids(language: str) -> Callable[[str], tuple[int, ...]]:
    known = _analyzer(language)

    @lru_cache(maxsize=_CACHED_WORDS)
    def numbers(run: str) -> tuple[int, ...]:
        return tuple(term_id(term) for term, _, _, stop in known(run) if not stop)

    return numbers


def _canonical(language: str) -> Callable[[str], str]:
    if language not in _STEMMERS:
        return lambda folded: folded
    stemmer = Stemmer.Stemmer(_STEMMERS[language])
    stemmer.maxCacheSize = 0
    stem: Callable[[str], str] = stemmer.stemWord
    prepare = restore if language == "es" else str
    return lambda folded: fold(stem(prepare(folded))) if folded.isalpha() else folded


def _split(run: str) -> list[tuple[int, int]]:
    """The words of a run: addresses, codes and numbers whole, words joined by marks apart."""
    if run.isalpha():
        return [(0, len(run))]
    spans: list[tuple[int, int]] = []
    for match in _PIECE.finditer(run):
        whole = match.lastgroup != "code" or any(map(str.isdigit, match.group()))
        if whole:
            spans.append(match.span())
        else:
            spans.extend(word.span() for word in _PLAIN.finditer(run, match.start(), match.end()))
    return spans
