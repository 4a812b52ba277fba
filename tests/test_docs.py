"""What the papers promise: the README's Python runs, and its commands are the program's."""

from __future__ import annotations

import re
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

import pytest

from atril.cli.main import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [command.name for command in app.registered_commands]


def test_the_python_of_the_readme_runs_in_the_order_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATRIL_EMBEDDER", "atril.testing.embedders:HashEmbedder")
    monkeypatch.chdir(tmp_path)
    with as_file(files("atril") / "samples") as samples:
        copytree(samples, "my-folder")
    for snippet in SNIPPETS:
        exec(compile(snippet, "README.md", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert "4 documents" in printed
    assert "warranty-and-returns.pdf" in printed
    assert len(SNIPPETS) >= 2


def test_the_readme_tells_of_every_command_and_no_other() -> None:
    assert re.findall(r"^\| `atril ([a-z]+)", README, re.MULTILINE) == COMMANDS


def test_the_options_of_the_readme_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    monkeypatch.setenv("COLUMNS", "200")
    for command, promised in re.findall(r"^\| `atril ([a-z]+)(.*)$", README, re.MULTILINE):
        help_text = CliRunner().invoke(app, [command, "--help"]).stdout
        for option in re.findall(r"--[a-z-]+", promised):
            assert option in help_text, f"{command} {option}"


def test_links_between_the_papers_lead_somewhere() -> None:
    for paper in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / paper).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{paper}: {target}"
