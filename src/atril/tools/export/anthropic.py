"""Tools for the messages API of Anthropic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from atril.tools.export.openai import arguments_of
from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Toolset


def anthropic_tools(toolset: Toolset, language: str = "en") -> list[dict[str, Any]]:
    """The value of `tools` in a request for a message."""
    return [
        {
            "name": definition.name,
            "description": definition.description,
            "input_schema": definition.parameters,
        }
        for definition in toolset.definitions(language)
    ]


async def anthropic_results(
    content: Iterable[Mapping[str, Any]], toolset: Toolset, context: ToolContext
) -> list[dict[str, Any]]:
    """Runs the `tool_use` blocks of an assistant's message; gives the content of the next user message."""
    calls = [
        Call(block["name"], arguments_of(block.get("input")), id=block.get("id"))
        for block in content
        if block.get("type") == "tool_use"
    ]
    outcomes = await toolset.run_all(calls, context)
    return [
        {
            "type": "tool_result",
            "tool_use_id": outcome.call.id,
            "content": outcome.text,
            "is_error": not outcome.done,
        }
        for outcome in outcomes
    ]
