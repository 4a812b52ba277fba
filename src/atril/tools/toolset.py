"""A set of tools behind one door: calls go in, outcomes come out, and nothing is raised."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final, Literal, Protocol

from pydantic import BaseModel

from atril.errors import AmbiguousName, AtrilError, DocumentNotFound, InvalidArgument, NotFound
from atril.tools.arguments import Understood, understand
from atril.tools.tool import CannotBeDone, Definition, Tool, ToolContext, ToolFailure, TryAgain
from atril.tools.wording import wording

_log = logging.getLogger(__name__)

Status = Literal["done", "try_again", "cannot", "confirm"]
"""`try_again`: other arguments may work. `cannot`: none would. `confirm`: the user must agree first."""

_TOKEN_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Call:
    """What a model asked for. `notes` say how its writing was understood; `key` makes a repetition of a
    write harmless: the same key in the same tenant runs once, and is refused with other arguments. `id` is the
    caller's own."""

    tool: str
    arguments: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    key: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call; `text` is for the model. `arguments` are those it ran with. `confirmation` is
    the token that the user's consent to this very call puts into `ToolContext.confirmed`."""

    call: Call
    status: Status
    text: str
    milliseconds: float = 0.0
    arguments: BaseModel | None = None
    confirmation: str | None = None

    @property
    def done(self) -> bool:
        return self.status == "done"


@dataclass(frozen=True, slots=True)
class Written:
    """What a write has answered, and a digest of the arguments that it ran with."""

    arguments: str
    text: str


class Ledger(Protocol):
    """Remembers what writes have answered, by tenant, tool and idempotency key."""

    async def recall(self, tenant: str, tool: str, key: str) -> Written | None: ...

    async def remember(self, tenant: str, tool: str, key: str, written: Written) -> None: ...


class MemoryLedger:
    """A ledger for as long as the process lives; the oldest of `size` entries goes first."""

    def __init__(self, size: int = 10_000) -> None:
        self._size = size
        self._written: dict[tuple[str, str, str], Written] = {}

    async def recall(self, tenant: str, tool: str, key: str) -> Written | None:
        return self._written.get((tenant, tool, key))

    async def remember(self, tenant: str, tool: str, key: str, written: Written) -> None:
        if len(self._written) >= self._size:
            del self._written[next(iter(self._written))]
        self._written[tenant, tool, key] = written


class Toolset:
    """Tools by name. One for a model, one loop, one server: any number may share the same tools."""

    def __init__(self, tools: Iterable[Tool[Any]], *, ledger: Ledger | None = None) -> None:
        self._tools: dict[str, Tool[Any]] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise InvalidArgument(name="tools", value=tool.name, allowed="tools with different names")
            self._tools[tool.name] = tool
        self._ledger = ledger or MemoryLedger()
        self._writing = _Turns()

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __getitem__(self, name: str) -> Tool[Any]:
        return self._tools[name]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def for_role(self, role: str | None) -> Toolset:
        """Only what a caller of this role may call."""
        allowed = [tool for tool in self if tool.role in (None, role)]
        fewer = Toolset(allowed, ledger=self._ledger)
        fewer._writing = self._writing
        return fewer

    def definitions(self, language: str = "en") -> list[Definition]:
        """What a model is told about each tool."""
        return [tool.definition(language) for tool in self]

    async def run(self, call: Call, context: ToolContext) -> Outcome:
        """Runs one call. Whatever goes wrong comes back as the outcome's text; only cancelling raises."""
        start = perf_counter()
        outcome = replace(await self._outcome(call, context), milliseconds=(perf_counter() - start) * 1000)
        _log.info(
            "tool=%s outcome=%s ms=%.1f arguments=%d characters=%d",
            call.tool if call.tool in self._tools else "unknown",
            outcome.status,
            outcome.milliseconds,
            len(call.arguments),
            len(outcome.text),
        )
        return outcome

    async def run_all(self, calls: Sequence[Call], context: ToolContext) -> list[Outcome]:
        """Runs calls, those that only read side by side and those that write in their order."""
        outcomes: dict[int, Outcome] = {}

        async def put(position: int) -> None:
            outcomes[position] = await self.run(calls[position], context)

        reads = [position for position, call in enumerate(calls) if not self._writes(call.tool)]
        async with asyncio.TaskGroup() as group:
            for position in reads:
                group.create_task(put(position))
        for position in range(len(calls)):
            if position not in outcomes:
                await put(position)
        return [outcomes[position] for position in range(len(calls))]

    def _writes(self, name: str) -> bool:
        tool = self._tools.get(name)
        return tool is not None and tool.effect == "write"

    async def _outcome(self, call: Call, context: ToolContext) -> Outcome:
        language = context.language
        tool = self._tools.get(call.tool)
        try:
            if tool is None:
                known = ", ".join(self._tools)
                raise TryAgain(wording("error.unknown_tool", language, name=call.tool[:80], known=known))
            if tool.role is not None and tool.role != context.role:
                raise CannotBeDone(wording("error.role", language, name=tool.name))
            understood = understand(
                tool.arguments, call.arguments, language=language, lenient=tool.effect == "read"
            )
            token = confirmation_token(tool.name, understood, context) if tool.confirmation else None
            if token is not None and token not in context.confirmed:
                text = wording("error.confirm", language, name=tool.name)
                return Outcome(call, "confirm", text, confirmation=token)
            text = await self._run(tool, understood, call.key, context)
            notes = [*call.notes, *understood.notes]
            text = _with_notes(text, notes, language)
            return Outcome(call, "done", text, arguments=understood.arguments)
        except TryAgain as failure:
            return Outcome(call, "try_again", failure.text)
        except ToolFailure as failure:
            return Outcome(call, "cannot", failure.text)
        except Exception as error:  # noqa: BLE001  validators are anybody's code too
            return Outcome(call, "cannot", _unexpected(error, call.tool[:80], language).text)

    async def _run(
        self, tool: Tool[Any], understood: Understood, key: str | None, context: ToolContext
    ) -> str:
        if tool.effect == "read" or key is None:
            return await _guarded(tool, understood, context)
        entry = (context.scope.tenant, tool.name, key)
        arguments = _digest(understood.arguments.model_dump(mode="json"))
        async with self._writing.turn(entry):  # a repetition may come before the first has ended
            earlier = await self._ledger.recall(*entry)
            if earlier is not None and earlier.arguments != arguments:
                raise CannotBeDone(wording("error.key_reused", context.language, name=tool.name))
            if earlier is not None:
                return earlier.text
            text = await _guarded(tool, understood, context)
            await self._ledger.remember(*entry, Written(arguments, text))
            return text


class _Turns:
    """One at a time for each entry; entries nobody waits for are forgotten."""

    def __init__(self) -> None:
        self._locks: dict[tuple[str, str, str], tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, entry: tuple[str, str, str]) -> AsyncIterator[None]:
        lock, waiting = self._locks.get(entry, (asyncio.Lock(), 0))
        self._locks[entry] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks.pop(entry)
            if waiting > 1:
                self._locks[entry] = lock, waiting - 1


async def _guarded(tool: Tool[Any], understood: Understood, context: ToolContext) -> str:
    """Runs a tool within its time; every error becomes one of the two kinds of failure."""
    language = context.language
    try:
        async with asyncio.timeout(tool.timeout):
            return await tool.run(understood.arguments, context)
    except ToolFailure:
        raise
    except TimeoutError as error:
        text = wording("error.timeout", language, name=tool.name, seconds=f"{tool.timeout:g}")
        raise CannotBeDone(text) from error
    except DocumentNotFound as error:
        similar = str(error.fields["similar"])
        key = "document_not_found" if similar else "document_unknown"
        fields = {"name": error.fields["name"], "similar": similar}
        raise TryAgain(wording(f"error.{key}", language, **fields)) from error
    except AmbiguousName as error:
        fields = {"name": error.fields["name"], "matches": error.fields["matches"]}
        raise TryAgain(wording("error.ambiguous_name", language, **fields)) from error
    except (NotFound, InvalidArgument) as error:
        raise TryAgain(error.localized(language)) from error
    except AtrilError as error:
        raise CannotBeDone(error.localized(language)) from error
    except Exception as error:  # a tool is anybody's code
        raise _unexpected(error, tool.name, language) from error


def _unexpected(error: Exception, name: str, language: str) -> CannotBeDone:
    _log.warning("tool=%s failed with %s", name, type(error).__name__)
    _log.debug("what it raised may quote its arguments", exc_info=error)
    return CannotBeDone(wording("error.unexpected", language, name=name))


def confirmation_token(tool: str, understood: Understood, context: ToolContext) -> str:
    """What names one call with its exact arguments in one conversation."""
    call = [
        context.scope.tenant,
        context.conversation,
        tool,
        understood.arguments.model_dump(mode="json"),
    ]
    return _digest(call)[:_TOKEN_DIGITS]


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _with_notes(text: str, notes: Iterable[str], language: str) -> str:
    lines = [wording("note.line", language, text=note) for note in dict.fromkeys(notes)]
    return "\n".join([text, *lines]) if lines else text
