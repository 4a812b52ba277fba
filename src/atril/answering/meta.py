"""What a model reports below its answer, and keeping it from the reader while the answer is being written.

    The text of the answer [1].
    ===META===
    USED|1, 3-5
    DROP|2
    NEED|38|Estatuto de los Trabajadores

Models write this in many ways: in a code fence, in lower case, with another number of equals signs, or without
the delimiter. Whatever begins like it is not shown until it is clear that it is something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_NEEDS: Final = 2
"""Lines of NEED that are read one by one; more of them are taken together as words."""

_DECORATION: Final = r"[ \t>*_`~#•–—-]*"
_DELIMITER: Final = re.compile(r"={2,}[ \t]*META[ \t]*=*", re.IGNORECASE)
_ROW: Final = re.compile(
    rf"^{_DECORATION}(?:(?i:USED|DROP|NEED)[ \t*_`]*\||(?:USED|DROP|NEED)[ \t*_`]*:)", re.MULTILINE
)
_REPORT: Final = re.compile(
    rf"^{_DECORATION}(USED|DROP|NEED)[ \t*_`]*(?:[|:=]|->|→)[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE
)
_EMPTY_LINE: Final = re.compile(
    r"[ \t>*_`~#•–—=-]*(?:`{3}\w*|META(?:DATA|DATOS)?)?[ \t>*_`~#•–—:=-]*", re.IGNORECASE
)
"""A line of decoration alone, of a code fence, or of the bare word of the delimiter."""

_DELIMITER_BEGUN: Final = re.compile(r"=+[ \t]*(?:M(?:E(?:TA?)?)?)?$", re.IGNORECASE)
_LINE_BEGUN: Final = re.compile(
    rf"{_DECORATION}(?:(?:U|US|USE|USED|D|DR|DRO|DROP|N|NE|NEE|NEED)[ \t*_`]*)?", re.IGNORECASE
)
_WORD_BEGUN: Final = re.compile(
    r"[ \t>*_`~#•–—=-]*(?:`{3}\w*|M(?:E(?:T(?:A(?:D(?:A(?:T(?:[AO](?:S)?)?)?)?)?)?)?)?)?[ \t>*_`~#•–—:=-]*",
    re.IGNORECASE,
)
_THOUGHT: Final = re.compile(
    r"\s*<(think|thinking|reasoning)>.*?(?:</\1\s*>|\Z)\s*", re.DOTALL | re.IGNORECASE
)
_THOUGHT_BEGUN: Final = re.compile(r"\s*(?:<[a-z]{0,9})?", re.IGNORECASE)
_RANGE: Final = re.compile(r"(\d{1,9})(?:\s*[-–—]\s*(\d{1,9}))?")
_ALL: Final = re.compile(r"\W*(?:all|every\w*|tod[oa]s|все|всё)\b", re.IGNORECASE)
_NOTHING: Final = re.compile(
    r"\W*(?:(?:none|nothing|no|n/?a|null|ningun[oa]s?|ningún|nada|vac[ií]o|нет|ничего|никакие)\W*)?",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(
    r"(?:art(?:[íi]culos?|s?\.?|icles?)?\s*|ст(?:\.|атья|атьи)?\s*)?"
    r"(?P<key>\d+(?:[.\-]\d+)*(?:\s*(?:bis|ter|quater|quáter|quinquies|sexies))?"
    r"|(?:disposici[oó]n|disp\.)\s.+|[uú]nico|\w+(?:\s+(?:bis|ter))?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Need:
    """Something the model lacks: an article of a law, or words to search for."""

    words: str
    article: str | None = None
    law: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply taken apart. `used` and `dropped` are numbers of context blocks, 1-based, in the order given.

    `reported` is whether there was any report at all.
    """

    text: str
    used: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    needs: tuple[Need, ...] = ()
    reported: bool = False


def parse_reply(reply: str, blocks: int) -> Reply:
    """The answer and the report of a reply about `blocks` context blocks; never raises."""
    reply = _without_thought(reply)
    cut = _cut(reply)
    text = reply[: _before(reply, len(reply) if cut is None else cut)].strip()
    if cut is None:
        return Reply(text)
    used: list[int] = []
    dropped: list[int] = []
    needs: list[str] = []
    for row in _REPORT.finditer(_DELIMITER.sub("\n", reply[cut:])):
        said = row[2].strip().strip("`*").strip()
        match row[1].upper():
            case "USED":
                used += _numbers(said, blocks)
            case "DROP":
                dropped += _numbers(said, blocks)
            case _:
                needs += [] if _NOTHING.fullmatch(said) else [said]
    kept = tuple(dict.fromkeys(used))
    return Reply(text, kept, tuple(n for n in dict.fromkeys(dropped) if n not in kept), _needs(needs), True)


class Splitter:
    """Lets through the answer of a reply that arrives in pieces, and nothing of its report.

    What it gives, put together, is the `text` of `parse_reply`.
    """

    def __init__(self) -> None:
        self._reply = ""
        self._given = 0
        self._over = False

    def feed(self, piece: str) -> str:
        """What of the reply may be shown now; empty when nothing may."""
        self._reply += piece
        return "" if self._over else self._let_through(finished=False)

    def finish(self) -> str:
        """The rest, once the reply has ended."""
        return "" if self._over else self._let_through(finished=True)

    def _let_through(self, *, finished: bool) -> str:
        text = self._reply
        if not finished and _thinking(text):
            return ""
        text = _without_thought(text)
        cut = _cut(text)
        self._over = finished or cut is not None
        if cut is not None:
            end = _before(text, cut)
        else:
            end = _before(text, len(text)) if finished else _certain(text)
        text = text[:end].strip() if self._over else text[:end].lstrip()
        shown, self._given = text[self._given :], max(self._given, len(text))
        return shown


def _cut(text: str) -> int | None:
    """Where the report begins."""
    found = [match.start() for match in (_DELIMITER.search(text), _ROW.search(text)) if match]
    return min(found) if found else None


def _before(text: str, end: int) -> int:
    """The end of what stands before `end`, without blank lines, fences and the like above it."""
    while True:
        start = text.rfind("\n", 0, end) + 1
        if not _EMPTY_LINE.fullmatch(text, start, end):
            return end
        if start == 0:
            return 0
        end = start - 1


def _certain(text: str) -> int:
    """How far an unfinished text is certain to be answer."""
    start = text.rfind("\n") + 1
    line = text[start:]
    if _LINE_BEGUN.fullmatch(line) or _WORD_BEGUN.fullmatch(line):
        end = start - 1 if start else 0
        while end > 0:
            above = text.rfind("\n", 0, end) + 1
            if not _EMPTY_LINE.fullmatch(text, above, end):
                break
            end = max(0, above - 1)
        return len(text[:end].rstrip())
    begun = _DELIMITER_BEGUN.search(text)
    return len(text[: _before(text, begun.start()) if begun else len(text)].rstrip())


def _thinking(text: str) -> bool:
    """Whether the text is, or may still become, a thought that has not ended."""
    thought = _THOUGHT.match(text)
    if thought:
        return not re.search(r"</\w+\s*>\s*\Z|</\w+\s*>\s*\S", thought.group() + text[thought.end() :][:1])
    return _THOUGHT_BEGUN.fullmatch(text) is not None


def _without_thought(text: str) -> str:
    thought = _THOUGHT.match(text)
    return text[thought.end() :] if thought else text


def _numbers(said: str, blocks: int) -> list[int]:
    if _ALL.match(said):
        return list(range(1, blocks + 1))
    found: list[int] = []
    for low, high in _RANGE.findall(said):
        first, last = int(low), int(high or low)
        found += range(max(1, first), min(last, blocks) + 1)
    return found


def _needs(lines: list[str]) -> tuple[Need, ...]:
    if len(lines) > MAX_NEEDS:
        return (Need(" ".join(" ".join(line.split("|")) for line in lines)),)
    return tuple(_need(line) for line in lines)


def _need(line: str) -> Need:
    fields = [field.strip() for field in line.split("|") if field.strip()]
    words = " ".join(fields) or line
    if len(fields) == 2 and (article := _ARTICLE.fullmatch(fields[0])):
        return Need(words, article["key"].strip(), fields[1])
    return Need(words)
