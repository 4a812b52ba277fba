"""Commands for language models: tool, mcp."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from atril.cli import options
from atril.cli.session import DONE, FAILED, Session, configured_home
from atril.cli.terminal import Terminal
from atril.cli.texts import interface_language, said

if TYPE_CHECKING:
    from atril.app import Library
    from atril.tools.responses import Response


def tool(
    xml: Annotated[str, typer.Argument(metavar="XML", help=said("help.xml"))],
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help=said("help.reminder"))
    ] = None,
    lang: options.ModelLanguage = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    text = sys.stdin.read() if xml == "-" else xml

    async def work(library: Library) -> int:
        language = lang.value if lang is not None else None
        if language is None and question is None:
            language = interface_language()
        response = await library.run_tools(text, question=question, language=language)
        if as_json:
            terminal.json(_as_dict(response))
        else:
            terminal.text(response.text)
        return DONE

    Session(home, profile, terminal).run(work)


def _as_dict(response: Response) -> dict[str, Any]:
    return {
        "text": response.text,
        "calls": [
            {
                "tool": outcome.call.tool,
                "arguments": None
                if outcome.arguments is None
                else outcome.arguments.model_dump(mode="json", exclude_none=True),
                "status": outcome.status,
                "text": outcome.text,
                "milliseconds": round(outcome.milliseconds, 3),
            }
            for outcome in response.outcomes
        ],
    }


def mcp(
    lang: options.ModelLanguage = None,
    home: options.Home = None,
    profile: options.Profile = None,
) -> None:
    terminal = Terminal()
    if find_spec("mcp") is None:
        terminal.fail(said("error.missing_extra", what="atril mcp", extra="mcp"), "MissingExtra")
        raise typer.Exit(FAILED)
    folder = home or configured_home()
    if not Session(folder, profile, terminal).holds_library(folder):
        raise typer.Exit(FAILED)
    import asyncio

    from atril.cli.mcp import serve

    language = lang.value if lang is not None else interface_language()
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(folder, profile, language))
