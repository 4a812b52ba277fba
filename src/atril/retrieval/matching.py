"""Runs one expression over one text: pure work for a thread, linear in the text whatever the expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import re2

from atril.retrieval.checks import Check
from atril.retrieval.expressions import UNDERSCORE, UnusablePattern, translate

MEMORY: Final = 64 << 20
"""Bytes RE2 may take for the automaton of one expression."""

MAX_MATCH: Final = 2000
"""Characters of a match that are shown; one that runs over pages is cut there."""

MAX_LINE: Final = 1000
"""Bytes of a line of context on each side of a match; a table or a minified text may have very long ones."""

_UNDERSCORE: Final = UNDERSCORE.encode()


@dataclass(frozen=True, slots=True)
class Match:
    """`start` counts code points of the text, `line` from 1. `context` is whole lines where they are not
    very long."""

    start: int
    text: str
    line: int
    context: str


class SearchedText(Protocol):
    """A text as UTF-8, plain and spelled (see `expressions`)."""

    @property
    def data(self) -> bytes: ...

    @property
    def spelled(self) -> bytes: ...


class _Compiled(Protocol):
    def search(self, text: bytes, pos: int) -> Any: ...

    def fullmatch(self, text: bytes) -> Any: ...


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression, and whether it is for spelled texts."""

    compiled: _Compiled
    spelled: bool

    def spans(self, text: SearchedText) -> Iterator[tuple[int, int]]:
        """Where it matches in the plain bytes, from left to right, never overlapping and never empty."""
        if not self.spelled:
            yield from self._found(text.data)
            return
        data = text.spelled
        seen, place = 0, 0
        for start, end in self._found(data):
            place += _plain_length(data[seen:start])
            length = _plain_length(data[start:end])
            yield place, place + length
            seen, place = end, place + length

    def _found(self, data: bytes) -> Iterator[tuple[int, int]]:
        position = 0
        while position <= len(data):
            found = self.compiled.search(data, position)
            if not found:
                return
            start, end = found.span()
            inside = self.spelled and data[max(0, start - 2) : start] == b"__"
            if end > start and not inside:
                yield start, end
                position = end
            else:  # nothing, or the inside of one spelled letter
                position = _next(data, start)


@lru_cache(maxsize=64)
def compile_expression(pattern: str, *, case_sensitive: bool) -> Expression:
    """Raises `UnusablePattern` for what RE2 cannot run, and for what matches nothing at all everywhere."""
    translation = translate(pattern)
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case_sensitive
    options.max_mem = MEMORY
    try:
        compiled = re2.compile(translation.expression, options)
    except re2.error as error:
        detail = error.args[0].decode(errors="replace") if error.args else ""
        raise UnusablePattern(pattern=pattern, problem="syntax", detail=detail) from error
    if compiled.fullmatch(b"") is not None:
        raise UnusablePattern(pattern=pattern, problem="empty")
    return Expression(compiled, translation.spelled)


def find_matches(
    expression: Expression,
    searched: SearchedText,
    *,
    most: int,
    context_lines: int,
    check: Check | None = None,
) -> list[Match]:
    """The first `most` matches that pass the check, with `context_lines` lines before and after each."""
    matches: list[Match] = []
    seen, characters, line = 0, 0, 1
    data = searched.data
    for start, end in expression.spans(searched):
        text = data[start:end].decode()
        if check is not None:
            text = check(text)
            if not text:
                continue
        passed = data[seen:start]
        characters += len(passed.decode())
        line += passed.count(b"\n")
        seen = start
        matches.append(Match(characters, text[:MAX_MATCH], line, _context(data, start, end, context_lines)))
        if len(matches) >= most:
            break
    return matches


def _context(data: bytes, start: int, end: int, lines: int) -> str:
    first, last = start, min(end, start + 4 * MAX_MATCH)
    for count in range(lines + 1):
        begin = data.rfind(b"\n", max(0, first - MAX_LINE), first)
        if begin < 0:
            first = max(0, first - MAX_LINE)
            break
        first = begin if count < lines else begin + 1
    for count in range(lines + 1):
        finish = data.find(b"\n", last, last + MAX_LINE)
        if finish < 0:
            last = min(len(data), last + MAX_LINE)
            break
        last = finish + 1 if count < lines else finish
    return data[first:last].decode(errors="ignore").strip("\n")


def _plain_length(spelled: bytes) -> int:
    """Bytes of plain text that the spelled ones stand for."""
    return (
        len(spelled)
        - spelled.count(b"_")
        - (len(_UNDERSCORE) - 1) * spelled.count(b"__" + _UNDERSCORE + b"_")
    )


def _next(data: bytes, position: int) -> int:
    position += 1
    while position < len(data) and data[position] & 0xC0 == 0x80:
        position += 1
    return position
