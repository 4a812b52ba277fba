from pathlib import Path

import pytest

from atril.ingest.files import find_files, is_ignored


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


def test_what_is_missing_is_given_back_to_fail_with_its_own_error(tmp_path: Path) -> None:
    [found] = find_files([tmp_path / "nothing.pdf"])
    assert found.name == "nothing.pdf"


@pytest.mark.parametrize("name", [".git", "~$offer.docx", "Thumbs.db", "a.tmp", "b.pdf.crdownload", "c.md~"])
def test_hidden_temporary_and_system_files_are_no_documents(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["temporary.md", "tilde~.md", "desktop.md"])
def test_ordinary_files_are_documents(name: str) -> None:
    assert not is_ignored(name)
