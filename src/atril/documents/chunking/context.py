"""The context of a chunk: where it stands, in one line that is embedded with it and never quoted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from atril.documents.blocks import plain
from atril.documents.chunking.pieces import TokenSums

_SEPARATOR: Final = " > "
_GAP: Final = "…"
_TITLE_TOKENS: Final = 40
_HEADING_TOKENS: Final = 32
_MOST_TOKENS: Final = 96


class Contexts:
    """Builds contexts for one document: its title and the section path, within `limit` tokens."""

    def __init__(self, title: str, tokens: TokenSums, limit: int) -> None:
        self._title = plain(title)
        self._tokens = tokens
        self._limit = min(limit, _MOST_TOKENS)
        self._lines: dict[tuple[str, ...], str] = {}

    def of(self, path: Sequence[str], shown: Collection[str] = (), header: str = "") -> str:
        """Title and path without what the chunk itself shows, then on its own line a table's header."""
        titles = path if path and path[0] == self._title else (self._title, *path)
        parts = tuple(title for title in titles if title and title not in shown)
        if parts not in self._lines:
            self._lines[parts] = self._line(parts)
        line = self._lines[parts]
        return f"{line}\n{header}" if line and header else line or header

    def _line(self, parts: Sequence[str]) -> str:
        """Long parts lose their ends; then the middle of the path gives way, and the title last of all."""
        clipped = [
            self._clip(part, _TITLE_TOKENS if part == self._title else _HEADING_TOKENS) for part in parts
        ]
        line = _SEPARATOR.join(clipped)
        while len(clipped) > 2 and self._tokens.of(line) > self._limit:
            del clipped[len(clipped) // 2]
            halves = len(clipped) // 2 + len(clipped) % 2
            line = _SEPARATOR.join((*clipped[:halves], _GAP, *clipped[halves:]))
        return self._clip(line, self._limit)

    def _clip(self, text: str, limit: int) -> str:
        words = text.split()
        total = 0
        for count, word in enumerate(words):
            total += self._tokens[word]
            if total > limit:
                kept = words[:count]
                while kept and sum(self._tokens[word] for word in (*kept, _GAP)) > limit:
                    kept.pop()
                return " ".join((*kept, _GAP)) if kept else ""
        return " ".join(words)
