"""The same work for Atril and for what people would otherwise put together, in one run.

    pip install llama-index-core llama-index-retrievers-bm25 haystack-ai bm25s
    python benchmarks/peers.py [--chunks 10000] [--queries 200] [--set FOLDER]

Without `--set`: law-like chunks of about 900 characters, the same texts, vectors and questions for all, no
time for embedding; each system in a process of its own. Prints the time to index, to search (hybrid, ten
results; bm25s is lexical only) and the growth of resident memory.

With `--set FOLDER` (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv` as in BEIR) the bundled embedder computes
the vectors, once, and nDCG@10 and MRR@10 stand beside the times. Peers run with their documented settings:
LlamaIndex QueryFusionRetriever (reciprocal rank), Haystack DocumentJoiner (reciprocal rank fusion), 50
candidates a side.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

import numpy as np

from atril.models.embeddings import Vectors
from measuring import percentile, resident_megabytes, table
from synthetic import ClusteredEmbedder, Statutes

SYSTEMS = ("atril", "llamaindex", "haystack", "bm25s")
CANDIDATES = 50
Ranked = list[str]
Search = Callable[[str, Vectors], Ranked]


class Given:
    """An embedder that knows the vectors of this run by their text."""

    max_tokens = 100_000
    tokenizer = "atril.testing.embedders:count_words"
    id = "given"

    def __init__(self, work: dict[str, Any]) -> None:
        from atril.models.embeddings import Anchors

        self.anchors = Anchors(0.1, 0.8)
        self.dimensions = len(work["vectors"][0])
        self._queries = dict(zip(work["queries"], work["query_vectors"], strict=True))
        self._texts = {
            text.split()[-1]: vector for text, vector in zip(work["texts"], work["vectors"], strict=True)
        }

    async def embed_passages(self, texts: list[str]) -> Vectors:
        return np.stack([self._texts[text.split()[-1]] for text in texts]).astype(np.float32)

    async def embed_query(self, text: str) -> Vectors:
        return self._queries[text]

    async def close(self) -> None:
        """Nothing to free."""


def prepare(arguments: argparse.Namespace) -> dict[str, Any]:
    """Texts end in a word of their own, by which `Given` finds their vector again."""
    embedder: Any
    if arguments.set:
        from atril.models.bundled import BundledEmbedder

        embedder, language = BundledEmbedder(), arguments.language
        rows = [json.loads(line) for line in (arguments.set / "corpus.jsonl").open(encoding="utf-8")]
        ids = [row["_id"] for row in rows]
        texts = [f"{row.get('title') or ''}\n{row['text']}".strip() for row in rows]
        asked = [json.loads(line) for line in (arguments.set / "queries.jsonl").open(encoding="utf-8")]
        asked = asked[: arguments.queries]
        queries, query_ids = [row["text"] for row in asked], [row["_id"] for row in asked]
        relevant: dict[str, list[str]] = defaultdict(list)
        for line in (arguments.set / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            query, document, grade = line.split("\t")[:3]
            if int(grade) > 0:
                relevant[query].append(document)
        gold = [relevant[query] for query in query_ids]
    else:
        embedder, language, statutes = ClusteredEmbedder(), "es", Statutes()
        texts = [
            article
            for law in islice(statutes.laws(arguments.chunks), arguments.chunks)
            for article in str(law["text"]).split("\n\n")[1::2]
        ][: arguments.chunks]
        ids, queries = [str(number) for number in range(len(texts))], statutes.queries(arguments.queries)
        gold = []
    vectors = asyncio.run(embedder.embed_passages(texts))
    query_vectors = [asyncio.run(embedder.embed_query(query)) for query in queries]
    texts = [f"{text} zz{number}zz" for number, text in enumerate(texts)]
    return {
        "ids": ids, "texts": texts, "vectors": [np.asarray(row) for row in vectors], "queries": queries,
        "query_vectors": query_vectors, "gold": gold, "language": language,
    }  # fmt: skip


def run_atril(work: dict[str, Any], folder: Path) -> tuple[Search, Callable[[], None]]:
    import atril

    opening = atril.open_sync(folder / "home", embedder=Given(work))
    library = opening.__enter__()
    rows = [{"name": name, "text": text} for name, text in zip(work["ids"], work["texts"], strict=True)]
    library.add_texts(rows)

    def search(query: str, vector: Vectors) -> Ranked:
        return [hit.source_file for hit in library.search(query, top_k=10).results]

    return search, lambda: opening.__exit__(None, None, None)


def run_llamaindex(work: dict[str, Any], folder: Path) -> tuple[Search, Callable[[], None]]:
    import Stemmer
    from llama_index.core import Settings, VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms.mock import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    queries = dict(zip(work["queries"], work["query_vectors"], strict=True))

    class Known(BaseEmbedding):  # type: ignore[misc]
        def _get_query_embedding(self, query: str) -> list[float]:
            return list(map(float, queries[query]))

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            raise AssertionError("every text of this run comes with its vector")

    Settings.llm, Settings.embed_model = MockLLM(), Known()
    nodes = [
        TextNode(id_=name, text=text, embedding=list(map(float, vector)))
        for name, text, vector in zip(work["ids"], work["texts"], work["vectors"], strict=True)
    ]
    dense = VectorStoreIndex(nodes).as_retriever(similarity_top_k=CANDIDATES)
    names = {"es": "spanish", "ru": "russian", "en": "english"}
    name = names[work["language"]]
    words = BM25Retriever.from_defaults(
        nodes=nodes, similarity_top_k=CANDIDATES, stemmer=Stemmer.Stemmer(name), language=work["language"]
    )
    fused = QueryFusionRetriever(
        [dense, words], similarity_top_k=10, num_queries=1, mode="reciprocal_rerank", use_async=False
    )
    return lambda query, vector: [found.node.node_id for found in fused.retrieve(query)], lambda: None


def run_haystack(work: dict[str, Any], folder: Path) -> tuple[Search, Callable[[], None]]:
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(id=name, content=text, embedding=list(map(float, vector)))
            for name, text, vector in zip(work["ids"], work["texts"], work["vectors"], strict=True)
        ]
    )
    words = InMemoryBM25Retriever(store, top_k=CANDIDATES)
    dense = InMemoryEmbeddingRetriever(store, top_k=CANDIDATES)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=10)

    def search(query: str, vector: Vectors) -> Ranked:
        lists = [
            words.run(query=query)["documents"],
            dense.run(query_embedding=list(map(float, vector)))["documents"],
        ]
        return [document.id for document in joiner.run(documents=lists)["documents"]]

    return search, lambda: None


def run_bm25s(work: dict[str, Any], folder: Path) -> tuple[Search, Callable[[], None]]:
    import bm25s
    import Stemmer

    names = {"es": "spanish", "ru": "russian", "en": "english"}
    stemmer = Stemmer.Stemmer(names[work["language"]])
    options = {"stemmer": stemmer, "stopwords": work["language"], "show_progress": False}
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize(work["texts"], **options), show_progress=False)

    def search(query: str, vector: Vectors) -> Ranked:
        tokens = bm25s.tokenize([query], **options)
        found, scores = engine.retrieve(tokens, k=10, show_progress=False)
        return [work["ids"][place] for place, score in zip(found[0], scores[0], strict=True) if score > 0]

    return search, lambda: None


def child(system: str, path: Path) -> None:
    work = pickle.loads(path.read_bytes())  # written by the parent of this very run
    before = resident_megabytes()
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        search, close = globals()[f"run_{system}"](work, Path(folder))
        indexing = perf_counter() - start
        search(work["queries"][0], work["query_vectors"][0])
        milliseconds, ndcg, mrr = [], [], []
        for place, (query, vector) in enumerate(zip(work["queries"], work["query_vectors"], strict=True)):
            start = perf_counter()
            ranked = search(query, vector)
            milliseconds.append((perf_counter() - start) * 1000)
            if work["gold"]:
                gold = set(work["gold"][place])
                ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(gold))))
                ndcg.append(
                    sum(1 / math.log2(rank + 2) for rank, name in enumerate(ranked) if name in gold) / ideal
                )
                mrr.append(next((1 / (rank + 1) for rank, name in enumerate(ranked) if name in gold), 0.0))
        figures = {
            "indexing": indexing, "p50": median(milliseconds), "p99": percentile(milliseconds, 0.99),
            "memory": resident_megabytes() - before, "ndcg": mean(ndcg) if ndcg else None,
            "mrr": mean(mrr) if mrr else None,
        }  # fmt: skip
        close()
    sys.stdout.write("\nFIGURES " + json.dumps(figures) + "\n")


def main(arguments: argparse.Namespace) -> None:
    work = prepare(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "work"
        path.write_bytes(pickle.dumps(work))
        for system in SYSTEMS:
            process = subprocess.run(
                [sys.executable, __file__, "--child", system, str(path)], capture_output=True, text=True
            )
            line = next((row for row in process.stdout.splitlines() if row.startswith("FIGURES ")), None)
            if line is None:
                rows.append((system, "failed: " + process.stderr.strip().splitlines()[-1]))
                continue
            figures = json.loads(line.removeprefix("FIGURES "))
            quality = [f"{figures[key]:.3f}" if figures[key] is not None else "-" for key in ("ndcg", "mrr")]
            times = [f"{figures[key]:.2f}" for key in ("indexing", "p50", "p99")]
            rows.append((system, *times, f"{figures['memory']:.0f}", *quality))
    print(f"{len(work['texts'])} texts, {len(work['queries'])} queries")
    print(table(("system", "index s", "p50 ms", "p99 ms", "RSS growth MB", "nDCG@10", "MRR@10"), rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]))
        raise SystemExit
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", default=10_000, type=int)
    parser.add_argument("--queries", default=200, type=int)
    parser.add_argument("--set", type=Path)
    parser.add_argument("--language", default="es")
    main(parser.parse_args())
