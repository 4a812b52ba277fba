"""What joins the passages that were found, and what is cut."""

from uuid import UUID

from atril.answering.expansion import Expansion, follow
from atril.answering.gathering import capped, merged, with_carried
from atril.answering.options import UnifiedOptions
from atril.retrieval.live import ScoredChunk
from atril.types import Chunk, Document, StoredChunk
from shelf import Shelf

RANKS = {"ley": 2, "reglamento": 3, "orden": 5}


def stored(number: int, *, document: str = "ley", collection: str = "default") -> StoredChunk:
    owner = Document(
        id=UUID(int=1), version=UUID(int=1), name=document, stem=document, source=document, collection=collection,
        labels=(), title=document, type="md", language="es", description="", metadata={}, pages=None, chunks=9,
        bytes=1, content_hash="", added_at=None,  # type: ignore[arg-type]
    )  # fmt: skip
    return StoredChunk(f"{document}_{number}", UUID(int=number), Chunk(number, 0, 1, "x", "content"), owner)


def joined(
    chunks: list[ScoredChunk],
    *,
    siblings: dict[int, list[int]] | None = None,
    references: dict[int, list[int]] | None = None,
    others: list[StoredChunk],
    options: UnifiedOptions | None = None,
) -> Expansion:
    def links(given: dict[int, list[int]] | None) -> dict[UUID, list[UUID]]:
        return {UUID(int=a): [UUID(int=b) for b in found] for a, found in (given or {}).items()}

    known = {each.point: each for each in (*(chunk.stored for chunk in chunks), *others)}
    rank = lambda each: RANKS[each.document.name]  # noqa: E731
    return follow(chunks, links(siblings), links(references), known, rank, options or UnifiedOptions())


def shown(expansion: Expansion) -> list[tuple[int, str, float]]:
    return [(j.chunk.stored.point.int, j.by, round(j.chunk.score, 3)) for j in expansion.joined]


class TestExpansion:
    def test_goes_up_the_hierarchy_and_never_down(self) -> None:
        source = ScoredChunk(stored(1, document="reglamento"), 0.5)
        others = [stored(2), stored(3, document="reglamento"), stored(4, document="orden")]
        found = joined([source], references={1: [4, 2, 3]}, others=others)
        assert shown(found) == [(2, "reference", 0.4), (3, "reference", 0.4)]

    def test_follows_three_references_of_a_chunk_and_every_sibling(self) -> None:
        others = [stored(n) for n in range(2, 11)]
        found = joined(
            [ScoredChunk(stored(1), 1.0)],
            siblings={1: [7, 8, 9, 10]},
            references={1: [2, 3, 4, 5]},
            others=others,
        )
        assert [n for n, by, _ in shown(found) if by == "sibling"] == [7, 8, 9, 10]
        assert [n for n, by, _ in shown(found) if by == "reference"] == [2, 3, 4]

    def test_siblings_join_whatever_their_rank_and_the_best_parent_counts(self) -> None:
        parents = [ScoredChunk(stored(1), 0.9), ScoredChunk(stored(2), 0.5)]
        low = stored(3, document="orden")
        found = joined(parents, siblings={2: [3]}, references={1: [4], 2: [4]}, others=[low, stored(4)])
        assert shown(found) == [(4, "reference", 0.72), (3, "sibling", 0.4)]

    def test_keeps_fifteen_in_all_and_says_how_many_it_cut(self) -> None:
        others = [stored(n) for n in range(2, 22)]
        found = joined([ScoredChunk(stored(1), 1.0)], siblings={1: list(range(2, 22))}, others=others)
        assert (len(found.joined), found.cut) == (15, 5)

    def test_leaves_out_what_is_there_already_or_not_visible(self) -> None:
        parents = [ScoredChunk(stored(1), 0.9), ScoredChunk(stored(2), 0.5)]
        assert shown(joined(parents, references={1: [2, 77]}, others=[])) == []


class TestMerging:
    def test_keeps_the_highest_score_of_a_chunk(self) -> None:
        one, two = stored(1), stored(2)
        found = merged(([ScoredChunk(one, 0.3)], [ScoredChunk(one, 0.6), ScoredChunk(two, 0.5)]), 10)
        assert [(each.stored.id, each.score) for each in found] == [("ley_1", 0.6), ("ley_2", 0.5)]

    def test_caps_each_collection_and_then_the_query(self) -> None:
        chunks = [ScoredChunk(stored(n, collection="a" if n < 5 else "b"), 1 / n) for n in range(1, 9)]
        assert [each.stored.point.int for each in capped(chunks, 2, 3)] == [1, 2, 5]

    def test_what_is_carried_over_never_outranks_the_first_fresh_hit(self) -> None:
        fresh = [ScoredChunk(stored(1), 0.4), ScoredChunk(stored(2), 0.2)]
        found = with_carried(fresh, [stored(3), stored(2)], 0.5)
        assert [(each.stored.point.int, each.score) for each in found] == [(1, 0.4), (2, 0.4), (3, 0.4)]
        assert [each.score for each in with_carried([], [stored(3)], 0.5)] == [0.5]


async def test_the_parts_of_an_article_are_its_siblings(shelf: Shelf) -> None:
    text = "a b c d e"
    chunks = [
        Chunk(n, 2 * n - 2, 2 * n - 1, text[2 * n - 2], "content", article=article)
        for n, article in enumerate(("1", "2", "2", "2", "1"), start=1)
    ]
    pending = await shelf.put("ley.md", text, chunks)
    from shelf import SCOPE

    found = await shelf.records.siblings(SCOPE, pending.points)
    first, second, third, fourth, fifth = pending.points
    assert found == {second: (third, fourth), third: (second, fourth), fourth: (third, second)}
    assert first not in found and fifth not in found
