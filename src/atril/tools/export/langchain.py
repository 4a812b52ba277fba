"""Tools for LangChain (extra `langchain`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from langchain_core.tools import StructuredTool

from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Toolset


def langchain_tools(
    toolset: Toolset, context: ToolContext | None = None, *, loop: asyncio.AbstractEventLoop | None = None
) -> list[StructuredTool]:
    """Each tool as a `StructuredTool` with both `func` and `coroutine`.

    `loop` is the event loop the tools belong to, which `func` waits on from other threads; without one
    `func` runs the tool in a loop of its own, which suits tools that keep nothing open. On the thread of
    that loop only `coroutine` can be used: `func` raises `RuntimeError` there instead of waiting for ever.
    """
    where = context or ToolContext()
    return [
        StructuredTool(
            name=definition.name,
            description=definition.description,
            args_schema=definition.parameters,
            func=_waiting(toolset, definition.name, where, loop),
            coroutine=_calling(toolset, definition.name, where),
        )
        for definition in toolset.definitions(where.language)
    ]


def _calling(toolset: Toolset, name: str, context: ToolContext) -> Callable[..., Coroutine[Any, Any, str]]:
    async def call(**arguments: Any) -> str:
        return (await toolset.run(Call(name, arguments), context)).text

    return call


def _waiting(
    toolset: Toolset, name: str, context: ToolContext, loop: asyncio.AbstractEventLoop | None
) -> Callable[..., str]:
    coroutine = _calling(toolset, name, context)

    def call(**arguments: Any) -> str:
        try:
            here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if here is not None:
            raise RuntimeError(f"{name} was called without await inside an event loop: use ainvoke")
        if loop is None:
            return asyncio.run(coroutine(**arguments))
        return asyncio.run_coroutine_threadsafe(coroutine(**arguments), loop).result()

    return call
