"""Measuring how well a library finds and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import get_args

from atril.errors import NotFound
from atril.evaluation.answers import AnswerEvaluation, evaluate_answers
from atril.evaluation.datasets import Relevant, load_questions
from atril.evaluation.growth import Size, measure_growth
from atril.evaluation.misses import Held, MissedPlace, explain_misses
from atril.evaluation.runner import Evaluation, Search, evaluate
from atril.ingest.recovery import restore
from atril.library.asking import Asking
from atril.library.reading import Reading
from atril.library.searching import Searching
from atril.retrieval.hits import to_hit
from atril.retrieval.live import ScoredChunk
from atril.types import Answer, Document, SearchMode, SearchResult


class Evaluating(Asking, Searching, Reading):
    """Scores searches and answers on questions whose places are known."""

    async def evaluate(
        self, questions: str | PathLike[str], *, mode: SearchMode = "hybrid", ks: Sequence[int] = (1, 5, 10)
    ) -> Evaluation:
        """Scores retrieval on a file of questions; see `atril.evaluation`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        return await evaluate(asked, self._searching(mode), ks=ks)

    async def evaluate_answers(
        self, questions: str | PathLike[str], *, pipeline: str = "unified"
    ) -> AnswerEvaluation:
        """Answers a file of questions and scores the answers; see `atril.evaluation.answers`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))

        async def ask(query: str) -> Answer:
            return await self.ask(query, pipeline=pipeline)

        return await evaluate_answers(asked, ask)

    async def explain_misses(
        self, questions: str | PathLike[str], evaluation: Evaluation
    ) -> tuple[MissedPlace, ...]:
        """Why an evaluation of these questions missed places; see `atril.evaluation.misses`."""
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        lists = {mode: self._searching(mode) for mode in get_args(SearchMode)}
        return await explain_misses(asked, evaluation, lists, self._holds)

    async def growth(
        self, questions: str | PathLike[str], *, mode: SearchMode = "hybrid"
    ) -> tuple[Size, ...]:
        """What searches cost with an eighth, a quarter, half and all of the documents in an index.

        A second index is filled from the records beside the one in use and deleted afterwards; nothing can
        be added meanwhile.
        """
        self._home.check_current()
        home, records = self._home, self._home.stores.records
        asked = await asyncio.to_thread(load_questions, Path(fspath(questions)))
        async with home.writing:
            fresh = await home.new_index()
            try:
                searcher = home.searching(fresh)

                async def fill(documents: Sequence[Document]) -> None:
                    await restore(records, fresh, home.embedding, self._scope, documents)
                    await fresh.compact()

                async def search(query: str, top_k: int) -> SearchResult:
                    return await searcher.search(self._scope, query, mode=mode, top_k=top_k)

                return await measure_growth(asked, await self.documents(), fill, search)
            finally:
                await home.discard(fresh)

    def _searching(self, mode: SearchMode) -> Search:
        async def run(query: str, top_k: int) -> SearchResult:
            return await self.search(query, mode=mode, top_k=top_k)

        return run

    async def _holds(self, relevant: Relevant) -> Held:
        records = self._home.stores.records
        try:
            if relevant.chunk_id is not None:
                stored = [await records.chunk(self._scope, relevant.chunk_id)]
            else:
                document = await records.find(self._scope, relevant.source_file or "")
                stored = await records.chunks(self._scope, document.id, 1, max(document.chunks, 1))
        except NotFound:
            return "no_document"
        hits = (to_hit(ScoredChunk(each, 0.0), {}) for each in stored)
        return "yes" if any(map(relevant.matches, hits)) else "no_place"
