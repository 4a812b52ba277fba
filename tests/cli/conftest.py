from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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


def run(*arguments: object, **environment: str) -> Run:
    result = CliRunner(env=environment).invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(scope="module", autouse=True)
def surroundings() -> Iterator[None]:
    """English, no home but the default one, and an embedder that costs nothing."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("ATRIL_HOME", "ATRIL_PROFILE", "ATRIL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
            patch.delenv(variable, raising=False)
        patch.setenv("ATRIL_EMBEDDER", "atril.testing.embedders:HashEmbedder")
        yield


@pytest.fixture
def atril(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents about different things, one with metadata."""
    return _documents(tmp_path / "docs")


@pytest.fixture
def stocked(
    atril: Callable[..., Run], stocked_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    """As `atril`, for reading only: the home holds the documents in collection `hr` with label `public`."""
    monkeypatch.setenv("ATRIL_HOME", str(stocked_home))
    return atril


@pytest.fixture(scope="module")
def stocked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("stocked")
    folder = _documents(place / "docs")
    assert run("add", folder, "--home", place / "home", "--collection", "hr", "--label", "public").code == 0
    return place / "home"


def _documents(folder: Path) -> Path:
    folder.mkdir()
    (folder / "leave.md").write_text(
        "---\ndepartment: people\n---\n# Leave\n\n## Holidays\n\nEverybody has 24 days of holiday a year.\n",
        encoding="utf-8",
    )
    (folder / "tools.txt").write_text("The torque wrench is kept in the red cabinet.\n", encoding="utf-8")
    return folder
