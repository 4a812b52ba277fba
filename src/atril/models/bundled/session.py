"""onnxruntime: the only module that imports it."""

from __future__ import annotations

from importlib.util import find_spec

from atril.errors import ModelUnavailable
from atril.models.bundled.networks import INPUT
from atril.models.bundled.reference import Embeddings
from atril.models.bundled.weights import MODEL, Floats, WeightsFile


class RuntimeUnavailable(ModelUnavailable):
    """onnxruntime is installed and does not work. Fields: `model`, `detail`."""

    key = "models.runtime"


def available() -> bool:
    """Whether onnxruntime is installed; it is not imported, which takes a while."""
    return find_spec("onnxruntime") is not None


class OnnxNetwork:
    """Runs one window of tokens on one core. Several threads may call `run` at once: it frees the GIL."""

    def __init__(self, weights: WeightsFile, model: bytes) -> None:
        """Raises `RuntimeUnavailable` when onnxruntime is broken or lacks an operator."""
        self._embeddings = Embeddings(weights)
        try:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            # Above the basic level additions are fused into normalisations, at a quarter of the speed.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except (ImportError, RuntimeError) as error:
            raise RuntimeUnavailable(model=MODEL, detail=f"onnxruntime: {error}") from error

    def run(self, tokens: list[int]) -> Floats:
        """The mean of the last layer over the tokens, shape (hidden,), not normalised."""
        mean: Floats = self._session.run(None, {INPUT: self._embeddings(tokens)[None]})[0][0]
        return mean
