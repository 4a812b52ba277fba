from __future__ import annotations

import pytest

from atril.cli.progress import Pace
from atril.types import Progress


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def reading(done: int, total: int, chunks: int, known: int) -> Progress:
    return Progress("reading", done, total, chunks, known, f"{done}.md")


def test_the_share_counts_chunks_that_are_not_read_yet() -> None:
    pace = Pace(Clock())
    pace.update(reading(5, 10, 20, 100))
    assert pace.share == pytest.approx(0.1)


def test_rate_and_remaining_time_follow_the_clock() -> None:
    clock = Clock()
    pace = Pace(clock)
    clock.now += 10.0
    pace.update(reading(10, 10, 50, 200))
    assert pace.rate == pytest.approx(5.0)
    assert pace.remaining == pytest.approx(30.0)


def test_no_remaining_time_before_there_is_something_to_judge_by() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.update(reading(1, 10, 5, 10))
    assert pace.remaining is None
    clock.now += 60.0
    assert Pace(clock).remaining is None


def test_files_that_are_only_read_are_not_done() -> None:
    pace = Pace(Clock())
    pace.update(reading(3, 4, 30, 30))
    assert pace.done_files == 0
    pace.update(Progress("saving", 2, 4, 30, 30, "2.md"))
    assert (pace.done_files, pace.total_files) == (2, 4)


def test_files_without_passages_still_move_the_share() -> None:
    pace = Pace(Clock())
    pace.update(Progress("saving", 1, 4, 0, 0, "same.md"))
    assert pace.share == pytest.approx(0.25)


def test_work_that_reads_no_files_moves_the_share_too() -> None:
    pace = Pace(Clock())
    pace.update(Progress("embedding", 3, 6, 30, 30, "3.md"))
    assert pace.share == pytest.approx(0.5)
