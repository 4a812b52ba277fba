"""The example of a tool for one's own API, run against a real service, through two doors at once."""

import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
from mcp import Client

from atril.tools.export.mcp import mcp_server
from atril.tools.export.openai import openai_messages, openai_tools
from atril.tools.tool import ToolContext
from atril.tools.toolset import Toolset
from http_peer import Answer, serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_tool" / "stock.py"


def _units(path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    known = path == "/stock/AB-1"
    return 200 if known else 404, {}, json.dumps({"units": 4}).encode() if known else b"{}"


@pytest.fixture
def shop() -> Iterator[str]:
    with serving(_units) as address:
        yield address


def _stock(http: httpx.AsyncClient) -> Toolset:
    specification = importlib.util.spec_from_file_location("stock", EXAMPLE)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return Toolset([module.Stock(http)])


async def test_it_answers_a_function_call(shop: str) -> None:
    async with httpx.AsyncClient(base_url=shop) as http:
        toolset = _stock(http)
        call = {"id": "1", "function": {"name": "stock", "arguments": '{"sku": "AB-1"}'}}
        wrong = {"id": "2", "function": {"name": "stock", "arguments": '{"sku": "ZZ-9"}'}}

        answers = await openai_messages([call, wrong], toolset, ToolContext())

    assert openai_tools(toolset)[0]["function"]["description"].startswith("Tells how many units")
    assert [answer["content"] for answer in answers] == [
        "AB-1: 4 units",
        "Error: there is no article ZZ-9. Ask the customer for its number.",
    ]


async def test_it_answers_an_mcp_client(shop: str) -> None:
    async with httpx.AsyncClient(base_url=shop) as http:
        server = mcp_server(_stock(http), ToolContext())
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            answer = await client.call_tool("stock", {"sku": "AB-1"})

    assert [tool.name for tool in tools] == ["stock"]
    assert answer.content[0].text == "AB-1: 4 units"  # type: ignore[union-attr]
