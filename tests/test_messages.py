from __future__ import annotations

from string import Formatter

import pytest

from atril.messages import LANGUAGES, catalogue, message, supported


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_messages(language: str) -> None:
    assert catalogue(language).keys() == catalogue("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_has_the_same_placeholders_in_each_language(language: str) -> None:
    english = {key: placeholders(text) for key, text in catalogue("en").items()}
    assert {key: placeholders(text) for key, text in catalogue(language).items()} == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_is_empty_or_left_in_english(language: str) -> None:
    english = catalogue("en")
    for key, text in catalogue(language).items():
        assert text.strip(), key
        if language == "ru" and len(text) > 20:
            assert text != english[key], key


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("es-ES", "es"),
        ("ru_RU.UTF-8", "ru"),
        ("EN", "en"),
        ("fr_FR", "en"),
        ("C", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_language_tags_of_every_form_find_their_catalogue(tag: str | None, language: str) -> None:
    assert supported(tag) == language


def test_a_message_is_filled_in() -> None:
    assert "nowhere" in message("error.path_not_found", "es", path="nowhere")
