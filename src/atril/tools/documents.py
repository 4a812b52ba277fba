"""The seven tools with which a model finds and reads documents.

Names, parameters, defaults, maxima and what they say are an interface. `tool_search` came after the other
six and gives the hybrid search.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, Field

from atril.messages import supported
from atril.tools import replies
from atril.tools.tool import Definition, Tool, ToolContext, TryAgain
from atril.tools.wording import templates, wording

if TYPE_CHECKING:  # finding comes with the database and the engine, and a definition needs neither
    from atril.retrieval.finder import Finder

Finding = Callable[[], AbstractAsyncContextManager["Finder"]]
"""Gives what finds for as long as one call needs it."""

PredefinedName = Literal[
    "email", "url", "phone", "date", "money", "version", "iban", "dni_nie", "rfc", "cif", "article"
]
Opening = Literal["search", "section", "content", "none"]

MOST_CHUNKS: Final = 100
MATCH_TOKENS: Final = 80
"""About what one match with its context costs, to turn a budget of tokens into a number of matches."""

_OBVIOUS: Final = ("minLength", "minimum")
"""Limits no model would cross on purpose, and tokens in every request."""
_POSITION: Final = re.compile(r"(?:(first|last)_([1-9]\d{0,3})|all)")
_ORDINAL: Final = re.compile(
    r"(first|last|primer[oa]?s?|últim[oa]s?|ultim[oa]s?|перв\w+|последн\w+)[\s_-]*(\d+)", re.I
)
A = TypeVar("A", bound=BaseModel)


def _position(value: Any) -> Any:
    """`first 5`, `First-5` and `primeros 5` for `first_5`; what is not understood is left for the error."""
    text = str(value).strip().casefold() or "all"
    written = _ORDINAL.fullmatch(text)
    if written:
        text = f"{'first' if written[1][0] in 'fpп' and not written[1].startswith('посл') else 'last'}_{written[2]}"
    if not _POSITION.fullmatch(text):
        raise ValueError("all, first_N, last_N")
    return text


class SearchArguments(BaseModel):
    query: str = Field(min_length=1, description="Question or words")
    top_k: int = Field(default=10, ge=1, le=50, description="Number of results")


class LexicalArguments(BaseModel):
    query: str = Field(min_length=1, description="Exact terms")
    top_k: int = Field(default=5, ge=1, le=10, description="Number of results")


class SemanticArguments(BaseModel):
    query: str = Field(min_length=1, description="Question or concept in plain language")
    top_k: int = Field(default=10, ge=1, le=50, description="Number of results")
    min_score: float = Field(default=0.0, ge=0.0, le=1.0, description="Least similarity, 0 to 1")


class StructureArguments(BaseModel):
    document_name: str = Field(min_length=1, description="Exact name with extension")
    chunk_type: Literal["section_header", "table", "content", "list", "code"] | None = Field(
        default=None, description="Kind of part"
    )
    keywords: str | None = Field(default=None, description="Words separated by commas")
    position: Annotated[str, BeforeValidator(_position)] = Field(
        default="all", description="first_N, last_N or all"
    )
    top_k: int = Field(default=10, ge=1, le=50, description="Number of results")


class RegexArguments(BaseModel):
    predefined: PredefinedName | None = Field(default=None, description="A pattern by name")
    pattern: str | None = Field(default=None, description="RE2 regular expression")
    case_sensitive: bool = Field(default=False, description="Tell capitals from small letters")
    context_lines: int = Field(default=2, ge=0, le=20, description="Lines of context")
    max_matches_per_file: int = Field(default=50, ge=1, le=100, description="Matches for each file")


class SectionArguments(BaseModel):
    file_name: str = Field(min_length=1, description="Name, with or without extension")
    chunk_start: int = Field(ge=1, description="First, from 1")
    chunk_end: int = Field(ge=1, description="Last, included")
    include_metadata: bool = Field(default=False, description="Add description and keywords")


class ContentArguments(BaseModel):
    file_name: str = Field(min_length=1, description="Name, with or without extension")
    include_structure: bool = Field(default=True, description="Add the list of chunks and what each says")


class DocumentTool(Tool[A]):
    """What the seven share: where they find things, and definitions in three languages."""

    def __init__(self, finding: Finding) -> None:
        self._finding = finding

    def opening(self, arguments: A) -> Opening:
        """Which instructions open a reply to this tool alone."""
        return "search"

    def definition(self, language: str = "en") -> Definition:
        """As the base class; in Spanish and Russian from the templates."""
        english = super().definition(language)
        said = templates(supported(language))
        translated = {
            name: {key: value for key, value in schema.items() if key not in _OBVIOUS}
            | {"description": said.get(f"{self.name}.{name}", schema["description"])}
            for name, schema in english.parameters["properties"].items()
        }
        description = said.get(f"{self.name}.description", english.description)
        return Definition(self.name, description, {**english.parameters, "properties": translated})


class HybridSearch(DocumentTool[SearchArguments]):
    """Searches by words and by meaning at once: the best first search. Gives passages with document, ID and score."""

    name = "tool_search"

    async def run(self, arguments: SearchArguments, context: ToolContext) -> str:
        async with self._finding() as finder:
            result = await finder.search(context.scope, arguments.query, mode="hybrid", top_k=arguments.top_k)
        return replies.hybrid(result, context.language)


class LexicalSearch(DocumentTool[LexicalArguments]):
    """Searches exact words (BM25): names, codes, technical terms. "a phrase" and -excluded work."""

    name = "tool_lexical_search"

    async def run(self, arguments: LexicalArguments, context: ToolContext) -> str:
        async with self._finding() as finder:
            result = await finder.search(
                context.scope, arguments.query, mode="lexical", top_k=arguments.top_k
            )
        return replies.lexical(result, context.language)


class SemanticSearch(DocumentTool[SemanticArguments]):
    """Searches by meaning even when the words differ: questions about concepts."""

    name = "tool_semantic_search"

    async def run(self, arguments: SemanticArguments, context: ToolContext) -> str:
        async with self._finding() as finder:
            result = await finder.search(
                context.scope,
                arguments.query,
                mode="semantic",
                top_k=arguments.top_k,
                min_score=arguments.min_score,
            )
        return replies.semantic(result, context.language)


class StructureSearch(DocumentTool[StructureArguments]):
    """Explores one document by its parts: tables, headings, its beginning or end."""

    name = "tool_structure_search"

    async def run(self, arguments: StructureArguments, context: ToolContext) -> str:
        keywords = [word.strip() for word in (arguments.keywords or "").split(",")]
        async with self._finding() as finder:
            result = await finder.structure(
                context.scope,
                arguments.document_name,
                chunk_type=arguments.chunk_type,
                keywords=[word for word in keywords if word],
                position=arguments.position,
                top_k=arguments.top_k,
            )
        return replies.structure(result, context.language)


class RegexSearch(DocumentTool[RegexArguments]):
    """Searches a pattern in all documents. Give predefined or pattern, not both."""

    name = "tool_regex_search"

    async def run(self, arguments: RegexArguments, context: ToolContext) -> str:
        said = context.language
        if not (arguments.predefined or arguments.pattern):
            raise TryAgain(wording("error.pattern_missing", said, known=", ".join(get_args(PredefinedName))))
        both = bool(arguments.predefined and arguments.pattern)
        async with self._finding() as finder:
            result = await finder.regex(
                context.scope,
                pattern=arguments.pattern,
                predefined=None if arguments.pattern else arguments.predefined,
                case_sensitive=arguments.case_sensitive,
                context_lines=arguments.context_lines,
                max_matches_per_file=arguments.max_matches_per_file,
            )
        limit = None if context.token_budget is None else max(context.token_budget // MATCH_TOKENS, 1)
        text = replies.regex(result, said, limit=limit)
        if both:
            text += "\n" + wording(
                "note.line", said, text=wording("note.both_patterns", said, used="pattern")
            )
        return text


class FileSection(DocumentTool[SectionArguments]):
    """Reads chunks chunk_start to chunk_end of a document whole (100 at most); a result's ID ends in its index."""

    name = "tool_file_section"

    def opening(self, arguments: SectionArguments) -> Opening:
        return "section"

    async def run(self, arguments: SectionArguments, context: ToolContext) -> str:
        start, end, said = arguments.chunk_start, arguments.chunk_end, context.language
        if start > end:
            raise TryAgain(wording("error.range", said, start=start, end=end))
        last = min(end, start + MOST_CHUNKS - 1)
        async with self._finding() as finder:
            found = await finder.section(context.scope, arguments.file_name, start, last)
        text = replies.section(
            found,
            said,
            include_metadata=arguments.include_metadata,
            token_budget=context.token_budget,
        )
        if last < end:
            note = wording("note.above_maximum", said, name="chunk_end", value=end, used=last)
            text += "\n" + wording("note.line", said, text=note)
        return text


class FileContent(DocumentTool[ContentArguments]):
    """Reads a whole document; useful when it is short, or to see its structure."""

    name = "tool_file_content"

    def opening(self, arguments: ContentArguments) -> Opening:
        return "content" if arguments.include_structure else "none"

    async def run(self, arguments: ContentArguments, context: ToolContext) -> str:
        async with self._finding() as finder:
            found = await finder.content(context.scope, arguments.file_name)
        return replies.content(
            found,
            context.language,
            include_structure=arguments.include_structure,
            token_budget=context.token_budget,
        )


def document_tools(finding: Finding) -> list[DocumentTool[Any]]:
    """All seven, in the order in which they are presented to a model."""
    kinds: tuple[type[DocumentTool[Any]], ...] = (
        HybridSearch,
        LexicalSearch,
        SemanticSearch,
        StructureSearch,
        RegexSearch,
        FileSection,
        FileContent,
    )
    return [kind(finding) for kind in kinds]
