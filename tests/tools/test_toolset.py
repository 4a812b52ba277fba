"""What every tool gets from the set it is in: reading of arguments, limits, consent, errors as text."""

import asyncio
import logging
from typing import Any

import pytest
from pydantic import BaseModel, Field

from atril.errors import DocumentNotFound, InvalidArgument, ModelUnavailable
from atril.tools.tool import CannotBeDone, Tool, ToolContext, TryAgain
from atril.tools.toolset import Call, Outcome, Toolset
from tools.calls import echoing


class Order(BaseModel):
    dish: str = Field(min_length=1, description="What to order")
    portions: int = Field(default=1, ge=1, le=10)


class PlaceOrder(Tool[Order]):
    """Orders a dish."""

    name = "place_order"
    effect = "write"
    confirmation = True
    role = "waiter"

    def __init__(self) -> None:
        self.placed: list[Order] = []

    async def run(self, arguments: Order, context: ToolContext) -> str:
        await asyncio.sleep(0)
        self.placed.append(arguments)
        return f"Ordered: {arguments.portions} × {arguments.dish}"


class Failing(Tool[Order]):
    """Fails."""

    name = "failing"
    timeout = 0.01

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def run(self, arguments: Order, context: ToolContext) -> str:
        if self._error is None:
            await asyncio.sleep(10)
            return "never"
        raise self._error


async def run(toolset: Toolset, name: str, context: ToolContext | None = None, /, **given: Any) -> Outcome:
    return await toolset.run(Call(name, given), context or ToolContext())


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ({"query": "a", "top_k": "3"}, '"top_k":3'),
        ({"query": "a", "top_k": 4.0}, '"top_k":4'),
        ({"query": "a", "top_k": "7 results"}, '"top_k":7'),
        ({"query": "a", "min_score": "0,5"}, '"min_score":0.5'),
        ({"query": "a", "top_k": ""}, '"top_k":5'),
        ({"query": "a", "top_k": None}, '"top_k":5'),
        ({"query": 2024}, '"query":"2024"'),
        ({"Query": "a"}, '"query":"a"'),
    ],
)
async def test_a_reading_tool_takes_what_can_be_understood(given: dict[str, Any], understood: str) -> None:
    outcome = await run(echoing(), "tool_lexical_search", **given)

    assert outcome.done
    assert understood in outcome.text


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"top_k": 99}, "Note: top_k=99 is above the maximum; 10 was used"),
        ({"top_k": -1}, "Note: top_k=-1 is below the minimum; 1 was used"),
        ({"top_k": "many"}, "Note: top_k=many makes no sense; 5 was used"),
        ({"limit": 3}, "Note: limit is not a parameter and was ignored (there are: query, top_k, min_score)"),
    ],
)
async def test_what_is_not_taken_as_written_is_said(given: dict[str, Any], note: str) -> None:
    outcome = await run(echoing(), "tool_lexical_search", query="a", **given)

    assert outcome.done
    assert outcome.text.splitlines()[-1].strip() == note


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Error: query is missing. Repeat the call with <query>…</query>."),
        ("es", "Error: falta query. Repite la llamada con <query>…</query>."),
        ("ru", "Error: не задан query. Повтори вызов с <query>…</query>."),
    ],
)
async def test_what_is_missing_is_named_in_the_models_language(language: str, text: str) -> None:
    outcome = await run(echoing(), "tool_lexical_search", ToolContext(language=language))

    assert (outcome.status, outcome.text) == ("try_again", text)


async def test_a_choice_is_read_with_mistakes_and_refused_with_the_choices() -> None:
    near = await run(echoing(), "tool_regex_search", predefined="E-mail")
    far = await run(echoing(), "tool_regex_search", predefined="colour")

    assert near.done and '"predefined":"email"' in near.text
    assert far.status == "try_again" and "'email' or 'url'" in far.text


async def test_a_tool_that_writes_guesses_nothing() -> None:
    toolset, waiter = Toolset([PlaceOrder()]), ToolContext(role="waiter")

    outcome = await run(toolset, "place_order", waiter, dish="paella", portions=500)

    assert outcome.status == "try_again"
    assert "portions=500" in outcome.text


async def test_a_write_runs_only_after_the_user_has_agreed_to_this_very_call() -> None:
    tool = PlaceOrder()
    toolset = Toolset([tool])
    asked = await run(toolset, "place_order", ToolContext(role="waiter", conversation="c1"), dish="paella")
    assert (asked.status, tool.placed) == ("confirm", [])

    agreed = frozenset([asked.confirmation or ""])
    here = ToolContext(role="waiter", conversation="c1", confirmed=agreed)
    elsewhere = ToolContext(role="waiter", conversation="c2", confirmed=agreed)

    assert (await run(toolset, "place_order", elsewhere, dish="paella")).status == "confirm"
    assert (await run(toolset, "place_order", here, dish="gazpacho")).status == "confirm"
    assert (await run(toolset, "place_order", here, dish="paella")).text == "Ordered: 1 × paella"


async def test_the_same_write_with_the_same_key_happens_once_even_at_the_same_time() -> None:
    tool = PlaceOrder()
    toolset = Toolset([tool])
    first = await toolset.run(Call("place_order", {"dish": "paella"}), ToolContext(role="waiter"))
    context = ToolContext(role="waiter", confirmed=frozenset([first.confirmation or ""]))
    call = Call("place_order", {"dish": "paella"}, key="order-1")

    outcomes = await asyncio.gather(*(toolset.run(call, context) for _ in range(3)))

    assert [outcome.text for outcome in outcomes] == ["Ordered: 1 × paella"] * 3
    assert len(tool.placed) == 1


async def test_a_key_that_ran_with_other_arguments_is_refused() -> None:
    tool = PlaceOrder()
    toolset = Toolset([tool])
    asked = [
        await run(toolset, "place_order", ToolContext(role="waiter"), dish=dish) for dish in ("paella", "tea")
    ]
    context = ToolContext(role="waiter", confirmed=frozenset(each.confirmation or "" for each in asked))
    await toolset.run(Call("place_order", {"dish": "paella"}, key="order-1"), context)

    refused = await toolset.run(Call("place_order", {"dish": "tea"}, key="order-1"), context)

    assert refused.status == "cannot"
    assert "other arguments" in refused.text
    assert len(tool.placed) == 1


async def test_a_role_is_needed_to_see_and_to_call() -> None:
    toolset = Toolset([PlaceOrder()])

    assert (await run(toolset, "place_order", ToolContext(role="guest"), dish="x")).status == "cannot"
    assert toolset.for_role("guest").names == ()
    assert toolset.for_role("waiter").names == ("place_order",)


@pytest.mark.parametrize(
    ("error", "status", "part"),
    [
        (TryAgain("Error: another date"), "try_again", "another date"),
        (CannotBeDone("Error: closed"), "cannot", "closed"),
        (DocumentNotFound(name="a", similar="b.md"), "try_again", "Similar names: b.md"),
        (DocumentNotFound(name="a", similar=""), "try_again", "nor one like it"),
        (InvalidArgument(name="top_k", value=0, allowed="1"), "try_again", "top_k"),
        (ModelUnavailable(model="m", detail="off", remedy="Start it."), "cannot", "Start it."),
        (ZeroDivisionError("secret 42"), "cannot", "internal problem"),
        (None, "cannot", "did not answer within 0.01 s"),
    ],
)
async def test_nothing_a_tool_raises_reaches_the_agent(
    error: Exception | None, status: str, part: str
) -> None:
    outcome = await run(Toolset([Failing(error)]), "failing", dish="x")

    assert outcome.status == status
    assert part in outcome.text
    assert "secret" not in outcome.text


async def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    outcome = await run(echoing(), "tool_weather")

    assert outcome.status == "try_again"
    assert "tool_lexical_search, tool_regex_search" in outcome.text


async def test_the_log_tells_name_outcome_and_sizes_and_no_contents(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "atril.tools")

    await run(echoing(), "tool_lexical_search", query="mi sueldo secreto")
    await run(Toolset([Failing(ZeroDivisionError("mi sueldo secreto"))]), "failing", dish="mi sueldo secreto")

    lines = [record.getMessage() for record in caplog.records]
    assert any("tool=tool_lexical_search outcome=done" in line for line in lines)
    assert not any("sueldo" in line for line in lines)


async def test_reads_run_side_by_side_and_answer_in_order() -> None:
    together = asyncio.Barrier(2)

    class Meeting(Tool[Order]):
        """Waits for the other one."""

        name = "meeting"

        async def run(self, arguments: Order, context: ToolContext) -> str:
            await together.wait()
            return arguments.dish

    calls = [Call("meeting", {"dish": "a"}), Call("meeting", {"dish": "b"})]

    assert [each.text for each in await Toolset([Meeting()]).run_all(calls, ToolContext())] == ["a", "b"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="place_order"):
        Toolset([PlaceOrder(), PlaceOrder()])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "9" * 400, [1], {"a": 1}, "1e999"])
async def test_no_value_is_too_strange_to_be_answered(value: Any) -> None:
    outcome = await run(echoing(), "tool_lexical_search", query="a", top_k=value)

    assert outcome.done
    assert "top_k" in outcome.text


async def test_the_only_argument_under_another_name_is_taken_and_said() -> None:
    outcome = await run(echoing(), "tool_lexical_search", q="vacaciones")

    assert outcome.done and '"query":"vacaciones"' in outcome.text
    assert "q was read as query" in outcome.text


async def test_what_an_argument_takes_is_said_in_the_models_language() -> None:
    waiter = ToolContext(language="es", role="waiter")
    outcome = await run(Toolset([PlaceOrder()]), "place_order", waiter, dish="x", portions="zz")

    assert "un número entero, 1–10" in outcome.text
