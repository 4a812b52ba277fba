"""Who asks, and the names that stand where none are given."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_TENANT = "default"
DEFAULT_COLLECTION = "default"


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks and what they may see; the first argument of every call into store and index.

    `collections` and `labels` narrow what exists for this caller: `None` and `()` mean all of it, and a
    document is visible when it carries at least one of the labels. `language` is the language of texts
    for people (es, en, ru), never a filter.
    """

    tenant: str = DEFAULT_TENANT
    collections: tuple[str, ...] | None = None
    labels: tuple[str, ...] = ()
    language: str | None = None
    actor: str | None = None
