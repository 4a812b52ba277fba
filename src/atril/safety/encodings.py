"""Messages written so that a careless filter does not read them: encoded runs inside a text.

Decoding is tried only where a run is long enough to be an instruction, and only kept when it gives words.
"""

from __future__ import annotations

import binascii
import html
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote

import re2

_LONGEST: Final = 4096
_LEAST_WORDS: Final = 2
_SPACED = re.compile(r"(?:(?<=\s)|^)[^\W_](?:[ \t\-.*_]{1,3}[^\W_](?![^\W_])){5,}")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/]{20,4096}={0,2}(?![\w+/=])")
_HEX = re.compile(r"(?<![\w])(?:[0-9A-Fa-f]{2}[ ,:]?){12,2048}(?!\w)")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}){4}(?:%[0-9A-Fa-f]{2}|[\w.-]){0,2048}")
_ENTITIES = re.compile(r"(?:&#x?[0-9A-Fa-f]{1,6};){6,1024}")
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}){6,1024}")
_BINARY = re.compile(r"(?:[01]{8}\s?){8,1024}")
_REVERSED = re.compile("\u202e([^\u202c\n]{8,1024})")
_LEET_WORD = re.compile(r"\b(?=\w*[a-zA-Z])(?=\w*\d)[a-zA-Z0-9]{3,16}\b")
_LEET_PAIR = re.compile(r"[a-zA-Z][0-9]|[0-9][a-zA-Z]")
_LEET: Final = str.maketrans("0134578@$", "oieastbas")
_SEVERAL: Final = 3
_BLANKS = re.compile(r"[ \t]{2,}")
_FILL = re.compile(r"[ \t\-.*_]")

Decoded = tuple[int, int, str]
"""The run's start and end in the text, and what it says."""


def decoded(text: str) -> Iterator[Decoded]:
    """Every encoded run that says something."""
    possible = _LOOKS.Match(text.encode("utf-8", "replace")) or ()
    for pattern, decode in (_WAYS[place] for place in sorted(possible)):
        for run in pattern.finditer(text):
            said = decode(run)
            if said and _is_language(said):
                yield run.start(), run.end(), said
    yield from _leet(text)


def _leet(text: str) -> Iterator[Decoded]:
    """Lines in which digits stand for letters in a third of the words and more."""
    start = 0
    for line in text.splitlines(keepends=True):
        if (
            len(line) <= _LONGEST
            and _LEET_PAIR.search(line)
            and len(_LEET_WORD.findall(line)) >= max(_SEVERAL, len(line.split()) / 3)
        ):
            yield start, start + len(line.rstrip()), line.translate(_LEET)
        start += len(line)


def _spaced(run: re.Match[str]) -> str:
    """Single letters: what is wider than one separator parts words."""
    marked = _BLANKS.sub("\x00", run[0]) if "  " in run[0] else run[0]
    if "-" in marked or "." in marked or "*" in marked:
        marked = marked.replace(" ", "\x00")
    return _FILL.sub("", marked).replace("\x00", " ")


def _base64(run: re.Match[str]) -> str:
    body = run[0].rstrip("=")
    return _utf8(lambda: b64decode(body + "=" * (-len(body) % 4)))


def _hex(run: re.Match[str]) -> str:
    return _utf8(lambda: bytes.fromhex(re.sub("[ ,:]", "", run[0])))


def _binary(run: re.Match[str]) -> str:
    return _utf8(lambda: bytes(int(byte, 2) for byte in re.findall("[01]{8}", run[0])))


def _utf8(decode: Callable[[], bytes]) -> str:
    try:
        return decode().decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _is_language(said: str) -> bool:
    """Mostly letters and blanks, and more than one word."""
    letters = sum(character.isalpha() or character.isspace() for character in said)
    return letters * 10 >= len(said) * 7 and (len(said.split()) >= _LEAST_WORDS or len(said) > 12)


_WAYS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]] = (
    (_SPACED, _spaced),
    (_BASE64, _base64),
    (_HEX, _hex),
    (_PERCENT, lambda run: unquote(run[0])),
    (_ENTITIES, lambda run: html.unescape(run[0])),
    (_ESCAPES, lambda run: re.sub(r"\\[ux]([0-9A-Fa-f]{2,4})", lambda code: chr(int(code[1], 16)), run[0])),
    (_BINARY, _binary),
    (_REVERSED, lambda run: run[1][::-1]),
)
_SIGNS: Final = (
    r"[\pL\pN](?:[ \t\-.*_]{1,3}[\pL\pN]){5}",
    r"[A-Za-z0-9+/]{20}",
    r"(?:[0-9A-Fa-f]{2}[ ,:]?){12}",
    r"(?:%[0-9A-Fa-f]{2}){4}",
    r"(?:&#x?[0-9A-Fa-f]{1,6};){6}",
    r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}){6}",
    r"(?:[01]{8}[^0-9]?){8}",
    "\u202e",
)
"""What a text must have for each of the ways to find anything: one pass tells, before several slower ones."""


def _looks() -> Any:
    found = re2.Set.SearchSet()
    for sign in _SIGNS:
        found.Add(sign)
    found.Compile()
    return found


_LOOKS: Final = _looks()
