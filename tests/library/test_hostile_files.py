"""Files that would hurt: each is a line of the report, and the rest of the folder is read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

import atril
from atril.testing.embedders import HashEmbedder
from atril.types import AddReport

GOOD = "# Rules\n\nThe deposit is forty euros.\n"


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def bomb() -> bytes:
    """60 MB in as many kilobytes."""
    document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    main = f'<Relationship Id="r1" Type="{document}" Target="word/document.xml"/>'
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "_rels/.rels": f'<Relationships xmlns="{relations}">{main}</Relationships>'.encode(),
            "word/document.xml": b"<w/>" + bytes(60_000_000),
        }
    )


async def added(tmp_path: Path, language: str = "en") -> AddReport:
    async with atril.open(tmp_path / "home", embedder=HashEmbedder(), language=language) as library:
        return await library.add(tmp_path / "docs")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text(GOOD)
    return folder


def reasons(report: AddReport) -> dict[str, str]:
    return {Path(failure.file).name: failure.reason for failure in report.failed}


async def test_files_that_would_fill_memory_or_disk(docs: Path, tmp_path: Path) -> None:
    with (docs / "huge.pdf").open("wb") as file:
        file.truncate(10_000_000_000)
    (docs / "bomb.docx").write_bytes(bomb())
    (docs / "bomb.zip").write_bytes(zipped({"zeros.txt": bytes(60_000_000), "fine.md": GOOD.encode()}))
    report = await added(tmp_path)
    assert report.added == 2
    assert reasons(report) == {"huge.pdf": "too_large", "bomb.docx": "too_large", "zeros.txt": "too_large"}


async def test_names_in_an_archive_write_nothing_anywhere(docs: Path, tmp_path: Path) -> None:
    (docs / "pack.zip").write_bytes(
        zipped({"../../../escaped.md": GOOD.encode(), "/tmp/abs.md": GOOD.encode()})
    )
    before = {path for path in tmp_path.rglob("*") if (tmp_path / "home") not in path.parents}
    report = await added(tmp_path)
    assert (report.added, report.failed) == (3, ())
    after = {path for path in tmp_path.rglob("*") if (tmp_path / "home") not in path.parents}
    assert after - before == {tmp_path / "home"}


async def test_entities_from_outside_are_not_read(docs: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a very secret word")
    declared = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'
    (docs / "a.xml").write_text(f"{declared}<r><p>Said: &e;</p></r>")
    (docs / "b.html").write_text(f"{declared}<html><p>Said: &e;</p></html>")
    lol = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 12))
    (docs / "c.xml").write_text(f'<!DOCTYPE r [<!ENTITY e0 "lol">{lol}]><r>&e11;</r>')
    async with atril.open(tmp_path / "home", embedder=HashEmbedder()) as library:
        await library.add(docs)
        texts = [await library.read(document.name) for document in await library.documents()]
    assert GOOD.strip() in texts
    assert not any("very secret" in text or len(text) > 10_000 for text in texts)


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Word"), ("es", "guárdalo como"), ("ru", "сохраните как")]
)
async def test_what_to_do_is_said_in_the_language_of_the_reader(
    docs: Path, tmp_path: Path, language: str, word: str
) -> None:
    stream = "WordDocument".encode("utf-16-le")
    (docs / "old.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + stream)
    (failure,) = (await added(tmp_path, language)).failed
    assert failure.reason == "unsupported"
    assert word in failure.error and ".docx" in failure.error
