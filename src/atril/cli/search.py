"""Commands that ask the library: search, ask, eval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from atril.cli import options, views
from atril.cli.session import DONE, Session
from atril.cli.terminal import Terminal
from atril.cli.texts import interface_language, said

if TYPE_CHECKING:
    from atril.app import Library

_MOST_RESULTS = 1000
_MISSES_SHOWN = 10


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help=said("help.query"))],
    mode: options.SearchModeOption = options.Mode.HYBRID,
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=_MOST_RESULTS, help=said("help.top_k"))] = 10,
    min_score: Annotated[float, typer.Option("--min-score", min=0.0, help=said("help.min_score"))] = 0.0,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="NAME", help=said("help.document"))
    ] = None,
    type_: Annotated[str | None, typer.Option("--type", metavar="TYPE", help=said("help.type"))] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="LANG", help=said("help.language"))
    ] = None,
    page: Annotated[int | None, typer.Option("--page", min=1, help=said("help.page"))] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help=said("help.where"))
    ] = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    metadata = options.parse_conditions(where or [])

    async def work(library: Library) -> int:
        result = await library.search(
            query,
            mode=mode.value,
            top_k=top_k,
            min_score=min_score,
            collections=tuple(collection) if collection else None,
            labels=tuple(label or ()),
            document=document,
            type=type_,
            language=language,
            page=page,
            metadata=metadata,
        )
        terminal.result(result.to_dict(), lambda: views.hits(result, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help=said("help.question"))],
    pipeline: Annotated[
        options.Pipeline, typer.Option("--pipeline", help=said("help.pipeline"))
    ] = options.Pipeline.UNIFIED,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)

    async def work(library: Library) -> int:
        answer = await library.ask(
            question,
            pipeline=pipeline.value,
            collections=tuple(collection) if collection else None,
            labels=tuple(label or ()),
        )
        terminal.result(answer.to_dict(), lambda: views.answer(answer, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def evaluate(
    queries: Annotated[Path, typer.Argument(metavar="QUERIES.jsonl", help=said("help.queries"))],
    mode: options.SearchModeOption = options.Mode.HYBRID,
    k: Annotated[str, typer.Option("--k", metavar="K,K", help=said("help.k"))] = "1,5,10",
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    cutoffs = options.parse_cutoffs(k)

    async def work(library: Library) -> int:
        from atril.evaluation.report import render

        evaluation = await library.evaluate(queries, mode=mode.value, ks=cutoffs)
        terminal.result(
            evaluation.to_dict(),
            lambda: views.text(render(evaluation, interface_language(), misses=_MISSES_SHOWN)),
        )
        return DONE

    Session(home, profile, terminal).run(work)
