from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atril.errors import InvalidSetting, MissingExtra, NoReply
from atril.home import load_embedder
from atril.models.bundled.protobuf import field, repeated
from atril.models.counting import estimate_tokens
from atril.models.embedders.encoder import EncoderEmbedder, cut_windows
from atril.models.embedders.loading import open_embedder
from atril.models.embedders.options import AnchorOptions, EmbedderOptions
from atril.models.embeddings import Anchors, load_token_counter
from atril.testing.chat_server import ChatServer, Reply
from atril.testing.embedders import HashEmbedder

KEY = "sk-very-secret-1234567890"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
async def embedders(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    opened: list[EncoderEmbedder] = []

    def make(name: str = "openai:scripted", **options: Any) -> EncoderEmbedder:
        if name.startswith("bedrock"):
            pytest.importorskip("boto3", reason="the extra `bedrock` is not installed")
        base = server.url if name.startswith("openai") else server.address
        given = {
            "base_url": base,
            "dimensions": 64,
            "pause": 0.0,
            "timeout": 5.0,
            "region": "eu-west-1",
            **options,
        }
        opened.append(open_embedder(name, EmbedderOptions(**given)))
        return opened[-1]

    yield make
    for each in opened:
        await each.close()
        await each.close()


NAMES = ["openai:scripted", "azure:deployment", "bedrock:amazon.titan-embed-text-v2:0"]


@pytest.mark.parametrize("name", NAMES)
async def test_vectors_come_in_the_order_of_the_texts_with_unit_length(embedders: Any, name: str) -> None:
    embedder = embedders(name, batch=2)
    texts = ["annual leave", "notice period", "probation", "annual leave", "dismissal"]
    rows = await embedder.embed_passages(texts)
    assert (rows.shape, rows.dtype) == ((5, 64), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.allclose(rows, await HashEmbedder().embed_passages(texts))
    assert np.allclose(await embedder.embed_query("probation"), rows[2])


@pytest.mark.parametrize("name", NAMES)
async def test_no_texts_cost_no_request_and_an_empty_text_has_a_vector(
    server: ChatServer, embedders: Any, name: str
) -> None:
    embedder = embedders(name)
    assert (await embedder.embed_passages([])).shape == (0, 64)
    assert not server.requests
    assert (await embedder.embed_passages(["", "leave"])).shape == (2, 64)


@pytest.mark.parametrize("name", NAMES)
async def test_a_long_text_is_read_in_windows(server: ChatServer, embedders: Any, name: str) -> None:
    embedder = embedders(name, max_tokens=20)
    row = (await embedder.embed_passages(["leave " * 30 + "notice " * 30]))[0]
    counter = load_token_counter(embedder.tokenizer)
    sent = [text for request in server.requests for text in _texts(request.body)]
    assert len(sent) > 2
    assert all(counter(text) <= 20 for text in sent)
    assert np.isclose(np.linalg.norm(row), 1)


def _texts(body: dict[str, Any]) -> list[str]:
    given = body.get("inputText", body.get("input"))
    return [given] if isinstance(given, str) else list(given)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "fault", [Reply(status=429, retry_after=0), Reply(status=503), Reply(fault="disconnect")]
)
async def test_what_may_pass_is_tried_again(
    server: ChatServer, embedders: Any, name: str, fault: Reply
) -> None:
    server.fail_embedding(fault, fault)
    assert (await embedders(name).embed_query("leave")).shape == (64,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("reply", "named"),
    [(Reply(status=403), "key"), (Reply(status=404), "no_model"), (Reply(status=400), "rejected")],
)
async def test_what_will_not_pass_is_named_at_once(
    server: ChatServer, embedders: Any, name: str, reply: Reply, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="atril")
    server.fail_embedding(reply)
    options = {} if name.startswith("bedrock") else {"api_key": KEY}
    with pytest.raises(NoReply) as caught:
        await embedders(name, **options).embed_passages(["leave"])
    assert caught.value.fields["problem"] == named
    assert len(server.requests) == 1
    assert KEY not in f"{caught.value!r} {caught.value.fields} {caplog.text}"


async def test_a_server_that_stays_down_is_given_up(server: ChatServer, embedders: Any) -> None:
    server.fail_embedding(*[Reply(status=500)] * 5)
    with pytest.raises(NoReply, match="its server fails"):
        await embedders(attempts=3).embed_query("leave")
    assert len(server.requests) == 3


async def test_a_server_that_is_silent_is_given_up(server: ChatServer, embedders: Any) -> None:
    server.fail_embedding(*[Reply(delay=20)] * 2)
    with pytest.raises(NoReply, match=r"within 0\.2 s"):
        await embedders(attempts=2, timeout=0.2).embed_query("leave")


async def test_other_dimensions_than_configured_are_refused(embedders: Any) -> None:
    with pytest.raises(NoReply, match="64 dimensions and 32 are configured"):
        await embedders(dimensions=32).embed_query("leave")


async def test_a_key_goes_where_the_provider_looks_for_it(server: ChatServer, embedders: Any) -> None:
    await embedders("openai:scripted", api_key=KEY).embed_query("leave")
    await embedders("azure:mine", api_key=KEY, api_version="2024-10-21").embed_query("leave")
    await embedders("azure:mine", api_key=KEY, base_url=server.url).embed_query("leave")
    compatible, deployment, version_one = server.requests
    assert compatible.headers["authorization"] == f"Bearer {KEY}"
    assert deployment.path == "/openai/deployments/mine/embeddings?api-version=2024-10-21"
    assert version_one.path == "/v1/embeddings"
    assert deployment.headers["api-key"] == version_one.headers["api-key"] == KEY


async def test_fewer_dimensions_are_asked_of_models_that_can_shorten(
    server: ChatServer, embedders: Any
) -> None:
    await embedders("openai:text-embedding-3-small").embed_query("leave")
    await embedders("openai:other").embed_query("leave")
    assert [request.body.get("dimensions") for request in server.requests] == [64, None]


async def test_prefixes_are_sent_and_are_part_of_the_identity(server: ChatServer, embedders: Any) -> None:
    plain = embedders()
    prefixed = embedders(query_prefix="query: ", passage_prefix="passage: ")
    await prefixed.embed_query("leave")
    await prefixed.embed_passages(["leave"])
    assert [request.body["input"] for request in server.requests] == [["query: leave"], ["passage: leave"]]
    assert plain.id != prefixed.id


def test_the_usual_models_are_known_and_others_need_their_dimensions(
    caplog: pytest.LogCaptureFixture,
) -> None:
    small = load_embedder("openai:text-embedding-3-small")
    assert (small.dimensions, small.max_tokens) == (1536, 8191)
    assert "anchors of text-embedding-3-small are not measured" in caplog.text
    with pytest.raises(InvalidSetting, match=r"embedding\.dimensions"):
        load_embedder("openai:my-model")


def test_measured_anchors_are_taken_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    options = EmbedderOptions(anchors=AnchorOptions(unrelated=0.2, right=0.6))
    assert load_embedder("openai:text-embedding-3-small", options).anchors == Anchors(0.2, 0.6)
    assert not caplog.text


@pytest.mark.parametrize(
    ("name", "extra"), [("openai:a", "http"), ("bedrock:a", "bedrock"), ("fastembed:a", "fastembed")]
)
def test_an_embedder_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    def missing(*_: object) -> None:
        raise ImportError

    monkeypatch.setattr("atril.models.embedders.loading._encoder", missing)
    with pytest.raises(MissingExtra, match=rf"atril\[{extra}\]"):
        load_embedder(name)


@given(st.text(), st.integers(5, 60))
def test_windows_are_the_text_and_none_is_too_long(text: str, tokens: int) -> None:
    windows = cut_windows(text, tokens)
    assert "".join(windows).split() == text.split()
    assert all(estimate_tokens(each) <= tokens or len(each.split()) == 1 for each in windows)


def _fastembed_folder(folder: Path) -> Path:
    """A model of fastembed's in small: each word of the vocabulary has a vector, and their mean is the text's."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "leave", "notice", "days"]
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `fastembed` is not installed")
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
    table = np.random.default_rng(7).normal(size=(len(words), 384)).astype(np.float32)
    (folder / "model.onnx").write_bytes(_lookup_model(table))
    return folder


def _lookup_model(table: np.ndarray[Any, np.dtype[np.float32]]) -> bytes:
    """An ONNX model that looks up each token's vector. Field numbers: onnx.proto."""

    def value(name: str, kind: int, *sizes: int | str) -> bytes:
        shape = repeated(1, (field(1, s) if isinstance(s, int) else field(2, s) for s in sizes))
        return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))

    tensor = repeated(1, table.shape) + field(2, 1) + field(8, "table") + field(9, table.tobytes())
    node = field(1, "table") + field(1, "input_ids") + field(2, "last_hidden_state") + field(4, "Gather")
    graph = field(1, node) + field(2, "lookup") + field(5, tensor)
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        graph += field(11, value(name, 7, "texts", "tokens"))
    graph += field(12, value("last_hidden_state", 1, "texts", "tokens", table.shape[1]))
    return field(1, 8) + field(8, field(1, "") + field(2, 17)) + field(7, graph)


@pytest.mark.filterwarnings("ignore")
async def test_fastembed_runs_a_model_from_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("fastembed", reason="the extra `fastembed` is not installed")
    options = EmbedderOptions(path=_fastembed_folder(tmp_path))
    embedder = open_embedder("fastembed:sentence-transformers/all-MiniLM-L6-v2", options)
    assert (embedder.dimensions, embedder.max_tokens) == (384, 512)
    rows = await embedder.embed_passages(["leave days", "notice", "leave leave days days"])
    assert rows.shape == (3, 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    query = await embedder.embed_query("days leave")
    assert rows @ query == pytest.approx([1, float(rows[0] @ rows[1]), 1], abs=1e-5)
    await embedder.close()


@pytest.mark.filterwarnings("ignore")
async def test_a_model_that_fastembed_cannot_load_is_explained(tmp_path: Path) -> None:
    pytest.importorskip("fastembed", reason="the extra `fastembed` is not installed")
    options = EmbedderOptions(path=tmp_path / "nowhere", pause=0)
    embedder = open_embedder("fastembed:BAAI/bge-small-en-v1.5", options)
    with pytest.raises(NoReply, match="cannot be loaded"):
        await embedder.embed_query("leave")
    await embedder.close()
    with pytest.raises(InvalidSetting, match="no model that fastembed knows"):
        open_embedder("fastembed:nothing", EmbedderOptions())
