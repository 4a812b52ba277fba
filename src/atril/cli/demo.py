"""The demo: reads the sample library, asks it three questions and says what to try next."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final

from rich.text import Text

from atril.cli import options, views
from atril.cli.progress import progress_line
from atril.cli.session import DONE, Session
from atril.cli.terminal import Terminal
from atril.cli.texts import said
from atril.types import AddReport, Answer

if TYPE_CHECKING:
    from atril.app import Library

COLLECTION: Final = "samples"
QUESTIONS: Final = (
    "¿Cuántos días de vacaciones tengo al año?",
    "How long does a customer have to return a bicycle?",
    "¿Qué mayoría hace falta para modificar los estatutos?",
)


def demo(
    home: options.DemoHome = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    if home is not None:
        _run(home, profile, terminal, kept=True)
        return
    with TemporaryDirectory(prefix="atril-demo-") as folder:
        _run(Path(folder) / "home", profile, terminal, kept=False)


def _run(home: Path, profile: str | None, terminal: Terminal, *, kept: bool) -> None:
    started = perf_counter()

    async def work(library: Library) -> int:
        terminal.note(said("cli.demo_reading"))
        report = await _read_samples(library, terminal)
        answers = [await _asked(library, question, terminal) for question in QUESTIONS]
        seconds = perf_counter() - started
        if terminal.as_json:
            terminal.json(
                {
                    "home": str(home) if kept else None,
                    "report": report.to_dict(),
                    "answers": [answer.to_dict() for answer in answers],
                    "seconds": round(seconds, 3),
                }
            )
        else:
            _farewell(terminal, report, seconds, home if kept else None)
        return DONE

    Session(home, profile, terminal).run(work, creates_home=True)


async def _read_samples(library: Library, terminal: Terminal) -> AddReport:
    with as_file(files("atril") / "samples") as folder, progress_line(terminal) as progress:
        report = await library.add([folder], collection=COLLECTION, progress=progress)
    if not terminal.as_json:
        terminal.show(*views.failures(report.failed))
    return report


async def _asked(library: Library, question: str, terminal: Terminal) -> Answer:
    answer = await library.ask(question, collections=(COLLECTION,))
    if not terminal.as_json:
        milliseconds = f"{answer.timings_ms.get('total', 0.0):,.0f}"
        terminal.show(
            Text(f"\n> {question}", style="bold"),
            views.answer(answer, marks=terminal.marks_needed),
            Text(said("cli.answered", milliseconds=milliseconds), style="dim"),
        )
    return answer


def _farewell(terminal: Terminal, report: AddReport, seconds: float, home: Path | None) -> None:
    done = said(
        "cli.demo_done",
        documents=report.added + report.updated + report.unchanged,
        questions=len(QUESTIONS),
        seconds=f"{seconds:.1f}",
    )
    suggestions = [
        (f"atril add {said('cli.demo_folder')}", "demo_add"),
        (f'atril ask "{said("cli.demo_question")}"', "demo_ask"),
        (f'atril search "{said("cli.demo_query")}" --top-k 5', "demo_search"),
    ]
    if home is not None:
        suggestions.append((f'atril ask "{QUESTIONS[1]}" --home {home}', "demo_kept"))
    terminal.show(Text(f"\n{done}\n"), Text(said("cli.demo_next"), style="bold"))
    for command, purpose in suggestions:
        terminal.show(
            Text(f"  {command}", style="green"), Text(f"      {said(f'cli.{purpose}')}", style="dim")
        )
