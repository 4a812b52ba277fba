"""Rows of tables are said with the names of their columns."""

from atril.answering.rows import is_header, readable, says_nothing
from atril.types import Chunk

TABLE = (
    "Key figures\n\n| In millions | 2022 | 2021 |\n|---|---|---|\n| **Net sales** | $66 | (61) |\n|  | 5 | |"
)


def say(content: str, part: str, context: str = "") -> str:
    start = content.index(part)
    return readable(Chunk(1, 0, len(content), content, "table", context=context), start, start + len(part))


def test_a_row_is_said_with_its_columns() -> None:
    assert say(TABLE, "| **Net sales** | $66 | (61) |") == "Net sales — 2022: $66; 2021: (61)"
    assert say(TABLE, "|  | 5 | |") == "2022: 5"


def test_columns_come_from_the_context_where_the_table_goes_on() -> None:
    part = "| Net loss | 7 | 8 |"
    assert say(part + "\n| Tax | 1 | 2 |", part, "Report\n| | 2022 | 2021 |") == "Net loss — 2022: 7; 2021: 8"


def test_columns_that_do_not_fit_or_are_unknown_are_left_out() -> None:
    row = "| Net loss | 7 | 8 |"
    assert say(row, row) == "Net loss — 7; 8"
    assert say(row, row, "| 2022 |") == "Net loss — 7; 8"
    assert say("A sentence before.\n\n" + row, row, "| | 2022 | 2021 |") == "Net loss — 7; 8"


def test_a_row_of_values_in_the_place_of_the_columns_is_not_said_as_theirs() -> None:
    exhibits = "| 4.1 | Bylaws | 3/8/2011 |\n|---|---|---|\n| 4.2 | Plan | 3/19/2021 |"
    assert say(exhibits, "| 4.2 | Plan | 3/19/2021 |") == "4.2 — Plan; 3/19/2021"
    firms = "| One Ltd | Spain |\n|---|---|\n| Two Ltd | Malta |\n| Three Ltd | Spain |"
    assert say(firms, "| Two Ltd | Malta |") == "Two Ltd — Malta"


def test_what_is_no_row_stays_as_it_is() -> None:
    assert say(TABLE, "Key figures") == "Key figures"
    assert say("| |", "| |") == "| |"


def test_the_row_of_columns_is_known_as_such() -> None:
    header, row = "| In millions | 2022 | 2021 |", "| **Net sales** | $66 | (61) |"
    for part, expected in ((header, True), ("|---|---|---|", True), (row, False), ("Key figures", False)):
        start = TABLE.index(part)
        assert is_header(TABLE, start, start + len(part)) is expected


def test_rows_that_only_name_others_and_those_of_a_table_of_contents_say_nothing() -> None:
    table = "| Item | Title | Page |\n|---|---|---|\n| 1B | Comments | 17 |"
    prices = "| | 2022 |\n|---|---|\n| **Liabilities** | |\n| Debt | 7 |"
    for content, part, nothing in (
        (table, "| 1B | Comments | 17 |", True),
        (prices, "| **Liabilities** | |", True),
        (prices, "| Debt | 7 |", False),
        ("A sentence.", "A sentence.", False),
    ):
        start = content.index(part)
        chunk = Chunk(1, 0, len(content), content, "table")
        assert says_nothing(chunk, start, start + len(part)) is nothing
