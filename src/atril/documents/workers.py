"""Reads files in processes that can be killed.

A file may make a parser hang, fill the memory or crash; none of that may reach the process that owns the
library. Workers are plain subprocesses and not `multiprocessing`, which would import the caller's main
module again. They start when first needed and end with their parent, however that ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from atril.documents.chunking import ChunkOptions
from atril.documents.frames import (
    LENGTH,
    OUT_OF_MEMORY,
    PAGE_MARK,
    contents_from_json,
    decode,
    document_from_json,
    encode,
    problem_from_json,
)
from atril.documents.reading import ReadDocument
from atril.documents.unpacking import Contents
from atril.errors import AtrilError, TokenizerUnavailable, UnreadableDocument

_START_SECONDS: Final = 120.0
_STREAM_LIMIT: Final = 1 << 20
_LARGEST_ANSWER: Final = 1 << 30
_SHORT: Final = 1 << 14
"""Bytes of a message that is understood in less than a third of a millisecond."""
_OUT_OF_MEMORY: Final = (
    b"memory allocation of",
    b"MemoryError",
    b"bad_alloc",
    b"Cannot allocate memory",
    b"out of memory",
)

PageListener = Callable[[int], None]
T = TypeVar("T")

_UNSOUND: Final = (KeyError, TypeError, ValueError, OverflowError)


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What one file may cost.

    `seconds` of wall time; a worker past them is killed. `memory_bytes` of resident memory; a worker past
    them ends itself, on Linux and macOS. Windows has no such watch: there time and file size protect.
    `file_bytes` is the largest file that is opened.
    """

    seconds: float = 120.0
    memory_bytes: int = 1 << 30
    file_bytes: int = 200_000_000


class Readers:
    """A small pool of worker processes, bound to one event loop. An async context manager.

    At most `processes` files are read at a time; further calls wait their turn. `tokenizer` names the
    embedder's token counter (`"package.module:function"`).
    """

    def __init__(self, *, tokenizer: str, options: ChunkOptions, limits: ReadLimits, processes: int) -> None:
        self._setup = {
            "tokenizer": tokenizer,
            "options": asdict(options),
            "memory": limits.memory_bytes,
            "largest": limits.file_bytes,
        }
        self._limits = limits
        self._turns = asyncio.Semaphore(max(1, processes))
        self._idle: list[_Worker] = []
        self._working: set[_Worker] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def read(self, name: str, path: Path, page: PageListener | None = None) -> ReadDocument:
        """Reads a file. Raises `UnreadableDocument`; cancelling kills the worker at once.

        `page` is told now and then how many pages of a long document have been read.
        """
        return await _understood(
            _document, await self._ask({"name": name, "path": str(path.absolute())}, page)
        )

    async def read_text(self, name: str, title: str, text: str, metadata: Mapping[str, str]) -> ReadDocument:
        """Reads a text that has no file. Raises `UnreadableDocument` when there is nothing in it."""
        given = {"name": name, "title": title, "text": text, "metadata": dict(metadata)}
        return await _understood(_document, await self._ask(given))

    async def close(self) -> None:
        """Ends every worker and returns when they are gone; a second call does nothing.

        A `read` under way fails with `RuntimeError`, as does one that begins afterwards.
        """
        self._closed = True
        workers = [*self._idle, *self._working]
        self._idle.clear()
        await asyncio.gather(*(worker.kill() for worker in workers))

    async def unpack(self, name: str, path: Path, folder: Path) -> Contents | None:
        """Writes what an archive or mail holds into `folder`; `None` for a file that is neither.

        Raises `UnreadableDocument` when it cannot be opened.
        """
        request = {"name": name, "path": str(path.absolute()), "unpack": str(folder)}
        return await _understood(_contents, await self._ask(request))

    async def _ask(self, request: dict[str, Any], page: PageListener | None = None) -> bytes:
        """The body of the answer."""
        long = len(request.get("text", "")) > _SHORT
        frame = await asyncio.to_thread(encode, request) if long else encode(request)
        async with self._turns:
            worker = await self._take()
            try:
                answer = await asyncio.wait_for(worker.ask(frame, page), self._limits.seconds)
            except TimeoutError:
                await self._discard(worker)
                detail = f"more than {self._limits.seconds:g} s"
                raise UnreadableDocument(reason="timeout", detail=detail) from None
            except (EOFError, ConnectionError) as error:
                await self._discard(worker)
                self._refuse_closed()
                raise worker.obituary() from error
            except BaseException:
                await self._discard(worker)
                raise
            self._working.discard(worker)
            if self._closed:
                await worker.kill()
            else:
                self._idle.append(worker)
        return answer

    async def _take(self) -> _Worker:
        """An idle worker that still lives, or a new one."""
        self._refuse_closed()
        worker = None
        while self._idle and worker is None:
            worker = self._idle.pop()
            if not worker.alive:
                await worker.kill()
                worker = None
        worker = worker or await _Worker.start(self._setup)
        self._working.add(worker)
        if self._closed:
            await self._discard(worker)
        self._refuse_closed()
        return worker

    async def _discard(self, worker: _Worker) -> None:
        await worker.kill()
        self._working.discard(worker)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise RuntimeError("the readers are closed")


async def _understood(understand: Callable[[bytes], T], answer: bytes) -> T:
    """What an answer says. The way to a thread and back takes longer than a short one."""
    if len(answer) <= _SHORT:
        return understand(answer)
    return await asyncio.to_thread(understand, answer)


def _document(answer: bytes) -> ReadDocument:
    """The document of an answer; a worker that read a hostile file may answer anything."""
    try:
        message = decode(answer)
        if "document" in message:
            return document_from_json(message["document"])
        problem = problem_from_json(message)
    except _UNSOUND as error:
        raise UnreadableDocument(reason="corrupt", detail="its reader gave no sound answer") from error
    raise problem


def _contents(answer: bytes) -> Contents | None:
    try:
        message = decode(answer)
        if "contents" in message:
            contents = message["contents"]
            return None if contents is None else contents_from_json(contents)
        problem = problem_from_json(message)
    except _UNSOUND as error:
        raise UnreadableDocument(reason="corrupt", detail="its reader gave no sound answer") from error
    raise problem


class _Worker:
    """One subprocess, and the last of what it wrote to standard error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._process = process
        self._input = process.stdin
        self._output = process.stdout
        self._complaints: deque[bytes] = deque(maxlen=40)
        self._starved = False
        self._drain = asyncio.create_task(self._keep_complaints(process.stderr))

    @classmethod
    async def start(cls, setup: dict[str, Any]) -> _Worker:
        """A worker that is ready. Raises `TokenizerUnavailable`, and `AtrilError` when it does not start."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "atril.documents.worker",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            limit=_STREAM_LIMIT, env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        worker = cls(process)
        try:
            answer = decode(await asyncio.wait_for(worker.ask(encode(setup)), _START_SECONDS))
        except (EOFError, ConnectionError, TimeoutError, ValueError) as error:
            await worker.kill()
            raise AtrilError(detail=f"a reader did not start: {worker.last_complaint or error}") from error
        except BaseException:
            await worker.kill()
            raise
        if "ready" not in answer:
            await worker.kill()
            raise TokenizerUnavailable(tokenizer=setup["tokenizer"], detail=answer.get("failed"))
        return worker

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    @property
    def last_complaint(self) -> str:
        lines = b"".join(self._complaints).decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    async def ask(self, frame: bytes, page: PageListener | None = None) -> bytes:
        """The body of the answer. Raises `EOFError` or `ConnectionError` when the worker is gone."""
        self._input.write(frame)
        await self._input.drain()
        while (size := LENGTH.unpack(await self._output.readexactly(LENGTH.size))[0]) & PAGE_MARK:
            if page is not None:
                page(size & ~PAGE_MARK)
        if size > _LARGEST_ANSWER:
            raise ConnectionAbortedError("answer too large")
        return await self._output.readexactly(size)

    async def kill(self) -> None:
        """Ends the process and waits until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._input.close()
        # Reading on lets the pipe close by itself; what it still holds concerns nobody.
        await asyncio.gather(self._output.read(), self._drain, return_exceptions=True)
        await self._process.wait()

    def obituary(self) -> UnreadableDocument:
        """Why the file that was being read ended the worker."""
        starved = self._starved or self._process.returncode == OUT_OF_MEMORY
        return UnreadableDocument(
            reason="too_large" if starved else "corrupt",
            detail="not enough memory" if starved else "its reader crashed",
        )

    async def _keep_complaints(self, errors: asyncio.StreamReader) -> None:
        """The last of them; signs of a lack of memory may come well before, ahead of a long trace."""
        before = b""
        while chunk := await errors.read(1000):
            self._complaints.append(chunk)
            self._starved = self._starved or any(sign in before + chunk for sign in _OUT_OF_MEMORY)
            before = chunk


def _environment() -> dict[str, str]:
    """The parent's, with its import path, and one thread for numeric libraries: the pool is the parallelism."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, **threads, "PYTHONPATH": path, "PYTHONUTF8": "1"}
