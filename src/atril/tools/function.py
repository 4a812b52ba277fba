"""Tools whose arguments are described by a JSON schema that came from elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from pydantic import BaseModel, ConfigDict, create_model

from atril.errors import InvalidArgument
from atril.tools.tool import DEFAULT_TIMEOUT, Definition, Effect, Tool, ToolContext, TryAgain
from atril.tools.wording import wording

Function = Callable[[Mapping[str, Any], ToolContext], Awaitable[str]]


def tool_from_schema(
    name: str,
    description: str,
    schema: Mapping[str, Any],
    function: Function,
    *,
    effect: Effect = "read",
    confirmation: bool = False,
    timeout: float = DEFAULT_TIMEOUT,
    role: str | None = None,
) -> Tool[Any]:
    """A tool that runs `function(arguments, context)` when its arguments satisfy a JSON schema of an object.

    The schema (draft 2020-12) is checked here and enforced on every call, nested values, patterns and
    `additionalProperties` included: what a model sends is never trusted to fit because the schema was shown
    to it. Raises `InvalidArgument` for a schema that is none.
    """
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise InvalidArgument(name="schema", value=name, allowed=error.message) from error
    if schema.get("type", "object") != "object":
        raise InvalidArgument(name="schema", value=schema["type"], allowed="an object")
    members = {
        "name": name,
        "arguments": _loose_model(name, schema),
        "effect": effect,
        "confirmation": confirmation,
        "timeout": timeout,
        "role": role,
    }
    kind = cast("type[_SchemaTool]", type("SchemaTool", (_SchemaTool,), members))
    return kind(description, schema, function)


class _SchemaTool(Tool[BaseModel]):
    """Checks arguments against the schema itself; the model of arguments only gives them their names."""

    def __init__(self, description: str, schema: Mapping[str, Any], function: Function) -> None:
        self._description = description
        self._schema = dict(schema)
        self._function = function
        self._validator = Draft202012Validator(self._schema)

    def definition(self, language: str = "en") -> Definition:
        return Definition(self.name, self._description, self._schema)

    async def run(self, arguments: BaseModel, context: ToolContext) -> str:
        given = arguments.model_dump(exclude_unset=True)
        problems = sorted(self._validator.iter_errors(given), key=lambda error: list(map(str, error.path)))
        if problems:
            raise TryAgain(" ".join(_sentence(problem, context.language) for problem in problems[:5]))
        return await self._function(given, context)


def _loose_model(name: str, schema: Mapping[str, Any]) -> type[BaseModel]:
    """A model with the schema's properties, numbers and truth values read from text, all else as it came."""
    fields: dict[str, Any] = {
        key: (_SIMPLE.get(_type_of(value), Any), None) for key, value in schema.get("properties", {}).items()
    }
    try:
        return create_model(name, __config__=ConfigDict(protected_namespaces=()), **fields)
    except NameError as error:  # what Python keeps for itself
        raise InvalidArgument(name="schema", value=name, allowed=str(error)) from error


_SIMPLE: Final[Mapping[str, Any]] = {"integer": int | None, "number": float | None, "boolean": bool | None}


def _type_of(schema: Any) -> str:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _sentence(problem: ValidationError, language: str) -> str:
    if problem.validator == "required":
        wanted: list[str] = list(cast("list[str]", problem.validator_value))
        missing = ", ".join(name for name in wanted if name not in cast("dict[str, Any]", problem.instance))
        return wording("error.missing_argument", language, name=missing)
    name = ".".join(map(str, problem.path)) or "arguments"
    value = str(problem.instance)[:40]
    return wording("error.wrong_argument", language, name=name, value=value, detail=problem.message[:200])
