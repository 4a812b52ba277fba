"""Commands that change or show what the library holds: add, sync, list, remove, reindex."""

from __future__ import annotations

from collections.abc import Sequence
from errno import ENOENT
from os import strerror
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atril.cli import options, views
from atril.cli.progress import progress_line
from atril.cli.session import DONE, FAILED, Session
from atril.cli.terminal import Terminal
from atril.cli.texts import interface_language, said
from atril.errors import NotAFolder, PathNotFound, UnreadableDocument
from atril.types import DEFAULT_COLLECTION, AddReport, Failure

if TYPE_CHECKING:
    from atril.app import Library


def add(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help=said("help.add_paths"))],
    collection: options.Collection = DEFAULT_COLLECTION,
    weight: options.Weight = None,
    label: options.Labels = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        with progress_line(terminal) as progress:
            report = await library.add(
                paths, collection=collection, weight=weight, labels=label, progress=progress
            )
        return _added(terminal, report)

    def anything() -> int:
        return DONE if any(path.exists() for path in paths) else _added(terminal, _missing(paths))

    Session(home, profile, terminal).run(work, creates_home=True, before_home=anything)


def sync(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help=said("help.folder"))],
    watch: Annotated[bool, typer.Option("--watch", help=said("help.watch"))] = False,
    collection: options.Collection = DEFAULT_COLLECTION,
    weight: options.Weight = None,
    label: options.Labels = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def once(library: Library) -> int:
        with progress_line(terminal) as progress:
            report = await library.sync(
                folder, collection=collection, weight=weight, labels=label, progress=progress
            )
        return _added(terminal, report)

    async def forever(library: Library) -> int:
        reports = library.watch(folder, collection=collection, weight=weight, labels=label)
        async for report in reports:
            _added(terminal, report)
            terminal.note(said("cli.watching", folder=folder))
        return DONE

    def a_folder() -> int:
        if not folder.exists():
            raise PathNotFound(path=str(folder))
        if not folder.is_dir():
            raise NotAFolder(path=str(folder))
        return DONE

    work = forever if watch else once
    Session(home, profile, terminal).run(work, creates_home=True, before_home=a_folder)


def list_documents(
    collection: Annotated[
        str | None, typer.Option("--collection", metavar="NAME", help=said("help.list_collection"))
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help=said("help.list_tables"))] = False,
    references: Annotated[bool, typer.Option("--references", help=said("help.list_references"))] = False,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        if references:
            report = await library.references(collection)
            terminal.result(report.to_dict(), lambda: views.references(report))
            return DONE
        if tables:
            held = [each for each in await library.tables() if collection in (None, each.collection)]
            terminal.result([each.to_dict() for each in held], lambda: views.tables(held))
            return DONE
        every = await library.documents()
        found = [document for document in every if collection in (None, document.collection)]
        others = sorted({document.collection for document in every}) if collection and not found else []
        terminal.result(
            [document.to_dict() for document in found],
            lambda: views.no_collection(collection or "", others) if others else views.documents(found),
        )
        return DONE

    Session(home, profile, terminal).run(work)


def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help=said("help.names"))],
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        removed = await library.remove(*names)
        terminal.result({"removed": removed}, lambda: said("cli.removed_count", count=removed))
        return DONE

    Session(home, profile, terminal).run(work)


def reindex(
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        with progress_line(terminal) as progress:
            report = await library.reindex(progress=progress)
        terminal.result(report.to_dict(), lambda: views.rebuilt(report))
        return DONE

    Session(home, profile, terminal).run(work)


def _missing(paths: Sequence[Path]) -> AddReport:
    """The report of an `add` that has nothing to read at all."""
    error = UnreadableDocument(reason="unreadable", detail=strerror(ENOENT)).localized(interface_language())
    return AddReport(failed=tuple(Failure(str(path), "unreadable", error) for path in paths))


def _added(terminal: Terminal, report: AddReport) -> int:
    """Shows the report and gives the exit code: a failure when nothing could be read, not when some could."""
    terminal.result(report.to_dict(), lambda: views.added(report))
    read = report.added or report.updated or report.unchanged
    return FAILED if report.failed and not read else DONE
