"""What an add asks the records about the documents before it."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

import pytest

from atril.ingest import known
from atril.ingest.known import AT_ONCE, FRESH_SECONDS, Known
from atril.store.drafts import KnownDocument
from atril.store.records import Records
from atril.types import Scope


class FakeRecords:
    """Knows the sources it is given, and keeps what it was asked."""

    def __init__(self, *sources: str) -> None:
        self.sources = set(sources)
        self.asked: list[list[str]] = []

    async def identify(
        self, scope: Scope, collection: str, sources: Sequence[str]
    ) -> dict[str, KnownDocument]:
        self.asked.append(list(sources))
        return {each: _document(each) for each in sources if each in self.sources}


def _document(source: str) -> KnownDocument:
    return KnownDocument(UUID(int=1), UUID(int=2), source, "", "", (), {}, None)


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(known, "monotonic", clock)
    return clock


def of(records: FakeRecords, expected: Sequence[str]) -> Known:
    return Known(cast(Records, records), Scope(), "default", expected)


async def test_many_sources_are_asked_for_at_once(clock: Clock) -> None:
    expected = [f"{number}.md" for number in range(AT_ONCE + 1)]
    records = FakeRecords("1.md")
    looked_up = of(records, expected)
    found = [await looked_up.of(source) for source in expected]
    assert [each.name for each in found if each] == ["1.md"]
    assert [len(asked) for asked in records.asked] == [AT_ONCE, 1]


async def test_what_came_meanwhile_is_known_a_second_later(clock: Clock) -> None:
    records = FakeRecords()
    looked_up = of(records, ["a.md"])
    assert await looked_up.of("a.md") is None
    records.sources.add("a.md")
    assert await looked_up.now("a.md") is not None
    clock.seconds += FRESH_SECONDS + 0.1
    assert await looked_up.of("a.md") is not None


async def test_a_source_that_nobody_expected_is_asked_for_alone(clock: Clock) -> None:
    records = FakeRecords("b.md")
    assert await of(records, ["a.md"]).of("b.md") is not None
    assert records.asked == [["b.md"]]
