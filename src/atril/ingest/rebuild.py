"""Reading documents again from their kept originals, when this release would read them otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from atril.documents.reading import ReadDocument
from atril.documents.workers import Readers
from atril.ingest.pipeline import Ingest
from atril.ingest.sources import TEXT_PREFIX, Digest
from atril.store.originals import Originals
from atril.types import Document, Failure, Scope


@dataclass(frozen=True, slots=True)
class OriginalSource:
    """A document of the library, read from the bytes that were kept of it."""

    document: Document
    tenant: str
    originals: Originals

    @property
    def identity(self) -> str:
        return self.document.source

    @property
    def name(self) -> str:
        return self.document.name

    @property
    def folder(self) -> str:
        return self.document.collection

    @property
    def shown(self) -> str:
        return self.document.name

    @property
    def given(self) -> Mapping[str, object]:
        if not self._is_text:
            return {}
        return {"title": self.document.title, "metadata": dict(self.document.metadata)}

    async def digest(self) -> Digest:
        return Digest(self.document.content_hash, self.document.bytes)

    async def read(self, readers: Readers) -> ReadDocument:
        if self._is_text:
            data = await asyncio.to_thread(self.originals.get, self.tenant, self.document.content_hash)
            text = data.decode("utf-8", errors="surrogatepass")
            return await readers.read_text(self.name, self.document.title, text, self.document.metadata)
        return await readers.read(self.name, self.originals.path(self.tenant, self.document.content_hash))

    async def keep(self, originals: Originals, tenant: str) -> str:
        return self.document.content_hash

    @property
    def _is_text(self) -> bool:
        return self.document.source.startswith(TEXT_PREFIX)


async def reread(
    ingest: Ingest, originals: Originals, scope: Scope, documents: Sequence[Document]
) -> tuple[Failure, ...]:
    """Brings documents to what this release makes of them; most are found unchanged.

    One that can no longer be read keeps the version it has and is among the failures.
    """
    failures: list[Failure] = []
    placed = sorted(documents, key=lambda each: (each.collection, each.labels))
    for (collection, labels), group in groupby(placed, key=lambda each: (each.collection, each.labels)):
        sources = [OriginalSource(document, scope.tenant, originals) for document in group]
        report = await ingest.add(scope, sources, collection=collection, labels=labels)
        failures += report.failed
    return tuple(failures)
