"""The door of the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from atril import __version__
from atril.cli import chat, conversations, demo, direct, documents, search, tools
from atril.cli.terminal import prepare_streams
from atril.cli.texts import said
from atril.cli.usage import Command, Program

app = typer.Typer(
    name="atril",
    cls=Program,
    help=said("help.app"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "add": documents.add,
    "sync": documents.sync,
    "list": documents.list_documents,
    "remove": documents.remove,
    "reindex": documents.reindex,
    "search": search.search,
    "structure": direct.structure,
    "regex": direct.regex,
    "section": direct.section,
    "content": direct.content,
    "ask": search.ask,
    "chat": chat.chat,
    "eval": search.evaluate,
    "tool": tools.tool,
    "mcp": tools.mcp,
    "demo": demo.demo,
}
for _name, _command in _COMMANDS.items():
    _exit = said("help.add_exit") if _name in ("add", "sync") else None
    app.command(_name, cls=Command, help=said(f"help.{_name}"), epilog=_exit)(_command)


app.add_typer(conversations.app, name="conversations")


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    typer.echo(f"atril {__version__}")
    raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help=said("help.version"))
    ] = False,
) -> None:
    """Options of the program itself; every other one belongs to a command."""


def run() -> None:
    """What the `atril` script calls."""
    prepare_streams()
    app()
