"""What a chunk is about in a few of its own words: keywords and one sentence, without any model.

Deterministic, and cheap enough for every chunk of a library.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from math import log, sqrt
from typing import Final

from atril.documents.analysis import Term, analyze, distinct_terms
from atril.documents.sentences import sentences
from atril.types import Chunk

MAX_KEYWORDS: Final = 8
MAX_DESCRIPTION: Final = 200
"""Characters."""

_SHORTEST_KEYWORD: Final = 3
_SHORTEST_SENTENCE: Final = 30
_SHORTEST_CLAUSE: Final = 80
_BEGINNING: Final = 6_000
_IN_TITLE: Final = 2.0
_CLAUSE_END = re.compile(r"[,;:)](?=\s)")


def enrich(chunks: Sequence[Chunk], *, title: str, language: str) -> list[Chunk]:
    """The chunks of one document with `keywords` and `description`.

    Keywords are at most eight words as the chunk writes them, best first: frequent in the chunk, rare in the
    document's other chunks, and twice as good when the section's title has them. The description is the
    sentence of the chunk that holds most of its frequent words, at most 200 characters of it.
    """
    spread = Counter(term for chunk in chunks for term in distinct_terms(chunk.content, language))
    title_terms: dict[str, AbstractSet[str]] = {}
    rarity = {term: log(1 + len(chunks) / times) for term, times in spread.items()}
    enriched = []
    for chunk in chunks:
        found = analyze(chunk.content, language)
        heading = chunk.section_title or title
        if heading not in title_terms:
            title_terms[heading] = distinct_terms(heading, language)
        frequencies = Counter(term.text for term in found)
        in_title = title_terms[heading]
        weights = {
            term: (1 + log(times)) * rarity[term] * (_IN_TITLE if term in in_title else 1.0)
            for term, times in frequencies.items()
            if len(term) >= _SHORTEST_KEYWORD and not term[0].isdigit()
        }
        enriched.append(
            replace(
                chunk,
                keywords=_keywords(chunk.content, found, weights),
                description=_central_sentence(chunk.content, language, found, frequencies, in_title),
            )
        )
    return enriched


def describe(text: str, language: str) -> str:
    """The sentence that says best what the first pages of a document are about; empty for an empty text."""
    beginning = text[:_BEGINNING]
    terms = analyze(beginning, language)
    return _central_sentence(beginning, language, terms, Counter(term.text for term in terms), frozenset())


def _keywords(text: str, terms: Sequence[Term], weights: Mapping[str, float]) -> tuple[str, ...]:
    best = sorted(weights, key=lambda term: -weights[term])[:MAX_KEYWORDS]
    forms: dict[str, Counter[str]] = {term: Counter() for term in best}
    for term, start, end in terms:
        if term in forms:
            forms[term][text[start:end]] += 1
    return tuple(dict.fromkeys(_readable(forms[term]) for term in best))


def _readable(forms: Counter[str]) -> str:
    """The most frequent form; in lower case if the text ever writes it so."""
    form = forms.most_common(1)[0][0]
    return form.lower() if form.lower() in forms else form


def _central_sentence(
    text: str,
    language: str,
    terms: Sequence[Term],
    frequencies: Mapping[str, int],
    title: AbstractSet[str],
) -> str:
    """Prose before table rows before headings, of fitting length if there is one; then the most central."""
    starts = [term.start for term in terms]
    telling = {term: times * (_IN_TITLE if term in title else 1.0) for term, times in frequencies.items()}
    best, chosen = (-1, -1.0), ""
    for start, end in sentences(text, language):
        inside = {term.text for term in terms[bisect_left(starts, start) : bisect_left(starts, end)]}
        centrality = sum(map(telling.__getitem__, inside)) / sqrt(len(inside) + 1)
        rank = _suitability(text, start, end), centrality
        if rank > best:
            best, chosen = rank, text[start:end]
    return _shortened(" ".join(chosen.strip("|*_ \t").split()))


def _suitability(text: str, start: int, end: int) -> int:
    line = text.rfind("\n", 0, start) + 1
    mark = text[line:end].lstrip()[:1]
    if mark == "#":
        return 0
    if mark in "|`~":
        return 1
    announces = text[end - 1] == ":"
    return 3 if _SHORTEST_SENTENCE <= end - start <= MAX_DESCRIPTION and not announces else 2


def _shortened(sentence: str) -> str:
    """What fits of a long sentence, up to the end of a clause or at least of a word."""
    if len(sentence) <= MAX_DESCRIPTION:
        return sentence
    clauses = [match.end() for match in _CLAUSE_END.finditer(sentence, _SHORTEST_CLAUSE, MAX_DESCRIPTION)]
    if clauses:
        return sentence[: clauses[-1]].rstrip(",;:")
    blank = sentence.rfind(" ", 0, MAX_DESCRIPTION + 1)
    return sentence[: blank if blank > 0 else MAX_DESCRIPTION].rstrip()
