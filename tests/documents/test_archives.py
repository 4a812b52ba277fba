"""The guard before every zip-based format, and what is unpacked through it."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.documents import unpacking
from atril.documents.parsing.archives import Archive, ArchiveLimits, checked_archive
from atril.documents.unpacking import Contents, containers_of, unpack
from atril.errors import UnreadableDocument

SMALL = ArchiveLimits(entries=3, entry_bytes=1_000, total_bytes=2_000, ratio=10, ratio_from=500)


def zipped(members: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def reason(data: bytes, limits: ArchiveLimits = SMALL) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        checked_archive(data, limits)
    return caught.value.reason


def noise(size: int) -> bytes:
    return bytes((number * 7919 >> 3) & 0xFF for number in range(size))


def encrypted(data: bytes) -> bytes:
    """The archive with every entry marked as encrypted, in both places that say so."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(signature)
        while place >= 0:
            changed[place + offset] |= 1
            place = data.find(signature, place + 1)
    return bytes(changed)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (zipped({"a": noise(1_001)}), "too_large"),
        (zipped({"a": noise(900), "b": noise(900), "c": noise(900)}), "too_large"),
        (zipped({"a": bytes(900)}), "too_large"),
        (zipped({str(number): b"x" for number in range(4)}), "too_large"),
        (zipped({"a": noise(300)})[:200], "corrupt"),
        (b"PK\x03\x04 no archive", "corrupt"),
        (encrypted(zipped({"a": b"secret"})), "encrypted"),
    ],
    ids=["entry", "total", "ratio", "entries", "cut", "none", "encrypted"],
)
def test_an_archive_beyond_the_limits_is_refused(data: bytes, why: str) -> None:
    assert reason(data) == why


def test_a_size_that_is_a_lie_inflates_nothing_beyond_it() -> None:
    data = zipped({"a": bytes(50_000_000)})
    lie = data.replace(struct.pack("<I", 50_000_000), struct.pack("<I", 10))
    assert reason(lie, ArchiveLimits()) == "corrupt"


def test_an_archive_within_the_limits_is_handed_on_as_it_is() -> None:
    data = zipped({"a": noise(400), "b": b""})
    assert checked_archive(data, SMALL).read() == data


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/file.md", "abs/file.md"),
        ("C:\\Users\\a.md", "Users/a.md"),
        ("a/./b/../c.md", "a/b/c.md"),
        ("..", ""),
        ("Año.md", "Año.md"),
    ],
)
def test_a_name_is_a_label_that_leads_nowhere(name: str, label: str) -> None:
    archive = Archive(zipped({name: b"x"}))
    assert [archive.label(each) for each in archive.names] == [label]


@pytest.mark.parametrize(
    ("name", "page"), [("договор.md", "cp866"), ("año.md", "cp850"), ("niño.md", "utf-8")]
)
def test_names_in_old_code_pages_are_read(name: str, page: str) -> None:
    raw = name.encode(page)
    data = zipped({"x" * len(raw): b"text"}).replace(b"x" * len(raw), raw)
    archive = Archive(data)
    assert [archive.label(each) for each in archive.names] == [name]


# Unpacking


def opened(data: bytes, folder: Path, name: str = "pack.zip") -> Contents:
    contents = unpack(name, data, folder, largest=1_000_000)
    assert contents is not None
    return contents


def test_members_are_written_under_numbers(tmp_path: Path) -> None:
    contents = opened(zipped({"../../out.md": b"# Out", "b.txt": b"b"}), tmp_path)
    assert [(member.name, member.file) for member in contents.members] == [
        ("out.md", "000001"),
        ("b.txt", "000002"),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000001", "000002"]
    assert not contents.is_document


def test_two_members_of_one_name_are_told_apart(tmp_path: Path) -> None:
    names = [member.key for member in opened(zipped({"a/b.md": b"1", "/a/b.md": b"2"}), tmp_path).members]
    assert names == ["a/b.md", "a/b (2).md"]


def test_archives_are_opened_so_deep_and_no_deeper(tmp_path: Path) -> None:
    data = zipped({"leaf.md": b"# Leaf"})
    for _ in range(unpacking.DEEPEST):
        data = zipped({"in.zip": data})
    (member,) = opened(data, tmp_path).members
    assert member.key == "!/".join(["in.zip"] * unpacking.DEEPEST)
    assert member.problem is not None and member.problem.hint == "nested"


def test_a_bomb_among_the_members_is_its_own_problem(tmp_path: Path) -> None:
    bomb = zipped({"a.md": bytes(900_000_000 // 1000)})
    contents = opened(
        zipped({"bomb.txt": bytes(20_000_000), "inner.zip": bomb, "good.md": b"# Good"}), tmp_path
    )
    found = {member.key: member.problem and member.problem.reason for member in contents.members}
    assert found["bomb.txt"] == "too_large"
    assert found["good.md"] is None


def test_a_container_has_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "LARGEST_TOTAL", 2_500)
    with pytest.raises(UnreadableDocument) as caught:
        opened(zipped({str(number): noise(1_000) for number in range(3)}), tmp_path)
    assert (caught.value.reason, caught.value.hint) == ("too_large", "bomb")


def test_an_encrypted_archive_is_one_problem_and_a_mixed_one_several(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        opened(encrypted(zipped({"a.md": b"a", "b.md": b"b"})), tmp_path)
    assert caught.value.reason == "encrypted"


def test_what_is_no_container_is_left_to_its_reader(tmp_path: Path) -> None:
    assert unpack("a.md", b"# A", tmp_path, largest=100) is None
    assert (
        unpack("a.docx", zipped({"[Content_Types].xml": b"<x/>", "word/a": b""}), tmp_path, largest=100)
        is None
    )


def test_the_attachments_of_a_mail_keep_their_names(tmp_path: Path) -> None:
    message, forwarded = EmailMessage(), EmailMessage()
    forwarded["Subject"] = "Прайс-лист"
    forwarded.set_content("Inside.")
    message["Subject"], message["Message-ID"], message["To"] = "Fwd", "<a@b.c>", "x@y.z"
    message.set_content("See.")
    message.add_alternative('<p>See <img src="cid:logo"></p>', subtype="html")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="Factura nº 7/ñ.pdf")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png", cid="<logo>")
    message.add_attachment(forwarded)
    contents = opened(bytes(message), tmp_path, "m.eml")
    assert contents.is_document
    assert [member.name for member in contents.members] == ["Factura nº 7_ñ.pdf", "Прайс-лист.eml"]
    assert containers_of("/x/m.eml!/a.zip!/b.md") == ["/x/m.eml", "/x/m.eml!/a.zip"]


def test_a_member_whose_name_is_damaged_is_unpacked_all_the_same(tmp_path: Path) -> None:
    whole = zipped({"a.md": b"a", "lost.md": b"b"})
    directory = whole.rindex(b"lost.md")
    contents = opened(whole[:directory] + b"\0" + whole[directory + 1 :], tmp_path)
    assert [member.name for member in contents.members] == ["a.md", "ost.md"]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_damaged_archive_gives_members_or_a_reason(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = bytearray(
        zipped({"a.md": noise(300), "b.eml": b"From: a@b\nSubject: x\nMIME-Version: 1.0\n\nHi"})
    )
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=12)):
        whole[place] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("unpacked")
    try:
        contents = unpack("pack.zip", bytes(whole), folder, largest=10_000)
    except UnreadableDocument:
        return
    for member in contents.members if contents else ():
        assert (folder / member.file).is_file() if member.file else member.problem is not None
