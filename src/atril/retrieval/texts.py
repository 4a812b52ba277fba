"""Canonical texts kept in memory as UTF-8, because a search by pattern reads every one of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol
from uuid import UUID

from atril.retrieval.expressions import spell
from atril.types import Document, Scope

LARGEST: Final = 64 << 20
"""Bytes of plain text kept, and their spelled forms beside them where they were asked for; a larger library
reads what does not fit from the disk again."""


@dataclass(eq=False)
class DocumentText:
    """A version's canonical text as UTF-8 `data`, and its chunks' `starts` (code points, ascending) with
    their `points`."""

    data: bytes
    starts: Sequence[int] = ()
    points: Sequence[UUID] = ()

    @cached_property
    def spelled(self) -> bytes:
        """The text as expressions with word boundaries search it; made when first asked for."""
        return spell(self.data.decode())

    def point_at(self, offset: int) -> UUID:
        """The chunk that holds the code point, or the one before it where none does."""
        return self.points[max(0, bisect_right(self.starts, offset) - 1)]


class ReadsTexts(Protocol):
    async def text(self, scope: Scope, document: UUID) -> str: ...

    async def starts(self, scope: Scope, document: UUID) -> list[tuple[int, UUID]]: ...


class Texts:
    """The texts used last. A version's text never changes, so nothing here becomes stale."""

    def __init__(self, *, largest: int = LARGEST) -> None:
        self._largest = largest
        self._kept: OrderedDict[UUID, DocumentText] = OrderedDict()
        self._bytes = 0

    async def get(self, records: ReadsTexts, scope: Scope, document: Document) -> DocumentText:
        """Raises `DocumentNotFound` when the document has gone."""
        kept = self._kept.get(document.version)
        if kept is not None:
            self._kept.move_to_end(document.version)
            return kept
        text = await records.text(scope, document.id)
        chunks = await records.starts(scope, document.id)
        fresh = DocumentText(text.encode(), [start for start, _ in chunks], [point for _, point in chunks])
        if document.version not in self._kept and len(fresh.data) <= self._largest:
            self._kept[document.version] = fresh
            self._bytes += len(fresh.data)
            while self._bytes > self._largest:
                self._bytes -= len(self._kept.popitem(last=False)[1].data)
        return fresh
