"""What is searched for when a person asks something."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.retrieval.planner import MAX_KEYWORDS, MAX_QUERIES, plan


@dataclass(frozen=True)
class Said:
    start: int
    end: int
    terms: tuple[str, ...]


def queries(question: str, language: str = "es") -> list[str]:
    return [query.text for query in plan(question, language).queries]


@pytest.mark.parametrize(
    ("question", "language", "planned"),
    [
        ("¿Cuántos días de vacaciones tengo?", "es", ["días vacaciones"]),
        (
            "Hola, buenos días. ¿Me puedes decir el plazo de reclamación, por favor?",
            "es",
            ["plazo reclamación"],
        ),
        ("Hello! Could you tell me how to return an order, please?", "en", ["return order"]),
        ("Здравствуйте, подскажите, сколько длится отпуск?", "ru", ["длится отпуск"]),
    ],
)
def test_chatter_falls_away(question: str, language: str, planned: list[str]) -> None:
    assert queries(question, language) == planned


@pytest.mark.parametrize(
    ("question", "planned"),
    [
        (
            "¿Qué diferencia hay entre despido objetivo y disciplinario?",
            ["despido objetivo", "despido disciplinario"],
        ),
        (
            "¿Cuándo hay comité de empresa y cuándo delegados de personal?",
            ["comité empresa", "delegados personal"],
        ),
        ("contrato temporal frente a contrato indefinido", ["contrato temporal", "contrato indefinido"]),
    ],
)
def test_a_comparison_becomes_one_query_for_each_side(question: str, planned: list[str]) -> None:
    assert queries(question) == planned


def test_two_questions_become_two_queries() -> None:
    assert len(queries("¿Cómo devuelvo un pedido? ¿Cuándo cobro el reembolso del envío urgente?")) == 2


def test_what_only_tells_the_circumstances_stays_with_its_question() -> None:
    assert queries("La empresa paga la nómina con retraso. ¿Puedo pedir intereses?") == [
        "empresa paga nómina retraso pedir intereses"
    ]


def test_a_citation_is_no_keyword() -> None:
    question = "vacaciones del artículo 38"
    planned = plan(question, "es", citations=[(15, len(question))])
    assert [query.text for query in planned.queries] == ["vacaciones"]
    assert [cut.text for cut in planned.cuts if cut.why == "citation"] == ["artículo 38"]


def test_the_words_of_a_glossary_join_what_was_said() -> None:
    planned = plan("¿Me dan el paro?", "es", [Said(11, 15, ("prestación desempleo",))])
    assert planned.queries[0].text == "paro prestación desempleo"
    assert planned.queries[0].added == ("prestación", "desempleo")


def test_the_rarest_words_stay_when_there_are_too_many() -> None:
    question = "alfa beta gamma delta épsilon zeta rareza"
    planned = plan(question, "es", rarity=lambda word: 9.0 if word == "rareza" else 1.0)
    assert planned.queries[0].keywords[-1] == "rareza"
    assert [cut.text for cut in planned.cuts] == ["zeta"]


def test_a_greeting_asks_nothing() -> None:
    assert plan("Hola, buenos días", "es").queries == ()


@given(st.text(max_size=300), st.sampled_from(["es", "en", "ru", "fr"]))
def test_any_text_gives_a_small_plan(question: str, language: str) -> None:
    planned = plan(question, language)
    assert len(planned.queries) <= MAX_QUERIES
    assert all(0 < len(query.keywords) <= MAX_KEYWORDS for query in planned.queries)
    assert planned == plan(question, language)
