"""What is common to embedding models that are asked for a few texts at a time.

An `Encoder` knows one protocol; `EncoderEmbedder` makes an `Embedder` of it: windows for long texts,
batches, several requests at a time, repetitions, and vectors of unit length.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from atril.errors import NoReply
from atril.models.counting import estimate_tokens
from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Anchors, Vectors
from atril.models.failures import Failure, Unusable, pause_before, shown_address

_log = logging.getLogger(__name__)

_WORD: Final = re.compile(r"\S+\s*")
_TEXT_VERSION: Final = 1
"""Raise it when the same text gives other windows."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model: its vectors' length, the tokens it reads, and its anchors."""

    dimensions: int
    max_tokens: int
    anchors: Anchors


class Encoder(Protocol):
    """One model behind one protocol."""

    async def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """One row per text. Raises `Unusable` for everything that keeps it from giving them."""

    async def close(self) -> None:
        """Closes connections; a second call does nothing."""


class EncoderEmbedder:
    """The `Embedder` of an encoder. Passages share `concurrency` requests; a query waits for none of them.

    Every call raises `NoReply` when the vectors do not come within the attempts.
    """

    tokenizer = "atril.models.counting:token_estimator"

    def __init__(self, name: str, encoder: Encoder, facts: Facts, options: EmbedderOptions) -> None:
        self.dimensions = facts.dimensions
        self.max_tokens = facts.max_tokens
        self.anchors = facts.anchors
        self.id = _identity(name, facts, options)
        self._name = name
        self._encoder = encoder
        self._options = options
        self._turn = asyncio.Semaphore(options.concurrency)

    def __repr__(self) -> str:
        return f"EncoderEmbedder({self.id!r})"

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_passages`. No texts give shape (0, dimensions)."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        cut = [self._windows(self._options.passage_prefix, text) for text in texts]
        flat = [window for windows in cut for window in windows]
        size = self._options.batch
        batches = [flat[start : start + size] for start in range(0, len(flat), size)]
        jobs = [asyncio.ensure_future(self._passages(batch)) for batch in batches]
        try:
            rows = np.concatenate(await asyncio.gather(*jobs))
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
        return _joined(rows, cut)

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`."""
        windows = self._windows(self._options.query_prefix, text)
        rows = await self._encoded(windows, query=True)
        first: Vectors = _joined(rows, [windows])[0]
        return first

    async def close(self) -> None:
        """Closes connections; a second call does nothing."""
        await self._encoder.close()

    async def _passages(self, texts: Sequence[str]) -> Vectors:
        async with self._turn:
            return await self._encoded(texts, query=False)

    async def _encoded(self, texts: Sequence[str], *, query: bool) -> Vectors:
        for attempt in range(1, self._options.attempts + 1):
            try:
                async with asyncio.timeout(self._options.timeout):
                    rows = await self._encoder.encode(texts, query=query)
                return self._checked(rows, len(texts))
            except TimeoutError:
                failure = Failure("slow", again=True)
            except Unusable as error:
                failure = error.failure
            pause = pause_before(attempt, failure.wait, self._options.pause)
            _log.info(
                "embedder=%s problem=%s attempt=%d of=%d",
                self._name,
                failure.problem,
                attempt,
                self._options.attempts,
            )
            if not failure.again or attempt == self._options.attempts or pause > self._options.timeout:
                raise self._no_reply(failure, attempt)
            await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _checked(self, rows: Vectors, count: int) -> Vectors:
        if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
            raise Unusable(Failure("nonsense", again=True))
        if rows.shape[1] != self.dimensions:
            fields = {"found": rows.shape[1], "wanted": self.dimensions}
            raise Unusable(Failure("dimensions", fields=fields))
        return rows

    def _no_reply(self, failure: Failure, requests: int) -> NoReply:
        fields = {
            "seconds": f"{self._options.timeout:g}",
            "server": shown_address(self._options.base_url),
            **failure.fields,
        }
        return NoReply(model=self._name, problem=failure.problem, requests=requests, **fields)

    def _windows(self, prefix: str, text: str) -> list[str]:
        room = self.max_tokens - estimate_tokens(prefix)
        # An empty text is an error for most servers and a vector for nobody else.
        return [prefix + window for window in cut_windows(text, room)] or [prefix + "."]


def cut_windows(text: str, tokens: int) -> list[str]:
    """The text in pieces of at most about `tokens` tokens, cut before words; a word beyond that is a piece
    of its own."""
    if estimate_tokens(text) <= tokens:
        return [text] if text.strip() else []
    windows: list[str] = []
    held, size = "", 0
    for word in _WORD.findall(text):
        more = estimate_tokens(word)
        if held and size + more > tokens:
            windows.append(held)
            held, size = "", 0
        held, size = held + word, size + more
    return [*windows, held] if held else windows


def _joined(rows: Vectors, cut: Sequence[Sequence[str]]) -> Vectors:
    """The vectors of texts from those of their windows, weighted by length; unit length, float32."""
    joined = np.empty((len(cut), rows.shape[1]), dtype=np.float32)
    start = 0
    for number, windows in enumerate(cut):
        weights = np.array([estimate_tokens(window) or 1 for window in windows], dtype=np.float32)
        mean = weights @ rows[start : start + len(windows)]
        norm = float(np.linalg.norm(mean))
        joined[number] = mean / norm if norm else mean
        start += len(windows)
    return joined


def _identity(name: str, facts: Facts, options: EmbedderOptions) -> str:
    prefixes = f"/{options.query_prefix!r}{options.passage_prefix!r}" if _prefixed(options) else ""
    return f"{name}/{facts.dimensions}/{facts.max_tokens}{prefixes}/text-{_TEXT_VERSION}"


def _prefixed(options: EmbedderOptions) -> bool:
    return bool(options.query_prefix or options.passage_prefix)
