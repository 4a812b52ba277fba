"""Sentences of legal and business texts in three languages, and of Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.sentences import sentences


def split(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Véase el art. 53.1 del ET.|El Sr. García, p. ej., pagó 1.234,56 €.|Es el núm. 5."),
        ("es", "Viajó a EE.UU. en mayo.|La empresa X, S.A. firmó.|El 2.º plazo vence.|¿Qué pasa?|¡Nada!"),
        ("es", "Mesas, sillas, etc.|El resto no.|Lo dice la D.ª Ana en la pág. 3."),
        ("en", "Mr. J. R. Smith of Apple Inc. agreed.|It cost $1.5 million, e.g. in cash.|See Fig. 3."),
        (
            "en",
            "He sued the U.S. Department of Justice.|It sells in the U.S.|The rest is sold in the U.K. Isles.",
        ),
        ("en", "He left at 5 p.m. on Friday?|No. 5 is here."),
        ("ru", "Согласно ст. 15 ТК РФ, т. е. кодекса.|В 2020 г.|Компания выросла."),
        ("ru", "Живёт в г. Москва на ул. Ленина.|А. С. Пушкин писал и т. д.|Сумма 5 тыс. руб.|Оплата в мае."),
        ("und", "See art. 5 below.|Живёт в г. Москва."),
        ("ja", "これは文です。|二つ目です。"),
    ],
)
def test_a_stop_ends_a_sentence_unless_it_belongs_to_an_abbreviation(language: str, text: str) -> None:
    expected = text.split("|")
    joined = "" if language == "ja" else " "
    assert split(joined.join(expected), language) == expected


def test_a_sentence_may_run_over_lines_but_not_over_paragraphs() -> None:
    assert split("El plazo\nes breve. Otro\n\nsin punto\n\nFin.", "es") == [
        "El plazo\nes breve.",
        "Otro",
        "sin punto",
        "Fin.",
    ]


def test_numbers_of_paragraphs_stay_outside() -> None:
    assert split("1. El periodo será pactado. Será anual.\n\na) La relación.", "es") == [
        "El periodo será pactado.",
        "Será anual.",
        "La relación.",
    ]


def test_headings_and_table_rows_are_one_span_and_list_items_stand_alone() -> None:
    text = "## Artículo 38. Vacaciones.\n\n| a. B | c |\n|---|---|\n| 1 | 2. D |\n\n- Uno. Dos\n- Tres\n\n> Cita."
    assert split(text, "es") == [
        "Artículo 38. Vacaciones.",
        "| a. B | c |",
        "| 1 | 2. D |",
        "Uno.",
        "Dos",
        "Tres",
        "Cita.",
    ]


def test_marks_without_words_are_no_sentence() -> None:
    assert split("...\n\n---\n\n***", "es") == []


MARKDOWN = "abC .!?…:\n\n#|->1)«»*г。 "


@given(st.text() | st.text(MARKDOWN), st.sampled_from(["es", "en", "ru", "und"]))
def test_spans_are_trimmed_disjoint_ordered_and_within_a_paragraph(text: str, language: str) -> None:
    end_before = 0
    for start, end in sentences(text, language):
        assert end_before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert "\n\n" not in text[start:end]
        end_before = end


@given(st.lists(st.text("abc .", min_size=1).filter(lambda text: text.strip(" .")), min_size=1, max_size=5))
def test_no_word_of_plain_text_is_lost(paragraphs: list[str]) -> None:
    text = "\n\n".join(f"x{paragraph}" for paragraph in paragraphs)
    kept = "".join(split(text, "und"))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]
