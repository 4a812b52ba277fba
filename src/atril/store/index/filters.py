"""The filter language that every engine understands.

Fields are `collection`, `labels`, `document`, `document_type`, `chunk_type`, `language`, `page`,
`page_end`, `article` and `metadata.<key>`. A field that holds several values matches when any of them
does. A missing field never matches a comparison, so `Not` of a comparison includes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field equals one of the values; no values match nothing."""

    field: str
    values: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The field is a number within the bounds, both included; `None` leaves a side open."""

    field: str
    at_least: int | None = None
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Every:
    """All conditions hold; an empty one always holds."""

    conditions: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one condition holds; an empty one never does."""

    conditions: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: Filter


Filter: TypeAlias = AnyOf | Between | Every | Some | Not


def equals(field: str, value: str | int) -> AnyOf:
    return AnyOf(field, (value,))
