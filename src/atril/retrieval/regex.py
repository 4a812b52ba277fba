"""Search by pattern over the canonical texts of the documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from atril.errors import InvalidArgument, LimitExceeded
from atril.retrieval.checks import Check
from atril.retrieval.hits import to_hit
from atril.retrieval.live import ScoredChunk
from atril.retrieval.matching import Expression, Match, compile_expression, find_matches
from atril.retrieval.predefined import predefined_patterns
from atril.retrieval.texts import DocumentText, Texts
from atril.store.records import Records
from atril.types import Document, Hit, Scope, SearchResult, StoredChunk

MAX_CONTEXT_LINES: Final = 1000
MAX_MATCHES_PER_FILE: Final = 1000
MAX_MATCHES: Final = 10_000
"""Matches of one search; where there are more, `search_params` has `truncated` and the last files are left
out."""

BATCH: Final = 1 << 20
"""Bytes of text searched in one go on a thread: RE2 keeps the interpreter meanwhile, so not many."""


class PatternOrName(InvalidArgument):
    """Both a pattern and the name of one were given, or neither. Fields: `names`, of those there are."""

    key = "regex.pattern_or_name"


@dataclass(frozen=True, slots=True)
class RegexQuery:
    """A checked search by pattern; make it with `regex_query`."""

    text: str
    expression: Expression
    check: Check | None
    context_lines: int
    max_matches_per_file: int
    params: dict[str, Any]


def regex_query(
    pattern: str | None,
    predefined: str | None,
    *,
    case_sensitive: bool,
    context_lines: int,
    max_matches_per_file: int,
) -> RegexQuery:
    """Raises `InvalidArgument` (`PatternOrName`) unless exactly one of `pattern` and `predefined` is given,
    for a name that is not known and for numbers out of bounds (`LimitExceeded` above the maximum), and `UnusablePattern`."""
    known = predefined_patterns()
    if (pattern is None) == (predefined is None):
        raise PatternOrName(names=", ".join(known))
    if predefined is not None and predefined not in known:
        raise InvalidArgument(name="predefined", value=predefined, allowed=", ".join(known))
    _check_number("context_lines", context_lines, 0, MAX_CONTEXT_LINES)
    _check_number("max_matches_per_file", max_matches_per_file, 1, MAX_MATCHES_PER_FILE)
    expression = known[predefined].expression if predefined is not None else pattern or ""
    return RegexQuery(
        text=predefined or pattern or "",
        expression=compile_expression(expression, case_sensitive=case_sensitive),
        check=known[predefined].check if predefined is not None else None,
        context_lines=context_lines,
        max_matches_per_file=max_matches_per_file,
        params={
            **({"predefined": predefined} if predefined is not None else {"pattern": pattern}),
            "case_sensitive": case_sensitive,
            "context_lines": context_lines,
            "max_matches_per_file": max_matches_per_file,
        },
    )


async def search_regex(
    records: Records, texts: Texts, scope: Scope, query: RegexQuery, documents: Sequence[Document]
) -> SearchResult:
    """One hit for each match, by the document's name and then by place.

    A hit's content is that of the chunk where the match begins; its score is always 1, for a match is a
    match.
    """
    start = perf_counter()
    found: list[tuple[Match, UUID]] = []
    files = 0
    async for text, matches in _scan(records, texts, scope, query, documents):
        files += 1
        found += [(match, text.point_at(match.start)) for match in matches]
        if len(found) > MAX_MATCHES:
            break
    params = query.params | ({"truncated": True} if len(found) > MAX_MATCHES else {})
    shown = found[:MAX_MATCHES]
    chunks = await records.hydrate(scope, list(dict.fromkeys(point for _, point in shown)))
    hits = tuple(_hit(match, chunks[point]) for match, point in shown if point in chunks)
    elapsed = (perf_counter() - start) * 1000
    return SearchResult(query.text, "regex_search", hits, params, elapsed, total_files=files)


async def _scan(
    records: Records, texts: Texts, scope: Scope, query: RegexQuery, documents: Sequence[Document]
) -> Any:
    """Each text that has a match, with its matches, in the order of the documents."""
    batch: list[DocumentText] = []
    size = 0
    for position, document in enumerate(documents):
        text = await texts.get(records, scope, document)
        batch.append(text)
        size += len(text.data)
        if size >= BATCH or position == len(documents) - 1:
            for found in await asyncio.to_thread(_match_all, query, batch):
                yield found
            batch, size = [], 0


def _match_all(query: RegexQuery, texts: Iterable[DocumentText]) -> list[tuple[DocumentText, list[Match]]]:
    found = []
    for text in texts:
        matches = find_matches(
            query.expression,
            text,
            most=query.max_matches_per_file,
            context_lines=query.context_lines,
            check=query.check,
        )
        if matches:
            found.append((text, matches))
    return found


def _hit(match: Match, stored: StoredChunk) -> Hit:
    hit = to_hit(ScoredChunk(stored, 1.0), {})
    metadata = replace(hit.metadata, match=match.text, line=match.line, context=match.context)
    return replace(hit, metadata=metadata)


def _check_number(name: str, value: int, least: int, most: int) -> None:
    if value < least:
        raise InvalidArgument(name=name, value=value, allowed="allowed.range", least=least, most=most)
    if value > most:
        raise LimitExceeded(name=name, value=value, allowed=most)
