"""Long lists in parts: databases bound how many parameters one statement may have."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

IN_LIST: Final = 1000
"""Values of one `IN (…)`, below the limits of every engine."""


def in_parts(values: Collection[T]) -> Iterator[list[T]]:
    """The values in their order, at most `IN_LIST` of them at a time."""
    listed = list(values)
    for start in range(0, len(listed), IN_LIST):
        yield listed[start : start + IN_LIST]
