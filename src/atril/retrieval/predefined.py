"""The patterns that a search can name instead of writing them: data in `patterns.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from atril.retrieval.checks import CHECKS, Check


@dataclass(frozen=True, slots=True)
class Predefined:
    """`expression` is written as a user would; `check`, where there is one, refuses matches that only look
    right."""

    name: str
    expression: str
    examples: tuple[str, ...]
    others: tuple[str, ...]
    check: Check | None


@cache
def predefined_patterns() -> Mapping[str, Predefined]:
    """Every predefined pattern by its name, in the order of the file."""
    source = files(__package__).joinpath("patterns.toml").read_text(encoding="utf-8")
    return {
        name: Predefined(
            name=name,
            expression=entry["expression"],
            examples=tuple(entry["examples"]),
            others=tuple(entry["others"]),
            check=CHECKS[entry["check"]] if "check" in entry else None,
        )
        for name, entry in tomllib.loads(source).items()
    }
