from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atril.store.lock import HomeLock

Atril = Callable[..., Any]

ADD_KEYS = {"added", "updated", "unchanged", "removed", "failed", "warnings", "chunks", "seconds"}


def test_add_reads_a_folder_and_skips_it_the_second_time(atril: Atril, folder: Path) -> None:
    first = atril("add", folder, "--json").document
    assert first.keys() == ADD_KEYS
    assert (first["added"], first["unchanged"], first["failed"]) == (2, 0, [])
    second = atril("add", folder, "--json").document
    assert (second["added"], second["unchanged"]) == (0, 2)


def test_a_file_that_cannot_be_read_is_listed_and_the_rest_is_added(atril: Atril, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and then nothing")
    run = atril("add", folder, folder / "nowhere.md")
    assert run.code == 0
    assert "Not read: 2" in run.out
    assert "broken.pdf" in run.out
    assert "nowhere.md" in run.out


def test_add_fails_when_nothing_could_be_read(atril: Atril) -> None:
    run = atril("add", "nowhere", "--json")
    assert run.code == 1
    (failure,) = run.document["failed"]
    assert failure.keys() == {"file", "reason", "error"}


def test_a_failed_command_explains_itself_in_one_line_and_in_json(atril: Atril) -> None:
    run = atril("sync", "nowhere", "--json")
    assert run.code == 1
    assert run.document.keys() == {"error", "kind"}
    assert run.document["kind"] == "PathNotFound"
    assert len(run.err.splitlines()) == 1


def test_errors_speak_the_language_of_the_interface(atril: Atril) -> None:
    assert "No hay nada en 'nowhere'" in atril("sync", "nowhere", ATRIL_LANG="es").err


def test_the_option_names_the_home_before_the_variable_does(atril: Atril, stocked_home: Path) -> None:
    assert atril("list", "--home", stocked_home, ATRIL_HOME="nowhere").code == 0
    assert atril("list", ATRIL_HOME=str(stocked_home)).code == 0
    assert atril("list").code == 1


def test_labels_stay_when_none_are_given(atril: Atril, folder: Path) -> None:
    atril("add", folder, "--label", "hr")
    assert atril("sync", folder, "--json").document["unchanged"] == 2
    assert atril("add", folder, "--json").document["unchanged"] == 2
    assert [document["labels"] for document in atril("list", "--json").document] == [["hr"], ["hr"]]


def test_sync_removes_what_has_vanished(atril: Atril, folder: Path) -> None:
    atril("sync", folder)
    (folder / "tools.txt").unlink()
    assert atril("sync", folder, "--json").document["removed"] == 1
    assert [document["name"] for document in atril("list", "--json").document] == ["leave.md"]


def test_list_gives_each_document_with_what_is_known_about_it(stocked: Atril) -> None:
    leave = stocked("list", "--json").document[0]
    assert leave["name"] == "leave.md"
    assert leave["title"] == "Leave"
    assert leave["collection"] == "hr"
    assert leave["labels"] == ["public"]
    assert leave["metadata"]["department"] == "people"
    assert stocked("list", "--collection", "other", "--json").document == []


def test_remove_takes_documents_away_by_name(atril: Atril, folder: Path) -> None:
    atril("add", folder)
    assert atril("remove", "leave.md", "tools.txt", "--json").document == {"removed": 2}
    assert "The library is empty" in atril("list").out


def test_remove_explains_a_name_that_nothing_has_and_removes_nothing(stocked: Atril) -> None:
    run = stocked("remove", "leave.md", "unheard-of.md")
    assert run.code == 1
    assert "unheard-of.md" in run.err
    assert len(stocked("list", "--json").document) == 2


def test_reindex_rebuilds_every_document(atril: Atril, folder: Path) -> None:
    atril("add", folder)
    assert atril("reindex", "--json").document["documents"] == 2
    assert "leave.md" in atril("search", "holiday").out


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_search_shows_the_passage_and_where_it_stands(stocked: Atril, mode: str) -> None:
    run = stocked("search", "days of holiday", "--mode", mode)
    assert run.code == 0
    assert "leave.md · Holidays" in run.out
    result = stocked("search", "days of holiday", "--mode", mode, "--json").document
    assert result["search_type"] == f"{mode}_search"


def test_search_narrows_by_what_the_options_say(stocked: Atril) -> None:
    def files(*options: str) -> set[str]:
        document = stocked("search", "holiday wrench", *options, "--json").document
        return {hit["source_file"] for hit in document["results"]}

    assert files() == {"leave.md", "tools.txt"}
    assert files("--type", "txt") == {"tools.txt"}
    assert files("--document", "leave.md") == {"leave.md"}
    assert files("--where", "department=people") == {"leave.md"}
    assert files("--collection", "other") == set()
    assert files("--collection", "other", "--collection", "hr") == {"leave.md", "tools.txt"}
    assert files("--label", "secret") == set()
    assert files("--language", "ru") == set()
    assert files("--page", "1") == set()
    assert len(stocked("search", "holiday wrench", "--top-k", "1", "--json").document["results"]) == 1


def test_a_search_for_nothing_is_wrong_usage(stocked: Atril) -> None:
    assert stocked("search", "  ").code == 2


def test_ask_quotes_the_document(stocked: Atril) -> None:
    run = stocked("ask", "How many days of holiday does everybody have?")
    assert run.code == 0
    assert "[1] leave.md · Holidays" in run.out
    answer = stocked("ask", "How many days of holiday does everybody have?", "--json").document
    assert answer["found"] is True
    assert "24 days of holiday" in answer["citations"][0]["quote"]


def test_eval_scores_a_file_of_questions(stocked: Atril, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"id": "1", "query": "days of holiday", "relevant": [{"source_file": "leave.md"}]}\n',
        encoding="utf-8",
    )
    scores = stocked("eval", questions, "--k", "1,3", "--json").document
    assert scores["recall"] == {"1": 1.0, "3": 1.0}
    assert "recall@1" in stocked("eval", questions).out


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("search", "x"), ("ask", "x"), ("remove", "x"), ("reindex",), ("eval", "x.jsonl")],
)
def test_reading_from_a_library_that_is_not_there_creates_none(
    atril: Atril, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    run = atril(*arguments, "--json")
    assert run.code == 1
    assert run.document["kind"] == "HomeNotFound"
    assert not (tmp_path / ".atril").exists()


def test_a_folder_without_a_library_is_no_home_and_stays_as_it_is(atril: Atril, folder: Path) -> None:
    before = sorted(folder.iterdir())
    run = atril("list", "--home", folder, "--json")
    assert (run.code, run.document["kind"]) == (1, "HomeNotFound")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("arguments", [("add", "docs", "--home"), ("list", "--home"), ("sync",)])
def test_a_file_is_no_folder(atril: Atril, folder: Path, arguments: tuple[str, ...]) -> None:
    run = atril(*arguments, folder / "tools.txt", "--json")
    assert (run.code, run.document["kind"]) == (1, "NotAFolder")
    assert "is a file, and a folder is needed" in run.err


def test_a_file_name_that_is_no_utf8_is_added_and_listed(atril: Atril, folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9.md")).write_bytes(b"# Coffee\n\nBlack.\n")
    (folder / os.fsdecode(b"\xe9mpty.md")).write_bytes(b"")
    report = atril("add", folder, "--json").document
    assert (report["added"], len(report["failed"])) == (3, 1)
    assert "caf\\udce9.md" in {document["name"] for document in atril("list", "--json").document}


def test_the_language_of_the_file_is_read_once_and_again_when_it_changes(
    atril: Atril, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Path] = []
    real = Path.read_text

    def noting(path: Path, *arguments: Any, **named: Any) -> str:
        reads.append(path)
        return real(path, *arguments, **named)

    monkeypatch.setattr(Path, "read_text", noting)
    for modified, (language, words) in enumerate((("es", "archivo"), ("ru", "файл"))):
        (tmp_path / "atril.toml").write_text(f'lang = "{language}"\n', encoding="utf-8")
        os.utime(tmp_path / "atril.toml", (modified, modified))
        assert words in atril("add", "nowhere").out.casefold()
    assert sum(path.name == "atril.toml" for path in reads) == 2


def test_an_empty_variable_is_none(atril: Atril, folder: Path) -> None:
    atril("add", folder)
    assert atril("list", ATRIL_HOME="", ATRIL_PROFILE="", ATRIL_LANG="").code == 0


def test_a_home_that_cannot_be_made_is_explained(atril: Atril, folder: Path) -> None:
    run = atril("add", folder, "--home", folder / "tools.txt" / "home")
    assert run.code == 1
    assert len(run.err.splitlines()) == 1


def test_a_home_in_use_is_explained(stocked: Atril, stocked_home: Path) -> None:
    with HomeLock(stocked_home):
        run = stocked("list", "--json")
    assert run.code == 1
    assert run.document["kind"] == "HomeLocked"
