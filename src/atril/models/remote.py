"""A chat model behind a provider's API, around single requests of pydantic-ai."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING

from atril.models.budgets import Budget, Spending
from atril.models.calls import Call
from atril.models.chat import Completion, Delta, Message
from atril.models.failures import Failure, check_usable, failure_of
from atril.models.options import ModelOptions
from atril.models.wire import stopped_short, takes_temperature, text_of, to_wire

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

_log = logging.getLogger(__name__)


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

    async def stream(self, messages: Sequence[Message]) -> AsyncGenerator[Delta | Completion]:
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

    async def _call(self, messages: Sequence[Message]) -> Call:
        """A call whose time begins once the provider's client is loaded."""
        try:
            await self._connected()
        except Exception as error:  # noqa: BLE001  a provider's client raises anything
            raise Call(self._options, messages, self._budget).unavailable(failure_of(error)) from None
        return Call(self._options, messages, self._budget)

    async def _once(self, messages: Sequence[Message], call: Call) -> Completion:
        from pydantic_ai.direct import model_request

        model = await self._connected()
        reply = await model_request(model, to_wire(messages), model_settings=self._settings(model))
        text = reply.text or ""
        check_usable(reply, text)
        return call.completion(text, reply, cut_off=stopped_short(reply))

    async def _pieces(self, messages: Sequence[Message], call: Call) -> AsyncGenerator[Delta | Completion]:
        from pydantic_ai.direct import model_request_stream

        async with AsyncExitStack() as stack:
            async with asyncio.timeout_at(call.deadline):
                model = await self._connected()
                reply = await stack.enter_async_context(
                    model_request_stream(model, to_wire(messages), model_settings=self._settings(model))
                )
            events = aiter(reply)
            text = ""
            while True:
                async with asyncio.timeout_at(call.next_piece_by(begun=bool(text))):
                    event = await anext(events, None)
                if event is None:
                    break
                if piece := text_of(event):
                    text += piece
                    yield Delta(piece)
            response = reply.get()
            check_usable(response, text)
            unended = not (response.provider_details or {}).get("finish_reason")
            yield call.completion(text, response, cut_off=unended or stopped_short(response))

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
        if temperature is not None and self._sends_temperature and takes_temperature(model):
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
