"""When the pages of a document are good enough: the anchors of the gate of the document-first pipeline, and its curve.

    python benchmarks/gate.py --home NEW [--data ../shared/data/retrieval] [--sets squad_es_v11_small xquad_en xquad_ru]

The paragraphs of each Wikipedia article of a public question set become one document, a section each, in a
collection of its own in the new home. Each question is asked of its own document, of one drawn at random, and of
the one among the others that the ranking of documents puts first. Printed is, for each set, the median of the
gate's statistic (the mean calibrated similarity of up to five pages) and, over all sets with the anchors as they
are, the share of documents that reach each score. No figure of retrieval or answering is measured on
`squad_es_v11_small`, which the anchors are taken from; the other sets are there to be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from pathlib import Path
from statistics import fmean, median
from typing import Any

import atril
from atril.answering.document_first_pages import GATED, PageGate, PageSearch
from atril.answering.document_first_ranking import DocumentRanking
from atril.documents.analysis import term_id
from atril.retrieval.search_filters import SearchFilters
from atril.types import Document, Scope
from measuring import table

_ASKED = 200
_KINDS = ("own", "at random", "ranked next")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def articles(folder: Path) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Paragraphs by the article they stand in, and questions with the article that answers them."""
    paragraphs: dict[str, list[str]] = defaultdict(list)
    title_of = {}
    for row in rows(folder / "corpus.jsonl"):
        title = " ".join(row["title"].split()).strip(".")
        paragraphs[title].append(" ".join(row["text"].split()))
        title_of[row["_id"]] = title
    judged = [line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines()[1:]]
    answered_by = {query: title_of[passage] for query, passage in judged}
    asked = [
        (row["text"], answered_by[row["_id"]])
        for row in rows(folder / "queries.jsonl")
        if row["_id"] in answered_by
    ]
    random.Random(5).shuffle(asked)
    return paragraphs, asked[:_ASKED]


def markdown(title: str, paragraphs: list[str]) -> str:
    sections = [f"## {number}\n\n{paragraph}" for number, paragraph in enumerate(paragraphs, start=1)]
    return f"# {title}\n\n" + "\n\n".join(sections)


class Asking:
    """Asks single documents of a home."""

    def __init__(self, library: atril.Library) -> None:
        home = library._home
        self._searcher = home.searcher
        self._records = home.stores.records
        self._ranking = DocumentRanking(home.stores.records, home.stores.index)
        self._pages = PageSearch(home.stores.records, home.stores.index, home._embedder)

    async def scores(self, question: str, collection: str, title: str) -> dict[str, float]:
        """The gate's statistic for each kind of document."""
        scope = Scope()
        documents = [each for each in await self._records.documents(scope) if each.collection == collection]
        asked = await self._searcher.retrieve(
            scope, question, filters=SearchFilters(collections=(collection,)), top_k=10
        )
        ranked = [each for each, _ in await self._ranking.rank(scope, asked, documents)]
        own = next(each for each in documents if each.title == title)
        foreign = [each for each in ranked if each.id != own.id]
        drawn = random.Random(question).choice(foreign)
        terms = [term_id(term) for word in asked.lexical.words for term in word.terms]
        statistics = await self._records.statistics_within(scope, documents, terms)

        async def score(document: Document) -> float:
            found = await self._pages.search(scope, document, asked, statistics[document.id], GATED)
            return fmean(page.similarity for page in found.pages) if found.pages else 0.0

        return dict(zip(_KINDS, [await score(each) for each in (own, drawn, foreign[0])], strict=True))


async def main(options: argparse.Namespace) -> None:
    reached: dict[str, list[dict[str, float]]] = {}
    async with atril.open(options.home) as library:
        for name in options.sets:
            paragraphs, asked = articles(options.data / name)
            texts = [
                {"name": f"{name} {number}", "title": title, "text": markdown(title, held)}
                for number, (title, held) in enumerate(paragraphs.items(), start=1)
            ]
            await library.add_texts(texts, collection=name)
            asking = Asking(library)
            reached[name] = [await asking.scores(question, name, title) for question, title in asked]
    medians = [
        (name, len(scores), *(f"{median(each[kind] for each in scores):.3f}" for kind in _KINDS))
        for name, scores in reached.items()
    ]
    print(table(("set", "questions", *(f"{kind}" for kind in _KINDS)), medians))
    gate = PageGate()
    print(f"\nanchors {gate.unrelated} · {gate.right}\n")
    curve = []
    for threshold in (0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9):
        shares = [
            f"{fmean(gate.score([each[kind]]) >= threshold for each in scores):.3f}"
            for scores in reached.values()
            for kind in _KINDS
        ]
        curve.append((threshold, *shares))
    header = [f"{name}, {kind}" for name in reached for kind in _KINDS]
    print(table(("score", *header), curve))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", required=True, type=Path)
    parser.add_argument("--data", default=Path("../shared/data/retrieval"), type=Path)
    parser.add_argument("--sets", nargs="+", default=["squad_es_v11_small", "xquad_en", "xquad_ru"])
    asyncio.run(main(parser.parse_args()))
