"""The settings of a model that writes: which one, how patiently and how often it is asked."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class ModelOptions(BaseModel):
    """One role's model. Times are in seconds.

    `model` is `provider:name`; with `base_url` the provider `openai` is any server that speaks the chat API
    of OpenAI. What is `None` is not sent, so that the model's own default holds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: str = Field(min_length=1, description="Such as `openai:gpt-5-nano`.")
    base_url: str | None = Field(default=None, description="Address of a compatible server, up to `/v1`.")
    api_key: SecretStr | None = Field(
        default=None, description="The key, or the name of the environment variable that holds it."
    )
    api_version: str | None = Field(default=None, description="Azure: the API's version, if one is needed.")
    region: str | None = Field(default=None, description="Bedrock: the AWS region.")
    timeout: float = Field(
        default=60.0,
        gt=0,
        description="Within which a reply must be complete or, when streamed, have begun; waiting for the "
        "budget and repetitions are part of it.",
    )
    stall: float = Field(default=20.0, gt=0, description="The longest silence inside a streamed reply.")
    longest: float = Field(default=300.0, gt=0, description="The longest that a streamed reply may take.")
    attempts: int = Field(default=3, ge=1, le=10, description="Requests for one reply, at most.")
    pause: float = Field(
        default=0.5, ge=0, description="Before the second request; twice as long each time after that."
    )
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens of one reply, at most.")
    context_tokens: int | None = Field(
        default=None, ge=512, description="Tokens that the model can read in one request, when it is few."
    )
