"""The library as people use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from atril.errors import MissingExtra
from atril.home import load_embedder, open_home
from atril.library.evaluating import Evaluating
from atril.library.reindexing import Reindexing
from atril.library.syncing import Syncing
from atril.library.tooling import Tooling
from atril.models.embeddings import Embedder
from atril.profiles.loading import load_profile
from atril.settings import Settings, load_settings
from atril.tools.knowledge.options import KnowledgeOptions
from atril.tools.tool import Tool
from atril.types import Scope


@asynccontextmanager
async def open(
    home: str | PathLike[str] | None = None,
    *,
    profile: str | None = None,
    embedder: Embedder | None = None,
    language: str | None = None,
    settings: Settings | None = None,
) -> AsyncIterator[Library]:
    """Opens the library in the folder `home`, which is created when absent, and closes it at the end.

    What is not given comes from the settings (`ATRIL_*`, `atril.toml`). An `embedder` that is passed in is
    closed too, even when opening fails. `language` (es, en, ru) is that of messages. Raises `HomeLocked`
    when another process owns the home, `NotAHome` for a file and for a folder with anything else in it,
    `HomeTooNew`, `HomeDamaged`, and for a `profile` (a name or a folder) `ProfileNotFound` and
    `InvalidProfile`.
    """
    async with AsyncExitStack() as stack:
        if embedder is not None:
            stack.push_async_callback(embedder.close)
        chosen = settings or load_settings()
        domain = await asyncio.to_thread(load_profile, profile or chosen.profile)
        folder = Path(fspath(home)) if home is not None else chosen.home
        if embedder is None:
            embedder = load_embedder(chosen.embedder, chosen.embedding_options)
            stack.push_async_callback(embedder.close)
        opened = await stack.enter_async_context(
            open_home(folder, embedder, chosen, language or chosen.language, profile=domain)
        )
        knowledge = await stack.enter_async_context(_knowledge(chosen.knowledge_base))
        scope = Scope(language=opened.language)
        yield Library(opened, scope, largest_file=chosen.reading.file_bytes, more_tools=knowledge)


@asynccontextmanager
async def _knowledge(options: KnowledgeOptions) -> AsyncIterator[tuple[Tool[Any], ...]]:
    """The tool over the configured knowledge base, with a connection for as long as the library is open."""
    if not options.search_url:
        yield ()
        return
    try:
        import httpx  # belongs to an extra, and so do the two below

        from atril.tools.knowledge.client import SearchClient
        from atril.tools.knowledge.search import KnowledgeSearch
    except ImportError as error:
        raise MissingExtra(what="knowledge", extra="http") from error
    async with httpx.AsyncClient() as http:
        yield (KnowledgeSearch(SearchClient(http, options)),)


class Library(Syncing, Reindexing, Evaluating, Tooling):
    """Documents that can be searched and asked. Get one from `atril.open`.

    One library serves one event loop. What a coroutine has reported as added or removed stays so, whatever
    happens to the process afterwards.
    """

    def within(self, scope: Scope) -> Library:
        """The same home as another tenant or caller sees it."""
        seen = replace(scope, language=scope.language or self._home.language)
        return Library(self._home, seen, largest_file=self._largest_file, more_tools=self._more_tools)
