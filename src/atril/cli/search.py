"""Commands that ask the library: search, ask, eval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from atril.cli import options, views
from atril.cli.session import DONE, Session, is_home
from atril.cli.terminal import Terminal
from atril.cli.texts import interface_language, said
from atril.types import SearchMode

if TYPE_CHECKING:
    from atril.app import Library
    from atril.evaluation.runner import Evaluation

_MISSES_SHOWN = 10


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help=said("help.query"))],
    mode: options.SearchModeOption = options.Mode.HYBRID,
    top_k: options.TopK = 10,
    min_score: Annotated[float, typer.Option("--min-score", min=0.0, help=said("help.min_score"))] = 0.0,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    document: options.OneDocument = None,
    type_: Annotated[str | None, typer.Option("--type", metavar="TYPE", help=said("help.type"))] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="LANG", help=said("help.language"))
    ] = None,
    page: Annotated[int | None, typer.Option("--page", min=1, help=said("help.page"))] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="KEY=VALUE", help=said("help.where"))
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help=said("help.explain"))] = False,
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
            explain=explain,
        )
        terminal.result(result.to_dict(), lambda: views.hits(result, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help=said("help.question"))],
    pipeline: options.PipelineOption = options.Pipeline.UNIFIED,
    collection: options.InCollections = None,
    label: options.WithLabels = None,
    max_pages: options.MaxPages = 5,
    context_chunk: Annotated[
        list[str] | None, typer.Option("--context-chunk", metavar="ID", help=said("help.context_chunk"))
    ] = None,
    conversation: options.Conversation = None,
    check: Annotated[bool, typer.Option("--check", help=said("help.check"))] = False,
    explain: Annotated[bool, typer.Option("--explain", help=said("help.explain_answer"))] = False,
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
            max_pages=max_pages,
            context_chunk_ids=context_chunk,
            conversation=conversation,
            check=check,
            explain=explain,
        )
        terminal.result(answer.to_dict(), lambda: views.answer(answer, marks=terminal.marks_needed))
        return DONE

    Session(home, profile, terminal).run(work)


def evaluate(
    queries: Annotated[Path, typer.Argument(metavar="QUERIES.jsonl", help=said("help.queries"))],
    mode: options.SearchModeOption = options.Mode.HYBRID,
    k: Annotated[str, typer.Option("--k", metavar="K,K", help=said("help.k"))] = "1,5,10",
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="MODE|HOME", help=said("help.compare"))
    ] = None,
    growth: Annotated[bool, typer.Option("--growth", help=said("help.growth"))] = False,
    answers: Annotated[bool, typer.Option("--answers", help=said("help.answers"))] = False,
    home: options.Home = None,
    profile: options.Profile = None,
    as_json: options.AsJson = False,
) -> None:
    terminal = Terminal(as_json=as_json)
    cutoffs = options.parse_cutoffs(k)

    async def work(library: Library) -> int:
        from atril.evaluation import report
        from atril.evaluation.comparison import compare as compared

        language = interface_language()
        evaluation = await library.evaluate(queries, mode=mode.value, ks=cutoffs)
        missed = await library.explain_misses(queries, evaluation)
        document = evaluation.to_dict() | {"missed": [place.to_dict() for place in missed]}
        parts = [report.render(evaluation, language, misses=_MISSES_SHOWN, missed=missed)]
        if compare is not None:
            other = await _other(library, queries, mode.value, compare, cutoffs, profile)
            comparison = compared(evaluation, other, (mode.value, compare))
            document["comparison"] = comparison.to_dict()
            parts.append(report.render_comparison(comparison, language))
        if growth:
            sizes = await library.growth(queries, mode=mode.value)
            document["growth"] = [size.to_dict() for size in sizes]
            parts.append(report.render_growth(sizes, language))
        if answers:
            scored = await library.evaluate_answers(queries)
            document["answers"] = scored.to_dict()
            parts.append(report.render_answers(scored, language))
        terminal.result(document, lambda: views.text("\n\n".join(parts)))
        return DONE

    Session(home, profile, terminal).run(work)


async def _other(
    library: Library,
    queries: Path,
    mode: SearchMode,
    other: str,
    cutoffs: tuple[int, ...],
    profile: str | None,
) -> Evaluation:
    """The evaluation to compare with: of another mode, or of another library in the same mode."""
    if other in get_args(SearchMode):
        return await library.evaluate(queries, mode=cast(SearchMode, other), ks=cutoffs)
    home = Path(other)
    if not is_home(home):
        raise typer.BadParameter(said("cli.compare_with", value=other), param_hint="--compare")
    from atril.app import open as open_library

    async with open_library(home, profile=profile, language=interface_language()) as second:
        return await second.evaluate(queries, mode=mode, ks=cutoffs)
