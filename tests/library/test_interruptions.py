"""What an add or a reindex leaves when it fails, is cancelled, or meets a remove on its way."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

import atril
from atril.models.embeddings import Vectors
from atril.testing.embedders import HashEmbedder
from atril.types import Progress, Scope


class Held(HashEmbedder):
    """Stops before it embeds passages, once `hold` is called, until `release`."""

    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.entered = asyncio.Event()
        self._released = asyncio.Event()
        self._released.set()

    def hold(self) -> None:
        self.entered.clear()
        self._released.clear()

    def release(self) -> None:
        self._released.set()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.entered.set()
        await self._released.wait()
        return await super().embed_passages(texts)


class Broken(HashEmbedder):
    broken = True

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise RuntimeError("out of order")
        return await super().embed_passages(texts)


async def clean(library: atril.Library, home: Path) -> None:
    """Nothing is there but what is current."""
    stores = library._home.stores
    documents = await library.documents()
    assert await stores.records.unsettled() == []
    assert await stores.index.count(Scope()) == sum(each.chunks for each in documents)
    kept = {path.name for path in (home / "originals").glob("*/*/*") if path.is_file()}
    assert kept == {each.content_hash for each in documents}


async def test_an_add_whose_embedder_fails_leaves_nothing_and_keeps_no_name(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    embedder = Broken()
    async with atril.open(home, embedder=embedder) as library:
        with pytest.raises(RuntimeError, match="out of order"):
            await library.add([folder])
        await clean(library, home)
        embedder.broken = False
        folder.rename(tmp_path / "elsewhere")
        await library.add([tmp_path / "elsewhere"])
        assert [each.name for each in await library.documents()] == ["manual.md", "prices.md"]
        await clean(library, home)


async def test_a_cancelled_add_leaves_nothing_and_can_be_run_again(home: Path, folder: Path) -> None:
    embedder = Held()
    async with atril.open(home, embedder=embedder) as library:
        embedder.hold()
        adding = asyncio.ensure_future(library.add([folder]))
        await embedder.entered.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await library.documents() == []
        await clean(library, home)
        embedder.release()
        assert (await library.add([folder])).added == 2


async def test_an_add_cancelled_while_it_commits_has_committed(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from atril.store import writing

    began, loop, real = asyncio.Event(), asyncio.get_running_loop(), writing.commit

    def heard(*arguments):  # type: ignore[no-untyped-def]
        loop.call_soon_threadsafe(began.set)
        return real(*arguments)

    monkeypatch.setattr(writing, "commit", heard)
    async with atril.open(home, embedder=HashEmbedder()) as library:
        adding = asyncio.ensure_future(library.add([folder]))
        await began.wait()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert len(await library.documents()) == 2
        await clean(library, home)
        assert (await library.add([folder])).unchanged == 2


async def test_a_document_removed_while_it_is_updated_stays_removed(home: Path, folder: Path) -> None:
    embedder = Held()
    async with atril.open(home, embedder=embedder) as library:
        await library.add([folder])
        (folder / "prices.md").write_text("# Prices\n\nEverything is free.\n")
        embedder.hold()
        adding = asyncio.ensure_future(library.add([folder]))
        await embedder.entered.wait()
        await library.remove("prices.md")
        embedder.release()
        report = await adding
        assert (report.added, report.updated, report.unchanged, report.chunks) == (0, 0, 1, 0)
        assert [each.name for each in await library.documents()] == ["manual.md"]
        await clean(library, home)


async def test_a_document_removed_during_a_reindex_stays_removed_and_is_no_failure(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    same = tmp_path / "same"
    same.mkdir()
    (same / "copy.md").write_bytes((folder / "prices.md").read_bytes())
    async with atril.open(home, embedder=HashEmbedder(64)) as library:
        await library.add([folder])
        await library.add([same], collection="other")
        await library.add_texts([{"name": "faq", "text": "Helmets are not taken back."}])
    embedder = Held(32)
    async with atril.open(home, embedder=embedder) as library:
        embedder.hold()
        reindexing = asyncio.ensure_future(library.reindex())
        await embedder.entered.wait()
        await library.remove("prices.md", "manual.md", "faq")
        embedder.release()
        assert (await reindexing).failed == ()
        assert [each.name for each in await library.documents()] == ["copy.md"]
        await clean(library, home)


class TestRereading:
    """After a release that reads otherwise, which another version of the parser stands for."""

    async def test_a_document_removed_while_it_is_read_stays_removed(
        self, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with atril.open(home, embedder=HashEmbedder()) as library:
            await library.add([folder])
            monkeypatch.setattr("atril.ingest.pipeline.PARSER_VERSION", "of the next release")
            removing: list[asyncio.Future[int]] = []

            def heard(progress: Progress) -> None:
                if progress.stage == "reading" and not removing:
                    removing.append(asyncio.ensure_future(library.remove("manual.md", "prices.md")))

            report = await library.reindex(progress=heard)
            assert await removing[0] == 2
            assert report.failed == ()
            assert await library.documents() == []
            await clean(library, home)

    async def test_counts_its_chunks_and_tells_how_far_it_is(
        self, home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with atril.open(home, embedder=HashEmbedder()) as library:
            added = await library.add([folder / "manual.md"])
            added_too = await library.add([folder / "prices.md"], collection="other")
            monkeypatch.setattr("atril.ingest.pipeline.PARSER_VERSION", "of the next release")
            heard: list[Progress] = []
            report = await library.reindex(progress=heard.append)
            chunks = added.chunks + added_too.chunks
            assert report.chunks == 2 * chunks
            assert {each.total_files for each in heard} == {2}
            assert {each.stage for each in heard} == {"reading", "embedding", "saving"}
            assert (heard[-1].done_files, heard[-1].done_chunks, heard[-1].total_chunks) == (
                2,
                chunks,
                chunks,
            )

    @pytest.mark.parametrize("title", ["", "Returns"])
    async def test_a_text_stays_what_its_program_gave(
        self, library: atril.Library, monkeypatch: pytest.MonkeyPatch, title: str
    ) -> None:
        text = "---\nauthor: shop\n---\nHelmets are not taken back."
        rows = [{"name": "faq", "title": title, "text": text, "metadata": {"team": "shop"}}]
        await library.add_texts(rows)
        [before] = await library.documents()
        assert (await library.reindex()).failed == ()
        assert [each.version for each in await library.documents()] == [before.version]
        monkeypatch.setattr("atril.ingest.pipeline.PARSER_VERSION", "of the next release")
        await library.reindex()
        [after] = await library.documents()
        assert after.version != before.version
        assert (after.title, after.metadata) == (before.title, before.metadata)
        assert (await library.add_texts(rows)).unchanged == 1
