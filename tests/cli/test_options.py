from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from atril.cli.options import parse_conditions, parse_cutoffs


def test_conditions_split_at_the_first_equals_sign() -> None:
    assert parse_conditions(["status=in force", "formula=a=b", "note="]) == {
        "status": "in force",
        "formula": "a=b",
        "note": "",
    }


@pytest.mark.parametrize("values", [["status"], ["=x"], [" =x"], ["a=1", "a=2"]])
def test_conditions_that_say_nothing_are_wrong_usage(values: list[str]) -> None:
    with pytest.raises(typer.BadParameter):
        parse_conditions(values)


def test_cutoffs_are_sorted_and_distinct() -> None:
    assert parse_cutoffs("10, 1,5,5") == (1, 5, 10)


@given(st.text())
def test_cutoffs_are_whole_numbers_above_zero_or_wrong_usage(value: str) -> None:
    try:
        cutoffs = parse_cutoffs(value)
    except typer.BadParameter:
        return
    assert cutoffs and all(cutoff >= 1 for cutoff in cutoffs)


@pytest.mark.parametrize(
    "arguments",
    [
        ("add",),
        ("add", "x", "--weight", "0"),
        ("add", "x", "--weight", "-1"),
        ("add", "x", "--weight", "nan"),
        ("add", "x", "--weight", "inf"),
        ("search",),
        ("search", "x", "--top-k", "0"),
        ("search", "x", "--top-k", "1001"),
        ("search", "x", "--mode", "magic"),
        ("search", "x", "--page", "0"),
        ("search", "x", "--where", "status"),
        ("ask", "x", "--pipeline", "magic"),
        ("eval", "x.jsonl", "--k", "1,zero"),
        ("remove",),
        ("unheard-of",),
        ("list", "--unheard-of"),
    ],
)
def test_wrong_usage_ends_with_two_and_prints_nothing_on_standard_output(
    atril: Callable[..., Any], arguments: tuple[str, ...]
) -> None:
    run = atril(*arguments)
    assert run.code == 2
    assert run.out == ""
    assert run.err
