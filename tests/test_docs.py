"""What the papers promise: the README's Python runs, and its commands are the program's."""

from __future__ import annotations

import asyncio
import re
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

import pytest
from typer.main import get_command

import atril
from atril.cli.main import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = sorted((ROOT / "docs").glob("*.md"))
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = list(get_command(app).commands)  # type: ignore[attr-defined]


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


async def _sample_library(home: Path) -> None:
    async with atril.open(home) as library:
        with as_file(files("atril") / "samples") as samples:
            await library.add([samples])


def test_the_python_of_the_guide_to_tools_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATRIL_EMBEDDER", "atril.testing.embedders:HashEmbedder")
    monkeypatch.chdir(tmp_path)
    asyncio.run(_sample_library(tmp_path / "my-library"))
    guide = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)

    for snippet in snippets:
        # A model that needs no key takes the place of the paid one: it calls every tool once.
        code = snippet.replace('"openai-chat:gpt-5-mini"', '"test"')
        exec(compile(code, "tools.md", "exec"), {"__name__": "__main__"})

    printed = capsys.readouterr().out
    assert len(snippets) == 5
    assert "characters of definitions" in printed
    assert "[RESULTS OF YOUR SEARCH]" in printed
    assert "Order 17 leaves tomorrow." in printed


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
    papers = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    for paper in [*papers, *GUIDES]:
        for target in re.findall(r"\]\(([^)#:]+)\)", paper.read_text(encoding="utf-8")):
            assert (paper.parent / target).exists(), f"{paper.name}: {target}"
