"""A library opened with a profile."""

from __future__ import annotations

from pathlib import Path

import pytest

import atril
from atril.errors import InvalidProfile
from atril.testing.embedders import HashEmbedder


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "handbooks"
    folder.mkdir()
    (folder / "profile.toml").write_text('name = "handbooks"\n[weights]\nold = 0.5\n', encoding="utf-8")
    return folder


async def score(library: atril.Library, collection: str) -> float:
    [hit, *_] = (await library.search("vacaciones", collections=[collection])).results
    return hit.score


async def test_a_collection_without_a_weight_has_the_profiles(
    home: Path, folder: Path, profile: Path
) -> None:
    async with atril.open(home, profile=str(profile), embedder=HashEmbedder()) as library:
        await library.add([folder], collection="old")
        await library.add([folder], collection="new")
        assert await score(library, "old") == pytest.approx(await score(library, "new") / 2, abs=1e-6)


async def test_a_weight_that_was_chosen_stays(home: Path, folder: Path, profile: Path) -> None:
    async with atril.open(home, profile=str(profile), embedder=HashEmbedder()) as library:
        await library.add([folder], collection="old")
        halved = await score(library, "old")
        await library.add([folder], collection="old", weight=1.0)
        assert await score(library, "old") == pytest.approx(halved * 2, abs=1e-6)


async def test_the_environment_names_a_profile(
    home: Path, profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (profile / "profile.toml").write_text("name = 1", encoding="utf-8")
    monkeypatch.setenv("ATRIL_PROFILE", str(profile))
    with pytest.raises(InvalidProfile, match=r"profile\.toml, name"):
        async with atril.open(home, embedder=HashEmbedder()):
            raise AssertionError("opened")


async def test_a_norm_for_certain_people_stands_back_until_a_question_speaks_of_them(
    home: Path, profile: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "laws"
    folder.mkdir()
    for name in ("todos", "funcionarios", "antigua"):
        text = f"# Permisos {name}\n\nPor matrimonio hay quince días de permiso.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    norms = (
        '[[norm]]\nidentifier = "todos"\n'
        '[[norm]]\nidentifier = "funcionarios"\nconcerns = ["funcionario", "empleado público"]\n'
        '[[norm]]\nidentifier = "antigua"\noutdated = true\n'
    )
    (profile / "norms.toml").write_text(norms, encoding="utf-8")

    async with atril.open(home, profile=str(profile), embedder=HashEmbedder(), language="es") as library:
        await library.add([folder])
        unsaid = await library.search("permiso por matrimonio", explain=True)
        said = await library.search("soy funcionaria, permiso por matrimonio")

    assert unsaid.results[0].source_file == "todos.md"
    assert said.results[0].source_file in ("todos.md", "funcionarios.md")
    scores = {hit.source_file: hit.score for hit in unsaid.results}
    assert max(scores["funcionarios.md"], scores["antigua.md"]) < 0.8 * scores["todos.md"]
    moved = {hit.source_file: hit.score for hit in said.results}
    assert moved["funcionarios.md"] > 0.9 * moved["todos.md"] > moved["antigua.md"]
