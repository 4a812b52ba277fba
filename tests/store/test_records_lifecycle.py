"""A document from its first writing to its last trace."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from drafting import draft, term

from atril.errors import DocumentNotFound, InvalidArgument
from atril.store import writing
from atril.store.records import Records
from atril.types import Scope

SCOPE = Scope(actor="ana")
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = await Records.open(tmp_path, clock=lambda: NOW)
    yield opened
    await opened.close()


async def test_a_pending_version_is_invisible_until_it_is_committed(records: Records) -> None:
    pending = await records.begin(SCOPE, draft())
    assert await records.documents(SCOPE) == []
    assert await records.hydrate(SCOPE, pending.points) == {}
    assert (await records.statistics(SCOPE, [term("uno")])).chunks == 0

    committed = await records.commit(SCOPE, [pending.version])

    assert committed.current == (pending.version,)
    assert [document.name for document in await records.documents(SCOPE)] == ["a.md"]
    assert set(await records.hydrate(SCOPE, pending.points)) == set(pending.points)


async def test_a_document_reads_back_as_it_was_given(records: Records) -> None:
    given = draft(labels=("interno",), metadata={"rango": "ley"}, language="es")
    pending = await records.begin(SCOPE, given)
    await records.commit(SCOPE, [pending.version])

    document = await records.find(SCOPE, "a.md")
    assert (document.id, document.version) == (pending.document, pending.version)
    assert (document.labels, document.metadata) == (("interno",), {"rango": "ley"})
    assert (document.title, document.pages, document.chunks, document.added_at) == ("A.MD", None, 1, NOW)
    [stored] = (await records.hydrate(SCOPE, pending.points)).values()
    assert stored.chunk == given.chunks[0]
    assert (stored.id, stored.document) == ("a_chunk_0001", document)


async def test_an_update_flips_text_points_and_statistics_together(records: Records) -> None:
    old = await records.begin(SCOPE, draft(text="viejo común"))
    await records.commit(SCOPE, [old.version])
    new = await records.begin(SCOPE, draft(text="nuevo común"))
    assert new.updates
    assert await records.text(SCOPE, old.document) == "viejo común"

    committed = await records.commit(SCOPE, [new.version])

    assert committed.retired == (old.version,)
    assert await records.text(SCOPE, old.document) == "nuevo común"
    assert list(await records.hydrate(SCOPE, [*old.points, *new.points])) == list(new.points)
    words = await records.statistics(SCOPE, [term("viejo"), term("nuevo"), term("común")])
    assert (words.chunks, words.frequencies) == (1, {term("nuevo"): 1, term("común"): 1})
    assert await records.words(SCOPE) == 2


async def test_many_documents_become_current_at_once_with_facts_of_the_home(records: Records) -> None:
    pending = [await records.begin(SCOPE, draft(name)) for name in ("a.md", "b.md", "c.md")]
    await records.commit(SCOPE, [each.version for each in pending], facts={"generation": "2"})
    assert [each.name for each in await records.documents(SCOPE)] == ["a.md", "b.md", "c.md"]
    assert await records.fact("generation") == "2"
    assert await records.fact("missing") is None


async def test_a_second_commit_changes_nothing(records: Records) -> None:
    pending = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [pending.version])
    again = await records.commit(SCOPE, [pending.version])
    assert (again.current, again.retired) == ((), ())
    assert (await records.statistics(SCOPE, [])).chunks == 1


async def test_a_later_draft_supersedes_a_pending_one(records: Records) -> None:
    first = await records.begin(SCOPE, draft(text="uno"))
    second = await records.begin(SCOPE, draft(text="dos"))
    assert second.superseded == (first.version,)

    committed = await records.commit(SCOPE, [first.version, second.version])

    assert committed.current == (second.version,)
    assert committed.retired == (first.version,)


async def test_an_unchanged_source_is_known_by_its_fingerprint(records: Records) -> None:
    given = draft()
    assert await records.identify(SCOPE, "default", [given.source]) == {}
    pending = await records.begin(SCOPE, given)
    assert await records.identify(SCOPE, "default", [given.source]) == {}
    await records.commit(SCOPE, [pending.version])
    known = (await records.identify(SCOPE, "default", [given.source]))[given.source]
    assert (known.version, known.fingerprint) == (pending.version, given.fingerprint)


async def test_a_removed_document_leaves_nothing_once_it_is_purged(records: Records) -> None:
    given = draft()
    pending = await records.begin(SCOPE, given)
    await records.commit(SCOPE, [pending.version])

    assert await records.remove(SCOPE, [pending.document]) == [pending.version]
    assert await records.documents(SCOPE) == []
    assert await records.hydrate(SCOPE, pending.points) == {}
    assert (await records.statistics(SCOPE, [term("uno")])).frequencies == {}
    assert [(each.version, each.state) for each in await records.unsettled()] == [
        (pending.version, "retired")
    ]

    assert await records.purge(SCOPE, [pending.version]) == {given.content_hash}
    assert await records.unsettled() == []
    assert await records.tenants() == []
    assert await records.purge(SCOPE, [pending.version]) == frozenset()


async def test_current_versions_cannot_be_purged(records: Records) -> None:
    pending = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [pending.version])
    assert await records.purge(SCOPE, [pending.version]) == frozenset()
    assert await records.text(SCOPE, pending.document) == "uno dos tres"


async def test_an_original_is_kept_while_another_document_has_the_same_content(records: Records) -> None:
    twins = [await records.begin(SCOPE, draft(name)) for name in ("a.md", "b.md")]
    await records.commit(SCOPE, [twin.version for twin in twins])
    first, second = twins
    assert await records.purge(SCOPE, await records.remove(SCOPE, [first.document])) == frozenset()
    assert {tenant for tenant, _ in await records.content_hashes()} == {"default"}
    assert len(await records.purge(SCOPE, await records.remove(SCOPE, [second.document]))) == 1
    assert await records.content_hashes() == set()


@pytest.mark.parametrize("purged", [False, True])
async def test_a_removed_document_can_be_added_again(records: Records, purged: bool) -> None:
    first = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [first.version])
    retired = await records.remove(SCOPE, [first.document])
    if purged:
        await records.purge(SCOPE, retired)

    again = await records.begin(SCOPE, draft())
    assert not again.updates
    await records.commit(SCOPE, [again.version])
    await records.purge(SCOPE, retired)

    assert (again.document, again.name) == (first.document, "a.md")
    assert await records.text(SCOPE, first.document) == "uno dos tres"
    assert (await records.statistics(SCOPE, [term("uno")])).frequencies == {term("uno"): 1}


async def test_removing_during_an_addition_wins(records: Records) -> None:
    first = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [first.version])
    second = await records.begin(SCOPE, draft(text="otro"))
    assert set(await records.remove(SCOPE, [first.document])) == {first.version, second.version}
    committed = await records.commit(SCOPE, [second.version])
    assert (committed.current, committed.retired) == ((), (second.version,))
    assert await records.documents(SCOPE) == []


async def test_every_write_is_in_the_history(records: Records) -> None:
    for text in ("uno", "dos"):
        pending = await records.begin(SCOPE, draft(text=text))
        await records.commit(SCOPE, [pending.version])
    await records.set_collection(SCOPE, "default", weight=0.5)
    await records.remove(Scope(), [pending.document])
    assert [(each.at, each.actor, each.action, each.subject) for each in await records.history(SCOPE)] == [
        (NOW, None, "remove", "a.md"),
        (NOW, "ana", "weight", "default"),
        (NOW, "ana", "update", "a.md"),
        (NOW, "ana", "add", "a.md"),
    ]


async def test_a_draft_must_be_made_of_slices_of_its_text(records: Records) -> None:
    good = draft()
    with pytest.raises(ValueError, match="slice"):
        await records.begin(SCOPE, draft(text="abc").__class__(**_fields(good) | {"text": "other text"}))
    with pytest.raises(InvalidArgument):
        await records.begin(SCOPE, good.__class__(**_fields(good) | {"name": " "}))
    assert await records.unsettled() == []


async def test_what_was_committed_is_there_after_opening_again(tmp_path: Path) -> None:
    records = await Records.open(tmp_path)
    done = await records.begin(SCOPE, draft("a.md"))
    await records.commit(SCOPE, [done.version])
    left = await records.begin(SCOPE, draft("b.md"))
    await records.close()
    await records.close()

    records = await Records.open(tmp_path)
    assert await records.text(SCOPE, done.document) == "uno dos tres"
    assert [(each.tenant, each.version, each.state) for each in await records.unsettled()] == [
        ("default", left.version, "pending")
    ]
    with pytest.raises(DocumentNotFound):
        await records.text(SCOPE, left.document)
    await records.close()


def _fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__class__.__slots__}


async def test_what_a_cancelled_caller_wrote_is_not_hidden_by_what_was_remembered(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go, real = threading.Event(), threading.Event(), writing.set_weight

    def held(*arguments):  # type: ignore[no-untyped-def]
        began.set()
        go.wait()
        return real(*arguments)

    monkeypatch.setattr(writing, "set_weight", held)
    cancelled = asyncio.ensure_future(records.set_collection(SCOPE, "default", weight=3.0))
    await asyncio.to_thread(began.wait)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    assert await records.collections(SCOPE) == {}
    go.set()
    async with asyncio.timeout(10):
        while "default" not in await records.collections(SCOPE):
            await asyncio.sleep(0.01)


async def test_an_update_of_what_has_no_current_version_is_refused(records: Records) -> None:
    with pytest.raises(DocumentNotFound, match="nor one with a similar name"):
        await records.begin(SCOPE, draft(), update=True)
    pending = await records.begin(SCOPE, draft())
    await records.commit(SCOPE, [pending.version])
    assert (await records.begin(SCOPE, draft(text="otro"), update=True)).updates
    await records.remove(SCOPE, [pending.document])
    with pytest.raises(DocumentNotFound):
        await records.begin(SCOPE, draft(), update=True)


async def test_what_a_caller_gave_is_kept_with_the_version(records: Records) -> None:
    given = {"title": "", "metadata": {"año": "\ud800"}}
    pending = await records.begin(SCOPE, replace(draft(), given=given))
    await records.commit(SCOPE, [pending.version])
    source = draft().source
    known = await records.identify(SCOPE, "default", [source])
    assert known[source].given == given


async def test_several_documents_begin_as_they_would_one_by_one(records: Records) -> None:
    drafts = [
        draft("a.md", source="/one/a.md"),
        draft("a.md", source="/two/a.md"),
        draft("a.txt", source="/a.txt"),
    ]
    first, second, third = await records.begin_all(SCOPE, drafts)
    assert first is not None and second is not None and third is not None
    assert (first.name, first.stem) == ("a.md", "a")
    assert len({first.name, second.name, third.name}) == len({first.stem, second.stem, third.stem}) == 3
    await records.commit(SCOPE, [first.version, second.version, third.version])
    names = {each.source: each.name for each in await records.documents(SCOPE)}
    assert names == {"/one/a.md": first.name, "/two/a.md": second.name, "/a.txt": third.name}


async def test_of_two_drafts_of_one_source_that_begin_together_the_last_counts(records: Records) -> None:
    first, second = await records.begin_all(SCOPE, [draft(text="uno"), draft(text="dos")])
    assert first is not None and second is not None
    assert (second.document, second.superseded) == (first.document, (first.version,))


async def test_an_update_leaves_out_what_has_no_current_version(records: Records) -> None:
    pending = await records.begin(SCOPE, draft("a.md", source="/a.md"))
    await records.commit(SCOPE, [pending.version])
    again, missing = await records.begin_all(
        SCOPE, [draft("a.md", source="/a.md", text="otro"), draft("b.md", source="/b.md")], update=True
    )
    assert again is not None and again.updates
    assert missing is None
