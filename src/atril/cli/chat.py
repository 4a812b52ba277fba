"""A conversation in the terminal: questions in, answers as they are written, citations below them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import uuid4

from atril.cli import options, views
from atril.cli.session import DONE, Session
from atril.cli.terminal import Terminal, plain
from atril.cli.texts import interface_language, said

if TYPE_CHECKING:
    from atril.app import Library
    from atril.types import Answer

PROMPT: Final = "› "
_ID_LENGTH: Final = 12


def chat(
    conversation: options.Conversation = None,
    pipeline: options.PipelineOption = options.Pipeline.UNIFIED,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    max_pages: options.MaxPages = 5,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    asking = {
        "pipeline": pipeline.value,
        "collections": tuple(collection) if collection else None,
        "labels": tuple(label or ()),
        "max_pages": max_pages,
    }

    async def work(library: Library) -> int:
        await _Chat(library, terminal, asking, conversation or _new_id()).run()
        return DONE

    Session(home, profile, terminal).run(work)


@dataclass(slots=True)
class _Chat:
    """One run of the command. `conversation` is the one that is open."""

    library: Library
    terminal: Terminal
    asking: dict[str, Any]
    conversation: str

    async def run(self) -> None:
        """Until the input ends or the user quits. Without a terminal, lines are read and no prompt shown."""
        if sys.stdin.isatty():
            import readline  # noqa: F401  (editing and history of the line being typed)
        self.terminal.note(said("conversation.welcome", id=self.conversation))
        while True:
            try:
                with _on_interrupt(signal.default_int_handler):
                    line = _read_line()
            except KeyboardInterrupt:
                self.terminal.note("\n" + said("conversation.leave"))
                continue
            if line is None or not await self._did(line.strip()):
                return

    async def _did(self, line: str) -> bool:
        """Whether the conversation goes on after this line."""
        name, _, argument = line.partition(" ")
        if name == "/quit":
            return False
        if name.startswith("/"):
            await self._command(name, argument.strip())
        elif line:
            await self._ask(line)
        return True

    async def _command(self, name: str, argument: str) -> None:
        from atril.errors import AtrilError

        try:
            match name:
                case "/new":
                    self._open(_new_id())
                case "/list":
                    self.terminal.show(views.conversations(await self.library.conversations()))
                case "/open" if argument:
                    self.terminal.show(views.transcript(await self.library.conversation(argument)))
                    self._open(argument)
                case "/export":
                    await self._export(Path(argument or f"{self.conversation}.md"))
                case _:
                    self.terminal.note(said("conversation.commands"))
        except AtrilError as error:
            self.terminal.note(error.localized(interface_language()))
        except FileExistsError as error:
            self.terminal.note(said("conversation.exists", path=error.filename))
        except OSError as error:
            self.terminal.note(said("cli.system_error", detail=error))

    def _open(self, conversation: str) -> None:
        self.conversation = conversation
        self.terminal.note(said("conversation.opened", id=conversation))

    async def _export(self, path: Path) -> None:
        form: Literal["jsonl", "markdown"] = "jsonl" if path.suffix == ".jsonl" else "markdown"
        text = await self.library.export_conversation(self.conversation, form)
        with path.open("x", encoding="utf-8") as file:  # never over a file that is there
            file.write(text)
        self.terminal.note(said("conversation.exported", path=path))

    async def _ask(self, question: str) -> None:
        """One turn; Ctrl-C ends it and nothing else."""
        import asyncio  # a tenth of what `--help` takes, which runs nothing

        turn = asyncio.ensure_future(self._answer(question))
        loop = asyncio.get_running_loop()

        def stop(_signal: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(turn.cancel)

        with _on_interrupt(stop):
            await asyncio.wait([turn])
        if turn.cancelled():
            self.terminal.note("\n" + said("conversation.stopped"))
        else:
            turn.result()

    async def _answer(self, question: str) -> None:
        from atril.answering.events import AnswerDelta, AnswerDone, AnswerError

        shown = ""
        stream = self.library.ask_stream(question, conversation=self.conversation, **self.asking)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, AnswerDelta):
                    shown = self._show(event.text, shown, restart=event.restart)
                elif isinstance(event, AnswerDone):
                    self._finish(event.answer, shown)
                elif isinstance(event, AnswerError):
                    self.terminal.fail(event.message, "AnswerError")

    def _show(self, text: str, shown: str, *, restart: bool) -> str:
        """Writes the next piece and gives what stands there now."""
        if self.terminal.as_json:
            return shown
        if restart and shown:
            self.terminal.text("\n")
            self.terminal.note(said("conversation.again"))
        self.terminal.text(text)
        return text if restart else shown + text

    def _finish(self, answer: Answer, shown: str) -> None:
        if self.terminal.as_json:
            self.terminal.json(answer.to_dict())
            return
        self.terminal.text("\n")
        if plain(shown).split() != plain(answer.text).split():
            # Citations that did not hold are gone, and what nothing supports is marked.
            self.terminal.note(said("conversation.corrected"))
            self.terminal.show(views.text(answer.text))
        self.terminal.show(views.sources(answer, marks=self.terminal.marks_needed))
        self.terminal.text("\n")


def _read_line() -> str | None:
    """The next line, `None` at the end of the input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline() or None
    try:
        return input(PROMPT)
    except EOFError:
        return None


@contextmanager
def _on_interrupt(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Lets Ctrl-C do this instead of what the event loop makes of it."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _new_id() -> str:
    return uuid4().hex[:_ID_LENGTH]
