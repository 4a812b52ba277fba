"""Marks the chunks that hold instructions to an assistant, and finds those that no reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from atril.documents.parsing.parsed import ParseWarning
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


def judged(warnings: Iterable[ParseWarning]) -> tuple[ParseWarning, ...]:
    """The warnings without the texts that were left out, each of which may add a warning of
    `hidden_instructions`: what a document hides from its readers is where such instructions mostly are."""
    found: dict[ParseWarning, None] = {}
    for each in warnings:
        found[ParseWarning.of(each.kind, each.page)] = None
        if each.unseen and scan(each.unseen):
            found[ParseWarning.of("hidden_instructions", each.page)] = None
    return tuple(found)
