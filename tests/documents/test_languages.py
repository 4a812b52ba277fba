"""Languages of queries, of texts, and of what has none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.languages import UNKNOWN, detect


@pytest.mark.parametrize(
    ("language", "queries"),
    [
        ("es", ["vacaciones anuales", "precio del menú", "indemnización por despido", "baja por enfermedad", "horario"]),
        ("es", ["nomina", "limpieza dental", "envio gratis", "devolver un producto", "art. 53.1 ET", "¿abren hoy?"]),
        ("en", ["refund policy", "vacation days", "opening hours", "net sales 2022", "total assets", "parental leave"]),
        ("en", ["delivery", "capital expenditures", "How do I book a table?", "Apple revenue 2022"]),
        ("ru", ["цена доставки", "возврат товара", "iPhone цена", "гарантия", "отпуск за свой счёт"]),
        ("uk", ["ціна доставки"]),
    ],
)  # fmt: skip
def test_short_queries(language: str, queries: list[str]) -> None:
    assert [detect(query) for query in queries] == [language] * len(queries)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Todos los seres humanos nacen libres e iguales en dignidad y derechos y deben comportarse fraternalmente"),
        ("en", "All human beings are born free and equal in dignity and rights. They are endowed with reason and"),
        ("ru", "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью"),
        ("pt", "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência"),
        ("fr", "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de"),
        ("de", "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt"),
        ("it", "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di"),
        ("ca", "Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de raó i de consciència"),
        ("uk", "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю"),
        ("bg", "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва"),
        ("zh", "人人生而自由,在尊严和权利上一律平等。"),
        ("ja", "すべての人間は、生まれながらにして自由であり"),
        ("ar", "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق"),
        ("el", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι"),
    ],
)  # fmt: skip
def test_texts(language: str, text: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize("text", ["", "  \n", "12.5 %", "ABC-1234", "😀", "https://example.org/a/b"])
def test_what_has_no_language(text: str) -> None:
    assert detect(text) == UNKNOWN


def test_candidates_narrow_the_choice() -> None:
    assert (
        detect("Todos os seres humanos nascem livres e iguais em dignidade", candidates=["es", "en"]) == "es"
    )
    assert detect("ціна доставки", candidates=["en", "ru"]) == "ru"
    assert detect("цена доставки", candidates=["en", "es"]) == UNKNOWN


def test_a_long_text_is_judged_by_more_than_its_beginning() -> None:
    english = "This is the summary of the report that was made for the readers. " * 20
    spanish = "Los trabajadores tienen derecho a las vacaciones que se pacten en el convenio. " * 400
    assert detect(english + spanish) == "es"


@given(st.text(max_size=300), st.one_of(st.none(), st.lists(st.sampled_from(["es", "en", "ru", "de", "zh"]))))
def test_the_answer_is_a_code_among_the_candidates(text: str, candidates: list[str] | None) -> None:
    found = detect(text, candidates=candidates)
    assert found == UNKNOWN or (len(found) == 2 and (candidates is None or found in candidates))
