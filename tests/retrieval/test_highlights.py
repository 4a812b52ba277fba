import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.documents.analysis import query_terms
from atril.retrieval.highlights import MAX_LENGTH, excerpts, highlight, matches

FILLER = "Nada de lo demás viene a cuento aquí y por eso nadie lo lee. " * 12


def weights(query: str, *languages: str) -> dict[str, float]:
    return {term: 1.0 for word in query_terms(query, languages or ("es",)) for term in word.terms}


def show(content: str, query: str, language: str = "es") -> tuple[str, ...]:
    return highlight(content, language, weights(query, language))


class TestWhatIsMarked:
    @pytest.mark.parametrize(
        ("language", "query", "content", "marked"),
        [
            ("es", "devolucion", "Las devoluciones se pagan.", "Las <em>devoluciones</em> se pagan."),
            ("es", "DÍAS", "Treinta dias al año.", "Treinta <em>dias</em> al año."),
            ("en", "refund", "Refunds take days.", "<em>Refunds</em> take days."),
            ("ru", "договор", "Все договоры подписаны.", "Все <em>договоры</em> подписаны."),
            ("es", "artículo 53.1", "Según el 53.1 del ET.", "Según el <em>53.1</em> del ET."),
            ("es", "vacaciones anuales", "Vacaciones anuales.", "<em>Vacaciones</em> <em>anuales</em>."),
        ],
    )
    def test_words_with_a_term_of_the_query(
        self, language: str, query: str, content: str, marked: str
    ) -> None:
        assert show(content, query, language) == (marked,)

    def test_a_word_of_another_stem_is_not(self) -> None:
        assert show("El vaciado de la piscina.", "vacaciones") == ()

    def test_stop_words_are_not(self) -> None:
        assert show("La duración de la jornada.", "la jornada") == ("La duración de la <em>jornada</em>.",)

    def test_tags_of_the_text_itself_stay_as_they_are(self) -> None:
        content = "Escribe <em>jornada</em> y cierra con </em>."
        assert show(content, "jornada") == ("Escribe <em><em>jornada</em></em> y cierra con </em>.",)
        (excerpt,) = excerpts(content, matches(content, "es", weights("jornada")), weights("jornada"))
        assert [content[start:end] for start, end in excerpt.marks] == ["jornada"]


class TestWhatIsShown:
    def test_whole_sentences_where_they_fit(self) -> None:
        content = FILLER + "El plazo es de un mes. La multa llega después. " + FILLER
        (shown,) = show(content, "plazo multa")
        assert "El <em>plazo</em> es de un mes. La <em>multa</em> llega después." in shown

    def test_whole_words_where_sentences_are_long(self) -> None:
        (shown,) = show("palabra " * 60 + "multa " + "palabra " * 60, "multa")
        assert set(re.sub("</?em>", "", shown).split()) == {"palabra", "multa"}

    def test_the_densest_place_comes_first(self) -> None:
        content = "La multa aparece sola. " + FILLER + "La multa por la mora vence hoy. " + FILLER
        assert [re.findall("<em>(.*?)</em>", each) for each in show(content, "multa mora vence")] == [
            ["multa", "mora", "vence"],
            ["multa"],
        ]

    def test_three_places_at_most(self) -> None:
        assert len(show(("La multa. " + FILLER) * 6, "multa")) == 3

    def test_a_word_longer_than_an_excerpt_is_shown_whole(self) -> None:
        word = "x" * 3 * MAX_LENGTH
        assert show(f"antes {word} después", word) == (f"<em>{word}</em>",)


words = st.sampled_from(
    ["multa", "multas", "jornada", "el", "árbol", "x" * 150, "<em>", "</em>", "договор", "日本", "🙂"]
)
separators = st.sampled_from([" ", ". ", "\n", "\n\n", ", ", "  "])


@given(st.lists(st.tuples(words, separators), max_size=120), st.text(max_size=40))
def test_without_its_marks_an_excerpt_is_a_slice_of_the_content(
    pairs: list[tuple[str, str]], tail: str
) -> None:
    content = "".join(word + separator for word, separator in pairs) + tail
    terms = weights("multa árbol договор 日", "es", "ru") | weights("jornada " + tail, "es")
    matched = matches(content, "es", terms)
    found = excerpts(content, matched, terms)
    for excerpt, shown in zip(found, highlight(content, "es", terms), strict=True):
        assert len(excerpt.marks) >= 1
        assert excerpt.end - excerpt.start <= max(MAX_LENGTH, *(end - start for start, end in excerpt.marks))
        assert len(shown) == excerpt.end - excerpt.start + len("<em></em>") * len(excerpt.marks)
        rebuilt, position = "", excerpt.start
        for start, end in excerpt.marks:
            rebuilt += f"{content[position:start]}<em>{content[start:end]}</em>"
            position = end
        assert shown == rebuilt + content[position : excerpt.end]
    spans = sorted((excerpt.start, excerpt.end) for excerpt in found)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert bool(found) == bool(matched)
