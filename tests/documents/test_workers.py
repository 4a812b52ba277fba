"""Workers: what one file does to its reader stays with that file."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from atril.documents.chunking import ChunkOptions
from atril.documents.workers import Readers, ReadLimits
from atril.errors import AtrilError, UnreadableDocument
from small_pdf import lines, pdf

HOSTILE = '''
"""A token counter that a word in the text can make misbehave, as a hostile file would a parser."""
import os, sys, time

def counter():
    def count(text):
        if "HANG" in text: time.sleep(600)
        if "CRASH" in text: os.abort()
        if "CHATTER" in text: print("x" * 500_000); print("y" * 500_000, file=sys.stderr)
        if "ODD" in text: sys.modules["__main__"]._answer = lambda *_: {"reason": "odd", "detail": ""}
        if "RAISE" in text: raise KeyError("no such token")
        if "GROW" in text:
            held = []
            while True: held.append(bytearray(b"x") * 20_000_000)
        return len(text.split())
    return count

def broken():
    raise OSError("no vocabulary")
'''


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "hostile_counter.py").write_text(HOSTILE)
    monkeypatch.syspath_prepend(tmp_path)
    return "hostile_counter:counter"


def readers(tokenizer: str, *, processes: int = 1, limits: ReadLimits | None = None) -> Readers:
    limits = limits or ReadLimits(seconds=20)
    return Readers(tokenizer=tokenizer, options=ChunkOptions(), limits=limits, processes=processes)


def file(folder: Path, text: str, name: str = "a.md") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


async def reason(pool: Readers, path: Path) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        await pool.read(path.name, path)
    return caught.value.reason


def children() -> set[int]:
    """The processes this one has started and that still run."""
    found: set[int] = set()
    for started in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            found |= {int(pid) for pid in started.read_text().split()}
    return found


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes under /proc")


async def test_files_and_texts_are_read_in_another_process(tmp_path: Path, hostile: str) -> None:
    async with readers(hostile) as pool:
        document = await pool.read("a.md", file(tmp_path, "# Vacaciones\n\nTreinta días al año."))
        assert document.parsed.title == "Vacaciones"
        assert [chunk.content for chunk in document.chunks] == [document.parsed.text]
        text = await pool.read_text("faq", "Plazo", "El plazo es de diez días.", {"a": "b"})
        assert (text.parsed.title, text.parsed.metadata) == ("Plazo", {"a": "b"})


async def test_reasons_come_back(tmp_path: Path, hostile: str) -> None:
    async with readers(hostile, limits=ReadLimits(file_bytes=20)) as pool:
        assert await reason(pool, file(tmp_path, "x" * 21)) == "too_large"
        assert await reason(pool, file(tmp_path, "")) == "empty"
        assert await reason(pool, file(tmp_path, "a", "a.mp4")) == "unsupported"
        assert await reason(pool, tmp_path / "missing.md") == "unreadable"
        assert await reason(pool, tmp_path) == "unreadable"
        assert await reason(pool, file(tmp_path, "RAISE")) == "corrupt"


async def test_an_answer_that_means_nothing_is_a_corrupt_file(tmp_path: Path, hostile: str) -> None:
    async with readers(hostile) as pool:
        await pool.read("odd.md", file(tmp_path, "ODD: from now on this reader gives reasons of its own"))
        assert await reason(pool, file(tmp_path, "Good.")) == "corrupt"


@linux
async def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path, hostile: str) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    async with readers(hostile) as pool:
        document = await pool.read(name, file(tmp_path, "x" * 200, name))
    assert document.parsed.title == "caf\ufffd"


@pytest.mark.parametrize(("word", "why"), [("HANG", "timeout"), ("CRASH", "corrupt"), ("GROW", "too_large")])
async def test_a_file_that_ends_its_reader_fails_alone(
    tmp_path: Path, hostile: str, word: str, why: str
) -> None:
    limits = ReadLimits(seconds=2.0 if word == "HANG" else 20.0, memory_bytes=300_000_000)
    bad, good = file(tmp_path, word, "bad.md"), file(tmp_path, "Good text.", "good.md")
    async with readers(hostile, processes=2, limits=limits) as pool:
        failed, *read = await asyncio.gather(
            pool.read("bad.md", bad), *(pool.read("good.md", good) for _ in range(4)), return_exceptions=True
        )
        assert isinstance(failed, UnreadableDocument) and failed.reason == why
        assert all(not isinstance(document, BaseException) for document in read)


async def test_what_libraries_print_does_not_disturb(
    tmp_path: Path, hostile: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async with readers(hostile) as pool:
        assert (await pool.read("a.md", file(tmp_path, "CHATTER"))).parsed.text == "CHATTER"
    assert capfd.readouterr() == ("", "")


async def test_a_cancelled_read_leaves_the_pool_sound(tmp_path: Path, hostile: str) -> None:
    async with readers(hostile) as pool:
        await pool.read("a.md", file(tmp_path, "warm"))
        reading = asyncio.create_task(pool.read("bad.md", file(tmp_path, "HANG", "bad.md")))
        await asyncio.sleep(0.1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert (await pool.read("a.md", file(tmp_path, "Good."))).parsed.text == "Good."


@linux
async def test_an_idle_worker_that_died_is_replaced(tmp_path: Path, hostile: str) -> None:
    before = children()
    async with readers(hostile) as pool:
        await pool.read("a.md", file(tmp_path, "One."))
        for pid in children() - before:
            os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.1)
        assert (await pool.read("a.md", file(tmp_path, "Two."))).parsed.text == "Two."


@linux
async def test_workers_start_when_needed_and_none_is_left(tmp_path: Path, hostile: str) -> None:
    before = children()
    pool = readers(hostile, processes=2)
    assert children() == before
    hanging = asyncio.create_task(pool.read("bad.md", file(tmp_path, "HANG", "bad.md")))
    await pool.read("a.md", file(tmp_path, "Good."))
    await pool.close()
    await pool.close()
    with pytest.raises(RuntimeError):
        await hanging
    with pytest.raises(RuntimeError):
        await pool.read("a.md", tmp_path / "a.md")
    assert children() == before


async def test_a_tokenizer_that_does_not_load_is_no_fault_of_the_file(tmp_path: Path, hostile: str) -> None:
    async with readers("hostile_counter:broken") as pool:
        with pytest.raises(AtrilError, match="no vocabulary") as caught:
            await pool.read("a.md", file(tmp_path, "Good."))
        assert not isinstance(caught.value, UnreadableDocument)


PARENT = """
import asyncio, sys, pathlib
from atril.documents.chunking import ChunkOptions
from atril.documents.workers import Readers, ReadLimits

async def main():
    pool = Readers(tokenizer="hostile_counter:counter", options=ChunkOptions(), limits=ReadLimits(), processes=1)
    asyncio.create_task(pool.read("a.md", pathlib.Path(sys.argv[1])))
    while not pool._working: await asyncio.sleep(0.01)
    print(next(iter(pool._working))._process.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@linux
async def test_a_worker_dies_with_its_parent_even_in_the_middle_of_a_file(
    tmp_path: Path, hostile: str
) -> None:
    path = file(tmp_path, "HANG")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, str(path), stdout=subprocess.PIPE, env=environment
    )
    assert parent.stdout is not None
    worker = int(await parent.stdout.readline())
    parent.kill()
    await parent.wait()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the worker outlived its parent")


async def test_pages_are_told_while_a_long_document_is_read(tmp_path: Path, hostile: str) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf([lines(f"Page {number}") for number in range(1, 41)]))
    told: list[int] = []
    async with readers(hostile) as pool:
        document = await pool.read("long.pdf", path, told.append)
    assert len(document.parsed.pages) == 40
    assert told == sorted(told) and told[-1] == 40


async def test_a_container_is_unpacked_where_it_can_be_killed(tmp_path: Path, hostile: str) -> None:
    (tmp_path / "pack.zip").write_bytes(b"PK\x03\x04 cut")
    (tmp_path / "out").mkdir()
    async with readers(hostile) as pool:
        with pytest.raises(UnreadableDocument, match="damaged"):
            await pool.unpack("pack.zip", tmp_path / "pack.zip", tmp_path / "out")
        assert await pool.unpack("a.md", file(tmp_path, "text"), tmp_path / "out") is None
