"""What to search for: the reader's queries, and how its reply is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from atril.answering.options import UnifiedOptions
from atril.answering.prompts import prompt
from atril.models.chat import Message
from atril.types import Turn

MAX_FIRST: Final = 4
MAX_FOLLOW_UP: Final = 3
MAX_QUERY: Final = 200
"""Characters of one query."""

_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE: Final = re.compile(r"```\w*")
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+)$", re.MULTILINE)
_KEYWORDS: Final = re.compile(r"[^\n.!?¿¡:{}\[\]]{3,100}")
_MOST_KEYWORDS: Final = 10
_MOST_BRACKETS: Final = 20
_KEYS: Final = ("query", "q", "text", "consulta", "search")


def planning_messages(
    question: str, history: Sequence[Turn], *, follow_up: bool, language: str, options: UnifiedOptions
) -> list[Message]:
    """What the reader is told. Of the conversation it sees the last messages, each cut short."""
    name = "plan_follow_up" if follow_up else "plan_first"
    most = MAX_FOLLOW_UP if follow_up else MAX_FIRST
    said = conversation(history, options.planning_messages) if follow_up else []
    short = [Message(each.role, each.content[: options.planning_characters]) for each in said]
    return [Message("system", prompt(name, language, most=most)), *short, Message("user", question)]


def conversation(history: Iterable[Turn], most: int) -> list[Message]:
    """The last `most` messages of the turns, oldest first."""
    said = [
        message
        for turn in history
        for message in (Message("user", turn.question), Message("assistant", turn.answer))
    ]
    return said[len(said) - most :] if most < len(said) else said


def read_queries(reply: str, question: str, *, follow_up: bool) -> tuple[tuple[str, ...], bool]:
    """The queries in a reader's reply, and whether they could be read.

    JSON is found wherever it stands; failing that a list of lines counts, and failing that a few bare words.
    What is none of these is searched for as the question itself. Only a follow-up may have no queries.
    """
    text = _FENCE.sub("", _THOUGHT.sub("", reply)).strip()
    found = _from_json(text)
    if found is None:
        found = [match[1] for match in _BULLET.finditer(text)] or None
    readable = found is not None
    if found is None and _KEYWORDS.fullmatch(text) and len(text.split()) <= _MOST_KEYWORDS:
        found = [text]
    most = MAX_FOLLOW_UP if follow_up else MAX_FIRST
    cleaned = (" ".join(query.split()).strip("\"'«»“” ")[:MAX_QUERY].strip() for query in found or ())
    queries = tuple(dict.fromkeys(query for query in cleaned if query))[:most]
    if queries or (follow_up and readable):
        return queries, readable
    return (question,), False


def _from_json(text: str) -> list[str] | None:
    """The strings of the first JSON value that holds any, or an empty list that was meant."""
    decoder = json.JSONDecoder()
    for start in islice((match.start() for match in re.finditer(r"[\[{]", text)), _MOST_BRACKETS):
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found = _strings(value)
        if found or value == []:
            return found
        if isinstance(value, dict) and any(each == [] for each in value.values()):
            return []
    return None


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in _strings(each)]
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        named = [value[key] for key in _KEYS if isinstance(value.get(key), str)]
        return [text for each in (*lists, *named) for text in _strings(each)]
    return []
