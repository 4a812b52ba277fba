"""The settings of an embedding model that is not the bundled one."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator


class AnchorOptions(BaseModel):
    """The two cosines that `benchmarks/anchors.py` measures; see `atril.models.embeddings.Anchors`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unrelated: float = Field(ge=-1, le=1)
    right: float = Field(ge=-1, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> AnchorOptions:
        if self.right <= self.unrelated:
            raise ValueError("the anchor of right passages must be above that of unrelated ones")
        return self


class EmbedderOptions(BaseModel):
    """Where the model is, what is known of it and how it is asked. Times are in seconds.

    `dimensions`, `max_tokens` and `anchors` are known for the usual models; others need `dimensions`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str | None = Field(default=None, description="Address of a compatible server, up to `/v1`.")
    api_key: SecretStr | None = Field(
        default=None, description="The key, or the name of the environment variable that holds it."
    )
    api_version: str | None = Field(default=None, description="Azure: the API's version, if one is needed.")
    region: str | None = Field(default=None, description="Bedrock: the AWS region.")
    path: Path | None = Field(default=None, description="fastembed: a folder that holds the model.")
    dimensions: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=16)
    anchors: AnchorOptions | None = None
    query_prefix: str = Field(default="", description="Put before every query, for models that need it.")
    passage_prefix: str = Field(default="", description="Put before every passage.")
    batch: int = Field(default=64, ge=1, le=2048, description="Texts in one request.")
    concurrency: int = Field(default=4, ge=1, le=64, description="Requests at a time.")
    timeout: float = Field(default=30.0, gt=0, description="Of one request.")
    attempts: int = Field(default=4, ge=1, le=10)
    pause: float = Field(default=0.5, ge=0, description="Before the second request; then twice as long.")
