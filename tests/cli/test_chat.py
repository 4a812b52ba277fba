"""A conversation in a real terminal, and the commands over those that were kept."""

from __future__ import annotations

import asyncio
import codecs
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from atril.testing.embedders import HashEmbedder

Atril = Callable[..., Any]
QUESTION = "How many days of holiday a year?"


@pytest.fixture
def stocked(atril: Atril, stocked_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Atril:
    """As everywhere, with a home of its own: conversations are written."""
    own = tmp_path / "own"
    shutil.copytree(stocked_home, own)
    monkeypatch.setenv("ATRIL_HOME", str(own))
    return atril


PROGRAM = (
    # A run in the background of a shell ignores the signal, and so would every process it starts.
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from atril.cli.main import run; run()"
)


class SlowEmbedder(HashEmbedder):
    """Takes so long over a question with "slow" in it that somebody loses patience."""

    async def embed_query(self, text: str) -> Any:
        if "slow" in text:
            os.write(2, b"thinking\n")
            await asyncio.sleep(60)
        return await super().embed_query(text)


class Screen:
    """A terminal with the program in it: what it shows, and keys that are pressed."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        master, slave = pty.openpty()
        command = [sys.executable, "-c", PROGRAM, *arguments]
        variables = os.environ | {"ATRIL_LANG": "en", "TERM": "dumb", "COLUMNS": "120"} | environment
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True
        )
        os.close(slave)
        self._master = master
        # A letter of several bytes may come in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.shown = ""

    def wait_for(self, text: str, *, seconds: float = 60.0) -> str:
        """Everything up to the text; what comes after it is for the next time."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} did not come after {self.shown!r}"
            try:
                self._read(0.2)
            except OSError:  # the program has ended
                assert text in self.shown, self.shown
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def _read(self, seconds: float) -> None:
        """What comes within this time, if anything does."""
        if select.select([self._master], [], [], seconds)[0]:
            self.shown += self._decoder.decode(os.read(self._master, 65536))

    def type(self, line: str) -> None:
        os.write(self._master, f"{line}\n".encode())

    def interrupt(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def interrupt_until(self, text: str) -> None:
        """Presses Ctrl-C until it is heard: the prompt shows a moment before keys are waited for."""
        deadline = time.monotonic() + 60.0
        while text not in self.shown:
            assert time.monotonic() < deadline, f"{text!r} did not come after {self.shown!r}"
            self.interrupt()
            self._read(1.0)
        self.shown = self.shown.partition(text)[2]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def open_screen(stocked: Atril) -> Iterator[Callable[..., Screen]]:
    opened: list[Screen] = []

    def start(*arguments: str, **environment: str) -> Screen:
        opened.append(Screen(*arguments, **environment))
        return opened[-1]

    yield start
    for screen in opened:
        screen.close()


def test_a_conversation_in_a_terminal(open_screen: Callable[..., Screen], stocked: Atril) -> None:
    tests = str(Path(__file__).parent)
    screen = open_screen(
        "chat", "--conversation", "c1", ATRIL_EMBEDDER="test_chat:SlowEmbedder", PYTHONPATH=tests
    )
    screen.wait_for("Conversation c1")
    screen.wait_for("› ")

    screen.type("a slow one")
    screen.wait_for("thinking")
    screen.interrupt()
    screen.wait_for("Stopped. The conversation goes on.")

    screen.wait_for("› ")
    screen.type(QUESTION)
    answered = screen.wait_for("› ")
    assert "[1]" in answered

    screen.type("/list")
    assert QUESTION in screen.wait_for("› ")
    screen.interrupt_until("/quit or Ctrl-D")
    screen.type("/quit")
    assert screen.process.wait(timeout=60) == 0
    assert [each["messages"] for each in stocked("conversations", "--json").document] == [2]


def test_without_a_terminal_lines_are_questions(stocked: Atril, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    lines = f"{QUESTION}\n/nonsense\n/export talk.jsonl\n/new\n{QUESTION}\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    from typer.testing import CliRunner

    from atril.cli.main import app

    result = CliRunner().invoke(app, ["chat", "--conversation", "c1"], input=lines)
    assert result.exit_code == 0
    assert result.stdout.count("[1]") >= 2
    assert "/open ID" in result.stderr
    assert Path("talk.jsonl").read_text(encoding="utf-8").count("\n") == 2
    assert len(stocked("conversations", "list", "--json").document) == 2


def test_ask_goes_on_with_a_conversation(stocked: Atril) -> None:
    for _ in range(2):
        assert stocked("ask", QUESTION, "--conversation", "c1", "--json").code == 0
    shown = stocked("conversations", "show", "c1", "--json").document
    assert [each["role"] for each in shown["messages"]] == ["user", "assistant"] * 2


def test_conversations_are_listed_shown_exported_and_deleted(stocked: Atril) -> None:
    assert "There are no conversations yet" in stocked("conversations").out
    answer = stocked("ask", QUESTION, "--conversation", "c1", "--json").document
    assert QUESTION in stocked("conversations", "list").out
    assert answer["text"].split()[0] in stocked("conversations", "show", "c1").out
    assert stocked("conversations", "export", "c1").out.startswith(f"# {QUESTION}")
    assert stocked("conversations", "export", "c1", "--form", "jsonl").out.count("\n") == 2
    assert stocked("conversations", "delete", "c1", "--json").document == {"deleted": "c1"}
    missing = stocked("conversations", "show", "c1")
    assert (missing.code, "atril conversations list" in missing.err) == (1, True)


def test_ask_looks_into_documents_first(stocked: Atril) -> None:
    answer = stocked("ask", QUESTION, "--pipeline", "document-first", "--max-pages", 2, "--json").document
    assert answer["requested"] == "document-first"
    assert len(answer["documents_considered"]) == 2
    assert answer["quality"] in ("excellent", "acceptable", "low")
