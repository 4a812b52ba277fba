"""Counting tokens word by word, and cutting blocks that are too long into pieces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from atril.documents.blocks import Block, BlockKind
from atril.documents.chunking.sections import Section
from atril.documents.sentences import sentences
from atril.models.embeddings import TokenCounter

_WORD = re.compile(r"\S+")
_LINE = re.compile(r"(?<=\n)[^\n]")
_CLAUSE_END = frozenset(",;:)]»”")
_PROBE: Final = "Art. 38: la decisión, y el 2/2015\n\n| a | b |\n- срок 5 дней"
_MAX_WORDS: Final = 1 << 17
_MOST_CHARACTERS_A_TOKEN: Final = 16


class TokenSums(dict[str, int]):
    """Tokens of a text as the sum over its words, each measured once.

    Tokenizers of embedders never join what a blank separates, so the sum is exact or nearly so; `additive`
    says whether that holds for a sample text. What the counter says about the empty text (marks around every
    text) is `overhead`, not part of the sums.
    """

    def __init__(self, count_tokens: TokenCounter) -> None:
        super().__init__()
        self._count = count_tokens
        self.overhead = count_tokens("")
        self.additive = self.of(_PROBE) == self.measure(_PROBE)

    def __missing__(self, word: str) -> int:
        if len(self) >= _MAX_WORDS:
            self.clear()
        tokens = self[word] = self.measure(word)
        return tokens

    def measure(self, text: str) -> int:
        """What the counter says of the text as a whole, without the overhead."""
        return max(self._count(text) - self.overhead, 0)

    def of(self, text: str) -> int:
        return sum(map(self.__getitem__, text.split()))


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """What is never cut again: a slice of one block, its tokens, and the header row its rows belong to.

    `header` is empty where the slice holds the header itself.
    """

    start: int
    end: int
    tokens: int
    kind: BlockKind
    section: Section
    header: str = ""


Cuts: TypeAlias = Callable[[Block, int, int], Iterable[int]]
"""Where the parts after the first one begin, within a slice of a block."""


class Splitter:
    """Cuts the blocks of one text."""

    def __init__(self, text: str, language: str, tokens: TokenSums) -> None:
        self._text = text
        self._language = language
        self._tokens = tokens
        self._ways: dict[BlockKind, tuple[Cuts, ...]] = {
            "table": (_rows,),
            "list": (_items, self._lines, self._sentences),
            "code": (self._lines,),
            "quote": (self._lines, self._sentences),
            "paragraph": (self._sentences,),
            "heading": (),
        }

    def split(self, block: Block, section: Section, limit: int) -> list[Piece]:
        """The block as trimmed pieces of at most `limit` tokens, the header to repeat included."""
        whole = self._tokens.of(self._text[block.start : block.end])
        if whole <= limit:
            return [Piece(block.start, block.end, whole, block.kind, section)]
        header = self._header(block, limit)
        limit -= self._tokens.of(header)
        return [
            Piece(start, end, tokens, block.kind, section, header if start > block.header else "")
            for start, end, tokens in self._divide(
                block, block.start, block.end, limit, self._ways[block.kind]
            )
        ]

    def _header(self, block: Block, limit: int) -> str:
        """A table's header row, unless it is missing or would take more than a third of the room."""
        if block.header <= block.start:
            return ""
        row = self._text[block.start : self._text.index("\n", block.start)].rstrip()
        return row if self._tokens.of(row) * 3 <= limit else ""

    def _divide(
        self, block: Block, start: int, end: int, limit: int, ways: tuple[Cuts, ...]
    ) -> Iterator[tuple[int, int, int]]:
        """Cuts in the first of the ways, and what is still too long in the next ones."""
        if not ways:
            yield from self._clauses(start, end, limit)
            return
        for left, following in pairwise((start, *ways[0](block, start, end), end)):
            part = self._text[left:following]
            left += len(part) - len(part.lstrip())
            right = left + len(part.strip())
            tokens = self._tokens.of(self._text[left:right])
            if tokens > limit:
                yield from self._divide(block, left, right, limit, ways[1:])
            elif right > left:
                yield left, right, tokens

    def _sentences(self, block: Block, start: int, end: int) -> Iterable[int]:
        spans = sentences(self._text[start:end], self._language)
        return [start + begin for begin, _ in spans[1:]]

    def _lines(self, block: Block, start: int, end: int) -> Iterable[int]:
        return [match.start() for match in _LINE.finditer(self._text, start + 1, end)]

    def _clauses(self, start: int, end: int, limit: int) -> Iterator[tuple[int, int, int]]:
        """As many words as fit, back to the end of a clause where one lies in the second half."""
        words = [
            (*word.span(), self._tokens[word.group()]) for word in _WORD.finditer(self._text, start, end)
        ]
        at = 0
        while at < len(words):
            stop, total, clause = at, 0, (0, 0)
            while stop < len(words) and total + words[stop][2] <= limit:
                total += words[stop][2]
                stop += 1
                if self._text[words[stop - 1][1] - 1] in _CLAUSE_END:
                    clause = stop, total
            if stop == at:
                yield from self._characters(words[at][0], words[at][1], limit)
                at += 1
                continue
            if stop < len(words) and clause[0] > at and clause[1] * 2 >= total:
                stop, total = clause
            yield words[at][0], words[stop - 1][1], total
            at = stop

    def _characters(self, start: int, end: int, limit: int) -> Iterator[tuple[int, int, int]]:
        """The last resort for what has no blanks; a single character is a piece even beyond the limit."""
        while start < end:
            longest = min(end - start, max(limit, 1) * _MOST_CHARACTERS_A_TOKEN)
            sizes = range(1, longest + 1)
            fitting = bisect_right(sizes, limit, key=lambda size: self._measure(start, start + size))
            size = max(fitting, 1)
            yield start, start + size, self._measure(start, start + size)
            start += size

    def _measure(self, start: int, end: int) -> int:
        return self._tokens.measure(self._text[start:end])


def _rows(block: Block, start: int, end: int) -> Iterable[int]:
    """Rows, the first one together with the header."""
    return block.items[3:] if block.header > block.start else block.items[1:]


def _items(block: Block, start: int, end: int) -> Iterable[int]:
    return block.items[1:]
