"""A file to everything the store needs: the arrows of the design, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePath

from atril.documents.analysis import TermCounts, term_counts
from atril.documents.chunking import ChunkOptions, chunk, passage
from atril.documents.enrichment import describe, enrich
from atril.documents.flagging import flagged, judged
from atril.documents.languages import UNKNOWN, detect
from atril.documents.parsing import PageProgress, ParsedDocument, parse
from atril.documents.parsing.canonical import canonical, one_line
from atril.documents.parsing.markdown import title_from
from atril.documents.references import find_mentions
from atril.documents.references.names import year_of
from atril.documents.references.places import Place, find_places
from atril.documents.references.targets import Reference, resolve
from atril.errors import UnreadableDocument
from atril.models.embeddings import TokenCounter, load_token_counter
from atril.types import Chunk


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document ready to be stored.

    `description` is one sentence. `terms` has one entry per chunk, counted over its `passage`.
    """

    parsed: ParsedDocument
    language: str
    description: str
    chunks: tuple[Chunk, ...]
    terms: tuple[TermCounts, ...]
    references: tuple[Reference, ...] = ()
    places: tuple[Place, ...] = ()


def read(
    name: str,
    data: bytes,
    *,
    tokenizer: str,
    options: ChunkOptions,
    path: Path | None = None,
    progress: PageProgress | None = None,
) -> ReadDocument:
    """Reads the bytes of a file. Long documents tell `progress` how far they are. Raises
    `UnreadableDocument`.

    `tokenizer` names the token counter of the embedder, as `Embedder.tokenizer` does.
    """
    parsed = parse(name, data, path=path, progress=progress)
    return _chunked(parsed, name, _token_counter(tokenizer), options)


def read_text(
    name: str,
    title: str,
    text: str,
    metadata: Mapping[str, str],
    *,
    tokenizer: str,
    options: ChunkOptions,
) -> ReadDocument:
    """Reads a text that comes without a file, as Markdown. Raises `UnreadableDocument` when it is empty."""
    body = canonical(text)
    if not body.strip():
        raise UnreadableDocument(reason="empty")
    kind = "md" if PurePath(name).suffix.lower() in (".md", ".markdown") else "txt"
    stated = one_line(canonical(title)) or title_from(name, body)
    parsed = ParsedDocument(body, stated, kind, {key: canonical(value) for key, value in metadata.items()})
    return _chunked(parsed, name, _token_counter(tokenizer), options)


def _chunked(
    parsed: ParsedDocument, name: str, count_tokens: TokenCounter, options: ChunkOptions
) -> ReadDocument:
    language = _language(parsed)
    description = describe(parsed.text, language)
    chunks = chunk(parsed, language=language, count_tokens=count_tokens, options=options)
    chunks = enrich(chunks, title=parsed.title, language=language)
    chunks = flagged(chunks, parsed.text, parsed.title)
    parsed = replace(parsed, warnings=judged(parsed.warnings))
    terms = [term_counts(passage(chunk), language) for chunk in chunks]
    places = find_places(chunks)
    year = year_of(parsed.title, parsed.metadata)
    references = resolve(find_mentions(parsed.text, language), parsed.text, chunks, places, name, year)
    return ReadDocument(
        parsed, language, description, tuple(chunks), tuple(terms), tuple(references), tuple(places)
    )


def _language(parsed: ParsedDocument) -> str:
    """What the text says; pages often declare the language of their template instead of their own."""
    found = detect(parsed.text)
    declared = parsed.metadata.get("language") or parsed.metadata.get("lang") or ""
    code = declared.split("-")[0].split("_")[0].lower()
    return code if found == UNKNOWN and len(code) == 2 and code.isalpha() else found


@cache
def _token_counter(tokenizer: str) -> TokenCounter:
    """Loading a tokenizer takes longer than most files."""
    return load_token_counter(tokenizer)
