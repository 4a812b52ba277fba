"""What tokens cost: a table per model that ships with Atril and that a file of the user's goes before."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from atril.errors import InvalidSetting
from atril.types import Tokens

_SNAPSHOT: Final = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})(?=$|-v\d)")
"""The date in the name of one release of a model, whose price is that of the model."""
_MILLION: Final = 1_000_000


class Price(BaseModel):
    """What a million tokens read and a million written cost, in one currency for the whole table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)


_TABLE: Final = TypeAdapter(dict[str, Price])


class PriceTable:
    """Prices by the model's name as it is configured, such as `openai:gpt-5-nano`."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = dict(prices)

    @classmethod
    def load(cls, path: Path | None = None) -> PriceTable:
        """The prices that ship, with those of a file before them: tables such as `["openai:gpt-5-nano"]` with
        `input` and `output`. Raises `InvalidSetting`."""
        prices = _read(
            files("atril.models").joinpath("prices.toml").read_text(encoding="utf-8"), "prices.toml"
        )
        if path is not None:
            try:
                own = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise InvalidSetting(name="prices", value=str(path), problem="unreadable_file") from error
            prices |= _read(own, str(path))
        return cls(prices)

    def price(self, model: str) -> Price | None:
        """The price of a model; that of a dated release is its model's when it has none of its own."""
        return self._prices.get(model) or self._prices.get(_SNAPSHOT.sub("", model))

    def cost(self, tokens: Mapping[str, Tokens], models: Mapping[str, str]) -> float | None:
        """What the tokens of each role cost at the prices of the roles' models.

        `None` when no tokens were used, and when the price of a model that used some is not known: a sum
        that leaves one out would be wrong.
        """
        spent = {role: used for role, used in tokens.items() if used.input or used.output}
        total = 0.0
        for role, used in spent.items():
            price = self.price(models.get(role, ""))
            if price is None:
                return None
            total += (used.input * price.input + used.output * price.output) / _MILLION
        return total if spent else None


def _read(text: str, source: str) -> dict[str, Price]:
    try:
        return _TABLE.validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(name="prices", value=f"{source}: {error}", problem="not_toml") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidSetting(name="prices", value=f"{source}: {where}", problem="price") from error
