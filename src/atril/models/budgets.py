"""Budgets of requests and tokens per minute, which make callers queue and then give up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal

_MINUTE: Final = 60.0

Limit = Literal["requests", "tokens", "one_request"]


class OverBudget(Exception):
    """The budget leaves no room in time. `wait` is the seconds until it would, `one_request` says that a
    single request is larger than a whole minute's tokens."""

    def __init__(self, limit: Limit, allowed: int, wait: float) -> None:
        super().__init__(f"{limit} {allowed} {wait:.1f}")
        self.limit = limit
        self.allowed = allowed
        self.wait = wait


@dataclass(slots=True)
class Spending:
    """One request in the window. `tokens` is an estimate until the reply is there."""

    at: float
    tokens: int


class Budget:
    """Counts the requests and tokens of the last minute, or of another `window` in seconds. Callers are
    served in the order they came.

    What a reply will cost in tokens written is known only afterwards: a request counts with what it sends,
    and with what it really used from `settle` on.
    """

    def __init__(
        self,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        window: float = _MINUTE,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._requests = requests
        self._tokens = tokens
        self._window = window
        self._clock = clock
        self._spent: deque[Spending] = deque()
        self._turn = asyncio.Lock()

    async def take(self, tokens: int, within: float) -> Spending:
        """Waits for room for one request that sends `tokens`.

        Raises `OverBudget` when there will be none within `within` seconds: at once where that can be told,
        so that nobody waits for nothing.
        """
        if self._requests is None and self._tokens is None:
            return Spending(self._clock(), tokens)
        if self._tokens is not None and tokens > self._tokens:
            raise OverBudget("one_request", self._tokens, 0.0)
        until = self._clock() + within
        try:
            async with asyncio.timeout(within):
                await self._turn.acquire()
        except TimeoutError:
            raise OverBudget(*self._tightest(), within) from None
        try:
            return await self._admitted(tokens, until)
        finally:
            self._turn.release()

    def settle(self, spending: Spending, tokens: int) -> None:
        """Replaces the estimate by the tokens that a request used."""
        spending.tokens = tokens

    async def _admitted(self, tokens: int, until: float) -> Spending:
        while True:
            limit, wait = self._obstacle(tokens)
            now = self._clock()
            if wait <= 0.0:
                spending = Spending(now, tokens)
                self._spent.append(spending)
                return spending
            if now + wait > until:
                raise OverBudget(limit, self._allowed(limit), wait)
            await asyncio.sleep(wait)

    def _obstacle(self, tokens: int) -> tuple[Limit, float]:
        """Which limit keeps a request waiting longest, and for how many seconds."""
        now = self._clock()
        while self._spent and self._spent[0].at <= now - self._window:
            self._spent.popleft()
        by_requests = self._until_few(now)
        by_tokens = self._until_light(now, tokens)
        return ("requests", by_requests) if by_requests >= by_tokens else ("tokens", by_tokens)

    def _until_few(self, now: float) -> float:
        if self._requests is None or len(self._spent) < self._requests:
            return 0.0
        return self._spent[len(self._spent) - self._requests].at + self._window - now

    def _until_light(self, now: float, tokens: int) -> float:
        if self._tokens is None:
            return 0.0
        over = sum(each.tokens for each in self._spent) + tokens - self._tokens
        for each in self._spent:
            if over <= 0:
                break
            over -= each.tokens
            if over <= 0:
                return each.at + self._window - now
        return 0.0

    def _tightest(self) -> tuple[Limit, int]:
        limit: Limit = "requests" if self._requests is not None else "tokens"
        return limit, self._allowed(limit)

    def _allowed(self, limit: Limit) -> int:
        return (self._requests if limit == "requests" else self._tokens) or 0
