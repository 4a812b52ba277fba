"""Rules written as data: one file of patterns per language, compiled to linear-time matchers.

A pattern is an RE2 expression over folded text (see `folding`) in which

- a blank stands for what may separate two words of one sentence,
- ` .. ` and ` ... ` stand for up to 3 and up to 8 words between two others, and `(?:.. )?` for up to 3 words
  before another,
- `~` at the end of a stem stands for any letters,
- `{name}` stands for the words of that name, and `{start}` for the beginning of a sentence, line or bracket.

A pattern begins and ends at the edges of words unless its rule says `raw`. What it finds does not include a
`{start}` or `{bidding}` that it begins with.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final, Literal

import re2

LANGUAGES: Final = ("any", "en", "es", "ru")
"""The files of patterns; `any` holds what does not depend on a language."""

Severity = Literal["low", "medium", "high"]

_LETTER: Final = r"[a-zа-я]"
_SEPARATOR: Final = r"[^a-zа-я0-9.!?;]{1,4}"
_WORD: Final = r"[a-zа-я0-9_@/'’.-]+"
_START: Final = r"(?:^|[\n.!?:;()\[\]{}<>«»\"“”*#|/=—–-]\s{0,3})"
_EDGE: Final = r"[^a-zа-я0-9_]"
_NAME: Final = re.compile(r"\{([a-z_]+)\}")
_OPENING: Final = re.compile(r"\{(?:start|bidding)\}")
_ALPHABET: Final = "cp1251"
_MEMORY: Final = 64 << 20
_VERSION: Final = b"2"


@dataclass(frozen=True, slots=True)
class Rule:
    """Patterns that are evidence of one kind of instruction, with a matcher that tells in a single pass which
    of them a text may hold. What a pattern found is its first group.

    Every rule has its own matcher: together their states would multiply.
    """

    kind: str
    severity: Severity
    patterns: tuple[Any, ...]
    any_of: Any

    def spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        for index in sorted(self.any_of.Match(text) or ()):
            for match in self.patterns[index].finditer(text):
                yield match.span(1)


def to_bytes(folded: str) -> bytes:
    """One byte for each character: the matchers know Latin and Cyrillic letters and take others for none."""
    return folded.encode(_ALPHABET, "replace")


@cache
def patterns_version() -> str:
    """Changes with the patterns, and with `_VERSION` when they come to be read another way."""
    digest = hashlib.sha256(_VERSION)
    for language in LANGUAGES:
        digest.update(_file(language).read_bytes())
    return digest.hexdigest()[:16]


@cache
def load_rules() -> tuple[Rule, ...]:
    """The rules of every language: an instruction need not be in the language of its document."""
    return tuple(rule for language in LANGUAGES for rule in _rules(language))


def _file(language: str) -> Traversable:
    return files(__package__) / "patterns" / f"{language}.toml"


def _rules(language: str) -> Iterator[Rule]:
    data = tomllib.loads(_file(language).read_text(encoding="utf-8"))
    words: dict[str, str] = {"start": _START}
    for name, value in data.get("words", {}).items():
        words[name] = f"(?:{_expand(_joined(value), words)})"
    for rule in data["rules"]:
        raw = rule.get("raw", False)
        yield _compiled(rule, [_source(pattern, words, raw=raw) for pattern in rule["patterns"]])


def _compiled(rule: Mapping[str, Any], sources: Sequence[str]) -> Rule:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes as they are: small matchers, offsets unchanged
    options.max_mem = _MEMORY
    options.log_errors = False
    any_of = re2.Set.SearchSet(options)
    for source in sources:
        any_of.Add(to_bytes(source))
    any_of.Compile()
    patterns = tuple(re2.compile(to_bytes(source), options) for source in sources)
    return Rule(rule["kind"], rule.get("severity", "medium"), patterns, any_of)


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else "|".join(value)


def _expand(pattern: str, words: Mapping[str, str]) -> str:
    """Named words first: they have been expanded already and hold no marks of their own."""
    parts = _NAME.split(pattern)
    for index in range(0, len(parts), 2):
        parts[index] = _marks(parts[index])
    parts[1::2] = [words[name] for name in parts[1::2]]
    return "".join(parts)


def _marks(pattern: str) -> str:
    pattern = pattern.replace("(?:.. )?", f"(?:{_WORD}{_SEPARATOR}){{0,3}}")
    for mark, most in ((" ... ", 8), (" .. ", 3)):
        pattern = pattern.replace(mark, f"{_SEPARATOR}(?:{_WORD}{_SEPARATOR}){{0,{most}}}")
    pattern = pattern.replace(" ", _SEPARATOR)
    pattern = pattern.replace("~", f"{_LETTER}*")
    return pattern.replace(r"[\p{L}", _LETTER[:-1]).replace(r"\p{L}", _LETTER)


def _source(pattern: str, words: Mapping[str, str], *, raw: bool) -> str:
    opening = _OPENING.match(pattern)
    body = f"({_expand(pattern[opening.end() if opening else 0 :], words)})"
    if raw:
        return body
    before = _expand(opening[0], words) if opening else f"(?:^|{_EDGE})"
    # What may end in a separator has the edge of its last word inside.
    return before + body + ("" if pattern.endswith((" ", "?", "+")) else f"(?:$|{_EDGE})")
