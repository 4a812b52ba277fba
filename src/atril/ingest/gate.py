"""Many who use something, or one who exchanges it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
    """A readers–writer lock of one event loop. Who wants to be alone comes before those who arrive later."""

    def __init__(self) -> None:
        self._users = 0
        self._unused = asyncio.Event()
        self._unused.set()
        self._open = asyncio.Event()
        self._open.set()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def among_others(self) -> AsyncIterator[None]:
        """Nobody is alone for as long as somebody is in here. Not to be entered again from inside."""
        while not self._open.is_set():  # it may have been closed again since it was opened
            await self._open.wait()
        self._users += 1
        self._unused.clear()
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Waits until everybody has left; whoever comes meanwhile waits until this is over."""
        async with self._turn:
            self._open.clear()
            try:
                await self._unused.wait()
                yield
            finally:
                self._open.set()
