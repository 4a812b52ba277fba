"""Calls written as JSON, by models trained on functions that have only text to write in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from atril.tools.toolset import Call
from atril.tools.vocabulary import Vocabulary

_NAMES: Final = ("name", "tool", "tool_name", "function")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input", "tool_input")
_ATTEMPTS: Final = 200
_DEPTH: Final = 4


def json_object(text: str) -> dict[str, Any] | None:
    """A text that is one JSON object, and nothing else."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_calls(text: str, vocabulary: Vocabulary, *, most: int) -> Iterator[Call]:
    """Objects with a tool's name and arguments, in lists or other objects too."""
    decoder = json.JSONDecoder()
    position = failures = found = 0
    while failures < _ATTEMPTS and (start := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position, failures = start + 1, failures + 1
            continue
        for call in _calls(value, vocabulary, 0):
            yield call
            found += 1
            if found >= most:
                return


def _calls(value: Any, vocabulary: Vocabulary, depth: int) -> Iterator[Call]:
    if depth > _DEPTH:
        return
    if isinstance(value, dict):
        call = _call(value, vocabulary)
        if call is not None:
            yield call
            return
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _calls(each, vocabulary, depth + 1)


def _call(value: dict[str, Any], vocabulary: Vocabulary) -> Call | None:
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        arguments = json_object(arguments.strip())
    tool = vocabulary.tool_name(name) if name else None
    return Call(tool, arguments) if tool is not None and isinstance(arguments, dict) else None
