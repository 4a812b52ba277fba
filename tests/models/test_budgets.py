from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.models.budgets import Budget, OverBudget


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_without_limits_everything_passes() -> None:
    budget = Budget()
    for _ in range(100):
        await budget.take(10_000, within=0)


async def test_requests_beyond_the_limit_are_refused_at_once_when_waiting_is_no_use() -> None:
    clock = Clock()
    budget = Budget(requests=2, clock=clock)
    await budget.take(1, within=0)
    clock.now += 20
    await budget.take(1, within=0)
    with pytest.raises(OverBudget) as caught:
        await budget.take(1, within=39)
    assert (caught.value.limit, caught.value.allowed, caught.value.wait) == ("requests", 2, 40.0)
    clock.now += 40
    await budget.take(1, within=0)


async def test_tokens_count_as_estimated_until_they_are_known() -> None:
    clock = Clock()
    budget = Budget(tokens=100, clock=clock)
    spending = await budget.take(60, within=0)
    with pytest.raises(OverBudget) as caught:
        await budget.take(50, within=0)
    assert (caught.value.limit, caught.value.wait) == ("tokens", 60.0)
    budget.settle(spending, 20)
    await budget.take(50, within=0)
    budget.settle(spending, 90)
    with pytest.raises(OverBudget):
        await budget.take(1, within=59)


async def test_a_request_larger_than_a_minute_is_refused_for_good() -> None:
    with pytest.raises(OverBudget) as caught:
        await Budget(tokens=100).take(101, within=1000)
    assert (caught.value.limit, caught.value.allowed) == ("one_request", 100)


async def test_callers_queue_and_are_served_in_order() -> None:
    budget = Budget(requests=1, window=0.05)
    served: list[int] = []

    async def ask(number: int) -> None:
        await budget.take(1, within=5)
        served.append(number)

    await asyncio.gather(*(ask(number) for number in range(4)))
    assert served == [0, 1, 2, 3]


async def test_a_caller_behind_others_gives_up_in_time() -> None:
    budget = Budget(requests=1, window=0.3)
    await budget.take(1, within=0)
    first = asyncio.create_task(budget.take(1, within=5))
    await asyncio.sleep(0)
    with pytest.raises(OverBudget):
        await budget.take(1, within=0.05)
    await first


async def test_a_caller_that_is_cancelled_leaves_its_place() -> None:
    budget = Budget(requests=1, window=0.1)
    await budget.take(1, within=0)
    waiting = asyncio.create_task(budget.take(1, within=5))
    await asyncio.sleep(0)
    waiting.cancel()
    await budget.take(1, within=5)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 120)), max_size=60),
    st.integers(1, 5),
    st.integers(20, 100),
)
def test_no_minute_ever_holds_more_than_the_limits(
    arrivals: list[tuple[int, int]], requests: int, tokens: int
) -> None:
    clock = Clock()
    budget = Budget(requests=requests, tokens=tokens, clock=clock)
    admitted: list[tuple[float, int]] = []

    async def run() -> None:
        for pause, size in arrivals:
            clock.now += pause
            try:
                await budget.take(size, within=0)
            except OverBudget:
                continue
            admitted.append((clock.now, size))

    asyncio.run(run())
    for at, _ in admitted:
        minute = [size for when, size in admitted if at - 60 < when <= at]
        assert len(minute) <= requests
        assert sum(minute) <= tokens
