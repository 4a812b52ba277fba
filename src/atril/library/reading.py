"""Looking at what a library holds."""

from __future__ import annotations

from dataclasses import replace

from atril.library.base import Base
from atril.retrieval.content import Content
from atril.retrieval.section import Section
from atril.types import Document, ListedTable, ReferenceReport, StoredChunk


class Reading(Base):
    """Lists documents and gives their texts."""

    async def documents(self, collection: str | None = None) -> list[Document]:
        """The documents, in the order of their names."""
        found = await self._home.stores.records.documents(self._scope)
        return [each for each in found if collection is None or each.collection == collection]

    async def references(self, collection: str | None = None) -> ReferenceReport:
        """How many references the texts hold, how many lead to a chunk of the library, and what the others
        name most often."""
        scope = self._scope
        if collection is not None:
            allowed = scope.collections is None or collection in scope.collections
            scope = replace(scope, collections=(collection,) if allowed else ())
        return await self._home.stores.records.reference_report(scope)

    async def tables(self, name: str | None = None) -> list[ListedTable]:
        """The tables of all documents, or of one: where each is, its columns and rows, and in how many chunks.

        Raises `DocumentNotFound` or `AmbiguousName`.
        """
        records = self._home.stores.records
        document = None if name is None else await records.find(self._scope, name)
        return await records.tables(self._scope, document)

    async def read(self, name: str) -> str:
        """The canonical text of a document. Raises `DocumentNotFound` or `AmbiguousName`."""
        records = self._home.stores.records
        return await records.text(self._scope, (await records.find(self._scope, name)).id)

    async def chunks(self, name: str, start: int = 1, end: int = 100) -> list[StoredChunk]:
        """Chunks number `start` to `end` of a document, both included, 1-based; at most 1,000."""
        return list((await self.section(name, start, end)).chunks)

    async def section(self, name: str, start: int, end: int) -> Section:
        """Chunks number `start` to `end` of a document, both included, 1-based, with their document; at
        most 1,000."""
        return await self._home.finder.section(self._scope, name, start, end)

    async def content(self, name: str) -> Content:
        """The whole canonical text of a document and its chunks, in order."""
        return await self._home.finder.content(self._scope, name)
