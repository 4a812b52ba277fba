"""A chat model behind a provider's API: attempts, deadlines, budgets and accounting around single requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from atril.errors import NoReply
from atril.models.budgets import Budget, OverBudget, Spending
from atril.models.chat import Completion, Delta, Message
from atril.models.counting import estimate_tokens
from atril.models.failures import Failure, check_usable, failure_of, pause_before
from atril.models.options import ModelOptions
from atril.types import Tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

_log = logging.getLogger(__name__)

_MESSAGE_TOKENS = 4
"""What the marks around one message cost, near enough for an estimate."""


class RemoteModel:
    """The `ChatModel` of a provider. `connect` makes the provider's client, on the first request.

    It belongs to the event loop of its first request.
    """

    def __init__(self, options: ModelOptions, connect: Callable[[], Awaitable[Model]]) -> None:
        self._options = options
        self._connect = connect
        self._budget = Budget(requests=options.requests_per_minute, tokens=options.tokens_per_minute)
        self._connecting = asyncio.Lock()
        self._open = AsyncExitStack()
        self._model: Model | None = None
        self._sends_temperature = options.temperature is not None

    @property
    def id(self) -> str:
        return self._options.model

    def __repr__(self) -> str:
        return f"RemoteModel({self.id!r})"

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """See `ChatModel.complete`."""
        call = await self._call(messages)
        while True:
            spending = await call.begin()
            try:
                async with asyncio.timeout_at(call.deadline):
                    completion = await self._once(messages, call)
            except Exception as error:  # noqa: BLE001  a provider's client raises anything
                await call.pause(self._understood(error))
                continue
            self._settle(spending, completion)
            return completion

    async def stream(self, messages: Sequence[Message]) -> AsyncIterator[Delta | Completion]:
        """See `ChatModel.stream`."""
        call = await self._call(messages)
        while True:
            spending = await call.begin()
            begun = False
            try:
                async with aclosing(self._pieces(messages, call)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            self._settle(spending, piece)
                        begun = True
                        yield piece
                return
            except Exception as error:  # noqa: BLE001  a provider's client raises anything
                failure = self._understood(error)
                if begun:
                    raise call.broken(error, failure) from None
            await call.pause(failure)

    async def close(self) -> None:
        """Closes connections; calling it twice is safe."""
        self._model = None
        await self._open.aclose()

    async def _call(self, messages: Sequence[Message]) -> _Call:
        """A call whose time begins once the provider's client is loaded."""
        try:
            await self._connected()
        except Exception as error:  # noqa: BLE001  a provider's client raises anything
            raise _Call(self._options, messages, self._budget).unavailable(failure_of(error)) from None
        return _Call(self._options, messages, self._budget)

    async def _once(self, messages: Sequence[Message], call: _Call) -> Completion:
        from pydantic_ai.direct import model_request

        model = await self._connected()
        reply = await model_request(model, _to_wire(messages), model_settings=self._settings(model))
        text = reply.text or ""
        check_usable(reply, text)
        return call.completion(text, reply, cut_off=reply.finish_reason == "length")

    async def _pieces(self, messages: Sequence[Message], call: _Call) -> AsyncGenerator[Delta | Completion]:
        from pydantic_ai.direct import model_request_stream

        async with AsyncExitStack() as stack:
            async with asyncio.timeout_at(call.deadline):
                model = await self._connected()
                reply = await stack.enter_async_context(
                    model_request_stream(model, _to_wire(messages), model_settings=self._settings(model))
                )
            events = aiter(reply)
            text = ""
            while True:
                async with asyncio.timeout_at(call.next_piece_by(begun=bool(text))):
                    event = await anext(events, None)
                if event is None:
                    break
                if piece := _text_of(event):
                    text += piece
                    yield Delta(piece)
            response = reply.get()
            check_usable(response, text)
            ended = bool((response.provider_details or {}).get("finish_reason"))
            yield call.completion(text, response, cut_off=response.finish_reason == "length" or not ended)

    async def _connected(self) -> Model:
        async with self._connecting:
            if self._model is None:
                model = await self._connect()
                await self._open.enter_async_context(model)
                self._model = model
            return self._model

    def _settings(self, model: Model) -> ModelSettings:
        """What goes with a request: only what is configured, and of that only what the model takes."""
        settings: ModelSettings = {}
        if "max_retries" not in model.unsupported_settings:
            settings["max_retries"] = 0
        if self._options.max_tokens is not None:
            settings["max_tokens"] = self._options.max_tokens
        temperature = self._options.temperature
        if temperature is not None and self._sends_temperature and _takes_temperature(model):
            settings["temperature"] = temperature
        return settings

    def _understood(self, error: Exception) -> Failure:
        """The meaning of an error; a model that turns out to take no temperature is asked without one."""
        _log.debug("%s: %s", self.id, type(error).__name__)
        if self._sends_temperature and getattr(error, "status_code", 0) == 400:
            body = getattr(error, "body", None)
            if isinstance(body, dict) and body.get("param") == "temperature":
                self._sends_temperature = False
                return Failure("rejected", again=True, wait=0.0, fields={"status": 400})
        return failure_of(error)

    def _settle(self, spending: Spending, completion: Completion) -> None:
        self._budget.settle(spending, completion.tokens.input + completion.tokens.output)


class _Call:
    """One reply being sought: its deadline, its attempts and what they cost."""

    def __init__(self, options: ModelOptions, messages: Sequence[Message], budget: Budget) -> None:
        self._options = options
        self._budget = budget
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._sends = sum(estimate_tokens(each.content) + _MESSAGE_TOKENS for each in messages)
        self._requests = 0
        self._failed = Failure("slow")
        self.deadline = self._started + options.timeout

    async def begin(self) -> Spending:
        """Waits for the budget and counts one request. Raises `NoReply`."""
        try:
            spending = await self._budget.take(self._sends, self._left())
        except OverBudget as error:
            seconds = max(1, round(error.wait))
            fields = {"allowed": error.allowed, "seconds": seconds, "tokens": self._sends}
            raise self.unavailable(Failure(f"budget_{error.limit}", fields=fields)) from None
        self._requests += 1
        return spending

    async def pause(self, failure: Failure) -> None:
        """Waits before the next attempt. Raises `NoReply` when there is none, or when it would come
        too late."""
        if failure.problem == "slow" and self._left() <= 0:
            raise self.unavailable(failure) from None
        pause = pause_before(self._requests, failure, self._options.pause)
        _log.info(
            "model=%s problem=%s status=%s attempt=%d of=%d",
            self._options.model,
            failure.problem,
            failure.fields.get("status", "-"),
            self._requests,
            self._options.attempts,
        )
        if not failure.again or self._requests >= self._options.attempts or pause >= self._left():
            raise self.unavailable(failure) from None
        await asyncio.sleep(pause)

    def next_piece_by(self, *, begun: bool) -> float:
        if not begun:
            return self.deadline
        return min(self._loop.time() + self._options.stall, self._started + self._options.longest)

    def completion(self, text: str, response: ModelResponse, *, cut_off: bool) -> Completion:
        usage = response.usage
        given = bool(usage.input_tokens or usage.output_tokens)
        tokens = (
            Tokens(usage.input_tokens, usage.output_tokens)
            if given
            else Tokens(self._sends, estimate_tokens(text))
        )
        return Completion(text, tokens, cut_off=cut_off, requests=self._requests, estimated=not given)

    def broken(self, error: Exception, failure: Failure) -> NoReply:
        """The error for a reply that failed after its beginning was given."""
        if isinstance(error, TimeoutError):
            over = self._loop.time() >= self._started + self._options.longest
            seconds = self._options.longest if over else self._options.stall
            failure = Failure("endless" if over else "stalled", fields={"seconds": f"{seconds:g}"})
        else:
            failure = Failure("broken", fields=failure.fields)
        return self.unavailable(failure)

    def _left(self) -> float:
        return self.deadline - self._loop.time()

    def unavailable(self, failure: Failure) -> NoReply:
        """The error to raise for it."""
        fields = {
            "seconds": f"{self._options.timeout:g}",
            "server": self._options.base_url or "",
            **failure.fields,
        }
        return NoReply(model=self._options.model, problem=failure.problem, requests=self._requests, **fields)


def _takes_temperature(model: Model) -> bool:
    """OpenAI's models that always reason take none; others say so themselves when asked."""
    profile = dict(model.profile)
    if not profile.get("openai_supports_reasoning"):
        return True
    return bool(profile.get("openai_supports_reasoning_effort_none")) and not profile.get(
        "thinking_enabled_by_default"
    )


def _to_wire(messages: Sequence[Message]) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    wire: list[ModelMessage] = []
    for message in messages:
        match message.role:
            case "system":
                wire.append(ModelRequest([SystemPromptPart(message.content)]))
            case "user":
                wire.append(ModelRequest([UserPromptPart(message.content)]))
            case "assistant":
                wire.append(ModelResponse([TextPart(message.content)]))
    return wire


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    match event:
        case (
            PartStartEvent(part=TextPart(content=text))
            | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
        ):
            return text
        case _:
            return ""
