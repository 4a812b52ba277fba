"""Words to terms: one term per word, the same for every way a person may write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.analysis import (
    analyze,
    distinct_terms,
    find_terms,
    fold,
    query_terms,
    term_counts,
    term_id,
)


def terms(text: str, language: str = "es") -> list[str]:
    return [term.text for term in analyze(text, language)]


SAME = [
    ("es", "devolución devolucion devoluciones"),
    ("es", "garantía garantia garantías garantias"),
    ("es", "información informacion informaciones"),
    ("es", "factura facturas"),
    ("es", "trabajo trabajos trabajar"),
    ("es", "trabajador trabajadores trabajadora"),
    ("es", "vacación vacaciones vacacion"),
    ("es", "extensión extension extensiones"),
    ("es", "tecnología tecnologia tecnologías"),
    ("es", "económico económica economía economia"),
    ("es", "público publica públicos"),
    ("es", "día días dia dias"),
    ("es", "entidad entidades"),
    ("es", "mujer mujeres"),
    ("es", "préstamo préstamos prestamos"),
    ("es", "vez veces"),
    ("es", "inglés ingles inglesa ingleses"),
    ("es", "responsable responsables"),
    ("es", "artículo articulo artículos"),
    ("es", "interés interes intereses interesado"),
    ("es", "extinguir extinguirá extinguira extinguirán"),
    ("es", "deber deberían deberian deberán"),
    ("es", "año años ano"),
    ("es", "jubilación jubilaciones jubilar"),
    ("es", "autónomo autonomos autónomas"),
    ("es", "código codigo códigos"),
    ("en", "contract contracts contracted"),
    ("en", "café cafe cafés"),
    ("en", "company companies company's"),
    ("ru", "договор договоры договора договором"),
    ("ru", "ёлка елка елки"),
    ("ru", "отпуск отпуска ОТПУСКОМ"),
    ("fr", "Été été ete"),
    ("de", "Straße strasse"),
]


@pytest.mark.parametrize(("language", "words"), SAME)
def test_spellings_and_inflections_of_a_word_share_one_term(language: str, words: str) -> None:
    found = {term for term in terms(words, language) if term != "s"}
    assert len(found) == 1


def test_cyrillic_keeps_the_short_i() -> None:
    assert fold("Йод ёж за́мок") == "йод еж замок"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ABC-1234/56", ["abc-1234/56"]),
        ("art.53.1", ["art", "53.1"]),
        ("Ley 2/2015.", ["ley", "2/2015"]),
        ("1.234,56 €", ["1.234,56"]),
        ("COVID-19,", ["covid-19"]),
        ("20 bis", ["20", "bis"]),
        ("2014–2020", ["2014-2020"]),
        ("escriba a Ana.Ruiz@correo.example.org", ["escrib", "ana.ruiz@correo.example.org"]),
        ("https://www.boe.es/buscar", ["https", "www.boe.es", "busc"]),
        ("fin.Empieza", ["fin", "empiez"]),
        ("decreto-ley", ["decret", "ley"]),
        ("S.A. SA", ["sa", "sa"]),
        ("I+D, R&D", ["i", "d", "r&d"]),
        ("1.º 2ª", ["1", "2"]),
        ("infor\u00admación informacio\u0301n", ["inform", "inform"]),
        ("第3条", ["第", "3", "条"]),
    ],
)
def test_what_counts_as_one_term(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_stopwords_leave_no_term() -> None:
    assert terms("¿Cuántos de los días son para ti?") == ["dia"]
    assert terms("What is the price of it?", "en") == ["price"]
    assert terms("Сколько это будет стоить для меня?", "ru") == ["сто"]


def test_offsets_point_at_the_word_as_written() -> None:
    text = "El «artículo 53.1», de la Devolución"
    assert [text[term.start : term.end] for term in analyze(text, "es")] == ["artículo", "53.1", "Devolución"]


def test_a_query_word_has_a_term_in_every_language() -> None:
    (word,) = query_terms("договоры", ["es", "ru"])
    assert word.terms == ("договоры", "договор")
    (word,) = query_terms("COVID-19", ["es", "en"])
    assert word.terms == ("covid-19",)


def test_a_query_keeps_its_stopwords_only_when_there_is_nothing_else() -> None:
    assert [word.word for word in query_terms("las vacaciones de verano", ["es", "en"])] == [
        "vacaciones",
        "verano",
    ]
    assert [word.word for word in query_terms("de la", ["es"])] == ["de", "la"]
    assert query_terms("¿?", ["es"]) == []
    assert [word.word for word in query_terms("sin idioma", [])] == ["sin", "idioma"]


def test_the_number_of_a_term_never_changes() -> None:
    assert term_id("artículo") == 728_006_293
    assert term_id("договор") == 4_289_852_457


def test_counts_are_those_of_the_terms_in_order_of_their_numbers() -> None:
    counts = term_counts("Contrato, contratos y contrato. Salario.", "es")
    assert dict(zip(counts.ids.tolist(), counts.counts.tolist(), strict=True)) == {
        term_id("contrat"): 3,
        term_id("salari"): 1,
    }
    assert counts.length == 4
    assert counts.ids.tolist() == sorted(counts.ids.tolist())


def test_a_text_without_words_has_no_counts() -> None:
    counts = term_counts(" — ", "es")
    assert (counts.ids.size, counts.counts.size, counts.length) == (0, 0, 0)


def test_counts_saturate_but_the_length_does_not() -> None:
    counts = term_counts("sol " * 70_000, "es")
    assert (counts.counts.tolist(), counts.length) == ([65_535], 70_000)


ALPHABET = "abcñáÉüйёЖ0123456789 .,-/@_'’&º\u0301\u00ad条。ßİ\n"


@given(st.text() | st.text(ALPHABET), st.sampled_from(["es", "en", "ru", "fr", "und"]))
def test_any_text_gives_ordered_disjoint_terms_and_the_same_counts(text: str, language: str) -> None:
    found = analyze(text, language)
    end = 0
    for term in found:
        assert end <= term.start < term.end <= len(text)
        assert term.text
        end = term.end
    assert distinct_terms(text, language) == {term.text for term in found}
    counts = term_counts(text, language)
    assert counts.length == len(found)
    assert set(counts.ids.tolist()) == {term_id(term.text) for term in found}


@given(st.text("abcdefgilmnoprstuvzáéíóúüñ", min_size=1, max_size=12))
def test_a_spanish_word_and_the_same_word_without_accents_are_one_term(word: str) -> None:
    (accented,) = query_terms(word, ["es"])
    (bare,) = query_terms(fold(word), ["es"])
    assert accented.terms == bare.terms


class TestFindTerms:
    @given(st.text(max_size=200), st.sets(st.sampled_from(["vacacion", "dia", "a", "1", "b"])))
    def test_gives_what_analysis_gives_of_the_wanted_terms(self, text: str, wanted: set[str]) -> None:
        wanted |= {term.text for term in analyze(text, "es")[:2]}
        expected = [term for term in analyze(text, "es") if term.text in wanted]
        assert find_terms(text, "es", wanted) == expected


class TestDistinctTerms:
    @given(st.text(alphabet=st.sampled_from("aé1ñя_ºª-.,'’@/&+: \n漢\u0301\u00ad"), max_size=60))
    def test_are_the_terms_of_analysis_for_any_mixture_of_letters_and_marks(self, text: str) -> None:
        assert distinct_terms(text, "es") == {term.text for term in analyze(text, "es")}
