"""Embeddings over the API of OpenAI: its own, Azure's and that of compatible servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import httpx
import numpy as np

from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Vectors
from atril.models.failures import Failure, Unusable, asked_wait, of_status

_OPENAI: Final = "https://api.openai.com/v1"
_SHORTENED: Final = "text-embedding-3"
"""Models whose vectors the server shortens when asked for fewer dimensions."""


class OpenAIEncoder:
    """Asks `POST …/embeddings`. With `azure` the name is that of a deployment and the key goes into the
    header `api-key`."""

    def __init__(self, name: str, options: EmbedderOptions, *, azure: bool = False) -> None:
        self._name = name
        self._options = options
        self._azure = azure
        self._url = _address(name, options, azure=azure)
        self._http: httpx.AsyncClient | None = None

    async def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """See `Encoder.encode`."""
        body: dict[str, Any] = {"model": self._name, "input": list(texts)}
        if self._options.dimensions and self._name.startswith(_SHORTENED):
            body["dimensions"] = self._options.dimensions
        try:
            reply = await self._client().post(
                self._url, json=body, params=self._params(), headers=self._headers()
            )
        except httpx.TimeoutException:
            raise Unusable(Failure("slow", again=True)) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise Unusable(Failure("unreachable", again=True)) from None
        if reply.status_code != 200:
            raise Unusable(of_status(reply.status_code, asked_wait(reply.headers.get("Retry-After"))))
        return _vectors(reply, len(texts))

    async def close(self) -> None:
        """See `Encoder.close`."""
        if self._http is not None:
            await self._http.aclose()

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            self._http = httpx.AsyncClient(timeout=self._options.timeout)
        return self._http

    def _params(self) -> dict[str, str]:
        version = self._options.api_version
        return {"api-version": version} if self._azure and version else {}

    def _headers(self) -> dict[str, str]:
        if self._options.api_key is None:
            return {}
        key = self._options.api_key.get_secret_value()
        return {"api-key": key} if self._azure else {"Authorization": f"Bearer {key}"}


def _address(name: str, options: EmbedderOptions, *, azure: bool) -> str:
    base = (options.base_url or _OPENAI).rstrip("/")
    if azure and not base.endswith("/v1"):
        return f"{base}/openai/deployments/{name}/embeddings"
    return f"{base}/embeddings"


def _vectors(reply: httpx.Response, count: int) -> Vectors:
    """The rows in the order of the texts, which is that of `index` and not of the list."""
    try:
        data = sorted(reply.json()["data"], key=lambda row: int(row["index"]))
        if [row["index"] for row in data] != list(range(count)):
            raise ValueError("not one row for each text")
        rows: Vectors = np.array([row["embedding"] for row in data], dtype=np.float32)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Unusable(Failure("nonsense", again=True)) from None
    return rows
