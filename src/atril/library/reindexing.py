"""Making the index of a library anew."""

from __future__ import annotations

from time import perf_counter

from atril.ingest.rebuild import reread
from atril.ingest.recovery import restore
from atril.ingest.stores import compact
from atril.ingest.tally import ProgressListener
from atril.library.base import Base
from atril.types import Document, Progress, ReindexReport, Scope


class Reindexing(Base):
    """Builds the index again from the records."""

    async def reindex(self, *, progress: ProgressListener | None = None) -> ReindexReport:
        """Builds a new index beside the old one with the configured embedder and swaps it in; then reads
        again what an earlier release had read.

        Searches go on meanwhile where they could before. Interrupted, the old index stays.
        """
        start = perf_counter()
        home = self._home
        async with home.writing:
            documents, chunks = await self._rebuild(progress)
            again = await reread(home.ingest, home.stores, documents, progress)
            await compact(home.stores)
        total = sum(map(len, documents.values()))
        return ReindexReport(total, chunks + again.chunks, again.failed, perf_counter() - start)

    async def _rebuild(self, progress: ProgressListener | None) -> tuple[dict[Scope, list[Document]], int]:
        home, records = self._home, self._home.stores.records
        scopes = [Scope(tenant) for tenant in await records.tenants()]
        documents = {scope: await records.documents(scope) for scope in scopes}
        total, done, passed, written = sum(map(len, documents.values())), 0, 0, 0

        def rebuilt(document: Document, chunks: int) -> None:
            nonlocal done, passed
            done, passed = done + 1, passed + chunks
            if progress is not None:
                progress(Progress("embedding", done, total, passed, passed, document.name))

        fresh = await home.new_index()
        try:
            for scope, found in documents.items():
                written += await restore(records, fresh, home.embedding, scope, found, rebuilt)
        except BaseException:
            await home.discard(fresh)
            raise
        await home.swap(fresh)
        return documents, written
