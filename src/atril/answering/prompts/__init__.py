"""What models are told, one file for each prompt in each language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from atril.messages import supported


def prompt(name: str, language: str | None, **fields: object) -> str:
    """The prompt in a language, English when it is not one of ours, with its `{fields}` filled in.

    Raises `FileNotFoundError` for a prompt that does not exist and `KeyError` for a field left out.
    """
    return _template(name, supported(language)).format(**fields)


@cache
def _template(name: str, language: str) -> str:
    return (files(__package__) / language / f"{name}.md").read_text(encoding="utf-8").strip()
