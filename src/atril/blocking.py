"""The library for programs without an event loop: one thin edge over the coroutines."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from os import PathLike
from threading import Thread
from typing import Any

from atril.app import Library
from atril.app import open as open_library
from atril.models.embeddings import Embedder
from atril.settings import Settings


class SyncLibrary:
    """Has every coroutine of `Library` under the same name with the same arguments, and waits for it."""

    def __init__(self, library: Library, loop: asyncio.AbstractEventLoop) -> None:
        self._library = library
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._library, name)
        if name.startswith("_") or not callable(attribute):
            raise AttributeError(name)
        if inspect.iscoroutinefunction(attribute):
            return self._waiting(attribute)
        if inspect.isasyncgenfunction(attribute):
            return self._iterating(attribute)
        return self._wrapping(attribute)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._library) if not name.startswith("_")]

    def _waiting(self, coroutine: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(coroutine)
        def call(*arguments: Any, **named: Any) -> Any:
            return _wait(self._loop, coroutine(*arguments, **named))

        return call

    def _wrapping(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a method that waits for nothing; a library it gives is for waiting, too."""

        @wraps(method)
        def call(*arguments: Any, **named: Any) -> Any:
            result = method(*arguments, **named)
            return SyncLibrary(result, self._loop) if isinstance(result, Library) else result

        return call

    def _iterating(self, generator: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        @wraps(generator)
        def call(*arguments: Any, **named: Any) -> Iterator[Any]:
            values = generator(*arguments, **named)
            try:
                while True:
                    try:
                        yield _wait(self._loop, anext(values))
                    except StopAsyncIteration:
                        return
            finally:
                _wait(self._loop, values.aclose())

        return call


@contextmanager
def open_sync(
    home: str | PathLike[str] | None = None,
    *,
    profile: str | None = None,
    embedder: Embedder | None = None,
    language: str | None = None,
    settings: Settings | None = None,
) -> Iterator[SyncLibrary]:
    """`atril.open` for a `with` statement; the coroutines run on a thread of their own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="atril", daemon=True)
    thread.start()
    try:
        opening = open_library(home, profile=profile, embedder=embedder, language=language, settings=settings)
        library = _wait(loop, opening.__aenter__())
        try:
            yield SyncLibrary(library, loop)
        finally:
            _wait(loop, opening.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _wait(loop: asyncio.AbstractEventLoop, work: Any) -> Any:
    async def run() -> Any:
        return await work

    future = asyncio.run_coroutine_threadsafe(run(), loop)
    try:
        return future.result()
    except BaseException:
        # An interruption of the waiting thread must reach the work, or it would go on unseen.
        future.cancel()
        raise
