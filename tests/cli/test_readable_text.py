from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.cli.reading import readable


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("One\nsentence  here.", "One sentence here."),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a · b\n1 · 2"),
        ("## Prices\n\nIn euros.\n\n| a | |\n| 1 | 2 |", "In euros.\na\n1 · 2"),
        ("| a \\| b | c |", "a | b · c"),
        ("# Title\n\n## Part", "Title · Part"),
        ("- one\n- two", "- one - two"),
        ("", ""),
    ],
)
def test_tables_and_headings_lose_their_marks(markdown: str, read: str) -> None:
    assert readable(markdown) == read


@given(st.lists(st.text("abc 1,", min_size=1).filter(str.strip), min_size=1))
def test_prose_keeps_its_words(lines: list[str]) -> None:
    assert readable("\n".join(lines)).split() == " ".join(lines).split()
