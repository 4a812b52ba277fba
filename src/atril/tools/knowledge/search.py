"""The tool `internal_knowledge_search`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

from pydantic import BaseModel, Field

from atril.errors import UnreadableDocument
from atril.tools.cutting import cut
from atril.tools.knowledge.client import FoundDocument, KnowledgeUnavailable, SearchParams
from atril.tools.knowledge.parsers import (
    DocumentParser,
    JsonDocumentParser,
    ParsedKnowledge,
    XmlDocumentParser,
    parser_for,
)
from atril.tools.tool import CannotBeDone, Tool, ToolContext, TryAgain
from atril.tools.wording import wording

_log = logging.getLogger(__name__)

MOST_CHARACTERS: Final = 4000
TRUNCATED: Final = "[...truncated]"
_CHARACTERS_PER_TOKEN: Final = 3
"""On the safe side for es, en and ru, where a token is 3 to 4.5 characters long."""


class KnowledgeArguments(BaseModel):
    query: str = Field(min_length=1, description="Question or words in plain language")
    limit: int = Field(default=3, ge=1, le=20, description="Most documents to read")
    pub_id: int = Field(default=9, description="Publication to search in")
    pub_alias: str | None = Field(default=None, description="Publication by its alias, instead of pub_id")


class KnowledgeSource(Protocol):
    """What the tool asks; `SearchClient` is the one over HTTP. Raises `KnowledgeUnavailable`."""

    async def fetch_search_pages_and_docs(
        self, params: SearchParams, *, pages: int = 1, limit: int | None = None
    ) -> list[FoundDocument]: ...


class KnowledgeSearch(Tool[KnowledgeArguments]):
    """Searches the company's internal knowledge base: technical documentation, articles, guidelines. Gives the
    text of the documents that fit best, each with its title and address to cite."""

    name = "internal_knowledge_search"
    timeout = 60.0

    def __init__(
        self,
        client: KnowledgeSource,
        *,
        json_parser: DocumentParser | None = None,
        xml_parser: DocumentParser | None = None,
    ) -> None:
        self._client = client
        self._json = json_parser or JsonDocumentParser()
        self._xml = xml_parser or XmlDocumentParser()

    async def run(self, arguments: KnowledgeArguments, context: ToolContext) -> str:
        """The documents as Markdown, each at most 4,000 characters, fewer of them under a small budget."""
        query = arguments.query.strip()
        if not query:
            raise TryAgain(wording("error.missing_argument", context.language, name="query"))
        params = SearchParams(query, pub_id=arguments.pub_id, pub_alias=arguments.pub_alias or None)
        try:
            found = await self._client.fetch_search_pages_and_docs(params, limit=arguments.limit)
        except KnowledgeUnavailable as error:
            text = wording("knowledge.unavailable", context.language, reason=str(error))
            raise CannotBeDone(text) from error
        if not found:
            return wording("knowledge.none", context.language)
        blocks = await asyncio.to_thread(self._blocks, found[: arguments.limit])
        if not blocks:
            raise CannotBeDone(wording("knowledge.all_failed", context.language, count=len(found)))
        return "\n".join(_within(blocks, context.token_budget))

    def _blocks(self, found: Sequence[FoundDocument]) -> list[str]:
        return [block for document in found if (block := self._block(document)) is not None]

    def _block(self, found: FoundDocument) -> str | None:
        """One document as Markdown; `None`, and a line in the log, when it cannot be used."""
        item = found.item
        if found.error is not None or not found.document:
            _log.warning("knowledge document=%s failed: %s", item.id, found.error or "empty")
            return None
        try:
            parsed = self._parsed(found)
        except (ValueError, UnreadableDocument) as error:
            _log.warning("knowledge document=%s is malformed: %s", item.id, type(error).__name__)
            return None
        title = (parsed.title if item.from_gateway else "") or item.name or parsed.title or "Untitled"
        shown, was_cut = cut(parsed.text, MOST_CHARACTERS)
        text = f"{shown}\n{TRUNCATED}" if was_cut else shown
        return f"## Document: {title} (ID: {item.id})\nSource: {item.url}\nContent:\n{text}\n---"

    def _parsed(self, found: FoundDocument) -> ParsedKnowledge:
        document = found.document or b""
        if found.item.from_gateway:
            return self._xml.parse(document)
        shaped = parser_for(document)
        return (self._xml if isinstance(shaped, XmlDocumentParser) else self._json).parse(document)


def _within(blocks: Sequence[str], token_budget: int | None) -> Sequence[str]:
    """As many blocks as the budget holds, one at least; a model of small context gets fewer documents."""
    if token_budget is None:
        return blocks
    left = token_budget * _CHARACTERS_PER_TOKEN
    for count, block in enumerate(blocks):
        left -= len(block)
        if count and left < 0:
            return blocks[:count]
    return blocks
