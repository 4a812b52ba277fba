"""The bytes of documents, whole or not at all."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    unfinished = originals.path("ñ/..", kept).parent.parent / "arriving" / "0123"
    unfinished.write_bytes(b"half")
    assert originals.sweep({("ñ/..", kept), ("default", lost)}) == 2
    assert files(tmp_path) == [originals.path("ñ/..", kept)]
    assert Originals(tmp_path / "empty").sweep(set()) == 0


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
