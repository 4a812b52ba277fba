"""Structure, matches, sections and whole documents as a person reads them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from atril.cli import views
from atril.cli.terminal import plain
from atril.cli.texts import said
from atril.types import Hit, SearchResult, StoredChunk

if TYPE_CHECKING:
    from atril.retrieval.content import Content
    from atril.retrieval.section import Section

_EMPHASIS: Final = "bold yellow"
_PLACE: Final = "cyan"


def structure(result: SearchResult, *, marks: bool) -> RenderableType:
    """The hits, after a line that says so when they come from a search by words instead."""
    shown = views.hits(result, marks=marks)
    if "fallback_from" not in result.search_params:
        return shown
    note = said("cli.fell_back", document=result.search_params["document_name"])
    return Group(Text(plain(note), style="yellow"), Text(), shown)


def matches(result: SearchResult, *, marks: bool) -> RenderableType:
    """Each document with its matches: the line's number, and the lines around with the match standing out."""
    if not result.results:
        return Text(said("cli.no_matches"))
    parts: list[RenderableType] = []
    for file, found in groupby(result.results, key=lambda hit: hit.source_file):
        parts.append(Text(plain(file), style="bold"))
        for hit in found:
            where = said("cli.on_line", line=hit.metadata.line)
            about = " · ".join(filter(None, (where, plain(hit.metadata.section_title))))
            parts.append(Text(f"  {about}", style=_PLACE))
            parts.append(Padding(_in_context(hit, marks=marks), (0, 0, 1, 4), expand=False))
    counts = said(
        "cli.matches",
        count=result.total_found,
        files=result.total_files,
        milliseconds=f"{result.execution_time_ms:,.1f}",
    )
    if "truncated" in result.search_params:
        counts = f"{counts} {said('cli.more_matches')}"
    return Group(*parts, Text(counts, style="dim"))


def section(found: Section) -> RenderableType:
    """The chunks, whole, each under its id."""
    total = said(
        "cli.section_of", name=found.document.name, count=len(found.chunks), total=found.document.chunks
    )
    parts: list[RenderableType] = []
    for stored in found.chunks:
        parts += [_chunk_head(stored), Padding(views.text(stored.chunk.content), (0, 0, 1, 0), expand=False)]
    return Group(*parts, Text(plain(total), style="dim"))


def content(found: Content, *, outline: bool) -> RenderableType:
    """The text and nothing else, so that it can go into a file; or one line for each chunk."""
    if not outline:
        return views.text(found.text)
    parts: list[RenderableType] = []
    for stored in found.chunks:
        parts.append(_chunk_head(stored))
        if stored.chunk.description:
            parts.append(Padding(views.text(stored.chunk.description), (0, 0, 0, 4), expand=False))
        if stored.chunk.keywords:
            parts.append(Text(f"    {plain(', '.join(stored.chunk.keywords))}", style="dim"))
    return Group(*parts)


def _chunk_head(stored: StoredChunk) -> Text:
    chunk = stored.chunk
    where = views.place(stored.id, chunk.page, chunk.article, chunk.section_title)
    return Text(f"{chunk.number:>4}  ", style="bold").append(where, style=_PLACE)


def _in_context(hit: Hit, *, marks: bool) -> Text:
    context, match = plain(hit.metadata.context or ""), plain(hit.metadata.match or "")
    before, found, after = context.partition(match)
    if not (match and found):
        return Text(context)
    asterisks = "**" if marks else ""
    return Text(before).append(f"{asterisks}{match}{asterisks}", style=_EMPHASIS).append(after)
