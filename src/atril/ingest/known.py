"""What the records know of the documents that are about to be read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final

from atril.store.drafts import KnownDocument
from atril.store.records import Records
from atril.types import Scope

AT_ONCE: Final = 64
FRESH_SECONDS: Final = 1.0


class Known:
    """The documents of one collection by source, looked up many at once and shortly before they are asked for:
    a question of its own for each takes longer than reading a short note."""

    def __init__(self, records: Records, scope: Scope, collection: str, expected: Sequence[str]) -> None:
        """`expected` are the sources that will be asked for, about in that order; others may be."""
        self._records = records
        self._scope = scope
        self._collection = collection
        self._expected = expected
        self._places = {source: place for place, source in enumerate(expected)}
        self._found: dict[str, KnownDocument | None] = {}
        self._found_at = 0.0
        self._asking = asyncio.Lock()

    async def of(self, source: str) -> KnownDocument | None:
        """The document as it stood not more than a second ago."""
        async with self._asking:
            if source not in self._found or monotonic() - self._found_at > FRESH_SECONDS:
                self._found_at = monotonic()
                await self._look_up(source)
            return self._found[source]

    async def now(self, source: str) -> KnownDocument | None:
        """The document as it stands."""
        return (await self._records.identify(self._scope, self._collection, [source])).get(source)

    async def _look_up(self, source: str) -> None:
        place = self._places.get(source)
        some = [source] if place is None else self._expected[place : place + AT_ONCE]
        known = await self._records.identify(self._scope, self._collection, some)
        self._found = {each: known.get(each) for each in some}
