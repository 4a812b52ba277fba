"""BM25 as the dot product of a document's vector and a query's."""

from math import log

import numpy as np
import pytest

from atril.documents.analysis import query_terms, term_counts, term_id
from atril.store.index.protocol import SparseVector
from atril.store.terms import AVERAGE_LENGTH, Bm25, TermStatistics, document_weights, query_weights


def weights(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))


def test_the_document_half_is_the_saturated_frequency() -> None:
    vector = document_weights(term_counts("salario salario salario mes", "es"))
    held_back = 1.2 * (1 - 0.75 + 0.75 * 4 / AVERAGE_LENGTH)
    found = weights(vector)
    assert found[term_id("salari")] == pytest.approx(3 * 2.2 / (3 + held_back), rel=1e-6)
    assert found[term_id("mes")] == pytest.approx(2.2 / (1 + held_back), rel=1e-6)
    assert (vector.indices.dtype, vector.values.dtype) == (np.uint32, np.float32)


def test_a_term_weighs_less_in_a_longer_passage_unless_b_is_zero() -> None:
    short, long = (term_counts("salario " + "mesa " * words, "es") for words in (1, 300))
    salary = term_id("salari")
    assert weights(document_weights(short))[salary] > weights(document_weights(long))[salary]
    flat = Bm25(b=0.0)
    assert weights(document_weights(short, flat))[salary] == weights(document_weights(long, flat))[salary]


def test_an_empty_passage_has_no_weights() -> None:
    assert weights(document_weights(term_counts("", "es"))) == {}


def test_the_query_half_is_rarity_times_repetition() -> None:
    statistics = TermStatistics(chunks=100, frequencies={term_id("salari"): 10, term_id("mes"): 50})
    found = weights(query_weights(query_terms("salario mes salarios", ["es"]), statistics))
    assert found == {
        term_id("salari"): pytest.approx(2 * log(1 + 90.5 / 10.5), rel=1e-6),
        term_id("mes"): pytest.approx(log(1 + 50.5 / 50.5), rel=1e-6),
    }


def test_a_term_that_no_chunk_holds_is_left_out() -> None:
    assert weights(query_weights(query_terms("salario", ["es"]), TermStatistics(chunks=100))) == {}


def test_alternatives_of_a_word_each_have_their_own_weight() -> None:
    statistics = TermStatistics(chunks=9, frequencies={term_id("договоры"): 1, term_id("договор"): 4})
    found = weights(query_weights(query_terms("договоры", ["es", "ru"]), statistics))
    assert found[term_id("договоры")] > found[term_id("договор")] > 0


def test_a_frequency_beyond_the_number_of_chunks_still_weighs() -> None:
    assert TermStatistics(chunks=1, frequencies={7: 5}).idf(7) > 0


def test_the_dot_product_is_bm25() -> None:
    passages = ["salario base y salario neto", "vacaciones del mes", "el salario del mes"]
    counts = [term_counts(passage, "es") for passage in passages]
    frequencies: dict[int, int] = {}
    for count in counts:
        for number in count.ids.tolist():
            frequencies[number] = frequencies.get(number, 0) + 1
    query = weights(query_weights(query_terms("salario mes", ["es"]), TermStatistics(3, frequencies)))
    scores = [
        sum(query.get(term, 0.0) * weight for term, weight in weights(document_weights(count)).items())
        for count in counts
    ]
    rarity = log(1 + 1.5 / 2.5)

    def gain(frequency: int, length: int) -> float:
        return frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / AVERAGE_LENGTH))

    expected = [rarity * gain(2, 4), rarity * gain(1, 2), rarity * 2 * gain(1, 2)]
    assert scores == pytest.approx(expected, rel=1e-6)
