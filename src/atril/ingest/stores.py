"""The parts of a home that a document is written to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from atril.store.index.protocol import CompactionFailed, Index
from atril.store.originals import Originals
from atril.store.records import Records
from atril.types import Scope


@dataclass(frozen=True, slots=True)
class Stores:
    """Where a document's parts go: its text and chunks, its points, its bytes.

    `keeping` is held while an original is stored and referred to, and while one that nothing refers to is
    deleted, so that the same bytes are never taken from under a new document.
    """

    records: Records
    index: Index
    originals: Originals
    keeping: asyncio.Lock = field(default_factory=asyncio.Lock)


async def compact(stores: Stores) -> None:
    """Waits until the index has taken in what was added; one that fails at it has said so and goes on."""
    with suppress(CompactionFailed):
        await stores.index.compact()


async def forget(stores: Stores, scope: Scope, versions: Sequence[UUID]) -> None:
    """Takes versions that no longer count out of the index, the records and the originals, in that order:
    interrupted at any point, the records still know what is left to do."""
    if not versions:
        return
    await stores.index.delete(scope, versions)
    async with stores.keeping:
        unused = await stores.records.purge(scope, versions)
        await asyncio.to_thread(stores.originals.delete, scope.tenant, unused)
