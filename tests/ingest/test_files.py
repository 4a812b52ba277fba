import os
from pathlib import Path

import pytest

from atril.ingest.files import find_files
from atril.ingest.ignoring import is_ignored


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    return path


def test_a_file_in_a_folder_is_named_by_its_path_below_it(tmp_path: Path) -> None:
    _touch(tmp_path / "laws" / "labour" / "et.md")
    [found] = find_files([tmp_path / "laws"])
    assert (found.name, found.folder) == ("labour/et.md", "laws")


def test_a_file_given_by_itself_has_its_bare_name(tmp_path: Path) -> None:
    [found] = find_files([_touch(tmp_path / "laws" / "et.md")])
    assert (found.name, found.folder) == ("et.md", "laws")


def test_folders_are_walked_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "sub/c.md"):
        _touch(tmp_path / name)
    assert [file.name for file in find_files([tmp_path])] == ["a.md", "b.md", "sub/c.md"]


def test_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    original = _touch(tmp_path / "one" / "a.md")
    (tmp_path / "link.md").symlink_to(original)
    found = list(find_files([tmp_path / "one", original, tmp_path / "link.md"]))
    assert [file.name for file in found] == ["a.md"]


def test_a_link_is_called_by_its_own_name_and_known_by_its_target(tmp_path: Path) -> None:
    original = _touch(tmp_path / "elsewhere" / "report.pdf")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "d1.pdf").symlink_to(original)
    [found] = find_files([tmp_path / "library"])
    assert (found.name, found.source) == ("d1.pdf", str(original.resolve()))


def test_the_home_inside_a_folder_is_left_out(tmp_path: Path) -> None:
    _touch(tmp_path / "home" / "atril.db")
    _touch(tmp_path / "a.md")
    assert [file.name for file in find_files([tmp_path], exclude=tmp_path / "home")] == ["a.md"]


def test_nothing_of_the_home_is_given_however_it_is_reached(tmp_path: Path) -> None:
    inside = _touch(tmp_path / "home" / "originals" / "a.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "link.md").symlink_to(inside)
    ways = [tmp_path / "home", inside.parent, inside, tmp_path / "docs"]
    assert list(find_files(ways, exclude=tmp_path / "home")) == []


@pytest.mark.parametrize("name", ["nothing.pdf", "a\0b.md", "long" * 1000, "loop", "dangling", "pipe"])
def test_a_path_that_cannot_be_read_comes_with_its_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    [found] = find_files([tmp_path / name])
    assert found.name == name
    assert found.problem is not None
    assert found.problem.reason == "unreadable"


def test_pipes_in_a_folder_are_passed_over_and_broken_links_have_a_problem(tmp_path: Path) -> None:
    _touch(tmp_path / "a.md")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    found = list(find_files([tmp_path]))
    assert [(file.name, file.problem is None) for file in found] == [("a.md", True), ("loop", False)]


def test_a_folder_that_cannot_be_listed_has_a_problem_and_the_rest_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _touch(tmp_path / "closed" / "b.md")
    _touch(tmp_path / "open" / "c.md")
    _refuse_listing(tmp_path / "closed", monkeypatch)
    found = list(find_files([tmp_path]))
    assert [(file.name, file.problem is None) for file in found] == [("closed", False), ("open/c.md", True)]


def test_a_path_that_may_not_be_looked_at_has_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refused)
    [found] = find_files([tmp_path / "a.md"])
    assert found.problem is not None
    assert found.problem.detail == "Permission denied"


def test_a_name_that_is_no_utf8_has_a_source_that_can_be_stored(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x", encoding="utf-8")
    [found] = find_files([tmp_path])
    assert found.source.encode("utf-8").endswith(b"caf\\udce9.md")


def _refuse_listing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.parametrize("name", [".git", "~$offer.docx", "Thumbs.db", "a.tmp", "b.pdf.crdownload", "c.md~"])
def test_hidden_temporary_and_system_files_are_no_documents(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["temporary.md", "tilde~.md", "desktop.md"])
def test_ordinary_files_are_documents(name: str) -> None:
    assert not is_ignored(name)


def test_a_linked_folder_elsewhere_is_walked_and_named_by_the_link(tmp_path: Path) -> None:
    _touch(tmp_path / "shared" / "deep" / "a.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "team").symlink_to(tmp_path / "shared")
    assert [file.name for file in find_files([tmp_path / "docs"])] == ["team/deep/a.md"]


def test_links_that_lead_round_in_circles_are_walked_once(tmp_path: Path) -> None:
    _touch(tmp_path / "docs" / "z" / "a.md")
    _touch(tmp_path / "shared" / "b.md")
    (tmp_path / "docs" / "again").symlink_to(tmp_path / "docs" / "z")
    (tmp_path / "docs" / "above").symlink_to(tmp_path)
    (tmp_path / "docs" / "team").symlink_to(tmp_path / "shared")
    (tmp_path / "shared" / "itself").symlink_to(tmp_path / "shared")
    (tmp_path / "shared" / "back").symlink_to(tmp_path / "docs")
    assert [file.name for file in find_files([tmp_path / "docs"])] == ["team/b.md", "z/a.md"]
