"""Marks the chunks that hold instructions to an assistant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from atril.safety.scanner import scan
from atril.types import Chunk


def flagged(chunks: Sequence[Chunk], text: str, title: str) -> list[Chunk]:
    """The chunks with the kinds of instructions found in their slice of the text or in their context.

    The text is scanned as a whole: an instruction may begin in one chunk and end in the next. Contexts are
    made of headings, table headers and the title, so they hold none where text and title are clean.
    """
    findings = scan(text)
    if not findings and not scan(title):
        return list(chunks)
    above = {context: [each.kind for each in scan(context)] for context in {each.context for each in chunks}}
    marked = []
    for chunk in chunks:
        inside = [each.kind for each in findings if each.start < chunk.end and each.end > chunk.start]
        marked.append(replace(chunk, flags=tuple(dict.fromkeys((*inside, *above[chunk.context])))))
    return marked
