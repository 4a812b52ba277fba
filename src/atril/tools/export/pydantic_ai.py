"""Tools for agents of pydantic-ai (extra `pydantic-ai`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai import Tool as AgentTool
from pydantic_ai.toolsets import FunctionToolset

from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Toolset


def pydantic_ai_toolset(
    toolset: Toolset, context: ToolContext | Callable[[Any], ToolContext] | None = None
) -> FunctionToolset[Any]:
    """The tools as one of an agent's `toolsets`.

    `context` is one for all calls, or makes one from the run's dependencies. Arguments are validated by the
    tools, which answer mistakes in text: the agent's own retries are never spent on them.
    """
    in_context = context if callable(context) else _always(context or ToolContext())
    language = context.language if isinstance(context, ToolContext) else "en"
    tools = [
        AgentTool.from_schema(
            _calling(toolset, definition.name, in_context),
            name=definition.name,
            description=definition.description,
            json_schema=definition.parameters,
            takes_ctx=True,
            sequential=toolset[definition.name].effect == "write",
        )
        for definition in toolset.definitions(language)
    ]
    return FunctionToolset(tools)


def _always(context: ToolContext) -> Callable[[Any], ToolContext]:
    return lambda dependencies: context


def _calling(toolset: Toolset, name: str, in_context: Callable[[Any], ToolContext]) -> Callable[..., Any]:
    async def call(run: RunContext[Any], **arguments: Any) -> str:
        outcome = await toolset.run(Call(name, arguments, id=run.tool_call_id), in_context(run.deps))
        return outcome.text

    return call
