"""What goes to pydantic-ai and comes from it, in its own values. It is imported only once it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from atril.models.chat import Message

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model


def takes_temperature(model: Model) -> bool:
    """OpenAI's models that always reason take none; others say so themselves when asked."""
    profile = dict(model.profile)
    if not profile.get("openai_supports_reasoning"):
        return True
    return bool(profile.get("openai_supports_reasoning_effort_none")) and not profile.get(
        "thinking_enabled_by_default"
    )


def stopped_short(response: ModelResponse) -> bool:
    """Whether the model says itself that its reply is not all it had to say."""
    return response.finish_reason in ("length", "content_filter", "error")


def to_wire(messages: Sequence[Message]) -> list[ModelMessage]:
    """The messages in their order."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    wire: list[ModelMessage] = []
    for message in messages:
        match message.role:
            case "system":
                wire.append(ModelRequest([SystemPromptPart(message.content)]))
            case "user":
                wire.append(ModelRequest([UserPromptPart(message.content)]))
            case "assistant":
                wire.append(ModelResponse([TextPart(message.content)]))
    return wire


def text_of(event: ModelResponseStreamEvent) -> str:
    """The piece of the answer that an event brings; empty for everything else, such as what a model thinks."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    match event:
        case (
            PartStartEvent(part=TextPart(content=text))
            | PartDeltaEvent(delta=TextPartDelta(content_delta=text))
        ):
            return text
        case _:
            return ""
