"""Commands over the conversations that are kept: list, show, export, delete."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from atril.cli import options, views
from atril.cli.session import DONE, Session
from atril.cli.terminal import Terminal
from atril.cli.texts import said
from atril.cli.usage import Command, Program

if TYPE_CHECKING:
    from atril.app import Library

app = typer.Typer(cls=Program, help=said("help.conversations"), no_args_is_help=False)


class Form(StrEnum):
    MARKDOWN = "markdown"
    JSONL = "jsonl"


Id = Annotated[str, typer.Argument(metavar="ID", help=said("help.conversation_id"))]


@app.callback(invoke_without_command=True)
def conversations(
    context: typer.Context,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    if context.invoked_subcommand is None:
        list_conversations(home, profile, as_json)


@app.command("list", cls=Command, help=said("help.conversations_list"))
def list_conversations(
    home: options.Home = None, profile: options.Profile = None, as_json: options.AsJson = False
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        found = await library.conversations()
        terminal.result([each.to_dict() for each in found], lambda: views.conversations(found))
        return DONE

    Session(home, profile, terminal).run(work)


@app.command(cls=Command, help=said("help.conversations_show"))
def show(
    id: Id, home: options.Home = None, profile: options.Profile = None, as_json: options.AsJson = False
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        found = await library.conversation(id)
        terminal.result(found.to_dict(), lambda: views.transcript(found))
        return DONE

    Session(home, profile, terminal).run(work)


@app.command(cls=Command, help=said("help.conversations_export"))
def export(
    id: Id,
    form: Annotated[Form, typer.Option("--form", help=said("help.form"))] = Form.MARKDOWN,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        text = await library.export_conversation(id, form.value)
        if as_json:
            terminal.json({"id": id, "form": form.value, "text": text})
        else:
            terminal.text(text)
        return DONE

    Session(home, profile, terminal).run(work)


@app.command(cls=Command, help=said("help.conversations_delete"))
def delete(
    id: Id, home: options.Home = None, profile: options.Profile = None, as_json: options.AsJson = False
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        await library.delete_conversation(id)
        terminal.result({"deleted": id}, lambda: views.text(said("conversation.deleted", id=id)))
        return DONE

    Session(home, profile, terminal).run(work)
