"""The parts of a chunk that show why it was found.

Matching uses the analysis that built the index, in the language of the chunk's document, so a stem or a
missing accent highlights what it found and nothing else. Spans are the truth; `<em>` appears only where
`highlight` writes an excerpt out, and a text that holds tags of its own is not changed by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from atril.documents.analysis import Term, find_terms

MAX_EXCERPTS: Final = 3
MAX_LENGTH: Final = 200

_SENTENCE_END: Final = re.compile(r"[.!?…。]['\")\]»”’]*\s+|\n+")
_REPEATED: Final = 0.1  # a second occurrence says little, enough to prefer the denser of two windows


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A slice `start`–`end` of a chunk's content; `marks` are the matched words in it, as offsets too."""

    start: int
    end: int
    marks: tuple[tuple[int, int], ...]


def highlight(content: str, language: str, weights: Mapping[str, float]) -> tuple[str, ...]:
    """One to three excerpts of about 200 characters with `<em>` around each match, densest first.

    `weights` says how much each term of the query tells; nothing matched gives nothing. Without its tags
    an excerpt is a slice of `content`.
    """
    return tuple(
        _tagged(content, excerpt)
        for excerpt in excerpts(content, matches(content, language, weights), weights)
    )


def matches(content: str, language: str, weights: Mapping[str, float]) -> list[Term]:
    """The words of `content` whose term is in `weights`, in reading order."""
    return find_terms(content, language, weights)


def excerpts(content: str, matched: Sequence[Term], weights: Mapping[str, float]) -> list[Excerpt]:
    """The windows whose matches weigh most, each term counted in full once; they do not overlap."""
    chosen: list[Excerpt] = []
    free = _windows(matched, weights, 0, len(content))
    while free and len(chosen) < MAX_EXCERPTS:
        _, first, last, low, high = max(free, key=lambda window: (window[0], -window[1]))
        start, end = _widen(content, first, last, low, high)
        marks = tuple((term.start, term.end) for term in matched if start <= term.start and term.end <= end)
        chosen.append(Excerpt(start, end, marks))
        free = [window for window in free if window[3] != low]
        free += _windows(matched, weights, low, start) + _windows(matched, weights, end, high)
    return chosen


def _windows(
    matched: Sequence[Term], weights: Mapping[str, float], low: int, high: int
) -> list[tuple[float, int, int, int, int]]:
    """For each match the window that begins with it: what it weighs, where it lies, and its free bounds."""
    inside = [term for term in matched if low <= term.start and term.end <= high]
    windows = []
    for position, first in enumerate(inside):
        seen: set[str] = set()
        weight, last = 0.0, first.end
        for term in inside[position:]:
            if term is not first and term.end - first.start > MAX_LENGTH:
                break
            weight += weights[term.text] * (_REPEATED if term.text in seen else 1.0)
            seen.add(term.text)
            last = term.end
        windows.append((weight, first.start, last, low, high))
    return windows


def _widen(content: str, first: int, last: int, low: int, high: int) -> tuple[int, int]:
    """The window grown to whole sentences where they fit, to whole words where they don't."""
    spare = max(0, MAX_LENGTH - (last - first))
    start = _sentence_start(content, max(low, first - spare), first, at_edge=low)
    if start is None:
        start = _word_start(content, max(low, first - spare // 2), first, at_edge=low)
    limit = min(high, max(last, start + MAX_LENGTH))
    end = _sentence_end(content, last, limit, at_edge=high)
    if end is None:
        end = _word_end(content, last, limit)
    while start < first and content[start].isspace():
        start += 1
    while end > last and content[end - 1].isspace():
        end -= 1
    return start, end


def _sentence_start(content: str, reach: int, first: int, *, at_edge: int) -> int | None:
    starts = [match.end() for match in _SENTENCE_END.finditer(content, reach, first)]
    if starts:
        return starts[-1]
    return at_edge if reach == at_edge else None


def _sentence_end(content: str, last: int, limit: int, *, at_edge: int) -> int | None:
    if limit == at_edge:
        return limit
    ends = [match.end() for match in _SENTENCE_END.finditer(content, last, limit)]
    return ends[-1] if ends else None


def _word_start(content: str, reach: int, first: int, *, at_edge: int) -> int:
    if reach == at_edge:
        return reach
    blank = re.search(r"\s", content[reach:first])
    return reach + blank.end() if blank else first


def _word_end(content: str, last: int, limit: int) -> int:
    blanks = [match.start() for match in re.finditer(r"\s", content[last:limit])]
    return last + blanks[-1] if blanks else last


def _tagged(content: str, excerpt: Excerpt) -> str:
    parts = []
    position = excerpt.start
    for start, end in excerpt.marks:
        parts += [content[position:start], "<em>", content[start:end], "</em>"]
        position = end
    return "".join((*parts, content[position : excerpt.end]))
