"""Noticing what has changed in a folder."""

import os
from pathlib import Path

from atril.ingest.watching import changes


async def test_it_begins_at_once_and_then_names_what_came_changed_and_went(tmp_path: Path) -> None:
    folder, home = tmp_path / "docs", tmp_path / "home"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text(name, encoding="utf-8")
    seen = changes(folder, exclude=home, interval=0.01)
    assert await anext(seen) is None
    (folder / "a.md").write_text("longer", encoding="utf-8")
    (folder / "b.md").unlink()
    (folder / "d.md").write_text("new", encoding="utf-8")
    os.utime(folder / "c.md", ns=(1, 1))
    changed = await anext(seen)
    assert changed == {folder / name for name in ("a.md", "b.md", "c.md", "d.md")}
    await seen.aclose()


async def test_temporary_files_are_no_change(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    seen = changes(tmp_path, exclude=tmp_path / "home", interval=0.01)
    await anext(seen)
    (tmp_path / "~$a.docx").write_text("lock", encoding="utf-8")
    (tmp_path / "b.md.part").write_text("half", encoding="utf-8")
    (tmp_path / "b.md").write_text("whole", encoding="utf-8")
    assert await anext(seen) == {tmp_path / "b.md"}
    await seen.aclose()


async def test_a_change_in_a_linked_folder_is_noticed(tmp_path: Path) -> None:
    folder, shared = tmp_path / "docs", tmp_path / "shared"
    folder.mkdir()
    shared.mkdir()
    (folder / "team").symlink_to(shared)
    (shared / "round").symlink_to(shared)
    seen = changes(folder, exclude=tmp_path / "home", interval=0.01)
    await anext(seen)
    (shared / "a.md").write_text("x", encoding="utf-8")
    assert await anext(seen) == {folder / "team" / "a.md"}
    await seen.aclose()
