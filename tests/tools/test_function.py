"""A tool made from a JSON schema and a function: the schema binds, whatever the model was shown."""

from collections.abc import Mapping
from typing import Any

import pytest

from atril.errors import InvalidArgument
from atril.tools.function import tool_from_schema
from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Outcome, Toolset

STOCK = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "pattern": r"^[A-Z]{2}-\d+$", "description": "Article"},
        "units": {"type": "integer", "minimum": 1},
        "shops": {"type": "array", "items": {"type": "object", "required": ["city"]}},
    },
    "required": ["sku"],
}


async def _stock(arguments: Mapping[str, Any], context: ToolContext) -> str:
    return f"{arguments} for {context.scope.tenant}"


async def call(**arguments: Any) -> Outcome:
    tool = tool_from_schema("stock", "How many are left.", STOCK, _stock)
    return await Toolset([tool]).run(Call("stock", arguments), ToolContext())


async def test_arguments_that_fit_reach_the_function() -> None:
    assert (await call(sku="AB-1", units="3")).text == "{'sku': 'AB-1', 'units': 3} for default"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({}, "sku is missing"),
        ({"sku": "bike"}, "sku=bike"),
        ({"sku": "AB-1", "units": 0}, "units=0"),
        ({"sku": "AB-1", "shops": [{}]}, "city is missing"),
        ({"sku": "AB-1", "shops": "all"}, "shops=all"),
    ],
)
async def test_arguments_that_do_not_fit_never_do(arguments: dict[str, Any], part: str) -> None:
    outcome = await call(**arguments)

    assert outcome.status == "try_again"
    assert part in outcome.text


def test_the_model_is_shown_the_schema_as_given() -> None:
    definition = tool_from_schema("stock", "How many are left.", STOCK, _stock).definition()

    assert (definition.description, definition.parameters) == ("How many are left.", STOCK)


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"type": "array"}])
def test_a_schema_that_describes_no_arguments_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="schema"):
        tool_from_schema("stock", "", schema, _stock)
