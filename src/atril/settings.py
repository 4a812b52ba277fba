"""Every setting in one typed tree; the only reader of the environment.

Values come from `ATRIL_*` variables, then from `atril.toml` in the current folder, then from the defaults
here. An empty variable is none. A nested setting is `ATRIL_READING__SECONDS` in the environment and
`[reading] seconds` in the file. A model is a name (`ATRIL_READER=openai:gpt-5-nano`) or a table; a variable
that names one puts the file's whole table aside, so that a key never goes to another provider.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from atril.answering.document_first_options import DocumentFirstOptions
from atril.answering.options import UnifiedOptions
from atril.documents.chunking import ChunkOptions
from atril.documents.workers import ReadLimits
from atril.errors import InvalidSetting
from atril.messages import supported
from atril.models.embedders.options import EmbedderOptions
from atril.models.options import ModelOptions
from atril.tools.knowledge.options import KnowledgeOptions

FILE_NAME: Final = "atril.toml"
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
"""How the name of an environment variable looks, and no provider's key."""


def _as_table(given: Any) -> Any:
    return (
        {"model": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else given
    )


_Model: TypeAlias = Annotated[ModelOptions, BeforeValidator(_as_table)]


class Settings(BaseSettings):
    """What an installation can choose."""

    model_config = SettingsConfigDict(
        env_prefix="ATRIL_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        toml_file=FILE_NAME,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
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
        description="`bundled`, `bundled:exact`, `bundled:reference`, `openai:MODEL`, `azure:DEPLOYMENT`, "
        "`bedrock:MODEL`, `fastembed:MODEL`, or `package.module:factory`.",
    )
    embedding: EmbedderOptions = Field(
        default=EmbedderOptions(), description="The embedder of a provider: where it is and what it takes."
    )
    reader: _Model | None = Field(
        default=None, description="The model that plans queries and picks documents; a cheap one does."
    )
    principal: _Model | None = Field(default=None, description="The model that answers.")
    prices: Path | None = Field(default=None, description="A file of prices that goes before those of Atril.")
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
    document_first: DocumentFirstOptions = Field(
        default=DocumentFirstOptions(), description="The pipeline that looks into single documents."
    )
    reading: ReadLimits = Field(default=ReadLimits(), description="Limits of reading one file.")
    answering: UnifiedOptions = Field(
        default=UnifiedOptions(), description="How much an answer is made from."
    )
    chunking: ChunkOptions = Field(default=ChunkOptions(), description="Sizes of chunks, in tokens.")

    @property
    def knowledge_base(self) -> KnowledgeOptions:
        """The knowledge base with the addresses that have variables of their own."""
        own = {"doc_url": self.doc_api_url, "gateway_url": self.internal_gateway_api_url}
        return self.knowledge.model_copy(update={key: value for key, value in own.items() if value})

    @property
    def reader_model(self) -> ModelOptions | None:
        """The reader with its key at hand. Raises `InvalidSetting` when the variable of the key is not set."""
        return _with_key(self.reader, "reader")

    @property
    def principal_model(self) -> ModelOptions | None:
        """The principal with its key at hand. Raises `InvalidSetting` as above."""
        return _with_key(self.principal, "principal")

    @property
    def embedding_options(self) -> EmbedderOptions:
        """The embedder's options with its key at hand: the one configured, else for the providers' own
        addresses the one that their clients would look for. Raises `InvalidSetting` as above."""
        options = self.embedding
        if options.api_key is not None:
            return options.model_copy(update={"api_key": _key(options.api_key, "embedding")})
        provider = self.embedder.partition(":")[0]
        variable = "AZURE_OPENAI_API_KEY" if provider == "azure" else "OPENAI_API_KEY"
        own = provider == "azure" or (provider == "openai" and options.base_url is None)
        found = os.environ.get(variable) if own else None
        return options.model_copy(update={"api_key": SecretStr(found)}) if found else options

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
        return init_settings, _Environment(settings_cls), _File(settings_cls)


class _Environment(EnvSettingsSource):
    """The environment, where a model may be a bare name beside variables for its other settings."""

    def prepare_field_value(
        self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool
    ) -> Any:
        if field_name in _ROLES and isinstance(value, str) and not value.startswith("{"):
            more = self.explode_env_vars(field_name, field, self.env_vars)
            # Not a dict, or the file's table would be merged in.
            return MappingProxyType({"model": value, **more})
        return super().prepare_field_value(field_name, field, value, value_is_complex)


class _File(TomlConfigSettingsSource):
    """The file, where a model may be a bare name; as a table, variables can add to it."""

    def __call__(self) -> dict[str, Any]:
        return {
            name: _as_table(value) if name in _ROLES else value for name, value in super().__call__().items()
        }


_ROLES: Final = frozenset(("reader", "principal"))


def _with_key(options: ModelOptions | None, name: str) -> ModelOptions | None:
    if options is None or options.api_key is None:
        return options
    return options.model_copy(update={"api_key": _key(options.api_key, name)})


def _key(written: SecretStr, name: str) -> SecretStr:
    """The key itself, where the setting names the variable that holds it."""
    variable = written.get_secret_value()
    if not _VARIABLE.fullmatch(variable):
        return written
    if not os.environ.get(variable):
        raise InvalidSetting(name=f"{name}.api_key", value=variable, problem="no_variable")
    return SecretStr(os.environ[variable])


def load_settings() -> Settings:
    """The settings of this process. Raises `InvalidSetting` naming the first one that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        problem, value = _problem(first["type"]), first.get("input")
        # What is wrong may be a key, misspelt or not, or a table that holds one.
        secret = problem == "unknown" or "key" in name or isinstance(value, Mapping)
        raise InvalidSetting(name=name, value=None if secret else value, problem=problem) from error
    except SettingsError as error:
        # A whole group in one variable, which would have to be JSON; the error tells which only in words.
        group = re.search(r'field "(\w+)"', str(error))
        variable = f"ATRIL_{group[1].upper()}" if group else "ATRIL_*"
        raise InvalidSetting(name=variable, value=os.environ.get(variable), problem="value") from error
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(name=FILE_NAME, value=str(error), problem="not_toml") from error


def _problem(kind: str) -> str:
    """The message's key for one of pydantic's kinds of error."""
    if kind in ("extra_forbidden", "missing"):
        return "unknown" if kind == "extra_forbidden" else "missing"
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
