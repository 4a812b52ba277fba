"""The example of a tool for one's own API, run against a real service, through two doors at once."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from atril.tools.export.mcp import mcp_server
from atril.tools.export.openai import openai_messages, openai_tools
from atril.tools.tool import ToolContext
from atril.tools.toolset import Toolset

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_tool" / "stock.py"


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path == "/stock/AB-1"
        body = json.dumps({"units": 4}).encode() if known else b"{}"
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


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
