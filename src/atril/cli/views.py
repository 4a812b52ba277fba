"""Reports, documents, hits and answers as a person reads them, at 80 columns and up."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from atril.cli.reading import readable
from atril.cli.terminal import plain
from atril.cli.texts import said

if TYPE_CHECKING:
    from atril.types import (
        AddReport,
        Answer,
        AnswerExplanation,
        Citation,
        Conversation,
        Document,
        Explanation,
        Failure,
        Hit,
        ListedTable,
        ReadingWarning,
        ReferenceReport,
        ReindexReport,
        SearchResult,
        Transcript,
        UnresolvedName,
    )

_EMPHASIS: Final = "bold yellow"
_PLACE: Final = "cyan"
_EXCERPT_LENGTH: Final = 300
_DESCRIPTION_LENGTH: Final = 120
_TAG = re.compile("</?em>")


def text(words: str) -> Text:
    """Words from anywhere, stripped of what steers a terminal and never read as markup."""
    return Text(plain(words))


def added(report: AddReport) -> RenderableType:
    """One row of counts, then what failed and what to do about it, then the warnings."""
    counts = {
        "added": f"{report.added:,}",
        "updated": f"{report.updated:,}",
        "unchanged": f"{report.unchanged:,}",
        "removed": f"{report.removed:,}",
        "chunks": f"{report.chunks:,}",
        "seconds": f"{report.seconds:,.1f}",
    }
    table = _table()
    for key in counts:
        table.add_column(said(f"cli.{key}"), justify="right")
    table.add_row(*counts.values())
    return Group(table, *failures(report.failed), *_warnings(report.warnings))


def failures(failed: Sequence[Failure]) -> Iterable[RenderableType]:
    """What was not read, by reason: the reason and its remedy once, below it the files."""
    if not failed:
        return
    folder = _folder(each.file for each in failed)
    alike: dict[tuple[str, str], list[str]] = {}
    for failure in sorted(failed, key=lambda each: (each.reason, each.error, each.file)):
        alike.setdefault((failure.reason, failure.error), []).append(_below(failure.file, folder))
    yield Text(f"\n{said('cli.not_read', count=len(failed))}", style="red")
    if folder:
        yield text(folder)
    for (reason, error), files in alike.items():
        yield Text("\n").append(said(f"reason_name.{reason}"), style="bold").append(": ").append(text(error))
        yield _listed(files)


def rebuilt(report: ReindexReport) -> RenderableType:
    """One row of counts, then the documents that were kept as they were."""
    table = _table()
    for key in ("documents", "chunks", "seconds"):
        table.add_column(said(f"cli.{key}"), justify="right")
    table.add_row(f"{report.documents:,}", f"{report.chunks:,}", f"{report.seconds:,.1f}")
    return Group(table, *failures(report.failed))


def _warnings(warnings: Sequence[ReadingWarning]) -> Iterable[RenderableType]:
    """What is to be known of files that were read: each remark once, below it the files and their pages."""
    if not warnings:
        return
    folder = _folder(each.file for each in warnings)
    alike: dict[str, dict[str, list[int]]] = {}
    for warning in sorted(warnings, key=lambda each: (each.kind, each.file, each.page or 0)):
        pages = alike.setdefault(warning.text, {}).setdefault(_below(warning.file, folder), [])
        if warning.page is not None:
            pages.append(warning.page)
    yield Text(f"\n{said('cli.warnings', count=len(warnings))}", style="yellow")
    if folder:
        yield text(folder)
    for words, files in alike.items():
        yield Text("\n").append(text(words))
        yield _listed(
            f"{file} · {said('cli.page')} {_ranges(pages)}" if pages else file
            for file, pages in files.items()
        )


def _listed(lines: Iterable[str]) -> RenderableType:
    return Padding(Group(*(text(line) for line in lines)), (0, 0, 0, 4), expand=False)


def _folder(files: Iterable[str]) -> str:
    """The folder that all the files lie in, with its separator, so that it need not be said with each.

    Empty for a single file, and where they have none in common.
    """
    folders = [str(PurePath(file).parent) for file in set(files)]
    try:
        common = os.path.commonpath(folders) if len(folders) > 1 else ""
    except ValueError:  # some are relative, or on another drive
        return ""
    return f"{common.rstrip(os.sep)}{os.sep}" if len(common) > 1 else ""


def _below(file: str, folder: str) -> str:
    return file.removeprefix(folder)


def _ranges(pages: Sequence[int]) -> str:
    """Pages in order as a person writes them: `2, 5-7`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def documents(found: Sequence[Document]) -> RenderableType:
    """Each document with its title and description under its name."""
    if not found:
        return Text(said("cli.empty_library"))
    table = _table(said("cli.name"), said("cli.collection"), said("cli.type"), said("cli.language"))
    table.columns[0].ratio = 1
    table.expand = True
    table.leading = 1
    for key in ("pages", "chunks"):
        table.add_column(said(f"cli.{key}"), justify="right")
    for document in found:
        table.add_row(
            _description(document),
            text(document.collection),
            Text(document.type),
            Text(document.language),
            Text("" if document.pages is None else f"{document.pages:,}"),
            Text(f"{document.chunks:,}"),
        )
    return table


def no_collection(name: str, others: Sequence[str]) -> RenderableType:
    """That no document is in the collection, and in which there are some."""
    return text(said("cli.no_collection", name=name, names=", ".join(others)))


def references(report: ReferenceReport) -> RenderableType:
    """Counts by kind, then what could not be resolved, each with a chunk that says it."""
    total = said(
        "cli.references_total",
        found=f"{report.found:,}",
        resolved=f"{report.resolved:,}",
        percent=f"{100 * report.share:.1f}",
        outside=f"{report.outside:,}",
    )
    kinds = _table(said("cli.reference_kind"))
    for key in ("references_found", "references_resolved"):
        kinds.add_column(said(f"cli.{key}"), justify="right")
    for kind, (found, resolved) in report.by_kind.items():
        kinds.add_row(said(f"cli.reference_{kind}"), f"{found:,}", f"{resolved:,}")
    parts: list[RenderableType] = [Text(total), kinds]
    for key, names in (
        ("references_missing", report.missing),
        ("references_earlier", report.earlier),
        ("references_unknown", report.unknown),
    ):
        if names:
            parts += [Text(), Text(said(f"cli.{key}"), style="bold"), _names(names)]
    return Group(*parts)


def _names(names: Sequence[UnresolvedName]) -> RenderableType:
    table = Table.grid("count", "name", "example", padding=(0, 2, 0, 0))
    table.columns[0].justify = "right"
    for each in names:
        named = f"{each.name} ({each.document})" if each.document else each.name
        table.add_row(f"{each.count:,}", text(named), text(each.example))
    return table


def tables(found: Sequence[ListedTable]) -> RenderableType:
    """Where each table is, what its columns are called and how many rows it has."""
    if not found:
        return Text(said("cli.no_tables"))
    table = _table(said("cli.name"), said("cli.columns"))
    table.expand = True
    table.leading = 1
    for column in table.columns:
        column.ratio = 1
    table.add_column(said("cli.rows"), justify="right")
    for each in found:
        where = Text(place(each.source_file, each.page, None, each.section_title))
        more = f" +{each.parts - 1}" if each.parts > 1 else ""
        where.append(f"\n{plain(each.chunk_id)}{more}", style="dim")
        table.add_row(where, text(" · ".join(filter(None, each.columns))), Text(f"{each.rows:,}"))
    return table


def _description(document: Document) -> Text:
    lines = [Text(plain(document.name), style="bold")]
    if document.title and document.title != document.name:
        lines.append(text(document.title))
    if document.description:
        lines.append(Text(_shortened(document.description, _DESCRIPTION_LENGTH), style="dim"))
    if document.labels:
        lines.append(text(said("cli.labels", labels=", ".join(document.labels))))
    return Text("\n").join(lines)


def hits(result: SearchResult, *, marks: bool) -> RenderableType:
    """Rank, score and place of each hit, and under it the excerpt that shows why it was found."""
    if not result.results:
        return Text(said("cli.no_hits"))
    summary = said("cli.hits", count=result.total_found, milliseconds=f"{result.execution_time_ms:,.1f}")
    parts: list[RenderableType] = []
    for rank, hit in enumerate(result.results, start=1):
        parts += [_hit_head(rank, hit), Padding(_excerpt(hit, marks=marks), (0, 0, 1, 4), expand=False)]
        if result.explanation is not None:
            reasons = result.explanation.hits[rank - 1]
            parts += _reasons((*reasons.found, *reasons.moved), said("explain.explanation"))
    if result.explanation is not None:
        parts += _reasons(_about_queries(result.explanation), "")
    return Group(*parts, Text(summary, style="dim"))


def _reasons(sentences: Sequence[str], title: str) -> list[RenderableType]:
    lines = [*([title] if title and sentences else []), *(plain(sentence) for sentence in sentences)]
    return [Padding(Text("\n".join(lines), style="dim"), (0, 0, 1, 4), expand=False)] if lines else []


def _about_queries(explanation: Explanation) -> list[str]:
    first, *others = explanation.queries
    added = [said("explain.added_words", words=", ".join(first.added))] if first.added else []
    also = [
        sentence
        for query in others
        for sentence in (said("explain.also_asked", query=query.query), *query.cut)
    ]
    return [*explanation.lookups, *explanation.notes, *added, *first.cut, *also]


def _hit_head(rank: int, hit: Hit) -> Text:
    about = hit.metadata
    head = Text(f"{rank:>2}  ", style="bold").append(f"{hit.score:.3f}  ", style="dim")
    return head.append(place(hit.source_file, about.page, about.article, about.section_title), style=_PLACE)


def _excerpt(hit: Hit, *, marks: bool) -> Text:
    if not hit.highlights:
        return Text(_cut(readable(plain(hit.content)), _EXCERPT_LENGTH))
    excerpt = Text()
    for index, highlight in enumerate(hit.highlights):
        excerpt.append(" … " if index else "")
        for inside, part in enumerate(_TAG.split(readable(plain(highlight)))):
            _append(excerpt, part, emphasised=inside % 2 == 1, marks=marks)
    return excerpt


def answer(given: Answer, *, marks: bool) -> RenderableType:
    """The answer, then each numbered quote with its place and the question's words standing out."""
    parts: list[RenderableType] = [text(given.text), sources(given, marks=marks)]
    if given.explanation is not None:
        parts += answer_reasons(given.explanation)
    return Group(*parts)


def sources(given: Answer, *, marks: bool) -> RenderableType:
    """What goes below the text of an answer: what it has to say of itself, and its quotes."""
    parts: list[RenderableType] = []
    if given.message:
        parts.append(Text(plain(given.message), style="dim"))
    before = ""
    for citation in given.citations:
        where = place(citation.source_file, citation.page, citation.article, citation.section_title)
        shown = where if where != before else ""  # a long title need not be read three times
        parts.append(Text(f"\n[{citation.number}] ", style="bold").append(shown, style=_PLACE))
        before = where
        parts.append(Padding(_quote(citation, given, marks=marks), (0, 0, 0, 4), expand=False))
    return Group(*parts)


def conversations(found: Sequence[Conversation]) -> RenderableType:
    """Each conversation with its first question, the latest first."""
    if not found:
        return Text(said("conversation.none"))
    table = _table("ID", said("conversation.title"))
    table.add_column(said("conversation.messages"), justify="right")
    table.add_column(said("conversation.updated"))
    for each in found:
        title = Text(_shortened(each.title, _DESCRIPTION_LENGTH))
        table.add_row(text(each.id), title, f"{each.messages:,}", f"{each.updated_at:%Y-%m-%d %H:%M}")
    return table


def transcript(found: Transcript) -> RenderableType:
    """What was said, in order."""
    parts: list[RenderableType] = []
    for each in found.messages:
        head = f"{said(f'transcript.{each.role}')} · {each.created_at:%Y-%m-%d %H:%M}"
        parts += [Text(head, style="bold"), Padding(text(each.text), (0, 0, 1, 0), expand=False)]
    return Group(*parts)


def answer_reasons(explanation: AnswerExplanation) -> list[RenderableType]:
    """What happened stage by stage, then every exchange with a model to the letter."""
    parts: list[RenderableType] = []
    for stage in explanation.stages:
        parts.append(Text(f"\n{said(f'stage_name.{stage.name}')}", style="bold"))
        parts += [Padding(Text(plain(note), style="dim"), (0, 0, 0, 4), expand=False) for note in stage.notes]
    for exchange in explanation.exchanges:
        parts.append(Text(f"\n{said(f'stage_name.{exchange.role}')} · {plain(exchange.model)}", style="bold"))
        for role, content in (*exchange.messages, ("→", exchange.reply)):
            parts.append(Text(f"  {role}", style=_PLACE))
            parts.append(Padding(Text(plain(content), style="dim"), (0, 0, 1, 4), expand=False))
    return parts


def _quote(citation: Citation, given: Answer, *, marks: bool) -> Text:
    from atril.documents.analysis import analyze  # loads the stemmers, which `--help` does without
    from atril.retrieval.highlights import matches

    quote = readable(plain(citation.quote))
    asked = {term.text: 1.0 for term in analyze(given.question, given.language)}
    shown = Text("“")
    position = 0
    for term in matches(quote, given.language, asked):
        shown.append(quote[position : term.start])
        _append(shown, quote[term.start : term.end], emphasised=True, marks=marks)
        position = term.end
    return shown.append(quote[position:]).append("”")


def place(file: str, page: int | None, article: str | None, section: str) -> str:
    """Where a passage stands, such as `handbook.pdf · p. 3 · Holidays`."""
    parts = [file]
    if page is not None:
        parts.append(said("cli.on_page", page=page))
    if article and article.casefold() not in section.casefold():
        parts.append(said("cli.article", article=article))
    if section:
        parts.append(section)
    return plain(" · ".join(parts))


def _append(line: Text, part: str, *, emphasised: bool, marks: bool) -> None:
    """Where styles are lost, as in a pipe, asterisks carry the emphasis."""
    asterisks = "**" if emphasised and marks else ""
    line.append(f"{asterisks}{part}{asterisks}", style=_EMPHASIS if emphasised else "")


def _shortened(words: str, length: int) -> str:
    return _cut(" ".join(plain(words).split()), length)


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[:length].rstrip() + "…"


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
