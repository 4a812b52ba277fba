"""Commands that go straight to a place in a document: structure, regex, section, content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from atril.cli import direct_views, options
from atril.cli.session import DONE, Session
from atril.cli.terminal import Terminal
from atril.cli.texts import said

if TYPE_CHECKING:
    from atril.app import Library

Name = Annotated[str, typer.Argument(metavar="NAME", help=said("help.of_document"))]


def structure(
    document: Name,
    chunk_type: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help=said("help.chunk_type"))
    ] = None,
    keywords: Annotated[
        str, typer.Option("--keywords", metavar="WORD,WORD", help=said("help.keywords"))
    ] = "",
    position: Annotated[
        str, typer.Option("--position", metavar="first_N|last_N|all", help=said("help.position"))
    ] = "all",
    top_k: options.TopK = 10,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        result = await library.structure(document, chunk_type, keywords, position, top_k)
        terminal.result(result.to_dict(), lambda: direct_views.structure(result, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def regex(
    pattern: Annotated[str | None, typer.Argument(metavar="PATTERN", help=said("help.pattern"))] = None,
    predefined: Annotated[
        str | None, typer.Option("--predefined", metavar="NAME", help=said("help.predefined"))
    ] = None,
    case_sensitive: Annotated[
        bool, typer.Option("--case-sensitive", help=said("help.case_sensitive"))
    ] = False,
    context_lines: Annotated[
        int, typer.Option("--context", min=0, max=options.MOST_RESULTS, help=said("help.context_lines"))
    ] = 2,
    max_matches_per_file: Annotated[
        int, typer.Option("--max-per-file", min=1, max=options.MOST_RESULTS, help=said("help.max_per_file"))
    ] = 50,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    document: options.OneDocument = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        result = await library.regex(
            pattern,
            predefined,
            case_sensitive=case_sensitive,
            context_lines=context_lines,
            max_matches_per_file=max_matches_per_file,
            document=document,
            collections=tuple(collection) if collection else None,
            labels=tuple(label or ()),
        )
        terminal.result(result.to_dict(), lambda: direct_views.matches(result, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def section(
    name: Name,
    start: Annotated[int, typer.Argument(metavar="START", min=1, help=said("help.chunk_start"))],
    end: Annotated[int | None, typer.Argument(metavar="END", min=1, help=said("help.chunk_end"))] = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        found = await library.section(name, start, start if end is None else end)
        terminal.result(found.to_dict(), lambda: direct_views.section(found))
        return DONE

    Session(home, profile, terminal).run(work)


def content(
    name: Name,
    outline: Annotated[bool, typer.Option("--structure", help=said("help.outline"))] = False,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        found = await library.content(name)
        terminal.result(found.to_dict(), lambda: direct_views.content(found, outline=outline))
        return DONE

    Session(home, profile, terminal).run(work)
