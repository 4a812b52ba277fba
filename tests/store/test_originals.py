"""The bytes of documents, whole or not at all."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.errors import UnreadableDocument
from atril.store.originals import Originals, tenant_folder


def files(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def test_bytes_return_and_are_kept_once(tmp_path: Path) -> None:
    originals = Originals(tmp_path)
    data = bytes(range(256)) * 10_000
    source = tmp_path / "given.bin"
    source.write_bytes(data)
    content_hash = originals.put("default", data)
    assert originals.put_file("default", source) == content_hash
    assert originals.get("default", content_hash) == data
    assert files(tmp_path / "originals") == [originals.path("default", content_hash)]


def test_nothing_is_left_of_a_writing_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        Originals(tmp_path).put("default", b"data")
    assert files(tmp_path) == []


def test_what_arrives_together_is_kept_together_and_once(tmp_path: Path) -> None:
    originals = Originals(tmp_path)
    with originals.arrival("default") as arrival:
        hashes = [arrival.put(data) for data in (b"one", b"two", b"one")]
        with pytest.raises(UnreadableDocument):
            arrival.put_file(tmp_path / "missing.md")
    assert hashes[0] == hashes[2]
    assert [originals.get("default", each) for each in hashes] == [b"one", b"two", b"one"]
    assert len(files(tmp_path)) == 2


def test_an_arrival_that_is_broken_off_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Originals(tmp_path).arrival("default") as arrival:
        arrival.put(b"data")
        raise KeyboardInterrupt
    assert files(tmp_path) == []


def test_deleting_is_repeatable_and_touches_one_tenant(tmp_path: Path) -> None:
    originals = Originals(tmp_path)
    content_hash = originals.put("a", b"data")
    originals.put("b", b"data")
    for _ in range(2):
        originals.delete("a", [content_hash])
    with pytest.raises(FileNotFoundError):
        originals.get("a", content_hash)
    assert originals.get("b", content_hash) == b"data"


def test_a_sweep_leaves_what_is_referred_to(tmp_path: Path) -> None:
    originals = Originals(tmp_path)
    kept, lost = originals.put("ñ/..", b"kept"), originals.put("ñ/..", b"lost")
    unfinished = originals.path("ñ/..", kept).parent.parent / "arriving" / ("0123" * 8)
    unfinished.write_bytes(b"half")
    assert originals.sweep({("ñ/..", kept), ("default", lost)}) == 2
    assert files(tmp_path) == [originals.path("ñ/..", kept)]
    assert Originals(tmp_path / "empty").sweep(set()) == 0


@pytest.mark.parametrize(
    "foreign",
    [
        "2024/trip/IMG.jpg",
        "t-default/trip/IMG.jpg",
        "t-default/arriving/notes.md",
        f"t-default/ab/{'c' * 64}",
        f"t-default/cc/{'c' * 64}/folder.txt",
        f"holidays/cc/{'c' * 64}",
    ],
)
def test_a_sweep_leaves_what_is_not_an_original(tmp_path: Path, foreign: str) -> None:
    path = tmp_path / "originals" / foreign
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    assert Originals(tmp_path).sweep(set()) == 0
    assert path.read_bytes() == b"mine"


def test_a_file_that_cannot_be_read_is_no_trouble_of_the_home(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument):
        Originals(tmp_path / "home").put_file("default", tmp_path)
    (tmp_path / "given.md").write_bytes(b"data")
    (tmp_path / "full").write_bytes(b"no folder can be made here")
    with pytest.raises(OSError, match="full"):
        Originals(tmp_path / "full").put_file("default", tmp_path / "given.md")


@pytest.mark.parametrize("wrong", ["", "../../etc/passwd", "A" * 64, "0" * 63 + "\n"])
def test_only_a_hash_names_a_file(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        Originals(tmp_path).path("default", wrong)


@given(st.text(), st.text())
def test_every_tenant_has_its_own_safe_folder(one: str, other: str) -> None:
    folder = tenant_folder(one)
    assert folder.isascii()
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert (folder == tenant_folder(other)) == (one == other)
