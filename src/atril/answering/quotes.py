"""The words of a chunk that support a sentence, or that a model says it has taken from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from atril.answering.evidence import QuestionWords
from atril.documents.analysis import distinct_terms
from atril.documents.sentences import sentences
from atril.types import StoredChunk

LONGEST: Final = 300
"""Characters of a quote."""

SHORTEST_GIVEN: Final = 8
"""Characters of a quote that a model gives; fewer may stand anywhere."""

LENGTH_COST: Final = 0.05
"""What a span of full length gives away, so that of two with the same words the shorter one is quoted."""

_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]")
_CLAUSE_END: Final = re.compile(r"[;:,](?:\s+(?!\d)|$)|\n+")
_BLANK: Final = re.compile(r"\s+")
_FOLDED: Final = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "„": '"',
        "‘": "'",
        "’": "'",
        "‚": "'",
        "–": "-",
        "—": "-",
        "‑": "-",
    }
)


@dataclass(frozen=True, slots=True)
class Span:
    """A slice `start`–`end` of a chunk's content and how much of the sentence's information it holds, 0..1."""

    start: int
    end: int
    support: float

    @property
    def score(self) -> float:
        return self.support - LENGTH_COST * (self.end - self.start) / LONGEST


def spans(stored: StoredChunk, words: QuestionWords) -> list[Span]:
    """The spans that may be quoted for a sentence with these words, best first: runs of whole sentences, and
    of whole clauses where a sentence is too long. Headings are never quoted."""
    content, language = stored.chunk.content, stored.document.language
    found: list[Span] = []
    run: list[tuple[int, int]] = []
    for start, end in _pieces(content, language):
        run = [piece for piece in run if end - piece[0] <= LONGEST]
        run.append((start, end))
        for first in range(len(run)):
            low = run[first][0]
            terms = frozenset(distinct_terms(content[low:end], language))
            found.append(Span(low, end, words.coverage(terms)))
    return sorted(found, key=lambda span: (-span.score, span.start, span.end))


def whole_sentences(stored: StoredChunk, words: QuestionWords) -> list[Span]:
    """Its sentences one by one, those too long in clauses, the longest first: they tell most."""
    content, language = stored.chunk.content, stored.document.language
    found = [
        Span(start, end, words.coverage(frozenset(distinct_terms(content[start:end], language))))
        for start, end in _pieces(content, language)
    ]
    return sorted(found, key=lambda span: (span.start - span.end, span.start))


def _pieces(content: str, language: str) -> Iterator[tuple[int, int]]:
    for start, end in sentences(content, language):
        if _HEADING.match(content, content.rfind("\n", 0, start) + 1):
            continue
        if end - start <= LONGEST:
            yield start, end
        else:
            yield from _clauses(content, start, end)


def _clauses(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A long sentence in parts: after clauses, after words in a long clause, anywhere in a long word."""
    low = start
    for stop in (*(match.end() for match in _CLAUSE_END.finditer(content, start, end)), end):
        while stop - low > LONGEST:
            blanks = [match.end() for match in _BLANK.finditer(content, low, low + LONGEST)]
            cut = blanks[-1] if blanks and blanks[-1] > low else low + LONGEST
            yield from _trimmed(content, low, cut)
            low = cut
        yield from _trimmed(content, low, stop)
        low = stop


def _trimmed(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    text = content[start:end]
    low, high = start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip(" \t\n,;:")))
    if high > low:
        yield low, high


def find_quote(quote: str, content: str) -> tuple[int, int] | None:
    """Where a model's own quote stands in the content, whatever its blanks, quotation marks, dashes and
    ligatures are; an ellipsis at either end is not part of it. `None` when it does not, or is too short."""
    wanted, _ = _fold(quote.strip().strip("…").strip(". ").strip())
    if len(wanted) < SHORTEST_GIVEN:
        return None
    text, places = _fold(content)
    at = text.find(wanted)
    if at < 0:
        return None
    start, end = places[at], places[at + len(wanted) - 1] + 1
    return (start, end) if end - start <= LONGEST else (start, _whole_words(content, start, start + LONGEST))


def _whole_words(content: str, start: int, end: int) -> int:
    blanks = [match.start() for match in _BLANK.finditer(content, start, end)]
    return blanks[-1] if blanks and blanks[-1] > start else end


def _fold(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, and where in the original each of its characters stands."""
    folded: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        if character.isspace() or character == "\u00ad":
            if folded and folded[-1] != " " and character != "\u00ad":
                folded.append(" ")
                places.append(at)
            continue
        for plain in unicodedata.normalize("NFKC", character.translate(_FOLDED)).casefold():
            folded.append(plain)
            places.append(at)
    return "".join(folded), places
