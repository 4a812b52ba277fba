"""Which shards a build puts together."""

from hypothesis import given
from hypothesis import strategies as st

from atril.store.index.qdrant.merging import Size, choose


def whole(points: int) -> Size:
    return Size(live=points, built=points)


def test_nothing_waits_and_nothing_is_built() -> None:
    assert not choose({}, {"a": whole(100)}, largest=1000)


def test_every_waiting_shard_is_built() -> None:
    assert set(choose({"a": 10, "b": 10}, {}, largest=1000)) == {"a", "b"}


def test_a_small_built_shard_joins_and_a_large_one_does_not() -> None:
    built = {"small": whole(15), "large": whole(500)}
    assert set(choose({"new": 10}, built, largest=1000)) == {"new", "small"}


def test_what_was_asked_for_joins_larger_shards_and_then_rests() -> None:
    built = {"small": whole(15), "large": whole(100), "huge": whole(2000)}
    assert set(choose({}, built, largest=10_000, thorough=True)) == {"small", "large"}
    assert not choose({}, {"joined": whole(115), "huge": whole(2000)}, largest=10_000, thorough=True)
    assert not choose({}, {"huge": whole(2000)}, largest=10_000, thorough=True)


def test_no_build_grows_beyond_the_largest() -> None:
    assert set(choose({"new": 10}, {"full": whole(15)}, largest=20)) == {"new"}


def test_a_shard_of_mostly_deleted_points_is_built_again() -> None:
    assert list(choose({}, {"a": Size(live=60, built=100), "b": whole(500)}, largest=1000)) == ["a"]


@given(st.integers(1, 300))
def test_shards_stay_few_and_a_point_is_rewritten_seldom(rounds: int) -> None:
    built: dict[str, Size] = {}
    written = 0
    for number in range(rounds):
        chosen = choose({"new": 10}, built, largest=10**9)
        total = sum(built.pop(name).live for name in chosen if name != "new") + 10
        built[str(number)] = whole(total)
        written += total
    assert len(built) <= 7
    assert written <= rounds * 10 * 12
