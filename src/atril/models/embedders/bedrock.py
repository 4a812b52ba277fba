"""Amazon Titan embeddings on Bedrock, through boto3 and the credentials that AWS's own tools find."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    HTTPClientError,
    NoCredentialsError,
)

from atril.models.bedrock import connect
from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Vectors
from atril.models.failures import Failure, Unusable, of_status


class TitanEncoder:
    """Asks `InvokeModel`, one text a request, as many at a time as there are threads.

    The client is made with the first text; boto3 blocks, so it works in threads of its own.
    """

    def __init__(self, name: str, dimensions: int, options: EmbedderOptions) -> None:
        self._name = name
        self._dimensions = dimensions
        self._options = options
        self._threads = ThreadPoolExecutor(options.concurrency, thread_name_prefix="atril-bedrock")
        self._lock = asyncio.Lock()
        self._client: Any = None

    async def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """See `Encoder.encode`."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            if self._client is None:
                self._client = await loop.run_in_executor(self._threads, self._connect)
        jobs = [loop.run_in_executor(self._threads, self._vector, text) for text in texts]
        try:
            rows = await asyncio.gather(*jobs)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
        return np.array(rows, dtype=np.float32)

    async def close(self) -> None:
        """See `Encoder.close`."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connect(self) -> Any:
        try:
            return connect(
                region=self._options.region,
                base_url=self._options.base_url,
                timeout=self._options.timeout,
                connections=self._options.concurrency,
            )
        except (BotoCoreError, ValueError):
            raise Unusable(Failure("unconfigured")) from None

    def _vector(self, text: str) -> list[float]:
        body: dict[str, Any] = {"inputText": text}
        if not self._name.endswith("-v1"):  # the first version knows neither
            body |= {"dimensions": self._dimensions, "normalize": True}
        try:
            reply = self._client.invoke_model(modelId=self._name, body=json.dumps(body))
            vector: list[float] = json.loads(reply["body"].read())["embedding"]
        except ClientError as error:
            raise Unusable(_understood(error)) from None
        except NoCredentialsError:
            raise Unusable(Failure("unconfigured")) from None
        except (HTTPClientError, ConnectionError):
            raise Unusable(Failure("unreachable", again=True)) from None
        except (BotoCoreError, ValueError, KeyError, TypeError):
            raise Unusable(Failure("nonsense", again=True)) from None
        return vector


def _understood(error: ClientError) -> Failure:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    return of_status(int(status), None)
