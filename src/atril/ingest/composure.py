"""Keeps searches of the same process quick while documents are added.

Adding makes objects by the hundred thousand, and shares the interpreter with the event loop that answers
searches. Two settings of the interpreter then decide how long a search waits, and both are set only for as
long as something is being added, here and nowhere else.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

SWITCH_SECONDS: Final = 0.001
"""How long a thread that computes may hold the interpreter while the loop waits for it. Python's own 5 ms come
up several times in one search, once for each thread it asks."""


class _Composure:
    def __init__(self) -> None:
        self._lock = Lock()
        self._adding = 0
        self._interval = 0.0
        self._set = 0.0
        self._froze = False

    def begin(self) -> None:
        with self._lock:
            self._adding += 1
            if self._adding > 1:
                return
            self._interval = sys.getswitchinterval()
            sys.setswitchinterval(min(self._interval, SWITCH_SECONDS))
            self._set = sys.getswitchinterval()  # which is rounded
            # A program that freezes objects itself has plans of its own for them, which an end to the freeze
            # would upset.
            self._froze = gc.get_freeze_count() == 0
            if self._froze:
                gc.freeze()

    def end(self) -> None:
        with self._lock:
            self._adding -= 1
            if self._adding:
                return
            if sys.getswitchinterval() == self._set:
                sys.setswitchinterval(self._interval)
            if self._froze:
                gc.unfreeze()


_composure: Final = _Composure()


@contextmanager
def composed() -> Iterator[None]:
    """For as long as it lasts, full rounds of the garbage collector pass over the objects that are there at its
    beginning, most of them the program itself: looking at them all stops everything for a tenth of a second,
    again and again. Garbage in cycles from before is collected afterwards. May be entered by several at once.
    """
    _composure.begin()
    try:
        yield
    finally:
        _composure.end()
