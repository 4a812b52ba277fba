"""The agent loop: a model that only writes text works with tools until it can answer.

The model writes calls as XML, the tools run, their reply is the next message. This is the only loop in the
system; models that call functions natively bring their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import BaseModel, Field

from atril.answering.prompts import prompt
from atril.errors import ModelUnavailable
from atril.models.chat import ChatModel, Completion, Message
from atril.tools.markup import without_thoughts
from atril.tools.responses import written
from atril.tools.tool import Definition, ToolContext
from atril.tools.toolset import Call, Outcome, Toolset
from atril.tools.xml import read_calls
from atril.types import Tokens

Stop = Literal["answer", "steps", "budget", "repetition", "model"]
"""Why a loop ended: with an answer of the model's own accord; asked for one because of too many steps,
tokens or the same calls again; or because the model stopped answering."""

_REPLY_TOKENS: Final = 24_000


class LoopOptions(BaseModel):
    """`steps` is how many times the model may call tools; `tokens` bounds what it reads and writes in all,
    and is checked between steps, so that the last one may exceed it."""

    model_config = {"frozen": True}

    steps: int = Field(default=8, ge=1, le=50)
    tokens: int = Field(default=120_000, ge=1_000)


@dataclass(frozen=True, slots=True)
class LoopStep:
    """One turn of the model's: what it wrote, what became of its calls, and what it read then."""

    wrote: str
    outcomes: tuple[Outcome, ...]
    read: str
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class LoopResult:
    """The model's last text, and everything that led to it. `answer` is empty when the model never gave
    one; `error` then says why."""

    answer: str
    stop: Stop
    transcript: tuple[LoopStep, ...]
    tokens: Tokens
    requests: int
    error: str | None = None


class AgentLoop:
    """Runs a model with a set of tools. Any `Toolset` fits; nothing is kept between runs."""

    def __init__(self, model: ChatModel, toolset: Toolset, *, options: LoopOptions | None = None) -> None:
        self._model = model
        self._toolset = toolset
        self._options = options or LoopOptions()

    async def run(
        self, question: str, context: ToolContext, *, history: Sequence[Message] = ()
    ) -> LoopResult:
        """Works until the model answers or a limit is reached; then it is asked once to answer with what it
        has. A model that fails ends the loop with what was done so far."""
        where = _bounded(context, question)
        run = _Run([self._instructions(where), *history, Message("user", question)])
        try:
            return await self._work(run, where)
        except ModelUnavailable as error:
            return run.result("", "model", error.localized(where.language))

    async def _work(self, run: _Run, context: ToolContext) -> LoopResult:
        seen: set[str] = set()
        while True:
            completion = await run.ask(self._model)
            calls = read_calls(completion.text, self._toolset, language=context.language)
            if not calls:
                run.keep(completion, (), "")
                return run.result(_spoken(completion.text), "answer")
            stop = self._stop(run, calls, seen)
            if stop is not None:
                run.keep(completion, (), prompt("loop_end", context.language))
                final = await run.ask(self._model)
                run.keep(final, (), "")
                return run.result(_without_calls(final.text, self._toolset), stop)
            outcomes = await self._toolset.run_all(calls, context)
            run.keep(completion, tuple(outcomes), written(outcomes, self._toolset, context))

    def _stop(self, run: _Run, calls: Sequence[Call], seen: set[str]) -> Stop | None:
        key = _key(calls)
        if key in seen:
            return "repetition"
        seen.add(key)
        if len(run.steps) >= self._options.steps:
            return "steps"
        return "budget" if run.tokens.input + run.tokens.output >= self._options.tokens else None

    def _instructions(self, context: ToolContext) -> Message:
        tools = "\n\n".join(_described(each) for each in self._toolset.definitions(context.language))
        return Message("system", prompt("loop", context.language, tools=tools))


class _Run:
    """The messages of one run and what they have cost."""

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages
        self._requests = 0
        self.steps: list[LoopStep] = []
        self.tokens = Tokens()

    async def ask(self, model: ChatModel) -> Completion:
        completion = await model.complete(self._messages)
        self._requests += completion.requests
        spent = completion.tokens
        self.tokens = Tokens(self.tokens.input + spent.input, self.tokens.output + spent.output)
        return completion

    def keep(self, completion: Completion, outcomes: tuple[Outcome, ...], read: str) -> None:
        self._messages.append(Message("assistant", completion.text))
        if read:
            self._messages.append(Message("user", read))
        self.steps.append(LoopStep(completion.text, outcomes, read, completion.tokens))

    def result(self, answer: str, stop: Stop, error: str | None = None) -> LoopResult:
        return LoopResult(answer, stop, tuple(self.steps), self.tokens, self._requests, error)


def _bounded(context: ToolContext, question: str) -> ToolContext:
    budget = _REPLY_TOKENS if context.token_budget is None else context.token_budget
    return replace(context, question=context.question or question, token_budget=budget)


def _key(calls: Sequence[Call]) -> str:
    return json.dumps([[call.tool, dict(call.arguments)] for call in calls], sort_keys=True, default=str)


def _described(definition: Definition) -> str:
    """A tool as a model that writes XML needs it: what it is for, and its call with what each part takes."""
    required = definition.parameters.get("required", [])
    lines = [f"{definition.name}: {definition.description}", f"<{definition.name}>"]
    for name, schema in definition.parameters["properties"].items():
        facts = [schema.get("description", "")]
        facts += [", ".join(map(str, schema["enum"]))] if "enum" in schema else []
        facts += [f"≤ {schema['maximum']}"] if "maximum" in schema else []
        facts += [] if name in required else [f"= {schema.get('default', '')}".rstrip(" =")]
        lines.append(f"<{name}>{'; '.join(fact for fact in facts if fact)}</{name}>")
    return "\n".join([*lines, f"</{definition.name}>"])


def _spoken(text: str) -> str:
    return without_thoughts(text).strip()


def _without_calls(text: str, toolset: Toolset) -> str:
    """A last text that still calls tools is no answer to show; what stands before the first call may be."""
    names = "|".join(map(re.escape, toolset.names))
    return re.split(rf"<\s*(?:{names})\b", _spoken(text), maxsplit=1, flags=re.I)[0].strip()
