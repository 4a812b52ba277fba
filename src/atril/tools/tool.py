"""What a tool is.

A tool does one thing for a model: it takes validated arguments and the caller's context, and answers with
text. Everything else (reading arguments, time limits, confirmations, errors, logs) is done once for all
tools by `atril.tools.toolset.Toolset`, so that every door behaves alike.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

from atril.tools.schemas import compact_schema
from atril.types import Scope

Effect = Literal["read", "write"]

DEFAULT_TIMEOUT: Final = 30.0
A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """On whose behalf a tool runs.

    `question` is what the user asked, for reminders. `language` (es, en, ru) is that of the texts a model
    reads. `role` is what the caller may act as. `conversation` binds confirmations of writes, and
    `confirmed` holds the tokens of those the user has agreed to. `token_budget` bounds one reply;
    `None` leaves direct access whole.
    """

    scope: Scope = field(default_factory=Scope)
    question: str | None = None
    language: str = "en"
    role: str | None = None
    conversation: str | None = None
    confirmed: frozenset[str] = frozenset()
    token_budget: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """What a model is told about a tool; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolFailure(Exception):
    """A tool's answer that is a failure; the text is for the model."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class TryAgain(ToolFailure):
    """Other arguments may work; the text says which."""


class CannotBeDone(ToolFailure):
    """No arguments would help; the text says so, that the model may tell the user or go another way."""


class Tool(ABC, Generic[A]):
    """One thing a model may call. The class docstring is what it reads to decide whether to.

    A subclass names its arguments as the type parameter: `class Weather(Tool[City])`. `timeout` is in
    seconds. A tool with `effect = "write"` never has its arguments bent to fit; with `confirmation` it
    runs only after the user has agreed in the same conversation; with a `role` only for callers who have
    it.
    """

    name: ClassVar[str]
    arguments: ClassVar[type[BaseModel]]
    effect: ClassVar[Effect] = "read"
    confirmation: ClassVar[bool] = False
    timeout: ClassVar[float] = DEFAULT_TIMEOUT
    role: ClassVar[str | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for base in vars(cls).get("__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Tool):
                (parameter,) = get_args(base)
                if isinstance(parameter, type) and issubclass(parameter, BaseModel):
                    cls.arguments = parameter

    @abstractmethod
    async def run(self, arguments: A, context: ToolContext) -> str:
        """The answer as text for a model. Raises `ToolFailure`, or any error of Atril's."""

    def definition(self, language: str = "en") -> Definition:
        """What a model is told. Tools without translations say the same in every language."""
        description = " ".join((inspect.getdoc(type(self)) or self.name).split())
        return Definition(self.name, description, compact_schema(self.arguments))
