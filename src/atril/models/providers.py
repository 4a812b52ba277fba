"""Chat models by the name of their provider, over pydantic-ai.

pydantic-ai and the providers' own clients are extras: nothing of them is imported before the first request.
"""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from atril.errors import InvalidArgument, InvalidSetting, MissingExtra
from atril.models.options import ModelOptions
from atril.models.remote import RemoteModel

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_EXTRAS: Final = {
    "openai": ("openai", "models"),
    "azure": ("openai", "models"),
    "anthropic": ("anthropic", "anthropic"),
    "google": ("google.genai", "google"),
    "bedrock": ("boto3", "bedrock"),
}
"""Provider → the package it needs and the extra that brings it."""


def open_model(options: ModelOptions) -> RemoteModel:
    """The model that the options name; nothing is sent and no key is looked for before the first request.

    Raises `InvalidArgument` for an unknown provider, `InvalidSetting` for a key where none is taken, and
    `MissingExtra` when a package is not installed.
    """
    provider, colon, name = options.model.partition(":")
    if not colon or not name or provider not in _EXTRAS:
        allowed = ", ".join(f"{each}:NAME" for each in _EXTRAS)
        raise InvalidArgument(name="model", value=options.model, allowed=allowed)
    if provider == "bedrock" and options.api_key is not None:
        raise InvalidSetting(name="api_key", value=None, problem="aws_key")
    package, extra = _EXTRAS[provider]
    if not (_installed("pydantic_ai") and _installed(package)):
        raise MissingExtra(what=options.model, extra=extra)

    async def connect() -> Model:
        # The first import of a provider takes about a second.
        await asyncio.to_thread(
            __import__, f"pydantic_ai.models.{'openai' if provider == 'azure' else provider}"
        )
        return _model(provider, name, options)

    return RemoteModel(options, connect)


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of the package that holds it
        return False


def _model(provider: str, name: str, options: ModelOptions) -> Model:
    key = options.api_key.get_secret_value() if options.api_key else None
    match provider:
        case "openai":
            return _openai(name, options.base_url, key)
        case "azure":
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.azure import AzureProvider

            azure = AzureProvider(
                azure_endpoint=options.base_url, api_version=options.api_version, api_key=key
            )
            return OpenAIChatModel(name, provider=azure)
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=options.base_url))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=options.base_url))
        case _:
            return _bedrock(name, options)


def _openai(name: str, base_url: str | None, key: str | None) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel

    if base_url is None:
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(name, provider=OpenAIProvider(api_key=key))
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # Not every server knows OpenAI's newer name for the limit, and many templates take one system message.
    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=False, openai_chat_supports_multiple_system_messages=False
    )
    server = OpenAICompatibleProvider("compatible", base_url=base_url, api_key=key)
    return OpenAIChatModel(name, provider=server, profile=profile)


def _bedrock(name: str, options: ModelOptions) -> Model:
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    from atril.models.bedrock import connect

    client = connect(region=options.region, base_url=options.base_url, timeout=options.timeout)
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client))
