"""What the records give back, and to whom."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from drafting import draft, term
from hypothesis import given, settings
from hypothesis import strategies as st

from atril.errors import DocumentNotFound, InvalidArgument
from atril.store.drafts import Draft, Pending
from atril.store.records import Records
from atril.store.schema import BLOCK
from atril.types import Page, Scope

SCOPE = Scope()


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = await Records.open(tmp_path)
    yield opened
    await opened.close()


async def add(records: Records, document: Draft, scope: Scope = SCOPE) -> Pending:
    pending = await records.begin(scope, document)
    await records.commit(scope, [pending.version])
    return pending


async def test_slices_are_exact_across_blocks_and_beyond_the_basic_plane(records: Records) -> None:
    text = "".join(chr(0x1F600 + number % 64) + "ñж" for number in range(BLOCK))
    pending = await add(records, draft(text=text, size=900))
    assert await records.text(SCOPE, pending.document) == text
    for start, end in [
        (0, 1),
        (BLOCK - 1, BLOCK + 1),
        (BLOCK, 2 * BLOCK),
        (5, 5),
        (-10, None),
        (BLOCK, 10**9),
    ]:
        assert await records.slice(SCOPE, pending.document, start, end) == text[start:end]
    stored = await records.hydrate(SCOPE, pending.points)
    assert all(each.chunk.content == text[each.chunk.start : each.chunk.end] for each in stored.values())


@settings(max_examples=15, deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    data=st.data(),
)
async def test_any_text_returns_code_point_for_code_point(text: str, data: st.DataObject) -> None:
    from tempfile import TemporaryDirectory

    text = text * (1 + 2 * BLOCK // len(text))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    with TemporaryDirectory() as folder:
        records = await Records.open(Path(folder))
        pending = await add(records, draft(text=text, size=3000))
        assert await records.slice(SCOPE, pending.document, start, end) == text[start:end]
        assert await records.text(SCOPE, pending.document) == text
        await records.close()


async def test_chunks_are_numbered_from_one(records: Records) -> None:
    pending = await add(records, draft(text="abcdefghij" * 3, size=10))
    numbers = [each.chunk.number for each in await records.chunks(SCOPE, pending.document, 2, 100)]
    assert numbers == [2, 3]
    assert (await records.chunk(SCOPE, "a_chunk_0002")).point == pending.points[1]


@pytest.mark.parametrize("unknown", ["a_chunk_0099", "b_chunk_0001", "a_chunk_", "a", "a_chunk_" + "9" * 40])
async def test_an_unknown_chunk_is_not_found(records: Records, unknown: str) -> None:
    await add(records, draft())
    with pytest.raises(DocumentNotFound):
        await records.chunk(SCOPE, unknown)


async def test_pages_are_kept(records: Records) -> None:
    pages = (Page(1, 0, 4), Page(2, 4, 12))
    paged = await add(records, draft("a.pdf", pages=pages))
    unpaged = await add(records, draft("b.md"))
    assert await records.pages(SCOPE, paged.document) == list(pages)
    assert await records.pages(SCOPE, unpaged.document) == []
    assert (await records.document(SCOPE, paged.document)).pages == 2


async def test_a_tenant_sees_nothing_of_another(records: Records) -> None:
    other = Scope(tenant="acme / zürich")
    mine, theirs = await add(records, draft()), await add(records, draft(text="ajeno"), other)
    assert mine.document != theirs.document
    assert (mine.name, theirs.name) == ("a.md", "a.md")
    assert await records.hydrate(SCOPE, theirs.points) == {}
    assert (await records.statistics(SCOPE, [term("ajeno")])).frequencies == {}
    assert await records.remove(SCOPE, [theirs.document]) == []
    assert await records.purge(SCOPE, [theirs.version]) == frozenset()
    assert await records.text(other, theirs.document) == "ajeno"
    assert await records.tenants() == ["acme / zürich", "default"]
    assert await records.history(other) == await records.history(Scope(tenant="acme / zürich"))


async def test_collections_and_labels_of_the_scope_hide_what_they_leave_out(records: Records) -> None:
    public = await add(records, draft("a.md", collection="web", labels=("público",)))
    secret = await add(records, draft("b.md", collection="hr", labels=("interno",)))
    for scope in (Scope(collections=("web",)), Scope(labels=("público", "nuevo"))):
        assert [each.name for each in await records.documents(scope)] == ["a.md"]
        assert set(await records.hydrate(scope, [*public.points, *secret.points])) == set(public.points)
        for reading in (
            records.text(scope, secret.document),
            records.chunks(scope, secret.document),
            records.chunk(scope, "b_chunk_0001"),
            records.find(scope, "b.md"),
        ):
            with pytest.raises(DocumentNotFound):
                await reading
    assert await records.documents(Scope(collections=())) == []


async def test_a_collection_weighs_one_until_it_is_told_otherwise(records: Records) -> None:
    await add(records, draft(collection="implícita"))
    await records.set_collection(SCOPE, "leyes", weight=0.5)
    await records.set_collection(SCOPE, "leyes")
    weights = {name: each.weight for name, each in (await records.collections(SCOPE)).items()}
    assert weights == {"implícita": None, "leyes": 0.5}
    assert list(await records.collections(Scope(collections=("leyes",)))) == ["leyes"]
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidArgument):
            await records.set_collection(SCOPE, "leyes", weight=weight)


async def test_languages_are_those_of_current_documents(records: Records) -> None:
    await add(records, draft("a.md", language="ru"))
    gone = await add(records, draft("b.md", language="en"))
    await records.remove(SCOPE, [gone.document])
    await records.begin(SCOPE, draft("c.md", language="es"))
    assert await records.languages(SCOPE) == ["ru"]


async def test_a_document_without_text_is_kept(records: Records) -> None:
    pending = await add(records, draft(text=""))
    assert await records.text(SCOPE, pending.document) == ""
    assert await records.chunks(SCOPE, pending.document) == []


async def test_long_lists_of_points_and_terms_are_read_in_parts(records: Records) -> None:
    pending = await add(records, draft(text="ab " * 1500, size=3))
    assert len(await records.hydrate(SCOPE, pending.points)) == 1500
    asked = [term("ab"), *range(2500)]
    assert (await records.statistics(SCOPE, asked)).frequencies == {term("ab"): 1500}


async def test_words_are_counted_in_each_document_alone(records: Records) -> None:
    for name, text in (("a.md", "uno dos uno"), ("b.md", "dos tres")):
        pending = await records.begin(SCOPE, draft(name, text, source=name))
        await records.commit(SCOPE, [pending.version])
    first, second = await records.documents(SCOPE)
    terms = [term("dos"), term("uno"), term("nunca")]
    found = await records.statistics_within(SCOPE, [first, second], terms)
    assert {key: (each.chunks, each.frequencies) for key, each in found.items()} == {
        first.id: (1, {term("uno"): 1, term("dos"): 1}),
        second.id: (1, {term("dos"): 1}),
    }
    assert await records.statistics_within(Scope(tenant="other"), [first], terms) == {}
