"""Every setting in one typed tree; the only reader of the environment.

Values come from `ATRIL_*` variables, then from `atril.toml` in the current folder, then from the defaults
here. A nested setting is `ATRIL_READING__SECONDS` in the environment and `[reading] seconds` in the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from atril.documents.chunking import ChunkOptions
from atril.documents.workers import ReadLimits
from atril.errors import InvalidArgument
from atril.messages import supported


class Settings(BaseSettings):
    """What an installation can choose."""

    model_config = SettingsConfigDict(
        env_prefix="ATRIL_",
        env_nested_delimiter="__",
        toml_file="atril.toml",
        extra="forbid",
        frozen=True,
    )

    home: Path = Field(default=Path(".atril"), description="The folder that holds the library.")
    profile: str | None = Field(default=None, description="Name or path of a domain profile.")
    lang: str | None = Field(default=None, description="Language of messages: es, en or ru.")
    embedder: str = Field(
        default="bundled",
        description="`bundled`, `bundled:exact`, `bundled:reference`, or `package.module:factory`.",
    )
    reading: ReadLimits = Field(default=ReadLimits(), description="Limits of reading one file.")
    chunking: ChunkOptions = Field(default=ChunkOptions(), description="Sizes of chunks, in tokens.")

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
    """The settings of this process. Raises `InvalidArgument` naming the first one that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidArgument(name=name, value=first.get("input"), allowed=first["msg"]) from error
    except TOMLDecodeError as error:
        raise InvalidArgument(name="atril.toml", value=str(error), allowed="valid TOML") from error


def system_language(environment: Mapping[str, str]) -> str | None:
    """The language tag the system asks for, by POSIX precedence; `None` when it names none."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return environment[variable]
    return None
