"""Cutting texts where a reader can bear it."""

from __future__ import annotations

from typing import Final

SHOWN: Final = 500
"""Characters of a chunk that a search shows."""


def cut(text: str, limit: int = SHOWN) -> tuple[str, bool]:
    """The beginning of a text, at most `limit` characters, and whether anything was left out.

    It ends after a whole row of a table, else after a whole word; a single word longer than the limit is
    cut inside.
    """
    text = text.strip()
    if len(text) <= limit:
        return text, False
    head = text[: limit + 1]
    line_start = head.rfind("\n") + 1
    if text[line_start:].lstrip().startswith("|") and line_start:
        return text[:line_start].rstrip(), True
    blank = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
    return (text[:blank] if blank > 0 else text[:limit]).rstrip(), True
