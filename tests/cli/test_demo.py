from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Atril = Callable[..., Any]


def test_the_demo_answers_three_questions_with_citations_and_leaves_nothing(
    atril: Atril, tmp_path: Path
) -> None:
    run = atril("demo", "--json")
    assert run.code == 0
    demo = run.document
    assert (demo["report"]["added"], demo["report"]["failed"]) == (4, [])
    assert [answer["language"] for answer in demo["answers"]] == ["es", "en", "es"]
    assert all(answer["found"] for answer in demo["answers"])
    first_citations = [answer["citations"][0] for answer in demo["answers"]]
    assert [(citation["source_file"], citation["page"]) for citation in first_citations] == [
        ("manual-del-personal.md", None),
        ("warranty-and-returns.pdf", 2),
        ("estatutos.md", None),
    ]
    assert demo["home"] is None
    assert list(tmp_path.iterdir()) == []


def test_the_demo_in_a_home_keeps_its_library_and_can_be_run_again(atril: Atril) -> None:
    first = atril("demo", "--home", "kept")
    assert "What to try next" in first.out
    assert "[1] " in first.out
    assert atril("demo", "--home", "kept", "--json").document["report"]["unchanged"] == 4
    documents = atril("list", "--home", "kept", "--json").document
    assert {document["collection"] for document in documents} == {"samples"}
