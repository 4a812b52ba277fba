"""Embedders of providers by the name in the setting: `openai:`, `azure:`, `bedrock:`, `fastembed:`."""

from __future__ import annotations

from typing import Final

from atril.errors import MissingExtra
from atril.models.embedders.encoder import Encoder, EncoderEmbedder, Facts
from atril.models.embedders.known import facts_of
from atril.models.embedders.options import EmbedderOptions

_EXTRAS: Final = {"openai": "http", "azure": "http", "bedrock": "bedrock", "fastembed": "fastembed"}
PROVIDERS: Final = frozenset(_EXTRAS)


def open_embedder(name: str, options: EmbedderOptions) -> EncoderEmbedder:
    """The embedder of `provider:model`, whose provider is one of `PROVIDERS`. Nothing is sent and nothing
    is loaded before the first text.

    Raises `MissingExtra`, and `InvalidSetting` when the model or its dimensions are not known.
    """
    provider, _, model = name.partition(":")
    try:
        encoder, facts = _encoder(provider, model, options)
    except ImportError as error:
        raise MissingExtra(what=f"embedder {name}", extra=_EXTRAS[provider]) from error
    return EncoderEmbedder(name, encoder, facts, options)


def _encoder(provider: str, model: str, options: EmbedderOptions) -> tuple[Encoder, Facts]:
    match provider:
        case "bedrock":
            from atril.models.embedders.bedrock import TitanEncoder

            facts = facts_of(model, options)
            return TitanEncoder(model, facts.dimensions, options), facts
        case "fastembed":
            from atril.models.embedders.fastembed import FastEmbedEncoder, dimensions_of

            return FastEmbedEncoder(model, options), facts_of(model, options, dimensions_of(model))
        case _:
            from atril.models.embedders.openai import OpenAIEncoder

            return OpenAIEncoder(model, options, azure=provider == "azure"), facts_of(model, options)
