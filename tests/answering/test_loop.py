"""A model that only writes text works with tools."""

import pytest

from answering.scripted import Scripted
from atril.answering.loop import AgentLoop, LoopOptions
from atril.tools.tool import ToolContext
from atril.types import Tokens
from tools.calls import echoing

SEARCH = "<tool_lexical_search><query>{}</query></tool_lexical_search>"


async def test_it_runs_calls_until_the_model_answers() -> None:
    model = Scripted("Busco. " + SEARCH.format("vacaciones"), "<think>ya está</think>Son 24 días.")

    result = await AgentLoop(model, echoing()).run("¿Cuántas?", ToolContext(language="es"))

    assert (result.answer, result.stop, result.requests) == ("Son 24 días.", "answer", 2)
    assert result.tokens == Tokens(200, 20)
    assert [len(step.outcomes) for step in result.transcript] == [1, 0]
    reply = model.shown[1][-1]
    assert reply.role == "user"
    assert 'Pregunta original del usuario: "¿Cuántas?"' in reply.content
    assert '"query":"vacaciones"' in reply.content


async def test_the_model_is_told_each_tool_and_how_to_call_it() -> None:
    model = Scripted("Nada que buscar.")

    await AgentLoop(model, echoing()).run("Hola", ToolContext(language="en"))

    instructions = model.shown[0][0]
    assert instructions.role == "system"
    assert "<tool_lexical_search>\n<query>" in instructions.content
    assert "≤ 10; = 5" in instructions.content


@pytest.mark.parametrize(
    ("lines", "options", "stop"),
    [
        ([SEARCH.format("a"), SEARCH.format("a"), "Final."], LoopOptions(), "repetition"),
        ([SEARCH.format("a"), SEARCH.format("b"), "Final."], LoopOptions(steps=1), "steps"),
        ([SEARCH.format(n) for n in range(10)] + ["Final."], LoopOptions(steps=50, tokens=1_000), "budget"),
    ],
)
async def test_a_limit_asks_for_the_answer_once(lines: list[str], options: LoopOptions, stop: str) -> None:
    result = await AgentLoop(Scripted(*lines), echoing(), options=options).run("?", ToolContext())

    assert (result.answer, result.stop) == ("Final.", stop)


async def test_a_model_that_calls_to_the_end_gives_what_it_said_before() -> None:
    call = SEARCH.format("a")
    model = Scripted(call, call, "Creo que 24. " + call)

    result = await AgentLoop(model, echoing()).run("?", ToolContext())

    assert (result.answer, result.stop) == ("Creo que 24.", "repetition")


async def test_a_model_that_fails_leaves_what_was_done() -> None:
    result = await AgentLoop(Scripted(SEARCH.format("a")), echoing()).run("?", ToolContext(language="en"))

    assert (result.answer, result.stop, len(result.transcript)) == ("", "model", 1)
    assert result.error is not None
    assert "Start it." in result.error
