"""Misses with their reasons, two evaluations beside each other, and the cost of growing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.evaluation.comparison import compare
from atril.evaluation.datasets import Question, Relevant
from atril.evaluation.growth import measure_growth
from atril.evaluation.metrics import Ranks
from atril.evaluation.misses import Held, explain_misses
from atril.evaluation.report import render, render_comparison, render_growth
from atril.evaluation.runner import Evaluation, Latency, Outcome, evaluate
from atril.types import ChunkMetadata, Document, Hit, SearchResult


def hit(source_file: str) -> Hit:
    metadata = ChunkMetadata(
        chunk_type="content", index=1, section_title="", section_path=(), page=None, page_end=None,
        keywords=(), description="", has_tables=False, has_images=False, collection="default", language="es",
        start=0, end=5,
    )  # fmt: skip
    return Hit(f"{source_file}_chunk_0001", 0.5, source_file, "texto", (), metadata)


def found(files: Sequence[str]) -> SearchResult:
    return SearchResult("q", "hybrid_search", tuple(map(hit, files)), {}, 1.0)


async def nothing(query: str, top_k: int) -> SearchResult:
    return found([])


class TestMisses:
    QUESTIONS = (
        Question("1", "uno", (Relevant("a.md"),)),
        Question("2", "dos", (Relevant("b.md"), Relevant("c.md", article="4"))),
        Question("3", "tres", (Relevant("d.md"),)),
    )

    async def test_each_missed_place_has_its_reason_and_its_place_in_each_list(self) -> None:
        async def shallow(query: str, top_k: int) -> SearchResult:
            return found(["a.md"] if query == "uno" else [])

        async def deep(query: str, top_k: int) -> SearchResult:
            return found([*(f"{number}.md" for number in range(14)), "b.md"])

        async def holds(relevant: Relevant) -> Held:
            return "no_document" if relevant.source_file == "d.md" else "no_place"

        evaluation = await evaluate(self.QUESTIONS, shallow)
        lists = {"lexical": deep, "semantic": nothing}
        missed = await explain_misses(self.QUESTIONS, evaluation, lists, holds)
        assert [(each.id, each.relevant.source_file, each.reason, each.places) for each in missed] == [
            ("2", "b.md", "too_low", {"lexical": 15, "semantic": None}),
            ("2", "c.md", "no_place", {"lexical": None, "semantic": None}),
            ("3", "d.md", "no_document", {"lexical": None, "semantic": None}),
        ]
        text = render(evaluation, "es", misses=5, missed=missed)
        assert "2  b.md: encontrado, pero demasiado abajo (lexical 15, semantic –)" in text


def evaluation(places: Sequence[int | None]) -> Evaluation:
    outcomes = tuple(
        Outcome(str(number), "q", Ranks((place,)), 1.0) for number, place in enumerate(places, start=1)
    )
    latency = Latency(1.0, 1.0, 1.0)
    return Evaluation(len(places), 0, {1: 0.0, 10: 0.0}, 0.0, 0.0, latency, outcomes)


class TestComparison:
    def test_a_difference_on_most_questions_is_not_chance(self) -> None:
        comparison = compare(evaluation([5] * 40), evaluation([1] * 38 + [None, 9]), ("hybrid", "lexical"))
        ndcg = comparison.differences[-1]
        assert ndcg.significant
        assert ndcg.low > 0
        assert len(comparison.better) == 38
        assert comparison.worse == ("39", "40")

    def test_a_difference_on_one_question_may_be_chance(self) -> None:
        comparison = compare(evaluation([1, None, 3]), evaluation([1, None, 2]), ("a", "b"))
        assert not any(each.significant for each in comparison.differences)

    def test_a_handful_of_questions_proves_nothing_even_when_all_agree(self) -> None:
        few, enough = (compare(evaluation([5] * n), evaluation([1] * n), ("a", "b")) for n in (5, 6))
        assert few.differences[-1].low > 0
        assert not few.differences[-1].significant
        assert enough.differences[-1].significant

    @given(st.lists(st.one_of(st.none(), st.integers(1, 20)), max_size=6))
    def test_the_same_twice_is_no_difference(self, places: list[int | None]) -> None:
        comparison = compare(evaluation(places), evaluation(places), ("a", "b"))
        assert all((each.low, each.mean, each.high) == (0.0, 0.0, 0.0) for each in comparison.differences)

    def test_different_questions_are_not_compared(self) -> None:
        with pytest.raises(ValueError, match="different questions"):
            compare(evaluation([1]), evaluation([1, 2]), ("a", "b"))

    def test_the_table_stars_what_is_not_chance(self) -> None:
        comparison = compare(evaluation([5] * 40), evaluation([1] * 40), ("hybrid", "lexical"))
        assert "*" in render_comparison(comparison, "ru").splitlines()[1]
        assert comparison.to_dict()["differences"][0]["measure"] == "recall@1"


def document(number: int) -> Document:
    return Document(
        id=UUID(int=number), version=UUID(int=number), name=f"{number}.md", stem=str(number), source="",
        collection="default", labels=(), title="", type="md", language="es", description="", metadata={},
        pages=None, chunks=3, bytes=1, content_hash="", added_at=datetime(2024, 1, 1, tzinfo=UTC),
    )  # fmt: skip


async def test_growth_asks_the_questions_at_each_size() -> None:
    held: list[Document] = []

    async def fill(documents: Sequence[Document]) -> None:
        held.extend(documents)

    questions = [Question("1", "uno", (Relevant("a.md"),))]
    sizes = await measure_growth(questions, [document(number) for number in range(8)], fill, nothing)
    assert [(size.documents, size.chunks) for size in sizes] == [(1, 3), (2, 6), (4, 12), (8, 24)]
    assert len(held) == 8
    assert "24" in render_growth(sizes, "en")
    assert sizes[0].to_dict()["latency_ms"].keys() == {"p50", "p95", "p99"}
