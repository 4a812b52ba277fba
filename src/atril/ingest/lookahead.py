"""Running a few jobs ahead of their reader, with results in the order of the jobs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


async def in_order(
    jobs: AsyncIterable[Job], work: Callable[[Job], Awaitable[Result]], *, ahead: int
) -> AsyncGenerator[Result]:
    """Yields `work(job)` for each job in order, with up to `ahead` of them under way.

    Close the iterator (`contextlib.aclosing`) to cancel what is under way.
    """
    running: deque[asyncio.Future[Result]] = deque()
    try:
        async for job in jobs:
            running.append(asyncio.ensure_future(work(job)))
            if len(running) >= ahead:
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
