"""A library of any size that looks like legislation, and an embedder that costs nothing.

Words follow Zipf's law over 60,000 words: the commonest fifty are the function words of Spanish, as in any
real text, the others are invented. Every article has about 900 characters, so that it becomes one chunk. Vectors of 384 dimensions lie in clusters, one per topic of the text, as those of
a real model do.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from atril.models.embeddings import Anchors, Vectors

WORDS = 60_000
TOPICS = 400
ARTICLE_CHARACTERS = 900
ARTICLES_PER_LAW = 50
_FUNCTION_WORDS = """de la que el en y a los del se las por un para con no una su al es lo como más o pero sus le
    ha este si porque esta entre cuando muy sin sobre también hasta hay donde quien desde todo nos durante todos
    uno ni contra otros""".split()
_STARTS = [
    "con",
    "tra",
    "pre",
    "des",
    "re",
    "in",
    "sub",
    "co",
    "per",
    "ex",
    "ar",
    "li",
    "mo",
    "su",
    "te",
    "va",
]
_MIDDLES = ["ta", "ri", "ma", "le", "so", "ci", "do", "ne", "ga", "bu", "li", "ro", "pa", "te"]
_ENDS = [
    "ción",
    "miento",
    "dad",
    "ar",
    "ado",
    "ante",
    "al",
    "ivo",
    "ura",
    "ez",
    "os",
    "as",
    "es",
    "o",
    "a",
    "e",
]


class Statutes:
    """Texts drawn with a seed: the same ones on every machine."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = self._vocabulary()
        ranks = np.arange(1, WORDS + 1)
        self._weights = np.cumsum(1.0 / ranks)
        self._weights /= self._weights[-1]

    def laws(self, chunks: int, prefix: str = "law") -> Iterator[dict[str, object]]:
        """Rows for `Library.add_texts` that make about `chunks` chunks."""
        for number in range(chunks // ARTICLES_PER_LAW):
            articles = [self._article(index) for index in range(1, ARTICLES_PER_LAW + 1)]
            title = f"Ley {number + 1}/{1980 + number % 45}"
            yield {"name": f"{prefix}-{number:06}", "title": title, "text": "\n\n".join(articles)}

    def queries(self, count: int) -> list[str]:
        """Questions of six to twelve words, about half of them function words, each beginning with a topic."""
        return [
            f"tema{self._random.randrange(TOPICS)} " + " ".join(self._draw(self._random.randint(6, 12)))
            for _ in range(count)
        ]

    def _article(self, number: int) -> str:
        words = [f"tema{self._random.randrange(TOPICS)}"]
        while sum(map(len, words)) + len(words) < ARTICLE_CHARACTERS:
            words += [*self._draw(12)[:-1], self._draw(1)[0] + "."]
        return f"##### Artículo {number}. {words[1].capitalize()}.\n\n{' '.join(words)}"

    def _draw(self, count: int) -> list[str]:
        draws = np.array([self._random.random() for _ in range(count)])
        return [self._words[place] for place in np.searchsorted(self._weights, draws)]

    def _vocabulary(self) -> list[str]:
        words: dict[str, None] = dict.fromkeys(_FUNCTION_WORDS)
        while len(words) < WORDS:
            middles = "".join(self._random.choice(_MIDDLES) for _ in range(self._random.randint(1, 4)))
            words[self._random.choice(_STARTS) + middles + self._random.choice(_ENDS)] = None
        return list(words)


class ClusteredEmbedder:
    """Puts a text near the centre of the topic it names, a little off by its own content."""

    dimensions = 384
    max_tokens = 512
    id = "clustered-384"
    anchors = Anchors(unrelated=0.1, right=0.8)
    tokenizer = "atril.testing.embedders:count_words"

    def __init__(self) -> None:
        generator = np.random.default_rng(1)
        self._centres = generator.standard_normal((TOPICS, self.dimensions)).astype(np.float32)
        self._noise = generator.standard_normal((4096, self.dimensions)).astype(np.float32) * 0.7

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vectors:
        return self._vector(text)

    async def close(self) -> None:
        """Nothing to free."""

    def _vector(self, text: str) -> Vectors:
        topic = re.search(r"tema(\d+)", text)
        own = zlib.crc32(text.encode())
        vector = self._centres[int(topic[1]) if topic else own % TOPICS] + self._noise[own % 4096]
        return vector / np.float32(np.linalg.norm(vector))
