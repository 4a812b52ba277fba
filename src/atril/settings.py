"""Every setting in one typed tree; the only reader of the environment.

Values come from `ATRIL_*` variables, then from `atril.toml` in the current folder, then from the defaults
here. An empty variable is none. A nested setting is `ATRIL_READING__SECONDS` in the environment and
`[reading] seconds` in the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Final

from pydantic import AliasChoices, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from atril.documents.chunking import ChunkOptions
from atril.documents.workers import ReadLimits
from atril.errors import InvalidSetting
from atril.messages import supported
from atril.tools.knowledge.options import KnowledgeOptions

FILE_NAME: Final = "atril.toml"


class Settings(BaseSettings):
    """What an installation can choose."""

    model_config = SettingsConfigDict(
        env_prefix="ATRIL_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        toml_file=FILE_NAME,
        extra="forbid",
        frozen=True,
    )

    home: Path = Field(default=Path(".atril"), description="The folder that holds the library.")
    profile: str | None = Field(default=None, description="Name or folder of a domain profile.")
    synonyms: Path | None = Field(
        default=None,
        description="A file of synonyms for searches by words: one group to a line, separated by commas.",
    )
    lang: str | None = Field(
        default=None,
        description="Language of messages: es, en or ru. The argument `language` of `atril.open` is the same.",
    )
    embedder: str = Field(
        default="bundled",
        description="`bundled`, `bundled:exact`, `bundled:reference`, or `package.module:factory`.",
    )
    knowledge: KnowledgeOptions = Field(
        default=KnowledgeOptions(), description="A knowledge base behind HTTP, for the tools."
    )
    doc_api_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("doc_api_url", "ATRIL_DOC_API_URL", "DOC_API_URL"),
        description="The knowledge base's address of documents as JSON; the same as `knowledge.doc_url`.",
    )
    internal_gateway_api_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices(
            "internal_gateway_api_url", "ATRIL_INTERNAL_GATEWAY_API_URL", "INTERNAL_GATEWAY_API_URL"
        ),
        description="Its address of documents as XML; the same as `knowledge.gateway_url`.",
    )
    reading: ReadLimits = Field(default=ReadLimits(), description="Limits of reading one file.")
    chunking: ChunkOptions = Field(default=ChunkOptions(), description="Sizes of chunks, in tokens.")

    @property
    def knowledge_base(self) -> KnowledgeOptions:
        """The knowledge base with the addresses that have variables of their own."""
        own = {"doc_url": self.doc_api_url, "gateway_url": self.internal_gateway_api_url}
        return self.knowledge.model_copy(update={key: value for key, value in own.items() if value})

    @property
    def language(self) -> str:
        """The language of messages: the setting, else that of the system, else English."""
        return supported(self.lang or system_language(os.environ))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings() -> Settings:
    """The settings of this process. Raises `InvalidSetting` naming the first one that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidSetting(name=name, value=first.get("input"), problem=_problem(first["type"])) from error
    except SettingsError as error:
        # A whole group in one variable, which would have to be JSON; the error tells which only in words.
        group = re.search(r'field "(\w+)"', str(error))
        variable = f"ATRIL_{group[1].upper()}" if group else "ATRIL_*"
        raise InvalidSetting(name=variable, value=os.environ.get(variable), problem="value") from error
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(name=FILE_NAME, value=str(error), problem="not_toml") from error


def _problem(kind: str) -> str:
    """The message's key for one of pydantic's kinds of error."""
    if kind == "extra_forbidden":
        return "unknown"
    for prefix, problem in (("float_", "number"), ("int_", "whole_number"), ("string_", "text")):
        if kind.startswith(prefix):
            return problem
    return "value"


def system_language(environment: Mapping[str, str]) -> str | None:
    """The language tag the system asks for, by POSIX precedence; `None` when it names none."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return environment[variable]
    return None
