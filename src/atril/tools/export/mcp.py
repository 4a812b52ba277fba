"""Tools, documents and prompts as an MCP server (extra `mcp`).

Protocol: https://modelcontextprotocol.io/specification. Tools answer mistakes in text with `isError`, so
that a model can try again; documents are resources `atril://documents/<name>`, and prompts start common
jobs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote

import mcp_types as protocol
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from atril.errors import NotFound
from atril.messages import supported
from atril.tools.tool import Tool, ToolContext
from atril.tools.toolset import Call, Toolset
from atril.tools.wording import templates, wording
from atril.types import Document, Scope

DOCUMENTS: Final = "atril://documents/"
TOKEN_BUDGET: Final = 24_000
"""Tokens that direct access may cost in one reply, unless the context says otherwise."""
_PAGE: Final = 100
_JOBS: Final[Mapping[str, tuple[str, ...]]] = {
    "answer": ("question",),
    "summarize": ("document",),
    "compare": ("topic", "first", "second"),
    "extract": ("what",),
}
"""The prompts and their arguments; what they say is in the templates."""


class Shelf(Protocol):
    """The documents behind the resources."""

    async def documents(self, scope: Scope) -> Sequence[Document]: ...

    async def text(self, scope: Scope, name: str) -> str: ...


def mcp_server(
    toolset: Toolset, context: ToolContext, *, shelf: Shelf | None = None, version: str = ""
) -> Server[Any]:
    """A server that any MCP transport can run; without a shelf it has tools alone."""
    tools = _Tools(toolset, context)
    if shelf is None:
        return Server("atril", version=version, on_list_tools=tools.list_tools, on_call_tool=tools.call_tool)
    documents = _Documents(shelf, context)
    return Server(
        "atril",
        version=version,
        instructions=wording("server.instructions", context.language),
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call_tool,
        on_list_resources=documents.list_resources,
        on_list_resource_templates=documents.list_resource_templates,
        on_read_resource=documents.read_resource,
        on_list_prompts=documents.list_prompts,
        on_get_prompt=documents.get_prompt,
    )


class _Tools:
    """Listing and calling."""

    def __init__(self, toolset: Toolset, context: ToolContext) -> None:
        self._toolset = toolset
        self._context = context

    async def list_tools(self, _: Any, params: Any) -> protocol.ListToolsResult:
        tools = [
            protocol.Tool(
                name=definition.name,
                description=definition.description,
                input_schema=definition.parameters,
                annotations=_annotations(self._toolset[definition.name]),
            )
            for definition in self._toolset.definitions(self._context.language)
        ]
        return protocol.ListToolsResult(tools=tools)

    async def call_tool(self, _: Any, params: protocol.CallToolRequestParams) -> protocol.CallToolResult:
        outcome = await self._toolset.run(Call(params.name, params.arguments or {}), self._context)
        text = protocol.TextContent(type="text", text=outcome.text)
        return protocol.CallToolResult(content=[text], is_error=not outcome.done)


class _Documents:
    """Documents as resources, and prompts for jobs over them."""

    def __init__(self, shelf: Shelf, context: ToolContext) -> None:
        self._shelf = shelf
        self._context = context

    async def list_resources(
        self, _: Any, params: protocol.PaginatedRequestParams | None
    ) -> protocol.ListResourcesResult:
        start = _cursor(params.cursor if params else None)
        documents = await self._shelf.documents(self._context.scope)
        page = documents[start : start + _PAGE]
        following = start + _PAGE
        return protocol.ListResourcesResult(
            resources=[_resource(document) for document in page],
            next_cursor=str(following) if following < len(documents) else None,
        )

    async def list_resource_templates(self, _: Any, params: Any) -> protocol.ListResourceTemplatesResult:
        template = protocol.ResourceTemplate(
            name="document",
            uri_template=DOCUMENTS + "{+name}",
            description=wording("server.document", self._context.language),
            mime_type="text/markdown",
        )
        return protocol.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: Any, params: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        uri = str(params.uri)
        if not uri.startswith(DOCUMENTS):
            raise MCPError(protocol.INVALID_PARAMS, f"{uri}: {DOCUMENTS}…")
        try:
            text = await self._shelf.text(self._context.scope, unquote(uri.removeprefix(DOCUMENTS)))
        except NotFound as error:
            raise MCPError(protocol.INVALID_PARAMS, error.localized(self._context.language)) from error
        contents = protocol.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
        return protocol.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: Any, params: Any) -> protocol.ListPromptsResult:
        said = templates(supported(self._context.language))
        prompts = [
            protocol.Prompt(
                name=name,
                description=said[f"prompt.{name}_title"],
                arguments=[
                    protocol.PromptArgument(
                        name=argument, description=said[f"prompt.argument_{argument}"], required=True
                    )
                    for argument in arguments
                ],
            )
            for name, arguments in _JOBS.items()
        ]
        return protocol.ListPromptsResult(prompts=prompts)

    async def get_prompt(self, _: Any, params: protocol.GetPromptRequestParams) -> protocol.GetPromptResult:
        arguments = _JOBS.get(params.name)
        given = params.arguments or {}
        if arguments is None:
            raise MCPError(protocol.INVALID_PARAMS, f"{params.name}: {', '.join(_JOBS)}")
        missing = [name for name in arguments if not given.get(name)]
        if missing:
            raise MCPError(protocol.INVALID_PARAMS, f"{params.name}: {', '.join(missing)}")
        fields = {name: given[name] for name in arguments}
        text = wording(f"prompt.{params.name}", self._context.language, **fields)
        message = protocol.PromptMessage(role="user", content=protocol.TextContent(type="text", text=text))
        title = wording(f"prompt.{params.name}_title", self._context.language)
        return protocol.GetPromptResult(description=title, messages=[message])


def _annotations(tool: Tool[Any]) -> protocol.ToolAnnotations:
    reads = tool.effect == "read"
    return protocol.ToolAnnotations(read_only_hint=reads, destructive_hint=not reads, open_world_hint=False)


def _resource(document: Document) -> protocol.Resource:
    return protocol.Resource(
        uri=DOCUMENTS + quote(document.name),
        name=document.name,
        title=document.title,
        description=document.description,
        mime_type="text/markdown",
    )


def _cursor(written: str | None) -> int:
    if written is None:
        return 0
    if not written.isdecimal():
        raise MCPError(protocol.INVALID_PARAMS, f"cursor: {written[:40]}")
    return int(written)
