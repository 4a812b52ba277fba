"""What every part of a library stands on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from atril.home import Home
from atril.retrieval.finder import Finder
from atril.tools.tool import Tool
from atril.types import Scope


class Base:
    """One home as one tenant or caller sees it."""

    def __init__(
        self, home: Home, scope: Scope, *, largest_file: int, more_tools: Sequence[Tool[Any]] = ()
    ) -> None:
        self._home = home
        self._scope = scope
        self._largest_file = largest_file
        self._more_tools = tuple(more_tools)

    @asynccontextmanager
    async def finding(self) -> AsyncIterator[Finder]:
        """What finds things, for as long as one call needs it; its index is not exchanged then.

        Raises `EmbedderMismatch` and `HomeOutdated`, when the library must be rebuilt first.
        """
        self._home.check_current()
        async with self._home.using_index():
            yield self._home.finder
