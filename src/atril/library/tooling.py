"""A library in the hands of a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atril.documents.languages import detect
from atril.library.base import Base
from atril.messages import LANGUAGES, supported
from atril.tools.documents import document_tools
from atril.tools.responses import Response, respond
from atril.tools.tool import ToolContext
from atril.tools.toolset import Toolset

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


class Tooling(Base):
    """Gives the tools over a library, and runs them."""

    def tools(self) -> Toolset:
        """The tools with which a language model finds and reads documents, and the configured knowledge
        base; see `atril.tools`."""
        return Toolset([*document_tools(self.finding), *self._more_tools])

    def tool_context(
        self, question: str | None = None, *, language: str | None = None, token_budget: int | None = None
    ) -> ToolContext:
        """This caller's context for tools. Without a `language` texts follow that of the question."""
        spoken = language or _language_of(question) or self._scope.language
        return ToolContext(
            scope=self._scope,
            question=question,
            language=supported(spoken),
            token_budget=token_budget,
        )

    async def run_tools(
        self,
        text: str,
        *,
        question: str | None = None,
        language: str | None = None,
        token_budget: int | None = None,
    ) -> Response:
        """Runs every tool call in what a model wrote; `Response.text` is what it should read next.

        Nothing that is wrong with a call raises: the text says what was wrong and what to write instead.
        """
        context = self.tool_context(question, language=language, token_budget=token_budget)
        return await respond(text, self.tools(), context)

    def langchain_tools(self, *, language: str | None = None) -> list[StructuredTool]:
        """The tools for LangChain (extra `langchain`); `func` works from any other thread."""
        from atril.tools.export.langchain import langchain_tools  # belongs to an extra

        return langchain_tools(self.tools(), self.tool_context(language=language), loop=self._home.loop)


def _language_of(question: str | None) -> str | None:
    """The question's language when the tools' texts exist in it."""
    found = detect(question, candidates=LANGUAGES) if question else None
    return found if found in LANGUAGES else None
