"""Numbers in digits and words, quotes and marks: what an answer is held against."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.answering.checks import foreign_numbers
from atril.answering.marks import read_marks
from atril.answering.numerals import numerals
from atril.answering.quotes import find_quote


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("treinta días", "es", {"30"}),
        ("trescientos sesenta y cinco días", "es", {"365"}),
        ("dos mil quinientos euros", "es", {"2500"}),
        ("two hundred and fifty days", "en", {"250"}),
        ("тридцать пять дней", "ru", {"35"}),
        ("двух тысяч рублей", "ru", {"2000"}),
        ("1.500,50 €", "es", {"1500.5"}),
        ("1,500.50", "en", {"1500.5"}),
        ("1 500", "ru", {"1500"}),
        ("1.500", "es", {"1500", "1.5"}),
        ("0,75 %", "es", {"0.75"}),
    ],
)
def test_a_number_means_the_same_however_it_is_written(text: str, language: str, values: set[str]) -> None:
    assert numerals(text, language)[0].values == values


@pytest.mark.parametrize(
    ("answer", "foreign"),
    [
        ("Son 30 días [99].", []),
        ("Son 41 días.", ["41"]),
        ("Son cuarenta días.", ["cuarenta"]),
        ("Una de las dos partes lo decide.", []),
        ("1. Son 30 días.\n2. El 12.5.2024.", []),
        ("El 15 % de 2.000 €.", ["15", "2.000"]),
        ("Según el artículo 38.1.", []),
    ],
)
def test_every_number_of_an_answer_needs_a_source(answer: str, foreign: list[str]) -> None:
    sources = [("Treinta días naturales desde el 12 de mayo (5) de 2024; art. 38, apartado 1.", "es")]
    assert [each.text for each in foreign_numbers(answer, "es", sources)] == foreign


@given(st.text(), st.sampled_from(["es", "en", "ru", "xx"]))
def test_any_text_can_be_read_and_holds_its_own_numbers(text: str, language: str) -> None:
    for numeral in numerals(text, language):
        assert text[numeral.start : numeral.end].strip() == text[numeral.start : numeral.end]
    assert foreign_numbers(text, language, [(text, language)]) == []


CONTENT = "El trabajador “conocerá” las fechas —dos meses\nantes, al menos— del comienzo del disfrute. Ofi\u00adcina."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('"conocerá" las fechas', "“conocerá” las fechas"),
        ("dos meses antes, al menos", "dos meses\nantes, al menos"),
        ("…DEL COMIENZO del   disfrute…", "del comienzo del disfrute"),
        ("del comienzo del disfrute. Oficina", "del comienzo del disfrute. Ofi\u00adcina"),
        ("tres meses antes", None),
        ("las", None),
        ("", None),
    ],
)
def test_a_models_quote_is_found_whatever_its_blanks_and_signs(quote: str, found: str | None) -> None:
    place = find_quote(quote, CONTENT)
    assert (CONTENT[slice(*place)] if place else None) == found


def test_marks_belong_to_what_stands_before_them() -> None:
    marked = read_marks(
        'Uno sin nada. Dos va aquí [1]. Tres detrás. [2, 3] Cuatro [4: "palabras exactas"] sigue.', "es"
    )
    owned = [[mark.numbers for mark in sentence.marks] for sentence in marked.sentences]
    assert owned == [[], [(1,)], [(2, 3)], [(4,)]]
    assert marked.bare == "Uno sin nada. Dos va aquí. Tres detrás. Cuatro sigue."
    assert marked.sentences[3].marks[0].quote == "palabras exactas"
