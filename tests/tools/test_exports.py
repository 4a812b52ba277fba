"""The tools behind other people's doors, each tried with its own real client."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from bpe_openai import get_encoding
from langchain_core.tools import StructuredTool
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from openai import OpenAI
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import atril
from atril.testing.embedders import HashEmbedder
from atril.tools.export.anthropic import anthropic_results, anthropic_tools
from atril.tools.export.openai import openai_messages, openai_tools
from atril.tools.export.pydantic_ai import pydantic_ai_toolset
from atril.tools.tool import ToolContext
from http_peer import Answer, serving

CALL = {"query": "facturas sin contrato", "top_k": 1}
MOST_TOKENS = 1100


@pytest.mark.parametrize("language", ["en", "es", "ru"])
def test_definitions_are_cheap_and_hold_every_fact(library: atril.Library, language: str) -> None:
    tools = openai_tools(library.tools(), language)
    text = json.dumps(tools, ensure_ascii=False)
    functions = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}

    assert len(get_encoding("o200k_base").encode(text)) <= MOST_TOKENS
    lexical, section = functions["tool_lexical_search"], functions["tool_file_section"]
    assert lexical["required"] == ["query"]
    assert lexical["properties"]["top_k"]["default"] == 5
    assert lexical["properties"]["top_k"]["maximum"] == 10
    assert section["required"] == ["file_name", "chunk_start", "chunk_end"]
    assert (
        "100"
        in next(each for each in tools if each["function"]["name"] == "tool_file_section")["function"][
            "description"
        ]
    )
    assert anthropic_tools(library.tools(), language)[0]["input_schema"] == functions["tool_search"]


async def test_a_langchain_agent_can_await_the_tools_and_call_them_from_threads(
    library: atril.Library,
) -> None:
    tool = next(each for each in library.langchain_tools() if each.name == "tool_search")
    assert isinstance(tool, StructuredTool)

    awaited = await tool.ainvoke(CALL)
    from_thread = await asyncio.to_thread(tool.invoke, CALL)

    assert "soporte@ejemplo.es" in awaited
    assert from_thread == awaited
    with pytest.raises(RuntimeError, match="ainvoke"):
        tool.invoke(CALL)


def test_a_langchain_program_without_a_loop_can_use_the_tools(tmp_path: Path) -> None:
    with atril.open_sync(tmp_path, embedder=HashEmbedder()) as library:
        library.add_texts([{"name": "a.md", "text": "The invoices arrive at seven."}])
        tool = next(each for each in library.langchain_tools() if each.name == "tool_search")

        assert "arrive at seven" in tool.invoke({"query": "invoices"})


async def test_a_pydantic_ai_agent_calls_them_and_reads_mistakes_as_text(library: atril.Library) -> None:
    seen: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.extend(str(part.content) for part in messages[-1].parts if isinstance(part, ToolReturnPart))
        match len(messages):
            case 1:
                return ModelResponse([ToolCallPart("tool_file_content", {"file_name": "nada"})])
            case 3:
                return ModelResponse([ToolCallPart("tool_search", CALL)])
        assert {tool.name for tool in info.function_tools} == set(library.tools().names)
        return ModelResponse([TextPart("Listo.")])

    toolset = pydantic_ai_toolset(library.tools(), library.tool_context(language="es"))
    agent = Agent(FunctionModel(model), toolsets=[toolset])

    assert (await agent.run("¿Y las facturas?")).output == "Listo."
    assert seen[0].startswith("Error: no hay ningún documento 'nada'")
    assert "soporte@ejemplo.es" in seen[1]


async def test_anthropic_blocks_are_answered_one_by_one(library: atril.Library) -> None:
    content = [
        {"type": "text", "text": "Busco."},
        {"type": "tool_use", "id": "t1", "name": "tool_search", "input": CALL},
        {"type": "tool_use", "id": "t2", "name": "tool_search", "input": {}},
    ]

    results = await anthropic_results(content, library.tools(), ToolContext())

    assert [(each["tool_use_id"], each["is_error"]) for each in results] == [("t1", False), ("t2", True)]


def _chat(path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Asks for a search first and then answers with what it was told."""
    request = json.loads(body)
    last = request["messages"][-1]
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if last["role"] == "tool":
        message["content"] = last["content"]
    else:
        assert {tool["function"]["name"] for tool in request["tools"]} >= {"tool_search"}
        function = {"name": "tool_search", "arguments": json.dumps(CALL)}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()


@pytest.fixture
def chat_server() -> Iterator[str]:
    with serving(_chat) as address:
        yield f"{address}/v1"


async def test_the_openai_client_round_trips_a_call(library: atril.Library, chat_server: str) -> None:
    messages: list[Any] = [{"role": "user", "content": "¿Y las facturas sin contrato?"}]
    with OpenAI(base_url=chat_server, api_key="none") as client:

        def ask() -> Any:
            completion = client.chat.completions.create(
                model="m",
                messages=messages,
                tools=openai_tools(library.tools()),  # type: ignore[arg-type]
            )
            return completion.choices[0].message

        first = await asyncio.to_thread(ask)
        calls = [call.model_dump() for call in first.tool_calls]
        messages += [
            first.model_dump(exclude_none=True),
            *await openai_messages(calls, library.tools(), library.tool_context()),
        ]
        second = await asyncio.to_thread(ask)

    assert "soporte@ejemplo.es" in second.content


@pytest.mark.parametrize("written", ["{broken", "[1]", "", None])
async def test_arguments_that_are_no_object_are_answered(library: atril.Library, written: str | None) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tool_search", "arguments": written}}

    (message,) = await openai_messages([call], library.tools(), ToolContext())

    assert message["tool_call_id"] == "c"
    assert message["content"].startswith("Error: query is missing")


@pytest.fixture
async def mcp_home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    async with atril.open(home, embedder=HashEmbedder()) as library:
        await library.add_texts([{"name": "guía/envíos.md", "text": "# Envíos\n\nSe envía en dos días."}])
    return home


def _server(home: Path) -> StdioServerParameters:
    environment = os.environ | {
        "ATRIL_EMBEDDER": "atril.testing.embedders:HashEmbedder",
        "ATRIL_LANG": "es",
    }
    arguments = ["-c", "from atril.cli.main import run; run()", "mcp", "--home", str(home)]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


@asynccontextmanager
async def _session(home: Path) -> AsyncIterator[ClientSession]:
    with open(os.devnull, "w") as quiet:  # noqa: ASYNC230, PTH123  a stream for the server's remarks
        async with (
            stdio_client(_server(home), errlog=quiet) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            yield session


async def test_an_mcp_client_lists_calls_and_reads_over_stdio(mcp_home: Path) -> None:
    async with _session(mcp_home) as session:
        tools = (await session.list_tools()).tools
        found = await session.call_tool("tool_search", {"query": "envía", "top_k": 99})
        wrong = await session.call_tool("tool_file_content", {"file_name": "nada"})
        (resource,) = (await session.list_resources()).resources
        read = await session.read_resource(resource.uri)
        prompts = {prompt.name for prompt in (await session.list_prompts()).prompts}
        prompt = await session.get_prompt("answer", {"question": "¿Cuándo llega?"})

        assert len(tools) == 7
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert not found.is_error and "dos días" in found.content[0].text  # type: ignore[union-attr]
        assert "top_k=99 supera el máximo" in found.content[0].text  # type: ignore[union-attr]
        assert wrong.is_error and "no hay ningún documento" in wrong.content[0].text  # type: ignore[union-attr]
        assert (resource.name, resource.title) == ("guía/envíos.md", "Envíos")
        assert read.contents[0].text.startswith("# Envíos")  # type: ignore[union-attr]
        assert prompts == {"answer", "summarize", "compare", "extract"}
        assert "¿Cuándo llega?" in prompt.messages[0].content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match=r"nada\.md"):
            await session.read_resource("atril://documents/nada.md")
        with pytest.raises(MCPError, match="question"):
            await session.get_prompt("answer", {})
