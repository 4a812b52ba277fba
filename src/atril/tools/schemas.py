"""JSON schemas of arguments, without what costs a model tokens and tells it nothing."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_DROPPED = ("title",)


def compact_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an object of arguments: no titles, no `null` beside an optional type."""
    schema: dict[str, Any] = _compact(arguments.model_json_schema())
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def _compact(node: Any, *, of_properties: bool = False) -> Any:
    if isinstance(node, list):
        return [_compact(each) for each in node]
    if not isinstance(node, dict):
        return node
    if not of_properties:
        node = _without_null({key: value for key, value in node.items() if key not in _DROPPED})
    return {
        key: _compact(value, of_properties=key in ("properties", "$defs") and not of_properties)
        for key, value in node.items()
    }


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """`anyOf: [X, null]` says what leaving the argument out says already."""
    choices = node.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        kept = [choice for choice in choices if choice != {"type": "null"}]
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        if rest.get("default", 0) is None:
            del rest["default"]
        return {**kept[0], **rest} if len(kept) == 1 else {**rest, "anyOf": kept}
    return node
