"""Wrong usage and `--help` in the language of whoever runs the program.

What the library behind the command line says of itself is English and speaks of types; here each kind of
mistake becomes a sentence of ours that names the option and what it takes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from rich.text import Text
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from atril.cli.terminal import Terminal, plain
from atril.cli.texts import said

_QUOTED: Final = re.compile("'([^']*)'")
_EXTRA: Final = re.compile(r"unexpected extra arguments?(?:\(s\))? \((?P<words>.*)\)", re.DOTALL)
_PIECES: Final = {"[OPTIONS]": "options", "COMMAND [ARGS]...": "command"}
_LABELS: Final = {
    "ARGUMENTS_PANEL_TITLE": "arguments",
    "OPTIONS_PANEL_TITLE": "own_options",
    "COMMANDS_PANEL_TITLE": "commands",
    "DEFAULT_STRING": "default",
    "ENVVAR_STRING": "variable",
    "REQUIRED_LONG_STRING": "required",
}
_LIMITS: Final = {"ge": "least", "gt": "least", "le": "most", "lt": "most"}


class Command(TyperCommand):
    """A command whose help is in the reader's language."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        _write_usage(self, ctx, formatter)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _translate_labels(self, ctx)
        super().format_help(ctx, formatter)


class Program(TyperGroup):
    """The commands together: its help and every complaint about usage are in the reader's language."""

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        _write_usage(self, ctx, formatter)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _translate_labels(self, ctx)
        super().format_help(ctx, formatter)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        given = (args, prog_name, complete_var, False, windows_expand_args)
        if not standalone_mode:
            return super().main(*given, **extra)
        try:
            code = super().main(*given, **extra)
        except TyperException as error:
            _complain(error)
            sys.exit(error.exit_code)
        sys.exit(code if isinstance(code, int) else 0)


def _write_usage(command: Any, context: Any, formatter: Any) -> None:
    pieces = [_piece(str(piece)) for piece in command.collect_usage_pieces(context)]
    formatter.write_usage(context.command_path, " ".join(pieces), prefix=said("usage.usage") + " ")


def _piece(written: str) -> str:
    """A word of the line of usage; what is needed stands without braces."""
    key = _PIECES.get(written)
    return said(f"usage.{key}") if key else written.replace("{", "").replace("}", "")


def _translate_labels(command: Any, context: Any) -> None:
    from typer import rich_utils  # takes a while to load, and only help is written with it

    for name, key in _LABELS.items():
        setattr(rich_utils, name, said(f"usage.{key}", value="{}"))
    option = command.get_help_option(context)
    if option is not None:
        option.help = said("usage.help")


def _complain(error: TyperException) -> None:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(error.format_message() + "\n")
        return
    err = Terminal().err
    err.print(Text(plain(_sentence(error)), style="red"), soft_wrap=True)
    if context is not None:
        err.print(Text(said("usage.see_help", command=f"{context.command_path} --help")), soft_wrap=True)


def _sentence(error: Any) -> str:
    """What was wrong and what would be right."""
    match type(error).__name__:
        case "NoSuchOption":
            near = ", ".join(error.possibilities or ())
            key = "no_such_option_near" if near else "no_such_option"
            return said(f"usage.{key}", name=error.option_name, near=near)
        case "MissingParameter":
            return said("usage.missing", name=_name(error))
        case "BadOptionUsage":
            key = "no_value" if "not take" in error.message else "value_missing"
            return said(f"usage.{key}", name=error.option_name)
        case "BadParameter":
            return _unfit(error)
    return _other(error)


def _other(error: Any) -> str:
    if (extra := _EXTRA.search(error.message)) is not None:
        return said("usage.extra", words=extra["words"])
    if error.message.startswith("No such command"):
        name, *near = _QUOTED.findall(error.message)
        key = "no_such_command_near" if near else "no_such_command"
        return said(f"usage.{key}", name=name, near=", ".join(near))
    return str(error.format_message())


def _unfit(error: Any) -> str:
    problems = getattr(error.__cause__, "errors", None)
    if problems is None:  # said by a check of our own
        return f"{_name(error)}: {error.message}"
    problem = problems()[0]
    allowed = _allowed(problem, error.param)
    if not allowed:
        return f"{_name(error)}: {error.message}"
    return said("error.invalid_argument", name=_name(error), value=problem["input"], allowed=allowed)


def _allowed(problem: dict[str, Any], parameter: Any) -> str:
    kind = problem["type"]
    if kind == "value_error" and " one of " in problem["msg"]:
        return ", ".join(_QUOTED.findall(problem["msg"].partition(" one of ")[2]))
    if kind.startswith(("int_", "float_", "finite_")):
        return said("allowed.whole_number" if kind.startswith("int_") else "allowed.number")
    limits = {_LIMITS[name]: value for name, value in problem.get("ctx", {}).items() if name in _LIMITS}
    if not limits:
        return ""
    declared = parameter.type_descriptor.parameter_info
    bounds = {"least": declared.min, "most": declared.max} | limits
    if bounds["least"] is not None and bounds["most"] is not None:
        return said("allowed.range", **bounds)
    return said("allowed.at_least" if "least" in limits else "allowed.at_most", **limits)


def _name(error: Any) -> str:
    """The option as it is typed, or the argument as the help calls it."""
    if isinstance(error.param_hint, str):
        return error.param_hint.strip("'")
    parameter = error.param
    if parameter is None:
        return ""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name).strip("[]")
