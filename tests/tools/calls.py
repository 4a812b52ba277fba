"""Tools that tell what they were called with, for tests of what stands before a tool."""

from typing import Literal

from pydantic import BaseModel, Field

from atril.tools.tool import Tool, ToolContext
from atril.tools.toolset import Toolset


class SearchArguments(BaseModel):
    query: str = Field(min_length=1)
    top_k: int = Field(default=5, ge=1, le=10)
    min_score: float = Field(default=0.0, ge=0.0, le=1.0)


class PatternArguments(BaseModel):
    predefined: Literal["email", "url"] | None = None
    pattern: str | None = None
    case_sensitive: bool = False


class Search(Tool[SearchArguments]):
    """Searches."""

    name = "tool_lexical_search"

    async def run(self, arguments: SearchArguments, context: ToolContext) -> str:
        return arguments.model_dump_json()


class Pattern(Tool[PatternArguments]):
    """Matches."""

    name = "tool_regex_search"

    async def run(self, arguments: PatternArguments, context: ToolContext) -> str:
        return arguments.model_dump_json()


def echoing() -> Toolset:
    return Toolset([Search(), Pattern()])
