from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.errors import InvalidArgument, LimitExceeded
from atril.evaluation.datasets import Question, Relevant
from atril.evaluation.metrics import Ranks, percentile, rank
from atril.evaluation.report import render
from atril.evaluation.runner import Evaluation, evaluate
from atril.types import ChunkMetadata, Hit, SearchResult


def hit(source_file: str, article: str | None = None, number: int = 1) -> Hit:
    metadata = ChunkMetadata(
        chunk_type="content", index=number, section_title="", section_path=(), page=None, page_end=None,
        keywords=(), description="", has_tables=False, has_images=False, collection="default", language="es",
        start=0, end=5, article=article,
    )  # fmt: skip
    return Hit(f"{source_file}_chunk_{number:04d}", 0.5, source_file, "texto", (), metadata)


class TestPlaces:
    def test_chunks_of_one_file_are_one_place_when_files_are_asked_for(self) -> None:
        hits = [hit("a.md", number=1), hit("a.md", number=2), hit("b.md")]
        assert rank(hits, [Relevant("b.md")]).places == (2,)

    def test_articles_are_places_when_articles_are_asked_for(self) -> None:
        hits = [hit("a.md", "1"), hit("a.md", "1", 2), hit("a.md", "2"), hit("b.md", "2")]
        assert rank(hits, [Relevant("b.md", article="2"), Relevant("a.md", article="9")]).places == (3, None)

    def test_chunks_are_places_when_chunks_are_asked_for(self) -> None:
        hits = [hit("a.md", number=1), hit("a.md", number=2)]
        assert rank(hits, [Relevant(chunk_id="a.md_chunk_0002")]).places == (2,)


class TestMeasures:
    def test_recall_is_the_share_found_by_k(self) -> None:
        ranks = Ranks((1, 4, None, None))
        assert [ranks.recall(k) for k in (1, 3, 4, 10)] == [0.25, 0.25, 0.5, 0.5]

    def test_reciprocal_rank_stops_at_ten(self) -> None:
        assert Ranks((None, 4)).reciprocal == 0.25
        assert Ranks((11,)).reciprocal == 0.0

    def test_ndcg_discounts_by_place(self) -> None:
        assert Ranks((1, 2)).ndcg == 1.0
        assert Ranks((2,)).ndcg == pytest.approx(1 / log2(3))
        assert Ranks((11,)).ndcg == 0.0

    @given(st.lists(st.one_of(st.none(), st.integers(1, 40)), min_size=1, max_size=12))
    def test_every_measure_lies_between_0_and_1(self, places: list[int | None]) -> None:
        ranks = Ranks(tuple(places))
        for value in (ranks.recall(1), ranks.recall(10), ranks.reciprocal, ranks.ndcg):
            assert 0.0 <= value <= 1.0 + 1e-12

    @pytest.mark.parametrize(("share", "value"), [(0.5, 2.0), (0.51, 3.0), (0.99, 4.0), (1.0, 4.0)])
    def test_a_percentile_is_one_of_the_values(self, share: float, value: float) -> None:
        assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


QUESTIONS = [
    Question("q1", "vacaciones", (Relevant("a.md"),)),
    Question("q2", "despido", (Relevant("b.md"), Relevant("c.md"))),
    Question("q3", "IRPF", ()),
]


async def search(query: str, hits: int) -> SearchResult:
    found = {"vacaciones": ["a.md", "b.md"], "despido": ["x.md", "b.md"], "IRPF": ["a.md"]}[query]
    return SearchResult(query, "hybrid_search", tuple(hit(name) for name in found[:hits]), {}, 1.0)


class TestARun:
    async def run(self) -> Evaluation:
        return await evaluate(QUESTIONS, search, ks=(1, 5))

    async def test_averages_over_the_questions_with_something_to_find(self) -> None:
        evaluation = await self.run()
        assert (evaluation.questions, evaluation.unanswerable) == (3, 1)
        assert evaluation.recall == {1: 0.5, 5: 0.75}
        assert evaluation.mrr == 0.75

    async def test_is_a_value_that_goes_to_json(self) -> None:
        value = (await self.run()).to_dict()
        assert list(value) == [
            "questions",
            "unanswerable",
            "recall",
            "mrr@10",
            "ndcg@10",
            "latency_ms",
            "misses",
        ]
        assert value["recall"] == {"1": 0.5, "5": 0.75}
        assert value["latency_ms"]["p50"] <= value["latency_ms"]["p99"]

    async def test_asks_for_enough_hits_that_k_places_can_be_told(self) -> None:
        asked = []

        async def spy(query: str, hits: int) -> SearchResult:
            asked.append(hits)
            return await search(query, hits)

        await evaluate(QUESTIONS, spy, ks=(1, 25))
        assert set(asked) == {75}

    async def test_tells_its_progress(self) -> None:
        seen: list[tuple[int, int]] = []
        await evaluate(QUESTIONS, search, progress=lambda done, total: seen.append((done, total)))
        assert seen == [(1, 3), (2, 3), (3, 3)]

    async def test_refuses_a_k_that_makes_no_sense(self) -> None:
        with pytest.raises(InvalidArgument):
            await evaluate(QUESTIONS, search, ks=(0, 5))
        with pytest.raises(LimitExceeded):
            await evaluate(QUESTIONS, search, ks=(5, 2000))

    async def test_reads_as_a_table_with_the_questions_that_missed(self) -> None:
        evaluation = await evaluate([*QUESTIONS, Question("q4", "IRPF", (Relevant("z.md"),))], search)
        lines = render(evaluation, "en", misses=5).splitlines()
        assert lines[0].startswith("Questions: 4.")
        assert "recall@1   0.333" in lines
        assert lines[-1] == "  q4  IRPF"
        assert "q4" not in render(evaluation, "es")
