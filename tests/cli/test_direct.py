"""structure, regex, section, content and the additions to eval, as a person or a program runs them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Atril: TypeAlias = Callable[..., Any]

MANUAL = """# Manual

## Contacto

Escriba a ana@empresa.es.

## Precios

| Módulo | Precio |
|---|---|
| Pasarela | 20 € |
"""


@pytest.fixture
def manual(atril: Atril, tmp_path: Path) -> Atril:
    path = tmp_path / "manual.md"
    path.write_text(MANUAL, encoding="utf-8")
    atril("add", path)
    return atril


def test_structure_shows_parts_and_says_when_it_fell_back(manual: Atril) -> None:
    assert "Pasarela" in manual("structure", "manual", "--type", "table").out
    result = manual("structure", "nada.pdf", "--keywords", "pasarela", "--json").document
    assert result["search_params"]["fallback_from"] == "structure_search"
    assert "nada.pdf" in manual("structure", "nada.pdf", "--keywords", "pasarela").out


def test_regex_shows_each_match_in_its_lines(manual: Atril) -> None:
    result = manual("regex", "--predefined", "email", "--json").document
    assert (result["total_found"], result["total_files"]) == (1, 1)
    assert "**ana@empresa.es**" in manual("regex", r"\bana@\S+\b", "--context", "0").out


@pytest.mark.parametrize("arguments", [(), ("a", "--predefined", "email"), ("(?=a)",), ("--predefined", "x")])
def test_a_pattern_that_cannot_be_searched_for_is_wrong_usage(
    manual: Atril, arguments: tuple[str, ...]
) -> None:
    assert manual("regex", *arguments).code == 2


def test_section_and_content_give_chunks_and_text(manual: Atril) -> None:
    section = manual("section", "manual", "1", "--json").document
    assert [chunk["index"] for chunk in section["chunks"]] == [1]
    assert "manual_chunk_0001" in manual("section", "manual", "1", "2").out
    content = manual("content", "manual", "--json").document
    assert content["characters"] == len(content["content"])
    assert "Pasarela" in manual("content", "manual").out
    assert "manual_chunk_0001" in manual("content", "manual", "--structure").out
    assert manual("content", "nada").code == 1


def test_eval_explains_misses_compares_and_measures_growth(manual: Atril, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"id": "1", "query": "pasarela", "relevant": [{"source_file": "manual.md"}]}\n'
        '{"id": "2", "query": "pasarela", "relevant": [{"source_file": "otro.md"}]}\n'
    )
    report = manual("eval", questions, "--compare", "lexical", "--growth", "--json").document
    assert [(miss["id"], miss["reason"]) for miss in report["missed"]] == [("2", "no_document")]
    assert report["comparison"]["second"] == "lexical"
    assert report["growth"][-1]["documents"] == 1
    assert "otro.md" in manual("eval", questions).out
    assert manual("eval", questions, "--compare", tmp_path / "nada").code == 2
