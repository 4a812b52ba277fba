"""The other side of `workers`: reads one file after another until its input ends.

    python -m atril.documents.worker

Standard input and output carry frames and nothing else; whatever a library prints goes to standard error.
The first frame sets the worker up, every later one asks for a document.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO, Final

from atril.documents.chunking import ChunkOptions
from atril.documents.frames import (
    LENGTH,
    OUT_OF_MEMORY,
    PAGE_MARK,
    contents_to_json,
    decode,
    document_to_json,
    encode,
    problem_to_json,
)
from atril.documents.parsing import PageProgress
from atril.documents.reading import ReadDocument, read, read_text
from atril.documents.unpacking import unpack
from atril.errors import UnreadableDocument
from atril.models.embeddings import load_token_counter

_PLATFORM: Final[str] = sys.platform
_RESERVED: Final = 3 << 30
_WATCH_SECONDS: Final = 0.05


def main() -> None:
    """Serves until standard input ends, then leaves at once, even in the middle of a file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    requests, answers = _take_streams()
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    setup = decode(waiting.get())
    _limit_memory(setup["memory"])
    try:
        load_token_counter(setup["tokenizer"])
        options = ChunkOptions(**setup["options"])
        _send(answers, {"ready": True})
    except Exception as error:  # noqa: BLE001  a tokenizer is anybody's code; the parent tells the user
        _send(answers, {"failed": f"{type(error).__name__}: {error}"})
        return
    while True:
        request = decode(waiting.get())
        _send(answers, _answer(request, setup["tokenizer"], options, setup["largest"], _pages(answers)))


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes under numbers of their own, so that no library reads from or prints into them."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _listen(requests: BinaryIO, waiting: queue.SimpleQueue[bytes]) -> None:
    """Waits for frames in a thread of its own: when the parent is gone, no file is worth finishing."""
    while True:
        head = requests.read(LENGTH.size)
        if len(head) < LENGTH.size:
            os._exit(0)
        waiting.put(requests.read(LENGTH.unpack(head)[0]))


def _limit_memory(limit: int) -> None:
    """Ends this process soon after its resident memory passes the limit; on Windows there is no limit."""
    if _PLATFORM == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _PLATFORM == "linux":
        # A single huge allocation fails at once. Address space is far larger than what is really used.
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = limit + _RESERVED
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
    threading.Thread(target=_watch_memory, args=(limit,), daemon=True).start()


def _watch_memory(limit: int) -> None:
    while _resident() <= limit:
        time.sleep(_WATCH_SECONDS)
    # Said as well, because a parent that asks for the exit code in the wrong moment is given another.
    os.write(sys.stderr.fileno(), b"out of memory\n")
    os._exit(OUT_OF_MEMORY)


def _resident() -> int:
    """Bytes of memory this process holds; on macOS, the most it ever held."""
    if _PLATFORM == "linux":
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(encode(message))
    answers.flush()


def _pages(answers: BinaryIO) -> PageProgress:
    def read(pages: int, total: int) -> None:
        answers.write(LENGTH.pack(PAGE_MARK | pages))
        answers.flush()

    return read


def _answer(
    request: dict[str, Any], tokenizer: str, options: ChunkOptions, largest: int, progress: PageProgress
) -> dict[str, Any]:
    try:
        if "unpack" in request:
            path = Path(request["path"])
            contents = unpack(
                request["name"], _bytes(path, largest), Path(request["unpack"]), largest=largest
            )
            return {"contents": contents and contents_to_json(contents)}
        return {"document": document_to_json(_read(request, tokenizer, options, largest, progress))}
    except UnreadableDocument as error:
        return problem_to_json(error)
    except OSError as error:
        return {"reason": "unreadable", "detail": error.strerror or ""}
    except (MemoryError, OverflowError):
        return {"reason": "too_large", "detail": "not enough memory"}
    except Exception as error:  # noqa: BLE001  whatever a reader trips over, one file must not stop the rest
        return {"reason": "corrupt", "detail": f"{type(error).__name__}: {error}"[:300]}


def _read(
    request: dict[str, Any], tokenizer: str, options: ChunkOptions, largest: int, progress: PageProgress
) -> ReadDocument:
    if "path" not in request:
        return read_text(**request, tokenizer=tokenizer, options=options)
    path = Path(request["path"])
    data = _bytes(path, largest)
    return read(request["name"], data, tokenizer=tokenizer, options=options, path=path, progress=progress)


def _bytes(path: Path, largest: int) -> bytes:
    try:
        if not path.is_file():
            raise UnreadableDocument(reason="unreadable", detail="no such file")
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(largest + 1) if size <= largest else b""
    except OSError as error:
        raise UnreadableDocument(reason="unreadable", detail=error.strerror or "") from error
    if max(size, len(data)) > largest:
        raise UnreadableDocument(reason="too_large", detail=f"more than {largest / 1e6:g} MB")
    return data


if __name__ == "__main__":
    main()
