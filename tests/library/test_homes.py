"""What a home is made of, what it refuses to be made of, and how it mends itself."""

import asyncio
import logging
from pathlib import Path

import pytest

import atril
from atril.errors import HomeDamaged, HomeLocked, InvalidArgument, NotAHome, TokenizerUnavailable
from atril.home import load_embedder
from atril.store.index.qdrant.edge import EdgeIndex
from atril.testing.embedders import HashEmbedder


class Closing(HashEmbedder):
    closed = 0

    async def close(self) -> None:
        self.closed += 1


def contents(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


async def test_a_folder_with_somebodys_files_does_not_become_a_home(tmp_path: Path) -> None:
    for name in ("index/website/a.html", "originals/2024/trip/photo.jpg", "index/7/b.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(NotAHome):
        async with atril.open(tmp_path, embedder=HashEmbedder()):
            raise AssertionError("opened")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["file", "file/below"])
async def test_a_file_does_not_become_a_home(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotAHome):
        async with atril.open(tmp_path / name, embedder=HashEmbedder()):
            raise AssertionError("opened")


async def test_a_home_whose_making_was_interrupted_is_made(home: Path) -> None:
    home.mkdir()
    (home / "lock").write_text("123\n")
    async with atril.open(home, embedder=HashEmbedder()) as library:
        assert await library.documents() == []


async def test_only_what_a_rebuild_left_is_swept_from_the_index(home: Path, folder: Path) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
    for name in ("2", "website"):
        (home / "index" / name).mkdir()
    async with atril.open(home, embedder=HashEmbedder()):
        assert sorted(path.name for path in (home / "index").iterdir()) == ["1", "website"]


@pytest.mark.parametrize(
    "damaged", ["manifest.json", "**/segment.json", "**/page_0.dat", "**/*-numeric/tracker.dat"]
)
async def test_a_damaged_index_is_filled_again_from_the_records(
    home: Path, folder: Path, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
        before = (await library.search("vacaciones")).to_dict()["results"]
    for path in (home / "index").glob(f"1/{damaged}"):
        path.write_bytes(b"garbage" * 10)
    embedder = HashEmbedder()
    with caplog.at_level(logging.WARNING, logger="atril"):
        async with atril.open(home, embedder=embedder) as library:
            assert (await library.search("vacaciones")).to_dict()["results"] == before
    assert embedder.passages == 0
    assert [record.name for record in caplog.records] == ["atril.home"]
    assert str(home / "index" / "1") in caplog.text


async def test_an_index_that_is_open_elsewhere_is_left_alone(home: Path, folder: Path) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
    other = await EdgeIndex.open(home / "index" / "1", dimensions=64)
    with pytest.raises(HomeLocked):
        async with atril.open(home, embedder=HashEmbedder()):
            raise AssertionError("opened twice")
    await other.close()
    async with atril.open(home, embedder=HashEmbedder()) as library:
        assert (await library.search("vacaciones")).total_found > 0


async def test_damaged_records_are_reported_with_the_home(home: Path) -> None:
    home.mkdir()
    (home / "records.db").write_bytes(b"no database at all, only words. " * 200)
    with pytest.raises(HomeDamaged) as caught:
        async with atril.open(home, embedder=HashEmbedder()):
            raise AssertionError("opened")
    assert caught.value.fields["home"] == str(home)


async def test_an_embedder_is_closed_once_even_when_opening_fails(home: Path, tmp_path: Path) -> None:
    embedder = Closing()
    async with atril.open(home, embedder=embedder):
        pass
    assert embedder.closed == 1
    (tmp_path / "file").write_text("mine")
    for wrong in ({"profile": "none"}, {"home": tmp_path / "file"}):
        embedder = Closing()
        with pytest.raises(atril.AtrilError):
            async with atril.open(**{"home": home, "embedder": embedder, **wrong}):  # type: ignore[arg-type]
                raise AssertionError("opened")
        assert embedder.closed == 1


@pytest.mark.parametrize("name", ["os:getenv", "os:getcwd", "os:nothing", "no_such_module:make", "words", ""])
def test_a_name_that_makes_no_embedder_is_an_invalid_argument(name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"package\.module:factory"):
        load_embedder(name)


async def test_a_tokenizer_that_is_missing_is_named(home: Path, folder: Path) -> None:
    embedder = HashEmbedder()
    embedder.tokenizer = "no_such_tokenizer:count"
    async with atril.open(home, embedder=embedder) as library:
        with pytest.raises(TokenizerUnavailable, match="no_such_tokenizer:count"):
            await library.add([folder])


class TestAnExchangeOfTheIndex:
    async def test_cancelled_while_a_search_holds_it_up_changes_nothing(
        self, home: Path, folder: Path
    ) -> None:
        class Slow(HashEmbedder):
            entered, gate = asyncio.Event(), asyncio.Event()

            async def embed_query(self, text: str):  # type: ignore[no-untyped-def]
                self.entered.set()
                await self.gate.wait()
                return await super().embed_query(text)

        embedder = Slow()
        async with atril.open(home, embedder=embedder) as library:
            await library.add([folder])
            searching = asyncio.ensure_future(library.search("vacaciones"))
            await embedder.entered.wait()
            waiting = asyncio.Event()
            reindexing = asyncio.ensure_future(library.reindex(progress=lambda _: waiting.set()))
            await waiting.wait()
            await asyncio.sleep(0.05)  # on to the gate; the outcome is the same when it is not there yet
            reindexing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reindexing
            assert [path.name for path in (home / "index").iterdir()] == ["1"]
            embedder.gate.set()
            assert (await searching).total_found > 0
            assert (await library.reindex()).documents == 2
            assert (await library.search("vacaciones")).total_found > 0

    async def test_cancelled_while_it_is_written_down_is_finished(
        self, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from atril.store import writing

        began, loop, real = asyncio.Event(), asyncio.get_running_loop(), writing.set_fact

        def heard(*arguments: object) -> None:
            loop.call_soon_threadsafe(began.set)
            real(*arguments)  # type: ignore[arg-type]

        async with atril.open(home, embedder=HashEmbedder()) as library:
            await library.add([folder])
            monkeypatch.setattr(writing, "set_fact", heard)
            reindexing = asyncio.ensure_future(library.reindex())
            await began.wait()
            reindexing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reindexing
            assert [path.name for path in (home / "index").iterdir()] == ["2"]
            (folder / "new.md").write_text("# Gloves\n\nText about gloves.\n")
            await library.add([folder])
        embedder = HashEmbedder()
        async with atril.open(home, embedder=embedder) as library:
            assert (await library.search("gloves", mode="lexical")).total_found == 1
            assert embedder.passages == 0

    async def test_to_another_model_forgets_the_vectors_of_the_old_one(
        self, home: Path, folder: Path
    ) -> None:
        async with atril.open(home, embedder=HashEmbedder(64)) as library:
            await library.add([folder])
        async with atril.open(home, embedder=HashEmbedder(32)) as library:
            await library.reindex()
        embedder = HashEmbedder(64)
        async with atril.open(home, embedder=embedder) as library:
            chunks = (await library.reindex()).chunks
        assert embedder.passages == chunks


async def test_a_lost_folder_of_records_is_not_taken_for_an_empty_home(home: Path, folder: Path) -> None:
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add([folder])
    for path in home.glob("records.db*"):
        path.unlink()
    originals = contents(home / "originals")
    with pytest.raises(NotAHome):
        async with atril.open(home, embedder=HashEmbedder()):
            raise AssertionError("opened")
    assert contents(home / "originals") == originals
