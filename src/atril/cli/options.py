"""The options that several commands share, each written once."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from atril.cli.texts import said

MOST_RESULTS = 1000
_COMMON = said("help.common")


class Mode(StrEnum):
    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"


class Spoken(StrEnum):
    ES = "es"
    EN = "en"
    RU = "ru"


class Pipeline(StrEnum):
    UNIFIED = "unified"
    DOCUMENT_FIRST = "document-first"
    EXTRACTIVE = "extractive"


def _above_zero(value: float | None) -> float | None:
    if value is not None and not 0.0 < value < math.inf:
        raise typer.BadParameter(said("cli.weight_positive"))
    return value


def parse_conditions(values: list[str]) -> dict[str, str]:
    """`["year=2024"]` as `{"year": "2024"}`; the value may hold further equals signs or be empty."""
    conditions: dict[str, str] = {}
    for value in values:
        key, equals, wanted = value.partition("=")
        key = key.strip()
        if not (equals and key):
            raise typer.BadParameter(said("cli.where_syntax", value=value), param_hint="--where")
        if key in conditions:
            raise typer.BadParameter(said("cli.where_repeated", name=key), param_hint="--where")
        conditions[key] = wanted.strip()
    return conditions


def parse_cutoffs(value: str) -> tuple[int, ...]:
    """`"1,5,10"` as `(1, 5, 10)`, sorted and without repetition."""
    try:
        cutoffs = sorted({int(part) for part in value.split(",")})
    except ValueError:
        cutoffs = [0]
    if cutoffs[0] < 1:
        raise typer.BadParameter(said("cli.k_syntax", value=value), param_hint="--k")
    return tuple(cutoffs)


Home: TypeAlias = Annotated[
    Path | None,
    typer.Option("--home", envvar="ATRIL_HOME", help=said("help.home"), rich_help_panel=_COMMON),
]
DemoHome: TypeAlias = Annotated[
    Path | None, typer.Option("--home", help=said("help.demo_home"), rich_help_panel=_COMMON)
]
Profile: TypeAlias = Annotated[
    str | None,
    typer.Option("--profile", envvar="ATRIL_PROFILE", help=said("help.profile"), rich_help_panel=_COMMON),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help=said("help.json"), rich_help_panel=_COMMON)]
Collection: TypeAlias = Annotated[
    str, typer.Option("--collection", metavar="NAME", help=said("help.collection"))
]
Weight: TypeAlias = Annotated[
    float | None,
    typer.Option("--weight", metavar="W", callback=_above_zero, help=said("help.weight")),
]
Labels: TypeAlias = Annotated[
    list[str] | None, typer.Option("--label", metavar="LABEL", help=said("help.label"))
]
InCollections: TypeAlias = Annotated[
    list[str] | None, typer.Option("--collection", metavar="NAME", help=said("help.in_collection"))
]
WithLabels: TypeAlias = Annotated[
    list[str] | None, typer.Option("--label", metavar="LABEL", help=said("help.with_label"))
]
SearchModeOption: TypeAlias = Annotated[Mode, typer.Option("--mode", help=said("help.mode"))]
ModelLanguage: TypeAlias = Annotated[Spoken | None, typer.Option("--lang", help=said("help.lang"))]
TopK: TypeAlias = Annotated[int, typer.Option("--top-k", min=1, max=MOST_RESULTS, help=said("help.top_k"))]
OneDocument: TypeAlias = Annotated[
    str | None, typer.Option("--document", metavar="NAME", help=said("help.document"))
]
PipelineOption: TypeAlias = Annotated[Pipeline, typer.Option("--pipeline", help=said("help.pipeline"))]
MaxPages: TypeAlias = Annotated[int, typer.Option("--max-pages", min=1, max=100, help=said("help.max_pages"))]
Conversation: TypeAlias = Annotated[
    str | None, typer.Option("--conversation", metavar="ID", help=said("help.conversation"))
]
