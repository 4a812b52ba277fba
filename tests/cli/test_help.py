from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

COMMANDS = ("add", "sync", "list", "remove", "reindex", "search", "structure", "regex", "section", "content",
            "ask", "chat", "eval", "demo")  # fmt: skip
HEAVY = ("atril.app", "numpy", "onnxruntime", "pydantic", "qdrant_edge", "sentencepiece", "sqlalchemy")


def test_help_names_every_command(atril: Callable[..., Any]) -> None:
    run = atril("--help")
    assert run.code == 0
    for command in COMMANDS:
        assert command in run.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_common_options(atril: Callable[..., Any], command: str) -> None:
    run = atril(command, "--help")
    assert run.code == 0
    for option in ("--home", "--profile", "--json"):
        assert option in run.out


def test_help_loads_nothing_heavy() -> None:
    check = f"import sys, atril.cli.main; print([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"ATRIL_LANG": "es", "LC_ALL": "ru_RU.UTF-8"}, "Indexa tus archivos"),
        ({"LC_ALL": "ru_RU.UTF-8", "LANG": "es_ES.UTF-8"}, "Индексируйте"),
        ({"LANG": "es_ES.UTF-8"}, "Indexa tus archivos"),
        ({"LANG": "C.UTF-8"}, "Index your own files"),
        ({}, "Index your own files"),
    ],
)
def test_help_speaks_the_language_of_the_environment(environment: dict[str, str], expected: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from atril.cli.main import run; run()", "--help"],
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", **environment},
        check=True,
    )
    assert expected in result.stdout


def test_version_is_the_installed_one(atril: Callable[..., Any]) -> None:
    from importlib.metadata import version

    assert atril("--version").out.strip() == f"atril {version('atril')}"
