"""A model's text in, the text it reads next out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atril.tools.documents import DocumentTool, Opening
from atril.tools.tool import ToolContext
from atril.tools.toolset import Outcome, Toolset
from atril.tools.wording import wording
from atril.tools.xml import read_calls


@dataclass(frozen=True, slots=True)
class Response:
    """What a model reads, and what became of each call it had written."""

    text: str
    outcomes: tuple[Outcome, ...]


async def respond(text: str, toolset: Toolset, context: ToolContext) -> Response:
    """Runs every call found in a model's text and writes the reply to all of them. Never raises.

    A text without calls gets a reply that shows how to write one.
    """
    calls = read_calls(text, toolset, language=context.language)
    if not calls:
        return Response(_nothing(toolset, context.language), ())
    outcomes = await toolset.run_all(calls, context)
    return Response(written(outcomes, toolset, context), tuple(outcomes))


def written(outcomes: Sequence[Outcome], toolset: Toolset, context: ToolContext) -> str:
    """The header, the reminder, the instructions and the counts, then a block for each outcome."""
    language = context.language
    parts = [wording("header.title", language)]
    if context.question:
        parts.append(wording("header.reminder", language, question=context.question))
    parts += _opening(outcomes, toolset, language)
    parts += [_block(outcome, language) for outcome in outcomes]
    return "\n\n".join(parts) + "\n"


def _opening(outcomes: Sequence[Outcome], toolset: Toolset, language: str) -> list[str]:
    """One successful direct access has instructions of its own, or none, and nothing to count."""
    openings = {_opening_of(outcome, toolset) for outcome in outcomes}
    kind = openings.pop() if len(openings) == 1 else "search"
    if kind == "none":
        return []
    instructions = wording(f"header.{kind}", language)
    if kind != "search":
        return [instructions]
    done = sum(outcome.done for outcome in outcomes)
    executed = len(outcomes)
    counts = wording("header.counts", language, executed=executed, done=done, failed=executed - done)
    return [instructions, counts]


def _opening_of(outcome: Outcome, toolset: Toolset) -> Opening:
    tool = toolset[outcome.call.tool] if outcome.call.tool in toolset.names else None
    if outcome.arguments is None or not outcome.done or not isinstance(tool, DocumentTool):
        return "search"
    return tool.opening(outcome.arguments)


def _block(outcome: Outcome, language: str) -> str:
    if outcome.done:
        return outcome.text
    return wording("block.failed", language, name=outcome.call.tool[:80], text=outcome.text)


def _nothing(toolset: Toolset, language: str) -> str:
    tool = next(iter(toolset))
    argument = next(iter(tool.arguments.model_fields), "")
    known = ", ".join(toolset.names)
    text = wording("error.no_call", language, name=tool.name, argument=argument, known=known)
    return f"{wording('header.title', language)}\n\n{text}\n"
