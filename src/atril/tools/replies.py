"""What tools found, written for a model; the layout of every reply in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from atril.tools.cutting import cut
from atril.tools.wording import wording
from atril.types import Hit, SearchResult, StoredChunk

if TYPE_CHECKING:  # they come with the database; see `documents`
    from atril.retrieval.content import Content
    from atril.retrieval.section import Section

RULE: Final = "═" * 63
_FILTERS: Final = ("chunk_type", "keywords", "position")


def lexical(result: SearchResult, language: str) -> str:
    lines = [wording("block.lexical", language, query=result.query), _found(result, language)]
    if result.expanded_query:
        lines.append(wording("block.expanded", language, query=result.expanded_query))
    return _with_hits(lines, result, language, _score("result.score", _bm25))


def semantic(result: SearchResult, language: str) -> str:
    lines = [
        wording("block.semantic", language, query=result.query),
        _found(result, language),
        wording("block.model", language, model=result.search_params["embedding_model"]),
    ]
    return _with_hits(lines, result, language, _score("result.similarity", _share))


def hybrid(result: SearchResult, language: str) -> str:
    lines = [wording("block.hybrid", language, query=result.query), _found(result, language)]
    return _with_hits(lines, result, language, _score("result.score", _share))


def structure(result: SearchResult, language: str) -> str:
    """A search that fell back to words looks the same: the model asked for parts of a document."""
    params = result.search_params
    lines = [
        wording("block.structure", language, document=params["document_name"]),
        _found(result, language),
    ]
    filters = ", ".join(f"{name}={_flat(params[name])}" for name in _FILTERS if _chosen(name, params))
    if filters:
        lines.append(wording("block.filters", language, filters=filters))
    return _with_hits(
        lines, result, language, lambda hit, said: wording("result.type", said, type=hit.metadata.chunk_type)
    )


def regex(result: SearchResult, language: str, *, limit: int | None) -> str:
    """Matches by file; `limit` is how many are shown in all."""
    params = result.search_params
    pattern = params.get("predefined") or params.get("pattern")
    matches = wording("block.matches", language, count=result.total_found, files=result.total_files)
    lines = [wording("block.regex", language, pattern=pattern), matches]
    if not result.results:
        lines.append(wording("block.nothing_found", language))
    shown = result.results[:limit]
    totals: dict[str, int] = {}
    for hit in result.results:
        totals[hit.source_file] = totals.get(hit.source_file, 0) + 1
    for file, hits in groupby(shown, key=lambda hit: hit.source_file):
        lines += ["", wording("match.file", language, file=file)]
        lines.append(wording("match.total", language, count=totals[file]))
        for number, hit in enumerate(hits, start=1):
            found = " ".join((hit.metadata.match or "").split())
            lines += ["", wording("match.one", language, number=number, text=cut(found)[0])]
            lines += [wording("match.context", language), cut(hit.metadata.context or "", 2 * 500)[0]]
    if len(shown) < result.total_found:
        lines += ["", wording("match.cut", language, count=result.total_found - len(shown))]
    return "\n".join(lines)


def section(found: Section, language: str, *, include_metadata: bool, token_budget: int | None) -> str:
    """Whole chunks, as many as the budget allows and one at least."""
    name = found.document.name
    shown = within(found.chunks, token_budget)
    lines = [
        wording("section.title", language),
        wording("section.file", language, file=name),
        wording("section.asked", language, start=found.start, end=found.end),
        wording("section.found", language, count=len(found.chunks)),
    ]
    if not found.chunks:
        lines.append(wording("section.nothing", language, chunks=found.document.chunks))
    for number, stored in enumerate(shown):
        columns = stored.chunk.table.columns if stored.chunk.table and not number else ()
        lines += ["", *_chunk(stored, columns, language, include_metadata=include_metadata)]
    if len(shown) < len(found.chunks):
        start, end = found.chunks[len(shown)].chunk.number, found.chunks[-1].chunk.number
        lines += ["", wording("section.cut", language, file=name, start=start, end=end)]
    return "\n".join(lines)


def content(found: Content, language: str, *, include_structure: bool, token_budget: int | None) -> str:
    """The whole text; above the budget its first part, and the call that goes on."""
    name, total = found.document.name, len(found.chunks)
    shown = within(found.chunks, token_budget)
    whole = len(shown) == total
    lines = [
        wording("content.title", language),
        wording("content.file", language, file=name),
        wording("content.size", language, size=f"{len(found.text):,}"),
    ]
    if include_structure:
        lines += [
            wording("content.chunks", language, count=total),
            wording("content.with_structure", language),
        ]
    else:
        lines.append(wording("content.without_structure", language))
    if whole:
        text, heading = found.text.strip("\n"), wording("content.heading", language)
    else:
        end = shown[-1].chunk
        text = found.text[: end.end].strip("\n")
        heading = wording("content.partial", language, end=end.number, chunks=total)
    lines += ["", RULE, heading, RULE, "", text, ""]
    if not whole:
        start = shown[-1].chunk.number + 1
        last = min(start + 99, total)
        lines += [wording("section.cut", language, file=name, start=start, end=last), ""]
    lines.append(RULE)
    if include_structure:
        lines += [wording("content.structure", language, count=total), RULE, ""]
        lines += _outline(found.chunks, language, brief=not whole)
        lines.append(RULE)
    return "\n".join(lines)


def within(chunks: Sequence[StoredChunk], token_budget: int | None) -> Sequence[StoredChunk]:
    """As many chunks as fit into the budget, one at least; tokens are those of the embedder."""
    if token_budget is None:
        return chunks
    spent = 0
    for count, stored in enumerate(chunks):
        spent += max(stored.chunk.tokens, 1)
        if count and spent > token_budget:
            return chunks[:count]
    return chunks


def _found(result: SearchResult, language: str) -> str:
    line = wording("block.found", language, count=result.total_found)
    return line if result.results else f"{line}\n{wording('block.nothing_found', language)}"


def _with_hits(
    lines: list[str], result: SearchResult, language: str, extra: Callable[[Hit, str], str]
) -> str:
    for number, hit in enumerate(result.results, start=1):
        lines += ["", *_hit(hit, number, language, extra)]
    return "\n".join(lines)


def _hit(hit: Hit, number: int, language: str, extra: Callable[[Hit, str], str]) -> Iterator[str]:
    yield wording("result.number", language, number=number)
    yield wording("result.document", language, document=hit.source_file)
    yield wording("result.id", language, id=hit.chunk_id)
    if hit.metadata.page is not None:
        yield wording("result.page", language, page=hit.metadata.page)
    yield extra(hit, language)
    yield wording("result.content", language)
    text, was_cut = cut(_headed(hit.content, hit.metadata.columns))
    yield text
    if was_cut:
        yield wording("result.cut", language, index=hit.metadata.index)


def _headed(content: str, columns: Sequence[str]) -> str:
    """A later part of a table under the table's header row, without which its rows say little."""
    first = content.lstrip().split("\n", 1)[0]
    if not columns or not first.startswith("|") or all(name in first for name in columns):
        return content
    return f"| {' | '.join(columns)} |\n{content.lstrip()}"


def _score(key: str, written: Callable[[float], str]) -> Callable[[Hit, str], str]:
    return lambda hit, language: wording(key, language, score=written(hit.score))


def _bm25(score: float) -> str:
    return f"{score:.1f}"


def _share(score: float) -> str:
    return f"{score:.4f}"


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else ",".join(map(str, value))


def _chosen(name: str, params: Mapping[str, Any]) -> bool:
    value = params.get(name)
    return bool(value) and not (name == "position" and value == "all")


def _chunk(
    stored: StoredChunk, columns: Sequence[str], language: str, *, include_metadata: bool
) -> Iterable[str]:
    chunk = stored.chunk
    yield wording("section.chunk", language, number=chunk.number)
    yield wording("result.id", language, id=stored.id)
    yield wording("section.index", language, index=chunk.number)
    if include_metadata:
        yield ""
        yield wording("section.metadata", language)
        yield from _described(stored, language)
    yield ""
    yield _headed(chunk.content.strip("\n"), columns)


def _described(stored: StoredChunk, language: str) -> Iterable[str]:
    yield wording("section.description", language, description=stored.chunk.description)
    yield wording("section.keywords", language, keywords=", ".join(stored.chunk.keywords))


def _outline(chunks: Sequence[StoredChunk], language: str, *, brief: bool) -> Iterable[str]:
    """Each chunk with what it says; brief, one line for each run of chunks under one heading."""
    if not brief:
        for stored in chunks:
            yield wording("content.chunk", language, number=stored.chunk.number, id=stored.id)
            yield from _described(stored, language)
            yield ""
        return
    for title, run in groupby(chunks, key=lambda stored: stored.chunk.section_title):
        numbers = [stored.chunk.number for stored in run]
        span = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        yield f"📋 {span}: {title}"
    yield ""
