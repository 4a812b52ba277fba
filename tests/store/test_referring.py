"""References at the level of the records: both directions, look-ups, and many documents at random."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from drafting import draft
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atril.documents.references.places import find_places
from atril.documents.references.targets import Reference
from atril.store.drafts import Draft
from atril.store.records import FILE_NAME, Records
from atril.types import Scope

SCOPE = Scope()


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Records]:
    opened = await Records.open(tmp_path)
    yield opened
    await opened.close()


def law(name: str, *mentions: tuple[int, str, str | None], articles: int = 3) -> Draft:
    """A law of short articles, one chunk each; a mention is the article it stands in, a place, and a law."""
    plain = draft(f"{name}.md", "x" * 10 * articles, size=10)
    chunks = [
        replace(chunk, article=str(chunk.number), section_path=(f"Artículo {chunk.number}",))
        for chunk in plain.chunks
    ]
    references = [
        Reference(
            number,
            number * 10 - 10,
            number * 10 - 5,
            "article",
            place,
            "",
            name=other,
            shown=other or "",
            target=None if other else int(place),
        )
        for number, place, other in mentions
    ]
    return replace(
        plain,
        chunks=chunks,
        references=references,
        places=find_places(chunks),
        aliases={f"ley {name}": None},
    )


async def add(records: Records, *drafts: Draft) -> dict[str, tuple]:
    """Commits all at once; gives the points of each by name."""
    pending = [await records.begin(SCOPE, each) for each in drafts]
    await records.commit(SCOPE, [each.version for each in pending])
    return {each.name.removesuffix(".md"): each.points for each in pending}


async def test_references_are_followed_both_ways(records: Records) -> None:
    points = await add(records, law("uno", (1, "2", None), (1, "3", "ley dos sobre algo")), law("dos"))
    source, inside, outside = points["uno"][0], points["uno"][1], points["dos"][2]
    assert await records.references(SCOPE, [source, outside]) == {source: (inside, outside)}
    assert await records.referrers(SCOPE, [inside, outside]) == {inside: (source,), outside: (source,)}


async def test_a_chunk_does_not_refer_to_itself_and_names_each_target_once(records: Records) -> None:
    points = (await add(records, law("uno", (1, "1", None), (1, "2", None), (1, "2", None))))["uno"]
    assert await records.references(SCOPE, points) == {points[0]: (points[1],)}


async def test_a_name_is_found_in_a_text_of_any_length(records: Records) -> None:
    await add(records, law("dos"))
    for words in ("", "otra cosa que no nombra a nadie " * 1000):
        assert (await records.names_in(SCOPE, f"{words} la ley dos")).find("ley dos") == "dos.md"


async def test_the_longest_name_counts(records: Records) -> None:
    points = await add(
        records, law("uno", (1, "1", "ley dos bis y otras")), law("dos"), replace(law("dos bis"), source="b")
    )
    assert await records.references(SCOPE, points["uno"]) == {points["uno"][0]: (points["dos bis"][0],)}


async def test_targets_that_were_lost_are_worked_out_again_when_names_are_given(
    records: Records, tmp_path: Path
) -> None:
    points = await add(records, law("uno", (1, "3", "ley dos")), law("dos"))
    before = await records.references(SCOPE, points["uno"])
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE mentions SET target_version = NULL, target = NULL, document = NULL")
    assert await records.references(SCOPE, points["uno"]) == {}
    current = await records.documents(SCOPE)
    await records.rename(SCOPE, {each.version: {f"ley {each.name[:-3]}": None} for each in current})
    assert await records.references(SCOPE, points["uno"]) == before


async def test_references_follow_a_document_to_its_new_name_and_leave_the_old_one(records: Records) -> None:
    points = await add(records, law("uno", (1, "3", "ley dos"), (2, "3", "ley tres")), law("dos"))
    document = await records.find(SCOPE, "dos.md")
    await records.move(
        SCOPE,
        document.id,
        source="/laws/tres.md",
        path="/laws/tres.md",
        name="tres.md",
        folder="laws",
        aliases={"ley tres": None},
    )
    assert await records.references(SCOPE, points["uno"]) == {points["uno"][1]: (points["dos"][2],)}


async def test_articles_are_looked_up_by_document_or_by_its_name(records: Records) -> None:
    points = (await add(records, law("uno")))["uno"]
    document = await records.find(SCOPE, "uno.md")
    assert await records.articles(SCOPE, document.id, ["3", "uno", "9"]) == [points[2], points[0]]
    assert await records.articles(SCOPE, ["Ley uno"], ["2"]) == [points[1]]
    assert await records.articles(SCOPE, ["Ley dos"], ["2"]) == []


async def test_purged_versions_leave_no_names_behind(records: Records) -> None:
    await add(records, law("uno", (1, "1", "ley nueve")))
    retired = await records.remove(SCOPE, [(await records.find(SCOPE, "uno.md")).id])
    await records.purge(SCOPE, retired)
    report = await records.reference_report(SCOPE)
    assert (report.found, report.outside, report.share) == (0, 0, 1.0)


names = st.sampled_from(["uno", "dos", "tres"])
said = st.tuples(
    st.integers(1, 3),
    st.sampled_from(["1", "2", "3", "4"]),
    st.none() | names.map(lambda name: f"ley {name}"),
)


@given(
    st.lists(
        st.tuples(names, st.lists(said.filter(lambda each: each[1] != "4" or each[2]), max_size=4)),
        max_size=6,
    )
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_refers_is_referred_to_whatever_came_in_whatever_order(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, list[tuple[int, str, str | None]]]]
) -> None:
    async def run() -> None:
        records = await Records.open(tmp_path_factory.mktemp("home"))
        points: dict[str, tuple] = {}
        last: dict[str, list[tuple[int, str, str | None]]] = {}
        for name, mentions in steps:
            points |= await add(records, law(name, *mentions))
            last[name] = mentions
        every = [point for some in points.values() for point in some]
        expected: dict = {}
        for name, mentions in last.items():
            for number, place, other in mentions:
                target = points.get((other or name).removeprefix("ley "))
                if target and place != "4" and target[int(place) - 1] != points[name][number - 1]:
                    expected.setdefault(points[name][number - 1], set()).add(target[int(place) - 1])
        found = await records.references(SCOPE, every)
        assert {point: set(targets) for point, targets in found.items()} == expected
        back = await records.referrers(SCOPE, every)
        pairs = {(source, target) for source, targets in found.items() for target in targets}
        assert {(source, target) for target, sources in back.items() for source in sources} == pairs
        await records.close()

    asyncio.run(run())
