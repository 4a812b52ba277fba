"""What sync takes out of the library, and above all what it leaves in."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

import atril
from atril.errors import EmptyFolder, NotAFolder


async def _names(library: atril.Library) -> list[str]:
    return [each.name for each in await library.documents()]


async def test_a_folder_that_has_lost_everything_at_once_empties_nothing(
    library: atril.Library, folder: Path
) -> None:
    await library.sync(folder)
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(EmptyFolder, match="2 from it"):
        await library.sync(folder)
    assert len(await _names(library)) == 2
    await library.remove("manual.md", "prices.md")
    assert (await library.sync(folder)).removed == 0


async def test_an_empty_folder_that_nothing_came_from_is_no_error(
    library: atril.Library, folder: Path, tmp_path: Path
) -> None:
    await library.add([folder])
    (tmp_path / "empty").mkdir()
    assert (await library.sync(tmp_path / "empty")).removed == 0


async def test_a_file_is_no_folder(library: atril.Library, folder: Path) -> None:
    with pytest.raises(NotAFolder, match=r"prices\.md"):
        await library.sync(folder / "prices.md")


async def test_nothing_is_removed_below_a_folder_that_cannot_be_listed(
    library: atril.Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "notes.md").write_text("# Notes\n\nSome.\n", encoding="utf-8")
    await library.sync(folder)
    shutil.rmtree(folder / "sub")
    (folder / "sub").mkdir()
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    report = await library.sync(folder)
    assert report.removed == 0
    assert [(Path(failure.file).name, failure.reason) for failure in report.failed] == [("sub", "unreadable")]
    assert "sub/notes.md" in await _names(library)


async def test_a_name_that_is_no_utf8_stays(library: atril.Library, folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9.md")).write_text("# Coffee\n\nBlack.\n", encoding="utf-8")
    assert ((await library.sync(folder)).added, len(await _names(library))) == (3, 3)
    report = await library.sync(folder)
    assert (report.removed, report.unchanged) == (0, 3)


async def test_a_file_that_came_while_the_sync_was_waiting_stays(
    library: atril.Library, folder: Path
) -> None:
    await library.sync(folder)
    adding: list[asyncio.Task[object]] = []

    def meanwhile(progress: object) -> None:
        if not adding:
            (folder / "new.md").write_text("# New\n\nFresh.\n", encoding="utf-8")
            adding.append(asyncio.ensure_future(library.add([folder / "new.md"])))

    (folder / "prices.md").write_text("# Price list\n\nTricycles.\n", encoding="utf-8")
    syncing = asyncio.ensure_future(library.sync(folder, progress=meanwhile))
    assert (await syncing).removed == 0
    await asyncio.gather(*adding)
    assert (await library.sync(folder)).removed == 0
    assert "new.md" in await _names(library)


async def test_a_link_that_is_left_dangling_does_not_keep_its_document(
    library: atril.Library, folder: Path
) -> None:
    (folder / "zlink.md").symlink_to(folder / "prices.md")
    await library.sync(folder)
    (folder / "prices.md").unlink()
    assert (await library.sync(folder)).removed == 1
