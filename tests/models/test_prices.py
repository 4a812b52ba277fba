from __future__ import annotations

from pathlib import Path

import pytest

from atril.errors import InvalidSetting
from atril.models.prices import Price, PriceTable
from atril.types import Tokens

MODELS = {"reader": "openai:gpt-5-nano", "principal": "anthropic:claude-sonnet-4-5"}


def test_the_cost_is_the_sum_over_the_roles() -> None:
    table = PriceTable(
        {MODELS["reader"]: Price(input=1, output=2), MODELS["principal"]: Price(input=3, output=4)}
    )
    tokens = {"reader": Tokens(1_000_000, 500_000), "principal": Tokens(2_000_000, 1_000_000)}
    assert table.cost(tokens, MODELS) == 1 + 1 + 6 + 4


def test_a_model_without_a_price_makes_the_cost_unknown_only_when_it_was_used() -> None:
    table = PriceTable({MODELS["reader"]: Price(input=1, output=2)})
    assert table.cost({"reader": Tokens(10, 1), "principal": Tokens(10, 1)}, MODELS) is None
    assert table.cost({"reader": Tokens(1_000_000), "principal": Tokens()}, MODELS) == 1
    assert table.cost({"reader": Tokens(), "principal": Tokens()}, MODELS) is None


def test_the_prices_that_ship_know_the_usual_models_and_their_dated_releases() -> None:
    table = PriceTable.load()
    assert table.price("openai:gpt-5-nano") == Price(input=0.05, output=0.40)
    assert table.price("openai:gpt-5-nano-2025-08-07") == table.price("openai:gpt-5-nano")
    assert table.price("anthropic:claude-haiku-4-5-20251001") == table.price("anthropic:claude-haiku-4-5")
    assert table.price("openai:my-own-model") is None


def test_a_file_adds_prices_and_goes_before_those_that_ship(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('["openai:mine"]\ninput = 0\noutput = 0\n["openai:gpt-5-nano"]\ninput = 1\noutput = 2\n')
    table = PriceTable.load(own)
    assert table.cost({"reader": Tokens(10, 10)}, {"reader": "openai:mine"}) == 0
    assert table.price("openai:gpt-5-nano") == Price(input=1, output=2)
    assert table.price("openai:gpt-5-mini") is not None


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"not toml", "not valid TOML"),
        (b"\xff", "cannot be read"),
        (b'["a:b"]\ninput = 1\n', "a:b.output"),
        (b'["a:b"]\ninput = -1\noutput = 1\n', "a:b.input"),
        (b'["a:b"]\ninput = 1\noutput = 1\nper = 3\n', "a:b.per"),
        (b"a = 3\n", "a"),
    ],
)
def test_a_file_that_is_no_table_of_prices_is_explained(tmp_path: Path, written: bytes, told: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_bytes(written)
    with pytest.raises(InvalidSetting, match="prices in the settings") as caught:
        PriceTable.load(own)
    assert told in str(caught.value)
    assert str(own) in str(caught.value)


def test_a_file_of_prices_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="nowhere"):
        PriceTable.load(tmp_path / "nowhere.toml")
