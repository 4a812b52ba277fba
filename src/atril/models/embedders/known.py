"""What is known of embedding models by their names.

Dimensions and tokens are those that the providers publish. Anchors could not be measured here without their
keys: they are typical cosines of each family, on the careful side, and a warning says so until
`benchmarks/anchors.py` has measured them and the settings hold what it printed.
"""

from __future__ import annotations

import logging
from typing import Final

from atril.errors import InvalidSetting
from atril.models.embedders.encoder import Facts
from atril.models.embedders.options import EmbedderOptions
from atril.models.embeddings import Anchors

_log = logging.getLogger(__name__)

_UNKNOWN: Final = Anchors(unrelated=0.50, right=0.85)
_UNKNOWN_TOKENS: Final = 512

_FACTS: Final = {
    "text-embedding-3-small": Facts(1536, 8191, Anchors(unrelated=0.15, right=0.60)),
    "text-embedding-3-large": Facts(3072, 8191, Anchors(unrelated=0.15, right=0.60)),
    "text-embedding-ada-002": Facts(1536, 8191, Anchors(unrelated=0.72, right=0.88)),
    "amazon.titan-embed-text-v2:0": Facts(1024, 8192, Anchors(unrelated=0.10, right=0.55)),
    "amazon.titan-embed-text-v1": Facts(1536, 8192, Anchors(unrelated=0.15, right=0.65)),
}


def facts_of(name: str, options: EmbedderOptions, found: int | None = None) -> Facts:
    """The facts of the model `name` (without its provider), the settings first. `found` are the dimensions
    that the library which runs it tells.

    Raises `InvalidSetting` when nobody tells the dimensions.
    """
    known = _FACTS.get(name)
    dimensions = options.dimensions or found or (known.dimensions if known else None)
    if dimensions is None:
        raise InvalidSetting(name="embedding.dimensions", value=name, problem="dimensions")
    tokens = options.max_tokens or (known.max_tokens if known else _UNKNOWN_TOKENS)
    return Facts(dimensions, tokens, _anchors(name, options, known))


def _anchors(name: str, options: EmbedderOptions, known: Facts | None) -> Anchors:
    if options.anchors is not None:
        return Anchors(unrelated=options.anchors.unrelated, right=options.anchors.right)
    _log.warning(
        "The anchors of %s are not measured and scores may be off: set embedding.anchors (docs/models.md)",
        name,
    )
    return known.anchors if known else _UNKNOWN
