"""The library as a program uses it: what goes in can be found, read, changed and taken out."""

from pathlib import Path
from typing import Any

import pytest

import atril
from atril.documents.workers import ReadLimits
from atril.errors import (
    AmbiguousName,
    DocumentNotFound,
    EmbedderMismatch,
    HomeLocked,
    InvalidArgument,
    PathNotFound,
    ProfileNotFound,
)
from atril.settings import Settings
from atril.testing.embedders import HashEmbedder
from atril.types import Progress, Scope


async def test_a_folder_is_read_and_found(library: atril.Library, folder: Path) -> None:
    report = await library.add([folder])
    assert (report.added, report.updated, report.unchanged, report.failed) == (2, 0, 0, ())
    result = await library.search("días de vacaciones")
    best = result.results[0]
    assert best.source_file == "manual.md"
    assert best.metadata.section_title == "Vacaciones"
    assert any("<em>vacaciones</em>" in highlight for highlight in best.highlights)


async def test_one_path_may_be_given_by_itself(library: atril.Library, folder: Path) -> None:
    assert (await library.add(folder / "prices.md")).added == 1


async def test_unchanged_files_are_skipped_and_cost_no_embedding(home: Path, folder: Path) -> None:
    embedder = HashEmbedder()
    async with atril.open(home, embedder=embedder) as library:
        await library.add([folder])
        before = embedder.passages
        report = await library.add([folder])
        assert (report.added, report.unchanged, report.chunks) == (0, 2, 0)
        assert embedder.passages == before


async def test_a_changed_file_replaces_what_was_found_before(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    (folder / "prices.md").write_text("# Price list\n\nTricycles are 900 EUR.\n", encoding="utf-8")
    report = await library.add([folder])
    assert (report.updated, report.unchanged) == (1, 1)
    assert "Tricycles" in await library.read("prices.md")
    found = await library.search("City bicycle", mode="lexical")
    assert all("City bicycle" not in hit.content for hit in found.results)


async def test_changing_back_does_not_embed_again(home: Path, folder: Path) -> None:
    embedder = HashEmbedder()
    original = (folder / "prices.md").read_bytes()
    async with atril.open(home, embedder=embedder) as library:
        await library.add([folder])
        (folder / "prices.md").write_text("# Something else\n\nEntirely.\n", encoding="utf-8")
        await library.add([folder])
        before = embedder.passages
        (folder / "prices.md").write_bytes(original)
        assert (await library.add([folder])).updated == 1
        assert embedder.passages == before


async def test_a_file_that_cannot_be_read_is_reported_and_the_rest_goes_on(
    library: atril.Library, folder: Path
) -> None:
    (folder / "empty.md").write_text("   \n", encoding="utf-8")
    (folder / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    report = await library.add([folder, folder / "missing.pdf"])
    assert report.added == 2
    assert {(Path(failure.file).name, failure.reason) for failure in report.failed} == {
        ("empty.md", "empty"),
        ("photo.png", "unsupported"),
        ("missing.pdf", "unreadable"),
    }


async def test_a_file_that_breaks_keeps_its_last_good_version(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    (folder / "prices.md").write_bytes(b"")
    report = await library.add([folder])
    assert [failure.reason for failure in report.failed] == ["empty"]
    assert "City bicycle" in await library.read("prices.md")


async def test_failures_speak_the_language_of_the_library(home: Path, folder: Path) -> None:
    (folder / "vacío.md").write_bytes(b"")
    async with atril.open(home, embedder=HashEmbedder(), language="es") as library:
        [failure] = (await library.add([folder])).failed
    assert "no contiene texto" in failure.error


async def test_documents_list_what_the_library_holds(library: atril.Library, folder: Path) -> None:
    await library.add([folder], collection="internal", labels=["staff"])
    manual, prices = await library.documents()
    assert (manual.name, manual.title, manual.type, manual.language) == (
        "manual.md",
        "Manual de la plantilla",
        "md",
        "es",
    )
    assert (prices.language, prices.collection, prices.labels) == ("en", "internal", ("staff",))
    assert prices.bytes == len((folder / "prices.md").read_bytes())
    assert await library.documents("other") == []


async def test_labels_stay_until_others_are_given(library: atril.Library, folder: Path) -> None:
    async def labels() -> set[tuple[str, ...]]:
        return {each.labels for each in await library.documents()}

    await library.add([folder], labels=["hr"])
    assert ((await library.add([folder])).unchanged, await labels()) == (2, {("hr",)})
    (folder / "prices.md").write_text("# Price list\n\nTricycles are 900 EUR.\n", encoding="utf-8")
    assert ((await library.sync(folder)).updated, await labels()) == (1, {("hr",)})
    assert ((await library.add([folder], labels=["shop"])).updated, await labels()) == (2, {("shop",)})
    assert ((await library.add([folder], labels=())).updated, await labels()) == (2, {()})


async def test_chunks_are_slices_of_the_text(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    text = await library.read("manual")
    stored = await library.chunks("manual")
    assert [each.chunk.number for each in stored] == list(range(1, len(stored) + 1))
    assert all(text[each.chunk.start : each.chunk.end] == each.chunk.content for each in stored)
    assert stored[0].id == "manual_chunk_0001"


async def test_removed_documents_are_gone_from_every_reading(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    assert await library.remove("manual.md") == 1
    assert [each.name for each in await library.documents()] == ["prices.md"]
    assert all(
        hit.source_file != "manual.md" for hit in (await library.search("vacaciones teletrabajo")).results
    )
    with pytest.raises(DocumentNotFound):
        await library.read("manual.md")


async def test_nothing_is_removed_when_one_name_is_wrong(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    with pytest.raises(DocumentNotFound):
        await library.remove("manual.md", "nothing.md")
    assert len(await library.documents()) == 2


async def test_two_files_of_one_name_are_told_apart_by_their_folders(
    library: atril.Library, tmp_path: Path
) -> None:
    for year in ("2023", "2024"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "report.md").write_text(f"# Report\n\nThe year {year}.\n", encoding="utf-8")
    await library.add([tmp_path / "2023" / "report.md"])
    await library.add([tmp_path / "2024" / "report.md"])
    assert {each.name for each in await library.documents()} == {"report.md", "2024/report.md"}
    assert "2024" in await library.read("2024/report.md")
    assert "2023" in await library.read("report.md")


async def test_a_name_that_fits_several_documents_is_refused(library: atril.Library, tmp_path: Path) -> None:
    for name in ("a/x.md", "b/x.md"):
        path = tmp_path / "all" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"# {name}\n\nText.\n", encoding="utf-8")
    await library.add([tmp_path / "all"])
    with pytest.raises(AmbiguousName):
        await library.read("x.md")


async def test_texts_are_documents_of_their_own(library: atril.Library) -> None:
    rows = [
        {"name": "faq-17", "title": "Returns", "text": "A bicycle comes back within thirty days."},
        {"name": "faq#18", "title": "", "text": "Helmets are not taken back.", "metadata": {"team": "shop"}},
    ]
    report = await library.add_texts(rows, collection="faq")
    assert (report.added, report.failed) == (2, ())
    assert (await library.add_texts(rows, collection="faq")).unchanged == 2
    [hit] = (await library.search("helmets", mode="lexical")).results
    assert (hit.source_file, hit.metadata.collection) == ("faq#18", "faq")
    [filtered] = (await library.search("bicycle helmets", metadata={"team": "shop"})).results
    assert filtered.source_file == "faq#18"


async def test_metadata_is_compared_as_text(library: atril.Library) -> None:
    await library.add_texts([{"name": "a", "text": "Helmets.", "metadata": {"year": 2024}}])
    assert (await library.search("helmets", metadata={"year": 2024})).total_found == 1
    assert (await library.search("helmets", metadata={"year": "2025"})).total_found == 0
    with pytest.raises(InvalidArgument, match="metadata"):
        await library.search("helmets", metadata={" ": "x"})


async def test_of_two_texts_with_one_name_the_last_counts_and_counts_once(library: atril.Library) -> None:
    rows = [{"name": "d", "text": "first words"}, {"name": "d", "text": "second words"}]
    report = await library.add_texts(rows)
    assert (report.added, report.updated, await library.read("d")) == (1, 0, "second words")
    report = await library.add_texts([{"name": "d", "text": "third words"}, rows[1]])
    assert (report.updated, report.unchanged, await library.read("d")) == (0, 1, "second words")


@pytest.mark.parametrize("weight", [0.0, -1.0, float("inf"), float("nan")])
async def test_a_weight_is_a_number_above_zero(library: atril.Library, folder: Path, weight: float) -> None:
    with pytest.raises(InvalidArgument, match="weight"):
        await library.add([folder], weight=weight)
    assert await library.documents() == []


async def test_a_file_above_the_limit_is_reported_without_being_opened(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(reading=ReadLimits(file_bytes=200))
    (folder / "huge.md").write_bytes(b"x" * 201)
    opened: list[str] = []
    real = Path.open

    def noting(path: Path, *arguments: Any, **named: Any) -> Any:
        opened.append(path.name)
        return real(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", noting)
    async with atril.open(home, embedder=HashEmbedder(), settings=settings) as library:
        report = await library.add([folder])
    assert [(Path(failure.file).name, failure.reason) for failure in report.failed] == [
        ("huge.md", "too_large"),
        ("manual.md", "too_large"),
    ]
    assert "prices.md" in opened
    assert not {"huge.md", "manual.md"} & set(opened)


async def test_the_home_does_not_read_itself(library: atril.Library, home: Path, folder: Path) -> None:
    await library.add([folder])
    report = await library.add([home, home / "originals"])
    assert (report.added, report.failed) == (0, ())


async def test_a_file_that_closes_between_reading_and_keeping_fails_by_itself(
    library: atril.Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    real = Path.open

    def closing(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name == "prices.md":
            if path.name in seen:
                raise PermissionError(13, "Permission denied", str(path))
            seen.add(path.name)
        return real(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", closing)
    report = await library.add([folder])
    assert report.added == 1
    assert [(Path(failure.file).name, failure.reason) for failure in report.failed] == [
        ("prices.md", "unreadable")
    ]


@pytest.mark.parametrize("row", [{"text": "x"}, {"name": " ", "text": "x"}, {"name": "x"}])
async def test_a_text_needs_a_name_and_a_text(library: atril.Library, row: dict[str, str]) -> None:
    with pytest.raises(InvalidArgument):
        await library.add_texts([row])


async def test_sync_removes_what_has_vanished_from_the_folder_only(
    library: atril.Library, folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("# Elsewhere\n\nNot in the folder.\n", encoding="utf-8")
    await library.add([elsewhere])
    await library.sync(folder)
    (folder / "prices.md").unlink()
    report = await library.sync(folder)
    assert (report.removed, report.unchanged) == (1, 1)
    assert {each.name for each in await library.documents()} == {"manual.md", "elsewhere.md"}


async def test_sync_of_a_missing_folder_empties_nothing(library: atril.Library, folder: Path) -> None:
    await library.sync(folder)
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(PathNotFound):
        await library.sync(folder)
    assert len(await library.documents()) == 2


async def test_watch_reports_at_once_and_after_a_change(library: atril.Library, folder: Path) -> None:
    reports = library.watch(folder)
    assert (await anext(reports)).added == 2
    (folder / "new.md").write_text("# New\n\nA fresh page.\n", encoding="utf-8")
    assert (await anext(reports)).added == 1
    await reports.aclose()  # type: ignore[attr-defined]


async def test_progress_tells_how_far_it_has_come(library: atril.Library, folder: Path) -> None:
    heard: list[Progress] = []
    report = await library.add([folder], progress=heard.append)
    assert {each.stage for each in heard} == {"reading", "embedding", "saving"}
    last = heard[-1]
    assert (last.done_files, last.total_files, last.done_chunks) == (2, 2, report.chunks)


async def test_an_answer_quotes_the_text_where_it_stands(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    answer = await library.ask("¿Cuántos días de vacaciones tengo?")
    assert answer.found
    text = await library.read("manual.md")
    for citation in answer.citations:
        assert text[citation.start : citation.end] == citation.quote
    assert "veintitrés días" in answer.text


async def test_tenants_do_not_see_each_other(library: atril.Library, folder: Path) -> None:
    other = library.within(Scope("other"))
    await library.add([folder / "manual.md"])
    await other.add([folder / "prices.md"])
    assert [each.name for each in await library.documents()] == ["manual.md"]
    assert [each.name for each in await other.documents()] == ["prices.md"]
    assert all(hit.source_file == "prices.md" for hit in (await other.search("vacaciones bicycle")).results)


async def test_what_was_added_is_there_after_opening_again(home: Path, folder: Path) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
        before = (await library.search("vacaciones")).to_dict()["results"]
    async with atril.open(home, embedder=HashEmbedder()) as library:
        assert (await library.search("vacaciones")).to_dict()["results"] == before


async def test_a_home_has_one_owner(home: Path, library: atril.Library) -> None:
    with pytest.raises(HomeLocked):
        async with atril.open(home, embedder=HashEmbedder()):
            raise AssertionError("opened twice")


async def test_another_model_is_refused_until_the_home_is_rebuilt(home: Path, folder: Path) -> None:
    async with atril.open(home, embedder=HashEmbedder(64)) as library:
        await library.add([folder])
    async with atril.open(home, embedder=HashEmbedder(32)) as library:
        with pytest.raises(EmbedderMismatch):
            await library.search("vacaciones")
        with pytest.raises(EmbedderMismatch):
            await library.add([folder])
        assert len(await library.documents()) == 2
        report = await library.reindex()
        assert (report.documents, report.failed) == (2, ())
        assert (await library.search("vacaciones")).results[0].source_file == "manual.md"
        assert (await library.add([folder])).unchanged == 2
    async with atril.open(home, embedder=HashEmbedder(64)) as library:
        with pytest.raises(EmbedderMismatch):
            await library.search("vacaciones")


async def test_reindex_of_a_sound_home_changes_no_result(library: atril.Library, folder: Path) -> None:
    await library.add([folder])
    before = (await library.search("días de vacaciones")).to_dict()["results"]
    report = await library.reindex()
    assert report.documents == 2
    assert (await library.search("días de vacaciones")).to_dict()["results"] == before


async def test_a_lost_index_is_built_again_on_opening(home: Path, folder: Path) -> None:
    import shutil

    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
        before = (await library.search("vacaciones")).to_dict()["results"]
    shutil.rmtree(home / "index")
    embedder = HashEmbedder()
    async with atril.open(home, embedder=embedder) as library:
        assert (await library.search("vacaciones")).to_dict()["results"] == before
        assert embedder.passages == 0


async def test_a_profile_that_does_not_exist_is_named(home: Path) -> None:
    with pytest.raises(ProfileNotFound, match=r"'no-such'.*labour-law-es"):
        async with atril.open(home, profile="no-such", embedder=HashEmbedder()):
            raise AssertionError("opened")


async def test_the_weight_of_a_collection_moves_its_hits(library: atril.Library, folder: Path) -> None:
    await library.add([folder], collection="plain")
    [full, *_] = (await library.search("vacaciones", collections=["plain"])).results
    await library.add([folder], collection="plain", weight=0.5)
    [halved, *_] = (await library.search("vacaciones", collections=["plain"])).results
    assert halved.score == pytest.approx(full.score / 2, abs=1e-6)


async def test_an_interrupted_add_leaves_nothing_behind_and_can_be_run_again(
    home: Path, folder: Path
) -> None:
    import asyncio

    embedding = asyncio.Event()

    class Stalled(HashEmbedder):
        async def embed_passages(self, texts):  # type: ignore[no-untyped-def]
            embedding.set()
            await asyncio.Event().wait()

    async with atril.open(home, embedder=Stalled()) as library:
        adding = asyncio.ensure_future(library.add([folder]))
        await embedding.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await library.documents() == []
    async with atril.open(home, embedder=HashEmbedder()) as library:
        assert await library.documents() == []
        assert (await library.add([folder])).added == 2
