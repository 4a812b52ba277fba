from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.parsing.number_formats import habits_of, is_date, shown


@pytest.mark.parametrize(
    ("value", "code", "language", "seen"),
    [
        ("1234.5", "#,##0.00 [$€-C0A]", "es", "1.234,50 €"),
        ("1234.5", '"$"#,##0.00_);("$"#,##0.00)', "en", "$1,234.50"),
        ("-1234.5", '"$"#,##0.00_);("$"#,##0.00)', "en", "($1,234.50)"),
        ("-7.25", "#,##0.00;[Red]-#,##0.00", "es", "-7,25"),
        ("1200.5", '#,##0.00"р."', "ru", "1 200,50р."),
        ("0", '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-;_-* "-"?? "€"_-;_-@_-', "es", "- €"),
        ("0.215", "0.0%", "es", "21,5%"),
        ("0.5", "0%", "en", "50%"),
        ("12", "00000", "en", "00012"),
        ("1234567.891", '#,##0.0,,"M"', "en", "1.2M"),
        ("0.30000000000000004", "General", "en", "0.3"),
        ("1000000", "General", "es", "1000000"),
        ("45657", "dd/mm/yyyy", "es", "31/12/2024"),
        ("45657.5", "dd.mm.yyyy hh:mm", "ru", "31.12.2024 12:00"),
        ("45657", "[$-419]d mmmm yyyy", "en", "31 декабря 2024"),
        ("45657", "mmm-yy", "es", "dic-24"),
        ("45657.75", "h:mm AM/PM", "en", "6:00 PM"),
        ("1.5", "[h]:mm:ss", "en", "36:00:00"),
        ("12", ";;;", "en", ""),
        ("not a number", "0.00", "en", "not a number"),
    ],
)
def test_a_number_is_shown_as_its_format_says(value: str, code: str, language: str, seen: str) -> None:
    assert shown(value, code, habits_of(language)) == seen


@pytest.mark.parametrize(("code", "answer"), [("yyyy-mm-dd", True), ("[h]:mm", True), ('0.00 "días"', False), ("General", False), ("[Red]0", False)])  # fmt: skip
def test_dates_are_told_from_numbers(code: str, answer: bool) -> None:
    assert is_date(code) is answer


def test_workbooks_may_count_from_1904() -> None:
    assert shown("0", "yyyy-mm-dd", habits_of("en"), since_1904=True) == "1904-01-01"


@given(st.dates(date(1900, 3, 1), date(9999, 12, 31)))
def test_every_day_comes_back(day: date) -> None:
    serial = (day - date(1899, 12, 30)) // timedelta(days=1)
    assert shown(str(serial), "yyyy-mm-dd", habits_of("en")) == day.isoformat()


@given(st.floats(allow_nan=True), st.text(max_size=12))
def test_any_number_in_any_format_is_shown_somehow(value: float, code: str) -> None:
    assert isinstance(shown(repr(value), code, habits_of("es")), str)
