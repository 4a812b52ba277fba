"""BM25 as a dot product of two sparse vectors.

The weight of a term in a passage (Robertson and Spärck Jones, with the inverse document frequency of Lucene)

    idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average_length))

is split in two: everything but `idf` is the document's vector, written once, and `idf` times the number of
times the query says the word is the query's. The average length is a constant of this module and not that of
the library, so that a passage's vector depends on nothing but the passage and is never rewritten as the
library grows. Chunks are cut to a common size, so the constant is near the truth, and BM25 moves little
with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np

from atril.documents.analysis import QueryTerm, TermCounts, term_id
from atril.store.index.protocol import SparseVector

AVERAGE_LENGTH: Final = 110.0
"""Terms of a passage, stopwords left out, that count as neither long nor short."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """`k1` says how soon repetition stops counting, `b` (0 to 1) how much a long passage is held back."""

    k1: float = 1.2
    b: float = 0.75


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How many chunks a tenant's library holds, and in how many of them each term id occurs.

    A term that is missing from `frequencies` occurs in none.
    """

    chunks: int
    frequencies: Mapping[int, int] = field(default_factory=dict)

    def idf(self, term: int) -> float:
        """Rarity of a term, above 0: `ln(1 + (N - n + 0.5) / (n + 0.5))`."""
        frequency = self.frequencies.get(term, 0)
        return log(1.0 + (max(self.chunks - frequency, 0) + 0.5) / (frequency + 0.5))


def document_weights(counts: TermCounts, parameters: Bm25 = Bm25()) -> SparseVector:
    """The document's half of BM25, in the order of `counts.ids`."""
    frequencies = counts.counts.astype(np.float32)
    length = 1.0 - parameters.b + parameters.b * counts.length / AVERAGE_LENGTH
    weights = (
        frequencies * np.float32(parameters.k1 + 1.0) / (frequencies + np.float32(parameters.k1 * length))
    )
    return SparseVector(counts.ids, weights)


def query_weights(terms: Sequence[QueryTerm], statistics: TermStatistics) -> SparseVector:
    """The query's half of BM25, with ascending ids; a term that no chunk holds is left out.

    Each alternative of a word has a weight of its own and a dot product adds them up. A passage is analysed
    in one language and so holds one alternative, which counts the word once; only where a passage holds the
    word beside the very letters of its other stem does it count twice.
    """
    weights: dict[int, float] = {}
    for term in terms:
        for number in {term_id(alternative) for alternative in term.terms}:
            if statistics.frequencies.get(number, 0) > 0:
                weights[number] = weights.get(number, 0.0) + statistics.idf(number)
    ids = sorted(weights)
    return SparseVector(
        np.array(ids, dtype=np.uint32), np.array([weights[number] for number in ids], dtype=np.float32)
    )
