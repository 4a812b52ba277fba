"""One reply being sought from a remote model: its deadline, its attempts, its budget and what it cost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from atril.errors import NoReply
from atril.models.budgets import Budget, OverBudget, Spending
from atril.models.chat import Completion, Message
from atril.models.counting import estimate_tokens
from atril.models.failures import Failure, Unusable, pause_before, shown_address
from atril.models.options import ModelOptions
from atril.types import Tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

_log = logging.getLogger(__name__)

_MESSAGE_TOKENS: Final = 4
"""What the marks around one message cost, near enough for an estimate."""


class Call:
    """Its time begins when it is made. `deadline` is in the event loop's time."""

    def __init__(self, options: ModelOptions, messages: Sequence[Message], budget: Budget) -> None:
        self._options = options
        self._budget = budget
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._sends = sum(estimate_tokens(each.content) + _MESSAGE_TOKENS for each in messages)
        self._requests = 0
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
        pause = pause_before(self._requests, failure.wait, self._options.pause)
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
        """When the next event of a stream must be there."""
        if not begun:
            return self.deadline
        return min(self._loop.time() + self._options.stall, self._started + self._options.longest)

    def completion(self, text: str, response: ModelResponse, *, cut_off: bool) -> Completion:
        """The reply with its tokens, estimated where the server did not tell them."""
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
        elif not isinstance(error, Unusable):
            failure = Failure("broken", fields=failure.fields)
        return self.unavailable(failure)

    def unavailable(self, failure: Failure) -> NoReply:
        """The error to raise for it."""
        fields = {
            "seconds": f"{self._options.timeout:g}",
            "server": shown_address(self._options.base_url),
            **failure.fields,
        }
        return NoReply(model=self._options.model, problem=failure.problem, requests=self._requests, **fields)

    def _left(self) -> float:
        return self.deadline - self._loop.time()
