"""Text to tokens of XLM-RoBERTa's unigram vocabulary.

Text is composed (NFC), its characters are replaced by the model's own map, runs of spaces become one, and
each word starts with the mark U+2581. No piece holds that mark anywhere but in front, so the tokens of two
texts joined by white space are the tokens of one followed by those of the other: counts add up.

Two choices differ from other tokenizers of this model. Every unknown character is a token of its own, so
that a count does not depend on its neighbours. `<s>`, `</s>`, `<pad>` and `<mask>` inside a text are plain
characters: a document cannot forge the model's special tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from atril.models.bundled.protobuf import field
from atril.models.bundled.weights import Pieces, open_weights

if TYPE_CHECKING:
    from atril.models.embeddings import TokenCounter

QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "
SPECIALS = 2
"""Tokens around every text: its begin and its end."""

_WORD_MARK = "▁"
_SPACES = re.compile(" +")
_OUR_UNKNOWN = 0
_UNIGRAM = 1
_NORMAL, _UNKNOWN, _UNUSED = 1, 2, 5


class Tokenizer:
    """Safe to use from several threads."""

    def __init__(self, pieces: Pieces) -> None:
        from sentencepiece import SentencePieceProcessor

        self._pieces = pieces
        self._processor = SentencePieceProcessor(model_proto=_model(pieces))
        self.characters: Mapping[int, str] = {**pieces.characters, 0: ""}
        """What each code point is replaced by; NUL by nothing."""

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens, without the special ones."""
        marked = self._marked(text)
        if not marked:
            return []
        numbers: list[int] = self._processor.encode(marked)
        if self._pieces.unknown in numbers:
            return self._unfused(marked, numbers)
        return numbers

    def count(self, text: str) -> int:
        """How many tokens `encode` gives."""
        return len(self.encode(text))

    def _marked(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", _valid(text)).translate(self.characters)
        words = _SPACES.sub(_WORD_MARK, plain.strip(" "))
        return _WORD_MARK + words if words else ""

    def _unfused(self, marked: str, numbers: list[int]) -> list[int]:
        """sentencepiece joins neighbouring unknowns; the text of the joint piece tells how many they were."""
        unknown = self._pieces.unknown
        texts: list[str] = self._processor.encode(marked, out_type=str)
        out: list[int] = []
        for number, text in zip(numbers, texts, strict=True):
            out += [unknown] * len(text) if number == unknown else [number]
        return out


def _valid(text: str) -> str:
    """Half of a surrogate pair is no character; it becomes a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _model(pieces: Pieces) -> bytes:
    """A sentencepiece `ModelProto` that only cuts: normalisation has been done before.

    Source: sentencepiece_model.proto. The quarter of a million pieces are laid out with array operations,
    because a loop over them would take longer than everything else about loading.
    """
    trainer = field(3, _UNIGRAM) + field(40, pieces.unknown) + field(41, pieces.begin) + field(42, pieces.end)
    normalizer = field(1, "identity") + field(3, 0) + field(4, 0) + field(5, 0)
    return _piece_messages(pieces) + field(2, trainer) + field(3, normalizer)


def _piece_messages(pieces: Pieces) -> bytes:
    """Each piece: tag, length, then text (field 1), score (field 2) and type (field 3)."""
    count = len(pieces.scores)
    lengths = np.diff(pieces.offsets).astype(np.int64)
    kinds = np.full(count, _NORMAL, dtype=np.uint8)
    kinds[[pieces.begin, pieces.end, pieces.padding, count - 1]] = _UNUSED
    kinds[pieces.unknown] = _UNKNOWN
    if lengths.max() > 100:
        raise ValueError("a piece is too long for lengths of one byte")
    starts = np.concatenate(([0], np.cumsum(lengths + 11)))
    out: npt.NDArray[np.uint8] = np.zeros(starts[-1], dtype=np.uint8)
    heads, ends = starts[:-1], starts[1:]
    out[heads], out[heads + 1] = 0x0A, lengths + 9
    out[heads + 2], out[heads + 3] = 0x0A, lengths
    text_at = np.repeat(heads + 4 - pieces.offsets[:-1], lengths) + np.arange(len(pieces.text))
    out[text_at] = pieces.text
    out[ends - 7] = 0x15
    out[(ends - 6)[:, None] + np.arange(4)] = pieces.scores.view(np.uint8).reshape(-1, 4)
    out[ends - 2], out[ends - 1] = 0x18, kinds
    return out.tobytes()


@lru_cache(maxsize=1)
def load_tokenizer() -> Tokenizer:
    """The tokenizer, built once per process. Raises `ModelUnavailable`."""
    return Tokenizer(open_weights().pieces)


def token_counter() -> TokenCounter:
    """Counts the tokens a passage's text takes of `max_tokens`, prefix and specials not included."""
    return load_tokenizer().count
