"""Citations in a question, looked up: "art. 53.1 ET", "artículo 8 de la LISOS", "sección 4 del manual".

The grammar is the one that links documents (`atril.documents.references`), so a question may cite whatever a
document may. It reads the question as it was asked, before anything is planned or left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from atril.documents.languages import detect
from atril.documents.references import Mention, find_mentions
from atril.messages import LANGUAGES
from atril.store.records import Records
from atril.types import Document, Scope, StoredChunk

MOST_PARTS: Final = 3
"""Parts of one article that go before everything else; the rest are found as any chunk is."""

_SECTIONS_READ: Final = 1000
_SECTION_NUMBER: Final = r"\W*(?:\w+\s+)?{number}(?![\d.]*\d)"


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation that was found in a question: its span, the document it means, and the points it leads to.

    Without points the document itself is meant, or it has no such place.
    """

    start: int
    end: int
    text: str
    document: Document
    points: tuple[UUID, ...]


class Lookup:
    """Finds what questions cite."""

    def __init__(self, *, records: Records) -> None:
        self._records = records

    async def find(self, scope: Scope, question: str) -> tuple[Citation, ...]:
        """The citations that a document of the library answers to, in the order of the question."""
        names = await self._records.names_in(scope, question)
        language = detect(question, candidates=LANGUAGES)
        mentions = [each for each in find_mentions(question, language, names) if each.norm]
        if not mentions:
            return ()
        documents = await self._records.named(scope, [each.norm or "" for each in mentions])
        found = []
        for mention in mentions:
            document = documents.get(mention.norm or "")
            if document is not None:
                points = await self._points(scope, document, mention)
                text = question[mention.start : mention.end]
                found.append(Citation(mention.start, mention.end, text, document, points))
        return tuple(found)

    async def _points(self, scope: Scope, document: Document, mention: Mention) -> tuple[UUID, ...]:
        if mention.kind == "article":
            found: list[UUID] = []
            for key in mention.articles:
                points = await self._records.articles(scope, document.id, [key])
                if mention.apartado and len(points) > MOST_PARTS:
                    points = await self._nearest_part(scope, points, mention.apartado)
                found += points[:MOST_PARTS]
            return tuple(dict.fromkeys(found))
        if mention.kind in ("section", "page") and mention.value:
            chunks = await self._records.chunks(scope, document.id, 1, _SECTIONS_READ)
            return tuple(each.point for each in _in_place(chunks, mention)[:MOST_PARTS])
        return ()

    async def _nearest_part(self, scope: Scope, points: Sequence[UUID], apartado: str) -> list[UUID]:
        """The parts from the one in which the paragraph begins."""
        chunks = await self._records.hydrate(scope, points)
        begins = re.compile(rf"^\W{{0,4}}{re.escape(apartado)}[.)]\s", re.MULTILINE)
        for place, point in enumerate(points):
            if point in chunks and begins.search(chunks[point].chunk.content):
                return [*points[place:], *points[:place]]
        return list(points)


def _in_place(chunks: Sequence[StoredChunk], mention: Mention) -> list[StoredChunk]:
    value = mention.value or ""
    if mention.kind == "page":
        return [
            each
            for each in chunks
            if each.chunk.page is not None and each.chunk.page <= int(value) <= (each.chunk.page_end or 0)
        ]
    number = re.compile(_SECTION_NUMBER.format(number=re.escape(value.rpartition(" ")[2])))
    return [each for each in chunks if any(number.match(title) for title in each.chunk.section_path)]
