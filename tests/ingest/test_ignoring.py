"""What a folder's `.atrilignore` files leave out."""

from pathlib import Path

import pytest

from atril.ingest.files import find_files
from atril.ingest.ignoring import ignored_below


def _touch(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _names(folder: Path) -> list[str]:
    return [file.name for file in find_files([folder]) if file.problem is None]


def test_patterns_are_those_of_gitignore(tmp_path: Path) -> None:
    for name in ("a.md", "draft-a.md", "old/b.md", "sub/old/c.md", "top.md", "sub/top.md", "keep/draft-k.md"):
        _touch(tmp_path / name)
    _touch(tmp_path / ".atrilignore", "# drafts\ndraft-*\n!draft-k.md\nold/\n/top.md\n")
    assert _names(tmp_path) == ["a.md", "keep/draft-k.md", "sub/top.md"]


def test_an_inner_file_has_the_last_word(tmp_path: Path) -> None:
    for name in ("a.md", "sub/b.md", "sub/c.txt"):
        _touch(tmp_path / name)
    _touch(tmp_path / ".atrilignore", "*.md\n")
    _touch(tmp_path / "sub" / ".atrilignore", "!b.md\n*.txt\n")
    assert _names(tmp_path) == ["sub/b.md"]


def test_below_an_ignored_folder_nothing_comes_back(tmp_path: Path) -> None:
    _touch(tmp_path / "old" / "b.md")
    _touch(tmp_path / ".atrilignore", "old/\n!old/b.md\n")
    assert _names(tmp_path) == []


def test_a_line_that_means_nothing_keeps_the_whole_folder_from_being_read(tmp_path: Path) -> None:
    _touch(tmp_path / "a.md")
    _touch(tmp_path / "sub" / "b.md")
    _touch(tmp_path / "sub" / ".atrilignore", "*.bak\n!\n")
    found = {file.name: file.problem for file in find_files([tmp_path])}
    assert found["a.md"] is None
    assert list(found) == ["a.md", "sub"]
    assert found["sub"] is not None
    assert "line 2" in found["sub"].detail


@pytest.mark.parametrize(
    ("path", "ignored"), [("a.md", False), ("old/a.md", True), ("sub/~$a.docx", True), (".git/a.md", True)]
)
def test_whether_a_single_file_would_be_found(tmp_path: Path, path: str, ignored: bool) -> None:
    _touch(tmp_path / ".atrilignore", "old/\n")
    assert ignored_below(tmp_path, _touch(tmp_path / path)) is ignored
