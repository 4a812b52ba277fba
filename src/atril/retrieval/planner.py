"""From a question as people ask it to the few words that are worth searching for.

A plan holds one to four queries of three to six keywords each. What greets, thanks or introduces falls away,
and so do citations ("artículo 48"), which are looked up and not searched for. A question about several things
("¿qué diferencia hay entre A y B?", "¿cuánto dura A y cuándo se paga B?", two questions in one message) gets
one query for each, and a part that says only what differs takes the beginning of the part before it along:
"despido objetivo y disciplinario" is about "despido objetivo" and "despido disciplinario". Where a glossary
knows other words for what was asked, the query has both.

Nothing here looks at a library: the same question always gives the same plan.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeAlias

from atril.documents.analysis import fold, is_stopword
from atril.messages import LANGUAGES

MAX_QUERIES: Final = 4
MAX_KEYWORDS: Final = 6
ENOUGH_KEYWORDS: Final = 3
"""With fewer, a part of a question is taken for an ellipsis or completed from the glossary."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-/.,'’][^\W_]+)*")
_SENTENCE_END: Final = re.compile(r"[?!;…\n]+|\.(?=\s|$)|(?=[¿¡])")


class Expansion(Protocol):
    """Words that documents use for what stands at `start`–`end` of a question."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def terms(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """Something of the question that is not searched for."""

    text: str
    why: Literal["chatter", "common", "citation", "length"]


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """`text` is the keywords in the order of the question, the glossary's after them; `added` are the latter."""

    text: str
    keywords: tuple[str, ...]
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to search for; empty when the question says nothing but hello."""

    queries: tuple[PlannedQuery, ...]
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    folded: str
    start: int
    end: int


def plan(
    question: str,
    language: str,
    expansions: Sequence[Expansion] = (),
    *,
    citations: Sequence[tuple[int, int]] = (),
    rarity: Callable[[str], float] | None = None,
) -> Plan:
    """The plan of a question in `language` (another than es, en, ru is planned without word lists).

    `expansions` are what a glossary found in the question, `citations` the spans that are looked up. Of more
    than six keywords those stay for which `rarity` is greatest, without it the first ones.
    """
    words = _Words.of(language)
    taken = [_Word(m.group(), fold(m.group()), *m.span()) for m in _WORD.finditer(question)]
    cuts: list[Cut] = []
    kept = _without_citations(question, taken, citations, cuts)
    kept = words.without_chatter(question, kept, cuts)
    queries: list[PlannedQuery] = []
    for part in _parts(question, kept, words):
        keywords = _keywords(part, words, rarity, cuts)
        added = _added(part, keywords, expansions)
        if keywords or added:
            queries.append(PlannedQuery(" ".join((*keywords, *added)), keywords, added))
    unique = {query.text: query for query in queries}
    return Plan(tuple(unique.values())[:MAX_QUERIES], tuple(dict.fromkeys(cuts)))


_Phrases: TypeAlias = Mapping[str, Sequence[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class _Words:
    """What is known of a language; phrases are tuples of folded words by their first, the longest first."""

    language: str
    chatter: _Phrases = field(default_factory=dict)
    weak: frozenset[str] = frozenset()
    interrogatives: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    versus: _Phrases = field(default_factory=dict)
    comparing: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()

    @staticmethod
    @cache
    def of(language: str) -> _Words:
        if language not in LANGUAGES:
            return _Words(language)
        path = files(__package__).joinpath("planning", f"{language}.toml")
        data: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8"))
        return _Words(
            language=language,
            chatter=_phrases(data["chatter"]),
            weak=frozenset(data["weak"]),
            interrogatives=frozenset(data["interrogatives"]),
            conjunctions=frozenset(data["conjunctions"]),
            versus=_phrases(data["versus"]),
            comparing=frozenset(data["comparing"]),
            between=frozenset(data["between"]),
        )

    def tells(self, word: _Word) -> bool:
        """Whether the word may be a keyword."""
        return word.folded not in self.weak and not is_stopword(word.text, self.language)

    def without_chatter(self, question: str, words: Sequence[_Word], cuts: list[Cut]) -> list[_Word]:
        kept: list[_Word] = []
        position = 0
        while position < len(words):
            length = _phrase_at(words, position, self.chatter)
            if length:
                start, end = words[position].start, words[position + length - 1].end
                cuts.append(Cut(question[start:end], "chatter"))
            else:
                kept.append(words[position])
            position += length or 1
        return kept


def _phrases(lines: Sequence[str]) -> _Phrases:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(line.split()) for line in lines), key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _phrase_at(words: Sequence[_Word], position: int, phrases: _Phrases) -> int:
    """The number of words of the longest phrase that stands there, 0 for none."""
    for phrase in phrases.get(words[position].folded, ()):
        here = tuple(word.folded for word in words[position : position + len(phrase)])
        if here == phrase:
            return len(phrase)
    return 0


def _without_citations(
    question: str, words: Sequence[_Word], citations: Sequence[tuple[int, int]], cuts: list[Cut]
) -> list[_Word]:
    cuts += [Cut(question[start:end], "citation") for start, end in citations]
    return [word for word in words if not any(start <= word.start < end for start, end in citations)]


def _parts(question: str, words: Sequence[_Word], known: _Words) -> list[list[_Word]]:
    """The words of each thing asked about, completed where a part leaves out what it shares."""
    questions, statements = _sentences(question, words, known)
    compared = [part for sentence in questions for part in _compared(question, sentence, known)]
    if len(compared) <= 1:
        return [sorted((word for part in (*statements, *compared) for word in part), key=_position)]
    return _completed(compared, known)


def _sentences(
    question: str, words: Sequence[_Word], known: _Words
) -> tuple[list[list[_Word]], list[list[_Word]]]:
    """Sentences that ask and sentences that only tell the circumstances; when none asks, all are one."""
    asking: list[list[_Word]] = []
    telling: list[list[_Word]] = []
    bounds = [0, *(match.end() for match in _SENTENCE_END.finditer(question)), len(question)]
    for start, end in pairwise(bounds):
        inside = [word for word in words if start <= word.start < end]
        if any(known.tells(word) for word in inside):
            (asking if "?" in question[start:end] else telling).append(inside)
    return (asking, telling) if asking else ([[word for part in telling for word in part]], [])


def _compared(question: str, words: list[_Word], known: _Words) -> list[list[_Word]]:
    """The sentence cut where it compares or asks again; whole when it does neither."""
    for cut, length in ((i, _phrase_at(words, i, known.versus)) for i in range(1, len(words) - 1)):
        if length:
            return _both(words[:cut], words[cut + length :], known)
    announced = next((i for i, word in enumerate(words) if word.folded in known.comparing), None)
    repeated = [
        i
        for i in range(1, len(words) - 1)
        if words[i].folded in known.conjunctions and words[i + 1].folded in known.interrogatives
    ]
    if announced is None and repeated and _asks(words[: repeated[0]], known):
        topic = _topic(question, words)
        first, second = words[len(topic) : repeated[0]], words[repeated[0] + 1 :]
        return _both([*topic, *first], [*topic, *second], known)
    if announced is not None:
        opened = next(
            (i for i, w in enumerate(words) if i > announced and w.folded in known.between), announced
        )
        joints = [i for i in range(opened + 1, len(words) - 1) if words[i].folded in known.conjunctions]
        if joints:
            middle = _most_even(words, opened + 1, joints, known)
            shared = words[announced + 1 : opened]
            return _both([*shared, *words[opened + 1 : middle]], [*shared, *words[middle + 1 :]], known)
    return [words]


def _both(first: list[_Word], second: list[_Word], known: _Words) -> list[list[_Word]]:
    sides = [side for side in (first, second) if any(known.tells(word) for word in side)]
    return sides if len(sides) == 2 else [[*first, *second]]


def _asks(words: Sequence[_Word], known: _Words) -> bool:
    return any(word.folded in known.interrogatives for word in words)


def _topic(question: str, words: Sequence[_Word]) -> list[_Word]:
    """What stands before a colon: "Preaviso de huelga: ¿cuánto …?" """
    colon = question.find(":")
    return [word for word in words if word.end <= colon] if colon > 0 else []


def _most_even(words: Sequence[_Word], start: int, joints: Sequence[int], known: _Words) -> int:
    def difference(joint: int) -> int:
        before = sum(known.tells(word) for word in words[start:joint])
        after = sum(known.tells(word) for word in words[joint + 1 :])
        return abs(before - after)

    return min(joints, key=difference)


def _completed(parts: Sequence[list[_Word]], known: _Words) -> list[list[_Word]]:
    """Each later part with the first words of the first one that it is shorter by."""
    head = [word for word in parts[0] if known.tells(word)]
    completed = [parts[0]]
    for part in parts[1:]:
        own = [word for word in part if known.tells(word)]
        missing = min(len(head) - len(own), ENOUGH_KEYWORDS) if len(own) < ENOUGH_KEYWORDS else 0
        taken = {word.folded for word in own}
        lead = [word for word in head[: max(missing, 0)] if word.folded not in taken]
        completed.append([*lead, *part])
    return completed


def _keywords(
    words: Sequence[_Word], known: _Words, rarity: Callable[[str], float] | None, cuts: list[Cut]
) -> tuple[str, ...]:
    telling = {word.folded: word.text for word in reversed(words) if known.tells(word)}
    in_order = list(dict.fromkeys(word.folded for word in words if word.folded in telling))
    cuts += [Cut(word.text, "common") for word in words if word.folded in known.weak]
    if len(in_order) > MAX_KEYWORDS:
        by_worth = sorted(in_order, key=lambda folded: -rarity(telling[folded]) if rarity else 0.0)
        kept = set(by_worth[:MAX_KEYWORDS])
        cuts += [Cut(telling[folded], "length") for folded in in_order if folded not in kept]
        in_order = [folded for folded in in_order if folded in kept]
    return tuple(telling[folded] for folded in in_order)


def _added(
    words: Sequence[_Word], keywords: Sequence[str], expansions: Sequence[Expansion]
) -> tuple[str, ...]:
    """The glossary's words for what this part says, as many as there is room for."""
    said = {fold(keyword) for keyword in keywords}
    added: dict[str, str] = {}
    for expansion in expansions:
        if any(expansion.start <= word.start < expansion.end for word in words):
            for term in (word for phrase in expansion.terms for word in phrase.split()):
                if fold(term) not in said:
                    added.setdefault(fold(term), term)
    return tuple(added.values())


def _position(word: _Word) -> int:
    return word.start
