"""The client of a knowledge base: a search that lists documents, and two services that give their texts.

Documents of publication divisions 3 and 13 come as XML from the internal
gateway, all others as JSON.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import httpx
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from atril.models.failures import asked_wait, pause_before
from atril.tools.knowledge.options import KnowledgeOptions

_log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 0.2
"""Seconds before a request is repeated for the first time."""

GATEWAY_DIVISIONS: Final = frozenset((3, 13))
_RETRIED: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
_LISTS: Final = ("documents", "results", "items", "docs", "data")


@dataclass(frozen=True, slots=True)
class SearchParams:
    """What is searched. `pub_alias` wins over `pub_id` when both are given; pages are 1-based."""

    query: str
    pub_id: int | None = 9
    pub_alias: str | None = None
    page: int = 1
    sortby: str = "Relevance"

    def wire(self, page: int) -> dict[str, str]:
        publication = (
            {"pub_alias": self.pub_alias}
            if self.pub_alias
            else {"pub_id": str(self.pub_id)}
            if self.pub_id is not None
            else {}
        )
        return {"q": self.query, "page": str(page), "sortby": self.sortby, **publication}


class SearchItem(BaseModel):
    """One document as the search lists it."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: str = Field(validation_alias=AliasChoices("id", "docId", "doc_id"))
    module_id: str = Field(default="", validation_alias=AliasChoices("moduleId", "module_id"))
    name: str = Field(default="", validation_alias=AliasChoices("docName", "name", "title"))
    url: str = ""
    division: int | None = Field(
        default=None, validation_alias=AliasChoices("pubdivid", "pubDivId", "pub_div_id")
    )

    @field_validator("module_id", "name", "url", mode="before")
    @classmethod
    def _nothing_is_empty(cls, value: Any) -> Any:
        return "" if value is None else value

    @property
    def from_gateway(self) -> bool:
        return self.division in GATEWAY_DIVISIONS


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A listed document with its raw text, or with why there is none (`error`, for logs)."""

    item: SearchItem
    document: bytes | None
    error: str | None = None


class KnowledgeUnavailable(Exception):
    """The search gave no usable answer; the text says why, without contents."""


class SearchClient:
    """Searches and fetches with an `httpx.AsyncClient` that is passed in and not closed here.

    At most `concurrency` requests run at a time. A request that fails for a reason that may pass is repeated
    with growing pauses, or after as long as the server asks for, up to the timeout.
    """

    def __init__(self, http: httpx.AsyncClient, options: KnowledgeOptions) -> None:
        self._http = http
        self._options = options
        self._turn = asyncio.Semaphore(options.concurrency)

    async def fetch_search_pages_and_docs(
        self, params: SearchParams, *, pages: int = 1, limit: int | None = None
    ) -> list[FoundDocument]:
        """The documents of `pages` result pages in their order, the first `limit` of them, with their texts.

        Raises `KnowledgeUnavailable` when the first page of the search fails; a later one that fails ends
        the list. A document that fails is among the
        results, with its `error`.
        """
        items: list[SearchItem] = []
        for page in range(params.page, params.page + pages):
            try:
                found = await self._search(params.wire(page))
            except KnowledgeUnavailable as error:
                if not items:
                    raise
                _log.warning("knowledge page=%d failed: %s", page, error)
                break
            items += found
            if not found or (limit is not None and len(items) >= limit):
                break
        chosen = list({item.id: item for item in items}.values())[:limit]
        return list(await asyncio.gather(*(self._document(item) for item in chosen)))

    async def _search(self, query: Mapping[str, str]) -> list[SearchItem]:
        if not self._options.search_url:
            raise KnowledgeUnavailable("no search address is configured")
        try:
            reply = await self._get(self._options.search_url, query)
            listed = _listed(reply.json())
        except (httpx.HTTPError, httpx.InvalidURL, _TooLarge, ValueError, RecursionError) as error:
            raise KnowledgeUnavailable(_reason(error)) from error
        return [item for each in listed if (item := _item(each)) is not None]

    async def _document(self, item: SearchItem) -> FoundDocument:
        template = self._options.gateway_url if item.from_gateway else self._options.doc_url
        if not template:
            return FoundDocument(item, None, "no address is configured for this kind of document")
        try:
            reply = await self._get(_address(template, item), {})
        except (httpx.HTTPError, httpx.InvalidURL, _TooLarge) as error:
            return FoundDocument(item, None, _reason(error))
        return FoundDocument(item, reply.content)

    async def _get(self, url: str, query: Mapping[str, str]) -> httpx.Response:
        for attempt in range(1, self._options.attempts + 1):
            try:
                async with self._turn:
                    reply = await self._once(url, query)
                if reply.status_code not in _RETRIED or attempt == self._options.attempts:
                    return reply.raise_for_status()
                pause = pause_before(attempt, asked_wait(reply.headers.get("Retry-After")), FIRST_PAUSE)
            except httpx.TransportError:
                if attempt == self._options.attempts:
                    raise
                pause = pause_before(attempt, None, FIRST_PAUSE)
            _log.info("knowledge attempt=%d of=%d again_in=%.1f", attempt, self._options.attempts, pause)
            await asyncio.sleep(min(pause, self._options.timeout))
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, url: str, query: Mapping[str, str]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._options.key}"} if self._options.key else {}
        request = self._http.build_request("GET", url, params=query or None, headers=headers)
        try:
            async with asyncio.timeout(self._options.timeout):
                reply = await self._http.send(request, stream=True)
                try:
                    body = await _bounded(reply, self._options.document_bytes)
                finally:
                    await reply.aclose()
        except TimeoutError as error:  # of the whole answer: httpx knows only that of each part
            raise httpx.ReadTimeout("no answer in time", request=request) from error
        headers_left = {key: value for key, value in reply.headers.items() if key != "content-encoding"}
        return httpx.Response(reply.status_code, headers=headers_left, content=body, request=request)


class _TooLarge(Exception):
    """More came than may be kept."""


async def _bounded(reply: httpx.Response, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in reply.aiter_bytes():
        size += len(part)
        if size > limit:
            raise _TooLarge(f"more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


def _address(template: str, item: SearchItem) -> str:
    fields = {"id": quote(item.id, safe=""), "module": quote(item.module_id, safe="")}
    if "{id}" in template:
        return template.replace("{id}", fields["id"]).replace("{module}", fields["module"])
    return f"{template.rstrip('/')}/{fields['id']}"


def _listed(reply: Any) -> Sequence[Any]:
    """The list of documents in a reply of whatever shape: bare, or under one of the usual names."""
    if isinstance(reply, list):
        return reply
    if isinstance(reply, dict):
        for name in _LISTS:
            if isinstance(reply.get(name), list | dict):
                return _listed(reply[name])
    raise ValueError("the reply lists no documents")


def _item(listed: Any) -> SearchItem | None:
    try:
        return SearchItem.model_validate(listed)
    except ValidationError:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"status {error.response.status_code}"
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return "no answer in time"
    return type(error).__name__.lstrip("_")
