"""No reader opens a socket: the kernel kills a worker that tries."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

import pytest

from atril.documents.chunking import ChunkOptions
from atril.documents.workers import Readers, ReadLimits
from atril.errors import UnreadableDocument

OFFICE = Path(__file__).parents[3] / "shared" / "data" / "office"

SEALED = '''
"""A token counter that forbids its process the system call `socket` (41 on x86-64) before it counts."""
import ctypes

KILL, ALLOW = 0x80000000, 0x7FFF0000
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06


class Step(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.POINTER(Step))]


def counter():
    steps = (Step * 4)(Step(LOAD, 0, 0, 0), Step(EQUAL, 0, 1, 41), Step(RETURN, 0, 0, KILL), Step(RETURN, 0, 0, ALLOW))
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(38, 1, 0, 0, 0)
    if library.prctl(22, 2, ctypes.byref(Program(4, steps)), 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")

    def count(text):
        if "CONNECT" in text:
            import socket
            socket.socket()
        return len(text.split())

    return count
'''

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="needs the system call filter of Linux on x86-64",
)


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Readers:
    (tmp_path / "sealed_counter.py").write_text(SEALED)
    monkeypatch.syspath_prepend(tmp_path)
    return Readers(
        tokenizer="sealed_counter:counter", options=ChunkOptions(), limits=ReadLimits(), processes=2
    )


async def test_a_worker_that_opens_a_socket_would_be_noticed(sealed: Readers, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Please CONNECT now.")
    async with sealed as readers:
        with pytest.raises(UnreadableDocument) as caught:
            await readers.read("a.md", tmp_path / "a.md")
    assert "crashed" in caught.value.detail


@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.skipif(not OFFICE.exists(), reason="the office corpus is not beside the checkout")
async def test_no_file_of_the_office_corpus_makes_its_reader_open_a_socket(sealed: Readers) -> None:
    rows = [json.loads(line) for line in (OFFICE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    problems = {}
    async with sealed as readers:
        for row in rows:
            path = OFFICE / row["file"]
            try:
                await readers.read(path.name, path)
            except UnreadableDocument as error:
                problems[row["file"]] = error
    assert [file for file, error in problems.items() if "crashed" in error.detail] == []
