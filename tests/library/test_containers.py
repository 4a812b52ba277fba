"""One file gives several documents: archives, and mails with what is attached to them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest

import atril
from atril import Library
from atril.testing.embedders import HashEmbedder
from atril.types import AddReport, Progress

RULES = b"# Rules\n\nThe deposit is forty euros.\n"
HOURS = b"# Hours\n\nOpen from nine to six.\n"


def zipped(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def mail(subject: str, body: str, attachments: Mapping[str, bytes]) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "ana@example.org", "luis@example.org"
    message["Date"] = "Fri, 03 May 2024 10:20:00 +0200"
    message["Message-ID"] = "<1@example.org>"
    message.set_content(body)
    for name, data in attachments.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return bytes(message)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


async def names(library: Library) -> list[str]:
    return [document.name for document in await library.documents()]


def counts(report: AddReport) -> tuple[int, int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed, len(report.failed)


async def test_what_an_archive_holds_is_added_under_its_name(library: Library, docs: Path) -> None:
    inner = zipped({"hours.md": HOURS})
    data = {"dir/rules.md": RULES, "inner.zip": inner, "__MACOSX/._x": b"x", ".hidden.md": RULES}
    (docs / "pack.zip").write_bytes(zipped(data))
    assert counts(await library.add(docs)) == (2, 0, 0, 0, 0)
    assert await names(library) == ["pack.zip/dir/rules.md", "pack.zip/inner.zip/hours.md"]
    sources = [document.source for document in await library.documents()]
    pack = (docs / "pack.zip").resolve()
    assert sources == [f"{pack}!/dir/rules.md", f"{pack}!/inner.zip!/hours.md"]
    assert await library.read("rules.md") == RULES.decode().strip()


async def test_a_mail_is_a_document_and_so_are_its_attachments(library: Library, docs: Path) -> None:
    (docs / "offer.eml").write_bytes(mail("Our offer", "See the rules.", {"rules.md": RULES}))
    assert counts(await library.add(docs)) == (2, 0, 0, 0, 0)
    assert await names(library) == ["offer.eml", "offer.eml/rules.md"]
    text = await library.read("offer.eml")
    assert text.startswith(
        "# Our offer\n\nFrom: ana@example.org\nTo: luis@example.org\nDate: 2024-05-03 10:20 +0200"
    )
    assert text.endswith("See the rules.")
    document = (await library.documents())[0]
    assert (document.type, document.title) == ("eml", "Our offer")
    assert document.metadata["attachments"] == "rules.md"


async def test_a_mail_in_an_archive_brings_its_attachments_too(library: Library, docs: Path) -> None:
    (docs / "box.zip").write_bytes(zipped({"m.eml": mail("Hello", "Text.", {"rules.md": RULES})}))
    await library.add(docs)
    assert await names(library) == ["box.zip/m.eml", "box.zip/m.eml/rules.md"]


async def test_only_what_has_changed_inside_is_read_again(library: Library, docs: Path) -> None:
    pack = docs / "pack.zip"
    pack.write_bytes(zipped({"rules.md": RULES, "hours.md": HOURS, "old.md": b"# Old\n\nGone soon."}))
    await library.add(docs)
    assert counts(await library.add(docs)) == (0, 0, 3, 0, 0)
    pack.write_bytes(
        zipped({"rules.md": RULES + b"\nAnd more.", "hours.md": HOURS, "new.md": b"# New\n\nFresh."})
    )
    assert counts(await library.add(docs)) == (1, 1, 1, 1, 0)
    assert await names(library) == ["pack.zip/hours.md", "pack.zip/new.md", "pack.zip/rules.md"]


async def test_a_bad_member_is_a_line_of_its_own_and_stops_nothing(library: Library, docs: Path) -> None:
    (docs / "pack.zip").write_bytes(
        zipped({"a.md": RULES, "b.pdf": b"%PDF-1.7\n" + bytes(range(256)), "c.docx": b"", "d.md": HOURS})
    )
    report = await library.add(docs)
    assert report.added == 2
    found = {Path(failure.file).name: failure.reason for failure in report.failed}
    assert found == {"b.pdf": "corrupt", "c.docx": "empty"}
    assert all("pack.zip" in failure.file for failure in report.failed)


async def test_an_archive_that_does_not_open_is_one_line_and_loses_nothing(
    library: Library, docs: Path
) -> None:
    pack = docs / "pack.zip"
    pack.write_bytes(zipped({"rules.md": RULES}))
    await library.add(docs)
    pack.write_bytes(pack.read_bytes()[:60])
    report = await library.add(docs)
    assert [(failure.file, failure.reason) for failure in report.failed] == [(str(pack), "corrupt")]
    assert (await names(library), report.removed) == (["pack.zip/rules.md"], 0)


async def test_removing_a_mail_removes_its_attachments(library: Library, docs: Path) -> None:
    (docs / "offer.eml").write_bytes(mail("Our offer", "See the rules.", {"rules.md": RULES}))
    await library.add(docs)
    assert await library.remove("offer.eml/rules.md") == 1
    assert counts(await library.add(docs)) == (1, 0, 1, 0, 0)
    assert await library.remove("offer.eml") == 2
    assert await names(library) == []


async def test_sync_removes_what_was_inside_a_file_that_has_vanished(library: Library, docs: Path) -> None:
    (docs / "pack.zip").write_bytes(zipped({"rules.md": RULES, "hours.md": HOURS}))
    (docs / "odd!").mkdir()
    (docs / "odd!" / "note.md").write_bytes(HOURS)
    assert counts(await library.sync(docs)) == (3, 0, 0, 0, 0)
    assert counts(await library.sync(docs)) == (0, 0, 3, 0, 0)
    (docs / "pack.zip").unlink()
    assert counts(await library.sync(docs)) == (0, 0, 1, 2, 0)
    assert await names(library) == ["odd!/note.md"]


async def test_a_file_that_turns_into_an_archive_and_back(library: Library, docs: Path) -> None:
    file = docs / "thing.md"
    file.write_bytes(RULES)
    await library.add(docs)
    file.write_bytes(zipped({"hours.md": HOURS}))
    assert counts(await library.add(docs)) == (1, 0, 0, 1, 0)
    file.write_bytes(RULES)
    assert counts(await library.add(docs)) == (1, 0, 0, 1, 0)
    assert await names(library) == ["thing.md"]


async def test_the_same_archive_in_two_collections_is_two_sets_of_documents(
    library: Library, docs: Path
) -> None:
    (docs / "pack.zip").write_bytes(zipped({"rules.md": RULES}))
    await library.add(docs, collection="one")
    await library.add(docs, collection="two")
    (docs / "pack.zip").write_bytes(zipped({"hours.md": HOURS}))
    assert counts(await library.add(docs, collection="one")) == (1, 0, 0, 1, 0)
    assert [(each.collection, each.name) for each in await library.documents()] == [
        ("two", "docs/pack.zip/rules.md"),
        ("one", "pack.zip/hours.md"),
    ]


async def test_members_are_read_again_from_their_own_originals(
    home: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "pack.zip").write_bytes(zipped({"rules.md": RULES, "hours.md": HOURS}))
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add(docs)
        (docs / "pack.zip").unlink()
        monkeypatch.setattr("atril.ingest.pipeline.PARSER_VERSION", "of the next release")
        report = await library.reindex()
        assert (report.documents, report.failed) == (2, ())
        assert await library.read("hours.md") == HOURS.decode().strip()
    assert not list((home / "unpacked").glob("*")), "what was unpacked must go"


async def test_progress_counts_what_is_inside(library: Library, docs: Path) -> None:
    (docs / "pack.zip").write_bytes(zipped({"rules.md": RULES, "hours.md": HOURS, "bad.docx": b""}))
    told: list[Progress] = []
    await library.add(docs, progress=told.append)
    assert (told[-1].done_files, told[-1].total_files) == (3, 3)
