"""Tools for the chat API of OpenAI and of the servers that speak it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Toolset


def openai_tools(toolset: Toolset, language: str = "en") -> list[dict[str, Any]]:
    """The value of `tools` in a request for a chat completion."""
    return [
        {
            "type": "function",
            "function": {
                "name": definition.name,
                "description": definition.description,
                "parameters": definition.parameters,
            },
        }
        for definition in toolset.definitions(language)
    ]


async def openai_messages(
    tool_calls: Iterable[Mapping[str, Any]], toolset: Toolset, context: ToolContext
) -> list[dict[str, Any]]:
    """Runs the `tool_calls` of an assistant's message and gives the messages that answer them, in order.

    Arguments that are no JSON object are answered like any other mistake, with what to send instead.
    """
    calls = [_call(each) for each in tool_calls]
    outcomes = await toolset.run_all(calls, context)
    return [
        {"role": "tool", "tool_call_id": outcome.call.id, "content": outcome.text} for outcome in outcomes
    ]


def _call(given: Mapping[str, Any]) -> Call:
    function = given["function"]
    return Call(function["name"], arguments_of(function.get("arguments")), id=given.get("id"))


def arguments_of(written: Any) -> dict[str, Any]:
    """Arguments as a mapping; models send them as JSON in a text, and some send nothing or a bare value."""
    if isinstance(written, Mapping):
        return dict(written)
    try:
        value = json.loads(written or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
