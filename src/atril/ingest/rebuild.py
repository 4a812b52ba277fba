"""Reading documents again from their kept originals, when this release would read them otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

from atril.documents.reading import ReadDocument
from atril.documents.workers import PageListener, Readers
from atril.errors import UnreadableDocument
from atril.ingest.pipeline import Ingest
from atril.ingest.sources import TEXT_PREFIX, Digest, TextSource
from atril.ingest.stores import Stores
from atril.ingest.tally import ProgressListener
from atril.store.originals import Arrival, Originals
from atril.types import AddReport, Document, Progress, Scope


@dataclass(frozen=True, slots=True)
class OriginalSource:
    """A document of the library, read from the bytes that were kept of it."""

    document: Document
    given: Mapping[str, object]
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
    def reached(self) -> str | None:
        return None  # its path was remembered when it was added

    @property
    def shown(self) -> str:
        return self.document.name

    async def digest(self) -> Digest:
        return Digest(self.document.content_hash, self.document.bytes)

    async def read(self, readers: Readers, page: PageListener | None = None) -> ReadDocument:
        if self._is_text:
            return await self._read_text(readers)
        path = self.originals.path(self.tenant, self.document.content_hash)
        return await readers.read(self.name, path, page)

    def keep(self, arrival: Arrival) -> str:
        return self.document.content_hash

    async def release(self) -> None:
        pass

    async def _read_text(self, readers: Readers) -> ReadDocument:
        try:
            data = await asyncio.to_thread(self.originals.get, self.tenant, self.document.content_hash)
        except OSError as error:
            raise UnreadableDocument(reason="unreadable", detail=error.strerror or "") from error
        given = TextSource(
            named=self.document.source.removeprefix(TEXT_PREFIX),
            title=str(self.given.get("title", "")),
            text=data.decode("utf-8", errors="surrogatepass"),
            collection=self.document.collection,
            metadata=cast(Mapping[str, str], self.given.get("metadata", {})),
        )
        return await given.read(readers)

    @property
    def _is_text(self) -> bool:
        return self.document.source.startswith(TEXT_PREFIX)


async def reread(
    ingest: Ingest,
    stores: Stores,
    documents: Mapping[Scope, Sequence[Document]],
    progress: ProgressListener | None = None,
) -> AddReport:
    """Brings documents to what this release makes of them; most are found unchanged.

    One that can no longer be read keeps the version it has and is among the failures. One that is removed
    meanwhile stays removed and is not reported.
    """
    total = AddReport()
    done, every = 0, sum(map(len, documents.values()))
    for scope, found in documents.items():
        for (collection, labels), placed in groupby(sorted(found, key=_place), key=_place):
            group = list(placed)
            known = await stores.records.identify(scope, collection, [each.source for each in group])
            sources = [
                OriginalSource(document, known[document.source].given, scope.tenant, stores.originals)
                for document in group
                if document.source in known
            ]
            report = await ingest.add(
                scope,
                sources,
                collection=collection,
                labels=labels,
                update=True,
                progress=_after(done, total.chunks, every, progress),
            )
            done += len(group)
            total = _sum(total, report)
    return total


def _place(document: Document) -> tuple[str, tuple[str, ...]]:
    return document.collection, document.labels


def _after(files: int, chunks: int, every: int, progress: ProgressListener | None) -> ProgressListener | None:
    """Tells `progress` how far all groups have come, `files` and `chunks` of which are done already."""
    if progress is None:
        return None

    def heard(group: Progress) -> None:
        progress(
            replace(
                group,
                done_files=files + group.done_files,
                total_files=every,
                done_chunks=chunks + group.done_chunks,
                total_chunks=chunks + group.total_chunks,
            )
        )

    return heard


def _sum(one: AddReport, other: AddReport) -> AddReport:
    return AddReport(
        updated=one.updated + other.updated,
        unchanged=one.unchanged + other.unchanged,
        failed=one.failed + other.failed,
        warnings=one.warnings + other.warnings,
        chunks=one.chunks + other.chunks,
        seconds=one.seconds + other.seconds,
    )
