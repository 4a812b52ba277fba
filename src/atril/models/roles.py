"""The models of a home by what they do: the reader plans and picks, the principal answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from atril.models.chat import ChatModel
from atril.models.options import ModelOptions
from atril.models.providers import open_model


@dataclass(frozen=True, slots=True)
class Roles:
    """The model of each role, or `None` where nobody was chosen: then rules and quotes do its work.

    `context_tokens` are those that a role's model can read in one request, where the settings say so.
    """

    reader: ChatModel | None = None
    principal: ChatModel | None = None
    context_tokens: Mapping[str, int] = field(default_factory=dict)

    async def close(self) -> None:
        """Closes both models; calling it twice is safe."""
        for model in (self.reader, self.principal):
            if model is not None:
                await model.close()


def open_roles(reader: ModelOptions | None, principal: ModelOptions | None) -> Roles:
    """Each role has its own connections and its own budget, with the same model too.

    Raises `InvalidArgument` for a provider that is not known and `MissingExtra`.
    """
    chosen = {"reader": reader, "principal": principal}
    return Roles(
        reader=open_model(reader) if reader else None,
        principal=open_model(principal) if principal else None,
        context_tokens={
            role: options.context_tokens
            for role, options in chosen.items()
            if options and options.context_tokens
        },
    )
