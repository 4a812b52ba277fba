"""Bringing index and records into agreement: after an interruption, and when an index is built anew.

The records decide. A version they call pending or retired is nobody's, and its points go; a current
version without points gets them again, from the cache of vectors where it can.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from atril.documents.analysis import TermCounts, term_counts
from atril.documents.chunking import passage
from atril.errors import DocumentNotFound
from atril.ingest.embedding import Embedding
from atril.ingest.points import to_points
from atril.ingest.stores import Stores, forget
from atril.store.index.protocol import Index
from atril.store.records import Records
from atril.types import Document, Scope

Listener = Callable[[Document, int], None]

AT_ONCE = 1_000
"""Chunks of one document in hand at a time."""


async def settle(stores: Stores) -> None:
    """Ends what an interrupted process had begun, and removes originals that nothing refers to."""
    left = await stores.records.unsettled()
    for tenant in sorted({each.tenant for each in left}):
        await forget(stores, Scope(tenant), [each.version for each in left if each.tenant == tenant])
    referenced = await stores.records.content_hashes()
    await asyncio.to_thread(stores.originals.sweep, referenced)


async def agree(stores: Stores, embedding: Embedding) -> int:
    """Deletes points of unknown versions and restores the missing ones; gives the chunks restored.

    Costs one count per tenant when all is well.
    """
    restored = 0
    for tenant in await stores.records.tenants():
        scope = Scope(tenant)
        expected = (await stores.records.statistics(scope, ())).chunks
        if await stores.index.count(scope) == expected:
            continue
        documents = await stores.records.documents(scope)
        present = {version async for version in stores.index.versions(scope)}
        await stores.index.delete(scope, sorted(present - {each.version for each in documents}))
        missing = [each for each in documents if each.version not in present]
        surviving = expected - sum(each.chunks for each in missing)
        if await stores.index.count(scope) != surviving:
            missing = documents
        restored += await restore(stores.records, stores.index, embedding, scope, missing)
    return restored


async def restore(
    records: Records,
    index: Index,
    embedding: Embedding,
    scope: Scope,
    documents: Sequence[Document],
    listener: Listener = lambda document, chunks: None,
) -> int:
    """Writes the points of current versions into `index` from the records; gives the chunks written."""
    written = 0
    for document in documents:
        with suppress(DocumentNotFound):  # removed in the meantime
            written += await _restore_one(records, index, embedding, scope, document)
        listener(document, document.chunks)
    await index.flush()
    return written


async def _restore_one(
    records: Records, index: Index, embedding: Embedding, scope: Scope, document: Document
) -> int:
    for start in range(1, document.chunks + 1, AT_ONCE):
        stored = await records.chunks(scope, document.id, start, start + AT_ONCE - 1)
        passages = [passage(each.chunk) for each in stored]
        vectors = await embedding.embed(passages)
        terms = await asyncio.to_thread(_terms, passages, document.language)
        points = to_points(
            document,
            document.id,
            document.version,
            [each.point for each in stored],
            [each.chunk for each in stored],
            terms,
            vectors,
        )
        await index.upsert(scope, points)
    return document.chunks


def _terms(passages: Sequence[str], language: str) -> list[TermCounts]:
    return [term_counts(text, language) for text in passages]
