"""The knowledge base over HTTP, against a small real service that can be slow, wrong, huge or down."""

import json
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from atril.tools.knowledge.client import SearchClient
from atril.tools.knowledge.options import KnowledgeOptions
from atril.tools.knowledge.search import KnowledgeSearch
from atril.tools.tool import ToolContext
from atril.tools.toolset import Call, Outcome, Toolset
from http_peer import Answer, serving

ARTICLE = {
    "docName": "ignored",
    "title": "Torque",
    "body": "<p>Tighten to <b>5 Nm</b>.</p><p>Check twice.</p>",
}
MANUAL = "<doc><title>Frenos</title><p>Cambie las zapatas a los 3 mm.</p><p>Limpie el disco.</p></doc>"
ENTITY = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d><title>T</title><p>a &x; b</p></d>'


class Backend:
    """What the service answers: a list of results, and documents by id as (status, body)."""

    def __init__(self) -> None:
        self.results: Any = []
        self.documents: dict[str, tuple[int, bytes]] = {}
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.searches: list[dict[str, list[str]]] = []
        self.keys: set[str | None] = set()
        self.paths: list[str] = []
        self.delay = 0.0
        self.busy = 0
        self.busiest = 0
        self._lock = threading.Lock()

    def offer(self, *ids: str, division: int = 1) -> None:
        self.results = {
            "documents": [
                {
                    "id": each,
                    "moduleId": 7,
                    "docName": f"Doc {each}",
                    "url": f"https://kb/{each}",
                    "pubdivid": division,
                }
                for each in ids
            ]
        }

    def answer(self, path: str, key: str | None) -> tuple[int, dict[str, str], bytes]:
        url = urlsplit(path)
        self.keys.add(key)
        self.paths.append(url.path)
        with self._lock:
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        time.sleep(self.delay)
        with self._lock:
            self.busy -= 1
        if self.failures:
            status, headers = self.failures.pop(0)
            return status, headers, b""
        if url.path == "/search":
            self.searches.append(parse_qs(url.query))
            body = self.results if isinstance(self.results, bytes) else json.dumps(self.results).encode()
            return 200, {}, body
        status, body = self.documents.get(url.path.rpartition("/")[2], (404, b""))
        return status, {}, body


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def address(backend: Backend) -> Iterator[str]:
    def answer(path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        return backend.answer(path, headers.get("Authorization"))

    with serving(answer) as address:
        yield address


def options(address: str, **changes: Any) -> KnowledgeOptions:
    where = {
        "search_url": f"{address}/search",
        "doc_url": f"{address}/doc",
        "gateway_url": f"{address}/gw/{{module}}/{{id}}",
    }
    return KnowledgeOptions(**(where | {"timeout": 2.0} | changes))


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as client:
        yield client


async def search(
    http: httpx.AsyncClient, chosen: KnowledgeOptions, budget: int | None = None, /, **given: Any
) -> Outcome:
    toolset = Toolset([KnowledgeSearch(SearchClient(http, chosen))])
    arguments = {"query": "brakes", **given}
    return await toolset.run(
        Call("internal_knowledge_search", arguments), ToolContext(language="en", token_budget=budget)
    )


async def test_documents_come_as_markdown_blocks(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("a1")
    backend.documents["a1"] = (200, json.dumps(ARTICLE).encode())

    outcome = await search(http, options(address))

    assert outcome.text == (
        "## Document: Doc a1 (ID: a1)\nSource: https://kb/a1\nContent:\nTighten to 5 Nm.\nCheck twice.\n---"
    )


async def test_the_search_is_asked_as_specified(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    await search(http, options(address, key="k-1"))
    await search(http, options(address), pub_id=4, pub_alias="bikes")

    assert backend.searches == [
        {"q": ["brakes"], "page": ["1"], "sortby": ["Relevance"], "pub_id": ["9"]},
        {"q": ["brakes"], "page": ["1"], "sortby": ["Relevance"], "pub_alias": ["bikes"]},
    ]
    assert backend.keys == {"Bearer k-1", None}


@pytest.mark.parametrize("division", [3, 13])
async def test_gateway_divisions_are_xml_with_a_title_of_their_own(
    backend: Backend, address: str, http: httpx.AsyncClient, division: int
) -> None:
    backend.offer("x1", division=division)
    backend.documents["x1"] = (200, MANUAL.encode())

    outcome = await search(http, options(address))

    assert "/gw/7/x1" in backend.paths
    assert outcome.text.startswith("## Document: Frenos (ID: x1)")
    assert "Cambie las zapatas a los 3 mm." in outcome.text


async def test_the_shape_tells_when_the_division_does_not(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("x1", division=1)
    backend.documents["x1"] = (200, MANUAL.encode())

    assert "Limpie el disco." in (await search(http, options(address))).text


async def test_entities_of_a_document_are_never_expanded(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("x1", division=3)
    backend.documents["x1"] = (200, ENTITY.encode())

    text = (await search(http, options(address))).text

    assert Path("/etc/hostname").read_text().strip() not in text.split("Content:")[1]


async def test_three_documents_are_read_unless_more_are_asked_for(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    ids = [f"a{number}" for number in range(6)]
    backend.offer(*ids)
    backend.documents.update(
        {each: (200, json.dumps({"text": f"Text of {each} here"}).encode()) for each in ids}
    )

    assert (await search(http, options(address))).text.count("## Document") == 3
    assert (await search(http, options(address), limit=5)).text.count("## Document") == 5


async def test_long_texts_are_cut_and_marked_and_a_small_budget_takes_fewer(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("a", "b", "c")
    backend.documents.update(
        {each: (200, json.dumps({"text": "many words " * 1000}).encode()) for each in "abc"}
    )

    whole = (await search(http, options(address))).text
    small = (await search(http, options(address), 2_000)).text

    assert whole.count("\n[...truncated]\n---") == 3
    assert all(
        len(block.split("Content:\n")[1].split("\n[...")[0]) <= 4000 for block in whole.split("---")[:3]
    )
    assert small.count("## Document") == 1


async def test_nothing_found_and_nothing_readable_are_told_apart(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    nothing = await search(http, options(address))
    backend.offer("gone", "broken", division=3)
    backend.documents["broken"] = (200, b"<a><b>")
    unreadable = await search(http, options(address))

    assert (nothing.status, nothing.text) == (
        "done",
        "No documents found matching your query. Try other words.",
    )
    assert (unreadable.status, "2 documents were found and none" in unreadable.text) == ("cannot", True)


async def test_one_bad_document_does_not_stop_the_others(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("gone", "a")
    backend.documents["a"] = (200, b'{"text": "Still here, and readable."}')

    outcome = await search(http, options(address))

    assert outcome.done
    assert outcome.text.count("## Document") == 1


@pytest.mark.parametrize("failure", [(503, {}), (429, {"Retry-After": "0"}), (502, {})])
async def test_what_may_pass_is_tried_again(
    backend: Backend, address: str, http: httpx.AsyncClient, failure: tuple[int, dict[str, str]]
) -> None:
    backend.offer("a")
    backend.documents["a"] = (200, b'{"text": "Back again after a while."}')
    backend.failures = [failure]

    assert "Back again" in (await search(http, options(address))).text


@pytest.mark.parametrize(
    ("failures", "reason"), [([(500, {})] * 9, "status 500"), ([(403, {})], "status 403")]
)
async def test_a_search_that_fails_is_told_to_the_model(
    backend: Backend, address: str, http: httpx.AsyncClient, failures: list[Any], reason: str
) -> None:
    backend.failures = failures

    outcome = await search(http, options(address, attempts=2))

    assert outcome.status == "cannot"
    assert f"does not answer ({reason})" in outcome.text


async def test_slow_and_huge_answers_are_given_up(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    backend.offer("a")
    backend.documents["a"] = (200, b'{"text": "' + b"x" * 5000 + b'"}')
    huge = await search(http, options(address, document_bytes=2000))
    backend.delay = 0.5
    slow = await search(http, options(address, timeout=0.1, attempts=1))

    assert "none could be read" in huge.text
    assert "no answer in time" in slow.text


@pytest.mark.parametrize("reply", [b"not json", b"{}", b'"text"', b"[" * 5000])
async def test_malformed_lists_are_no_surprise(
    backend: Backend, address: str, http: httpx.AsyncClient, reply: bytes
) -> None:
    backend.results = reply

    assert (await search(http, options(address))).status == "cannot"


async def test_a_backend_that_is_down_is_no_surprise(http: httpx.AsyncClient) -> None:
    outcome = await search(http, options("http://127.0.0.1:9", attempts=1))

    assert "does not answer (ConnectError)" in outcome.text


async def test_requests_run_side_by_side_within_the_limit(
    backend: Backend, address: str, http: httpx.AsyncClient
) -> None:
    ids = [f"a{number}" for number in range(8)]
    backend.offer(*ids)
    backend.documents.update(dict.fromkeys(ids, (200, b'{"text": "Some words here"}')))
    backend.delay = 0.03

    await search(http, options(address, concurrency=2), limit=8)

    assert backend.busiest == 2
