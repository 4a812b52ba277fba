"""Embedding models that run on this computer through fastembed, which downloads them on first use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from fastembed import TextEmbedding

from atril.errors import InvalidSetting
from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Vectors
from atril.models.failures import Failure, Unusable


def dimensions_of(name: str) -> int:
    """The dimensions of a model that fastembed knows. Raises `InvalidSetting` for another."""
    try:
        return int(TextEmbedding.get_embedding_size(name))
    except ValueError:
        raise InvalidSetting(name="embedder", value=f"fastembed:{name}", problem="not_fastembed") from None


class FastEmbedEncoder:
    """Loads the model with the first text: from the folder of the options, else as fastembed does, which
    looks into its cache and then downloads it."""

    def __init__(self, name: str, options: EmbedderOptions) -> None:
        self._name = name
        self._options = options
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="atril-fastembed")
        self._loading = threading.Lock()
        self._model: TextEmbedding | None = None

    async def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """See `Encoder.encode`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._rows, list(texts), query)

    async def close(self) -> None:
        """See `Encoder.close`."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)
        self._model = None

    def _rows(self, texts: list[str], query: bool) -> Vectors:
        model = self._loaded()
        rows = model.query_embed(texts) if query else model.passage_embed(texts)
        return np.array(list(rows), dtype=np.float32)

    def _loaded(self) -> TextEmbedding:
        with self._loading:
            if self._model is None:
                more: dict[str, Any] = (
                    {"specific_model_path": str(self._options.path)} if self._options.path else {}
                )
                try:
                    self._model = TextEmbedding(self._name, **more)
                except Exception as error:  # noqa: BLE001  downloading and onnxruntime raise anything
                    detail = type(error).__name__
                    raise Unusable(Failure("not_loaded", fields={"detail": detail})) from None
            return self._model
