from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.retrieval.fusion import SAMPLE, Fusion, distribution_shares, fuse
from atril.store.index.protocol import ScoredPoint

FUSIONS: list[Fusion] = ["dbsf", "rrf"]


def point(number: int, score: float) -> ScoredPoint:
    return ScoredPoint(UUID(int=number), score)


def rankings(highest: float = 1e6) -> st.SearchStrategy[list[ScoredPoint]]:
    scores = st.floats(0, highest, allow_nan=False)
    return st.dictionaries(st.integers(1, 60), scores, max_size=30).map(
        lambda found: [point(number, score) for number, score in found.items()]
    )


@pytest.mark.parametrize("fusion", FUSIONS)
class TestAnyFusion:
    @given(data=st.data())
    def test_ignores_the_order_of_its_input(self, fusion: Fusion, data: st.DataObject) -> None:
        lists = data.draw(st.lists(rankings(), min_size=1, max_size=4))
        shuffled = [data.draw(st.permutations(each)) for each in data.draw(st.permutations(lists))]
        assert fuse(shuffled, fusion) == fuse(lists, fusion)

    @given(lists=st.lists(rankings(), min_size=1, max_size=3))
    def test_gives_every_point_once_with_a_score_in_0_to_1_best_first(
        self, fusion: Fusion, lists: list[list[ScoredPoint]]
    ) -> None:
        fused = fuse(lists, fusion)
        assert {each.id for each in fused} == {each.id for ranking in lists for each in ranking}
        assert len({each.id for each in fused}) == len(fused)
        assert all(0.0 <= each.score <= 1.0 for each in fused)
        assert [each.score for each in fused] == sorted((each.score for each in fused), reverse=True)

    def test_prefers_what_both_lists_hold(self, fusion: Fusion) -> None:
        words = [point(1, 9.0), point(2, 8.9), point(3, 1.0)]
        meaning = [point(4, 0.9), point(2, 0.89), point(5, 0.7)]
        assert fuse([words, meaning], fusion)[0].id == UUID(int=2)

    def test_keeps_the_order_of_a_single_list(self, fusion: Fusion) -> None:
        ranking = [point(3, 5.0), point(1, 2.0), point(2, 1.0)]
        assert [each.id.int for each in fuse([ranking, []], fusion)] == [3, 1, 2]

    def test_orders_equal_scores_by_id(self, fusion: Fusion) -> None:
        first, second, other = point(11, 1.0), point(12, 1.0), point(9, 1.0)
        fused = fuse([[second, first, other], [other, second, first]], "dbsf")
        assert [each.id.int for each in fused] == [9, 11, 12]

    def test_of_nothing_is_nothing(self, fusion: Fusion) -> None:
        assert fuse([[], []], fusion) == []


class TestDistributionShares:
    def test_puts_the_mean_at_one_half(self) -> None:
        shares, _ = distribution_shares([point(1, 3.0), point(2, 2.0), point(3, 1.0)])
        assert shares[1] == pytest.approx(0.5)

    def test_keeps_apart_what_lies_beyond_three_deviations(self) -> None:
        ranking = [point(0, 1000.0), point(1, 900.0), *(point(number, 1.0) for number in range(2, 60))]
        shares, most = distribution_shares(ranking)
        assert 1.0 < shares[1] < shares[0] <= most

    def test_does_not_depend_on_the_unit_of_the_scores(self) -> None:
        ranking = [point(1, 0.9), point(2, 0.5), point(3, 0.1)]
        scaled = [point(each.id.int, 40 * each.score + 7) for each in ranking]
        assert distribution_shares(scaled)[0] == pytest.approx(distribution_shares(ranking)[0])

    def test_does_not_depend_on_how_many_candidates_follow(self) -> None:
        ranking = [point(number, 1 / number) for number in range(1, 200)]
        assert distribution_shares(ranking[:SAMPLE])[0] == distribution_shares(ranking)[0][:SAMPLE]

    def test_gives_one_half_where_all_scores_are_equal(self) -> None:
        assert distribution_shares([point(1, 0.3), point(2, 0.3)]) == ([0.5, 0.5], 0.5)
