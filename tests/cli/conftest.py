from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from atril.cli.main import app


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


@pytest.fixture
def atril(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Runs a command in a folder of its own, in English, with an embedder that costs nothing."""
    for variable in ("ATRIL_HOME", "ATRIL_PROFILE", "ATRIL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ATRIL_EMBEDDER", "atril.testing.embedders:HashEmbedder")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, **environment: str) -> Run:
        result = CliRunner(env=environment).invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Run(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents about different things, one with metadata."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text(
        "---\ndepartment: people\n---\n# Leave\n\n## Holidays\n\nEverybody has 24 days of holiday a year.\n",
        encoding="utf-8",
    )
    (folder / "tools.txt").write_text("The torque wrench is kept in the red cabinet.\n", encoding="utf-8")
    return folder
