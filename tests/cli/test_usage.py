"""What the program says of a mistake, and of itself, in the language of whoever runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Atril = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("serch", "x"), "No existe la orden 'serch'. Parecidas: search."),
        (("search",), "Falta QUERY."),
        (("search", "x", "--mode", "magic"), "--mode no puede ser 'magic': usa hybrid, lexical, semantic."),
        (("search", "x", "--top-k", "many"), "--top-k no puede ser 'many': usa un número entero."),
        (("search", "x", "--top-k", "5000"), "--top-k no puede ser '5000': usa de 1 a 1000."),
        (("search", "x", "--page", "0"), "--page no puede ser '0': usa un número de 1 en adelante."),
        (("search", "x", "--min-score", "high"), "--min-score no puede ser 'high': usa un número."),
        (("search", "x", "--pag", "1"), "No existe la opción --pag. Parecidas: --page."),
        (("search", "x", "--unheard-of"), "No existe la opción --unheard-of."),
        (("search", "x", "--where", "status"), "--where: 'status' no tiene la forma CLAVE=VALOR."),
        (("search", "two", "words"), "Esto sobra: words. Pon entre comillas un texto de varias palabras."),
        (("search", "x", "--top-k"), "--top-k necesita un valor."),
        (("search", "x", "--json=yes"), "--json no lleva ningún valor."),
        (("section", "x", "0"), "START no puede ser '0': usa un número de 1 en adelante."),
        (
            ("conversations", "export", "x", "--form", "pdf"),
            "--form no puede ser 'pdf': usa markdown, jsonl.",
        ),
    ],
)
def test_a_mistake_is_told_with_what_would_be_right(
    atril: Atril, arguments: tuple[str, ...], expected: str
) -> None:
    run = atril(*arguments, ATRIL_LANG="es")
    assert run.code == 2
    assert run.out == ""
    assert expected in run.err
    assert "Value error" not in run.err and "Invalid" not in run.err


def test_a_mistake_leads_to_the_help_of_its_command(atril: Atril) -> None:
    assert "conversations export --help`" in atril("conversations", "export").err


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("es", ("Uso:", "Opciones", "Argumentos", "si no se dice: hybrid", "obligatorio", "esta ayuda")),
        ("ru", ("Вызов:", "Параметры", "Аргументы", "по умолчанию: hybrid", "обязательно", "эту справку")),
        ("en", ("Usage:", "Options", "Arguments", "default: hybrid", "required", "this help")),
    ],
)
def test_help_is_all_in_one_language(atril: Atril, language: str, words: tuple[str, ...]) -> None:
    shown = atril("search", "--help", ATRIL_LANG=language).out
    for each in words:
        assert each in shown


def test_without_a_command_the_help_is_shown(atril: Atril) -> None:
    run = atril()
    assert run.code == 2
    assert "COMMAND" in run.out + run.err


@pytest.mark.parametrize("command", ["add", "sync"])
def test_a_slip_of_the_path_leaves_no_library_behind(atril: Atril, tmp_path: Path, command: str) -> None:
    run = atril(command, "nowhere")
    assert run.code == 1
    assert "nowhere" in run.out + run.err
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_missing_is_reported_alike_with_and_without_a_library(
    atril: Atril, folder: Path, tmp_path: Path
) -> None:
    first = atril("add", "nowhere", "--json").document
    atril("add", folder, "--home", tmp_path / "home")
    later = atril("add", "nowhere", "--json", "--home", tmp_path / "home").document
    assert first["failed"] == later["failed"]
    assert first.keys() == later.keys()


def test_a_collection_that_is_not_there_is_told_apart_from_an_empty_library(stocked: Atril) -> None:
    assert "no collection 'other'" in stocked("list", "--collection", "other").out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("search", " "), "QUERY no puede ser ' ': usa un texto que no esté en blanco."),
        (("structure", "leave", "--type", "poem"), "--type no puede ser 'poem': usa content, table,"),
        (("structure", "leave", "--position", "middle"), "usa all, first_N o last_N, como first_5."),
        (("section", "leave", "3", "2"), "START END no puede ser '3-2': usa dos números en orden creciente"),
    ],
)
def test_what_the_library_refuses_is_told_in_the_words_of_the_command_line(
    stocked: Atril, arguments: tuple[str, ...], expected: str
) -> None:
    run = stocked(*arguments, ATRIL_LANG="es")
    assert run.code == 2
    assert expected in run.err
