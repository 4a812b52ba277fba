"""The settings of a knowledge base."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class KnowledgeOptions(BaseModel):
    """Where the knowledge base is and how patiently it is asked. Times are in seconds.

    `doc_url` and `gateway_url` take `{id}` and `{module}`; without them the id is appended. `key` goes into
    the header `Authorization` as a bearer token, to these three addresses only.
    """

    model_config = ConfigDict(frozen=True)

    search_url: str | None = Field(default=None, description="Address of the search.")
    doc_url: str | None = Field(default=None, description="Address of documents as JSON.")
    gateway_url: str | None = Field(default=None, description="Address of documents as XML.")
    key: str | None = Field(default=None, repr=False, description="Access key, if one is needed.")
    timeout: float = Field(default=10.0, gt=0)
    attempts: int = Field(default=3, ge=1, le=10)
    concurrency: int = Field(default=4, ge=1, le=64)
    document_bytes: int = Field(default=5_000_000, ge=1_000)
