"""The MCP server on standard input and output.

The library opens while the client is already being answered: what the tools are called and take is known
without it, and a client that waits long for that gives up.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp.server.stdio import stdio_server

from atril import __version__
from atril.cli.texts import said
from atril.errors import AtrilError
from atril.tools.documents import document_tools
from atril.tools.export.mcp import TOKEN_BUDGET, mcp_server
from atril.tools.tool import CannotBeDone, ToolContext
from atril.tools.toolset import Toolset
from atril.types import Document, Scope

if TYPE_CHECKING:
    from atril.app import Library
    from atril.retrieval.finder import Finder


_HEAD_START: Final = 1.0
"""Seconds in which a client usually asks what there is."""


class _Opening:
    """A library on its way; whoever needs it waits, and hears why when it cannot be opened."""

    def __init__(self) -> None:
        self._library: asyncio.Future[Library] = asyncio.get_running_loop().create_future()
        self._wanted = asyncio.Event()
        self._enough = asyncio.Event()

    async def hold(self, home: Path | None, profile: str | None, language: str) -> None:
        with suppress(TimeoutError):  # opening would take the processor from the first answers
            await asyncio.wait_for(self._wanted.wait(), _HEAD_START)
        if self._enough.is_set():
            return
        app = await asyncio.to_thread(import_module, "atril.app")  # takes longer than all the rest
        try:
            async with app.open(home, profile=profile, language=language) as library:
                self._library.set_result(library)
                await self._enough.wait()
        except AtrilError as error:
            sys.stderr.write(error.localized(language) + "\n")
            if not self._library.done():
                self._library.set_exception(CannotBeDone(error.localized(language)))
                self._library.exception()  # seen here, so that nobody asking for it is no error either

    def end(self) -> None:
        self._wanted.set()
        self._enough.set()

    async def library(self) -> Library:
        self._wanted.set()
        return await asyncio.shield(self._library)

    @asynccontextmanager
    async def finding(self) -> AsyncIterator[Finder]:
        async with (await self.library()).finding() as finder:
            yield finder

    async def documents(self, scope: Scope) -> Sequence[Document]:
        return await (await self.library()).within(scope).documents()

    async def text(self, scope: Scope, name: str) -> str:
        return await (await self.library()).within(scope).read(name)


async def serve(home: Path | None, profile: str | None, language: str) -> None:
    """Serves until the client closes its end."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    opening = _Opening()
    context = ToolContext(Scope(language=language), language=language, token_budget=TOKEN_BUDGET)
    server = mcp_server(Toolset(document_tools(opening.finding)), context, shelf=opening, version=__version__)
    sys.stderr.write(said("cli.mcp_ready") + "\n")
    async with asyncio.TaskGroup() as group:
        group.create_task(opening.hold(home, profile, language))
        try:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
        finally:
            opening.end()
