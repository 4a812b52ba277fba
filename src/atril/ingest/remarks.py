"""What a person should know about a document that was read, in their language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from atril.documents.reading import ReadDocument
from atril.messages import message
from atril.types import Chunk, ReadingWarning

_MOST_NUMBERS: Final = 8


def reading_warnings(file: str, read: ReadDocument, language: str) -> tuple[ReadingWarning, ...]:
    """What the parser noticed, and for every page the chunks that hold instructions to an assistant."""
    noticed = (
        ReadingWarning(file, each.page, each.kind, message(f"warning.{each.kind}", language))
        for each in read.parsed.warnings
    )
    return (*noticed, *_instructions(file, read, language))


def _instructions(file: str, read: ReadDocument, language: str) -> Iterator[ReadingWarning]:
    flagged = [chunk for chunk in read.chunks if chunk.flags]
    for page, chunks in groupby(flagged, key=lambda chunk: chunk.page):
        found = list(chunks)
        text = message(
            "warning.instructions", language, chunks=_numbers(found), kinds=", ".join(_kinds(found, language))
        )
        yield ReadingWarning(file, page, "instructions", text)


def _numbers(chunks: list[Chunk]) -> str:
    shown = ", ".join(str(chunk.number) for chunk in chunks[:_MOST_NUMBERS])
    return f"{shown}…" if len(chunks) > _MOST_NUMBERS else shown


def _kinds(chunks: list[Chunk], language: str) -> list[str]:
    kinds = dict.fromkeys(kind for chunk in chunks for kind in chunk.flags)
    return [message(f"instructions.{kind}", language) for kind in kinds]
