from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.cli.terminal import Terminal, plain, prepare_streams


@given(st.text())
def test_plain_text_cannot_steer_a_terminal(text: str) -> None:
    shown = plain(text)
    assert all(character in "\n\t" or ord(character) >= 32 for character in shown)
    assert not set("\x7f\x9b\u202e\u2066") & set(shown)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1251"])
def test_json_can_be_read_back_whatever_the_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    document = {"text": "año · отпуск · 📄", "odd name": "caf\udce9.md"}
    Terminal(as_json=True).json(document)
    stream.seek(0)
    assert json.loads(stream.read()) == document


def test_a_terminal_without_a_character_shows_a_substitute(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()
    Terminal().show("vacación")
    stream.seek(0)
    assert stream.read() == "vacaci?n\n"


def test_a_failure_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().fail("first\nsecond [bold]", "HomeDamaged")
    captured = capsys.readouterr()
    assert captured.err == "first second [bold]\n"
    assert captured.out == ""


def test_a_failure_with_json_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal(as_json=True).fail("Nothing is there.", "PathNotFound")
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"error": "Nothing is there.", "kind": "PathNotFound"}
