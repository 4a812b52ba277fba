"""Runs one expression over one text: pure work for a thread, linear in the text whatever the expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

import re2

from atril.retrieval.checks import Check
from atril.retrieval.expressions import UnusablePattern, translate

MEMORY: Final = 64 << 20
"""Bytes RE2 may take for the automaton of one expression."""

MAX_MATCH: Final = 2000
"""Characters of a match that are shown; one that runs over pages is cut there."""

MAX_LINE: Final = 1000
"""Bytes of a line of context on each side of a match; a table or a minified text may have very long ones."""


@dataclass(frozen=True, slots=True)
class Match:
    """`start` counts code points of the text, `line` from 1. `context` is whole lines where they are not
    very long."""

    start: int
    text: str
    line: int
    context: str


class _Compiled(Protocol):
    def search(self, text: bytes, pos: int) -> Any: ...

    def fullmatch(self, text: bytes) -> Any: ...


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression; `begins` says of each of its groups whether it marks a beginning."""

    compiled: _Compiled
    begins: tuple[bool, ...]

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where it matches in UTF-8 text, from left to right, never overlapping and never empty."""
        leading = any(self.begins)
        position = 0
        while position <= len(data):
            # What was matched before is context for what follows, so one character back is seen again.
            found = self.compiled.search(data, _previous(data, position) if leading else position)
            start, end = self._bounds(found) if found else (0, 0)
            if found and start < position:
                found = self.compiled.search(data, position)
                start, end = self._bounds(found) if found else (0, 0)
            if not found:
                return
            if end > start:
                yield start, end
                position = end
            else:
                position = _next(data, end)

    def _bounds(self, found: Any) -> tuple[int, int]:
        start, end = found.span()
        for group, begins in enumerate(self.begins, start=1):
            place = found.start(group)
            if place >= 0:
                start, end = (place, end) if begins else (start, place)
        return start, end


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
    return Expression(compiled, translation.begins)


def find_matches(
    expression: Expression,
    data: bytes,
    *,
    most: int,
    context_lines: int,
    check: Check | None = None,
) -> list[Match]:
    """The first `most` matches that pass the check, with `context_lines` lines before and after each."""
    matches: list[Match] = []
    seen, characters, line = 0, 0, 1
    for start, end in expression.spans(data):
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


def _previous(data: bytes, position: int) -> int:
    position = max(0, position - 1)
    while position > 0 and data[position] & 0xC0 == 0x80:
        position -= 1
    return position


def _next(data: bytes, position: int) -> int:
    position += 1
    while position < len(data) and data[position] & 0xC0 == 0x80:
        position += 1
    return position
