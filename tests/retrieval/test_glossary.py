"""The glossary: everyday phrases found in questions."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.analysis import analyze, distinct_terms
from atril.profiles.loading import load_profile
from atril.profiles.profile import GlossaryEntry, Profile
from atril.retrieval.glossary import Glossary

LAW = Path(__file__).parents[3] / "shared" / "data" / "law" / "corpus"


def glossary(*entries: tuple[str, str], **forms: tuple[str, ...]) -> Glossary:
    found = [GlossaryEntry(tuple(phrases.split("|")), tuple(terms.split("|"))) for phrases, terms in entries]
    return Glossary(Profile("mine", language="es", glossary=tuple(found), forms=forms))


def found(known: Glossary, question: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(question[each.start : each.end], each.terms) for each in known.expand(question, ["en", "es"])]


@pytest.mark.parametrize(
    "question",
    [
        "bajar el sueldo",
        "¿Me BAJAN los sueldos?",
        "me han bajado a mí el sueldo",
        "bajarle mucho el sueldo",
    ],
)
def test_a_phrase_is_found_in_any_inflection_and_with_words_in_between(question: str) -> None:
    known = glossary(("bajar el sueldo", "modificación sustancial"), bajar=("bajarle", "bajado"))
    [(_, terms)] = found(known, question)
    assert terms == ("modificación sustancial",)


@pytest.mark.parametrize(
    "question", ["sueldo bajar", "bajar la persiana y cobrar más sueldo", "bajar", "sueldo"]
)
def test_a_phrase_is_not_found_in_another_order_too_far_apart_or_in_part(question: str) -> None:
    assert found(glossary(("bajar el sueldo", "modificación")), question) == []


def test_the_span_is_what_the_person_wrote() -> None:
    [(text, _)] = found(glossary(("permiso por boda", "matrimonio")), "Hola, ¿qué permiso hay por mi boda?")
    assert text == "permiso hay por mi boda"


def test_the_longer_phrase_counts() -> None:
    known = glossary(("baja", "incapacidad temporal"), ("baja voluntaria", "dimisión"))
    assert found(known, "pedí la baja voluntaria") == [("baja voluntaria", ("dimisión",))]


def test_what_stands_in_the_gap_of_a_phrase_is_added_to_it() -> None:
    known = glossary(("cobrar sueldo", "salario"), ("baja", "incapacidad temporal"))
    assert found(known, "cobrar de baja el sueldo") == [
        ("cobrar de baja el sueldo", ("salario", "incapacidad temporal"))
    ]


def test_entries_with_the_same_phrase_both_count() -> None:
    known = glossary(("baja", "incapacidad temporal"), ("bajas", "cese"))
    assert found(known, "baja") == [("baja", ("incapacidad temporal", "cese"))]


def test_phrases_are_given_in_the_order_of_the_question() -> None:
    known = glossary(("sueldo", "salario"), ("quitar el plus", "complemento"))
    assert [terms for _, terms in found(known, "mi sueldo y quitar el plus")] == [
        ("salario",),
        ("complemento",),
    ]


def test_function_words_that_tell_something_must_be_there_and_the_next_word_after_them() -> None:
    known = glossary(("más horas", "horas extraordinarias"))
    assert found(known, "trabajo más horas")
    assert not found(known, "trabajo horas")
    assert not found(known, "más dinero y horas")


def test_an_equals_sign_asks_for_the_very_form() -> None:
    known = glossary(("=me =caso|=baja", "x"))
    assert found(known, "me caso mañana")
    assert found(known, "de BAJA")
    assert not found(known, "en ese caso me quedo en casa")
    assert not found(known, "me bajan")


def test_irregular_forms_meet() -> None:
    known = glossary(("muere mi padre", "fallecimiento"), morir=("muere", "murió"))
    assert found(known, "murió mi padre")
    assert found(known, "al morir mi padre")


def test_a_phrase_of_empty_words_is_never_found() -> None:
    assert found(glossary(("de la|el", "x")), "de la casa, el perro") == []


def test_a_library_without_the_language_of_the_profile_has_nothing_to_expand_to() -> None:
    known = glossary(("paro", "desempleo"))
    assert known.expand("el paro", ["en"]) == ()
    assert known.expand("el paro", ["en", "es"]) != ()


@given(st.text(max_size=60))
def test_spans_are_in_order_inside_the_question_and_apart(question: str) -> None:
    known = glossary(("a b", "x"), ("b", "y"), ("no c", "z"), ("=a", "w"))
    spans = [(each.start, each.end) for each in known.expand(question, ["es"])]
    assert all(0 <= start < end <= len(question) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


LABOUR = load_profile("labour-law-es")
assert LABOUR is not None
LABOUR_GLOSSARY = Glossary(LABOUR)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("me han puesto de patitas en la calle", "despido"),
        ("¿me pueden despedir estando embarazada?", "despido nulo"),
        ("mi jefe me baja el sueldo", "modificación sustancial de las condiciones de trabajo"),
        ("estoy de baja desde marzo", "incapacidad temporal"),
        ("cómo pido el paro", "prestación por desempleo"),
        ("me caso en mayo", "permisos retribuidos"),
        ("limpio casas por horas", "servicio del hogar familiar"),
        ("choqué con el coche volviendo a casa, ¿es accidente volviendo a casa?", "accidente de trabajo"),
    ],
)
def test_a_worker_is_understood(question: str, wanted: str) -> None:
    terms = [term for _, terms in found(LABOUR_GLOSSARY, question) for term in terms]
    assert wanted in terms


@pytest.mark.parametrize(
    "question", ["¿En qué caso se convoca el comité?", "la comunidad autónoma", "el contrato de trabajo"]
)
def test_words_that_only_look_alike_are_left_alone(question: str) -> None:
    terms = [term for _, terms in found(LABOUR_GLOSSARY, question) for term in terms]
    assert not {"permisos retribuidos", "trabajador autónomo", "contratistas y subcontratistas"} & set(terms)


def test_every_phrase_of_labour_law_can_be_found_and_no_two_entries_share_one() -> None:
    owners: dict[tuple[str, ...], int] = {}
    for number, entry in enumerate(LABOUR.glossary):
        for phrase in entry.phrases:
            key = tuple(part.key for part in LABOUR_GLOSSARY.parts(phrase))
            assert key, phrase
            assert owners.setdefault(key, number) == number, phrase


@pytest.mark.corpus
@pytest.mark.skipif(not LAW.is_dir(), reason="the corpus of labour law is not beside the checkout")
def test_the_words_of_every_term_meet_in_an_article_of_the_law() -> None:
    articles = [
        distinct_terms(part, "es")
        for file in LAW.glob("*.md")
        for part in re.split(r"\n#####* ", file.read_text(encoding="utf-8"))
    ]
    for term in {term for entry in LABOUR.glossary for term in entry.terms}:
        words = {each.text for each in analyze(term, "es")}
        assert any(words <= article for article in articles), term
