"""The sentences of the chunks that were found, and how much of the question's words each one holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from atril.answering.rows import is_header, is_row, says_nothing
from atril.documents.analysis import distinct_terms, term_id
from atril.documents.sentences import sentences
from atril.retrieval.lexical import LexicalQuery
from atril.retrieval.live import ScoredChunk

MAX_QUOTE: Final = 480
"""Characters of one quoted sentence; a longer one is cut where a clause ends."""

_CLAUSE_END: Final = re.compile(r"[;:,](?:\s+(?!\d)|$)|\n+")
_BLANK: Final = re.compile(r"\s+")
_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]")
_LOOSE_ENDS: Final = " \t\n,;:"
_ITEM: Final = re.compile(r"[ \t>]*(?:[-*+•–]|\W{0,3}(?:\d{1,2}|\w)(?:[.)]|\.?[ºª°]))", re.MULTILINE)
_STATED: Final = re.compile(r"[.!?…:;。！？][\"'»”’)\]*_]*\Z|\w:\s")
_TITLE: Final = 120
"""Characters of the longest line that may be a title or what is printed on every page."""

_APART: Final = 8
"""Characters, blanks and marks of a list, that may lie between two sentences that belong together."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A quotable slice `start`–`end` of a chunk's content.

    A sentence that announces what follows is quoted with it, up to `reach`. `terms` are all its terms;
    `coverage` is the share of the question's information (inverse document frequency) that its words hold, in
    0..1; `place` counts the sentences of its chunk before it. One too long to be quoted goes on `before` or
    `after` the slice.
    """

    chunk: ScoredChunk
    start: int
    end: int
    terms: frozenset[str]
    coverage: float
    place: int = 0
    reach: int = 0
    before: bool = False
    after: bool = False

    @property
    def fragment(self) -> bool:
        """Whether it looks like a title, a caption or what is printed on every page: short, and without the
        end of a sentence. Items of lists and rows of tables do not."""
        text = self.text
        if len(text) > _TITLE or self.after or is_row(text):
            return False
        if _STATED.search(text) and not text.isupper():
            return False
        content = self.chunk.stored.chunk.content
        return not _ITEM.match(content, content.rfind("\n", 0, self.start) + 1)

    @property
    def text(self) -> str:
        return self.chunk.stored.chunk.content[self.start : self.end]

    @property
    def quote(self) -> str:
        """The text with what it announces."""
        return self.chunk.stored.chunk.content[self.start : self.stop]

    @property
    def stop(self) -> int:
        """Where the quote ends."""
        return max(self.end, self.reach)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The question's words, each with its possible terms and how much it tells; shares add up to 1."""

    shares: tuple[tuple[frozenset[str], float], ...]

    @classmethod
    def of(cls, query: LexicalQuery) -> QuestionWords:
        """A word that the library never uses tells as much as the rarest one that it does."""
        rarities: dict[frozenset[str], float] = {}
        for word in query.words:
            held = [query.weights[term] for term in word.terms if term in query.weights]
            unknown = query.statistics.idf(term_id(word.terms[0]))
            rarities[frozenset(word.terms)] = min(held) if held else unknown
        total = sum(rarities.values()) or 1.0
        return cls(tuple((terms, rarity / total) for terms, rarity in rarities.items()))

    def coverage(self, terms: frozenset[str]) -> float:
        return sum(share for wanted, share in self.shares if not wanted.isdisjoint(terms))


def quotable(chunks: Sequence[ScoredChunk], words: QuestionWords) -> list[Sentence]:
    """Every sentence of the chunks but their headings, in order, none longer than `MAX_QUOTE`."""
    return [sentence for chunk in chunks for sentence in _completed(list(_of_chunk(chunk, words)))]


def _completed(found: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of a chunk, those that end with a colon reaching over the list that they announce."""
    return [
        replace(each, reach=_end_of_list(each, found[number:])) if each.text.endswith(":") else each
        for number, each in enumerate(found, start=1)
    ]


def _end_of_list(lead: Sentence, following: Sequence[Sentence]) -> int:
    content, end = lead.chunk.stored.chunk.content, lead.end
    for number, each in enumerate(following):
        paragraph = content.rfind("\n", 0, each.start) + 1
        belongs = number == 0 or _ITEM.match(content, paragraph)
        if not belongs or each.start - end > _APART or each.end - lead.start > MAX_QUOTE:
            break
        end = each.end
    return end


def _of_chunk(chunk: ScoredChunk, words: QuestionWords) -> Iterator[Sentence]:
    content, language = chunk.stored.chunk.content, chunk.stored.document.language
    place = 0
    for start, end in sentences(content, language):
        if _HEADING.match(content, content.rfind("\n", 0, start) + 1):
            continue
        if not _BLANK.search(content, start, end):
            continue  # "Uno." numbers a paragraph
        if is_header(content, start, end) or says_nothing(chunk.stored.chunk, start, end):
            continue
        low, high = start, end
        if high - low > MAX_QUOTE:
            low, high = _best_clauses(content, low, high, language, words)
        terms = frozenset(distinct_terms(content[low:high], language))
        coverage = words.coverage(terms)
        yield Sentence(chunk, low, high, terms, coverage, place, before=low > start, after=high < end)
        place += 1


def _best_clauses(content: str, start: int, end: int, language: str, words: QuestionWords) -> tuple[int, int]:
    """The run of whole clauses, as long as may be quoted, that covers most of the question."""
    cuts = _cuts(content, start, end)
    best, best_coverage, last = (start, cuts[1]), -1.0, 1
    for first in range(len(cuts) - 1):
        last = max(last, first + 1)
        while last + 1 < len(cuts) and cuts[last + 1] - cuts[first] <= MAX_QUOTE:
            last += 1
        terms = frozenset(distinct_terms(content[cuts[first] : cuts[last]], language))
        coverage = words.coverage(terms)
        if coverage > best_coverage:
            best, best_coverage = (cuts[first], cuts[last]), coverage
        if last == len(cuts) - 1:
            break
    low, high = best
    return low, low + len(content[low:high].rstrip(_LOOSE_ENDS))


def _cuts(content: str, start: int, end: int) -> list[int]:
    """Where the sentence may be cut: after clauses, after words in a long clause, anywhere in a long word."""
    cuts = [start]
    for stop in (*(match.end() for match in _CLAUSE_END.finditer(content, start, end)), end):
        if stop - cuts[-1] > MAX_QUOTE:
            for blank in _BLANK.finditer(content, cuts[-1], stop):
                _advance(cuts, blank.end())
        _advance(cuts, stop)
    return cuts


def _advance(cuts: list[int], stop: int) -> None:
    while stop - cuts[-1] > MAX_QUOTE:
        cuts.append(cuts[-1] + MAX_QUOTE)
    if stop > cuts[-1]:
        cuts.append(stop)
