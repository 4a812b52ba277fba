r"""Regular expressions as people write them, turned into what RE2 runs in linear time.

RE2's `\w`, `\d`, `\s` and `\b` know ASCII only. Here they mean Unicode's letters, marks, digits and blanks,
inside character classes too. `\b` is the hard one, because RE2 cannot look around. So an expression with a
boundary in it runs over a spelled text, where every letter, mark or digit beyond ASCII stands between
underscores (`á` is `__á_`): there RE2's own `\b` is right everywhere, and each character of the expression
is written to match the spelled one. An underscore of the text is spelled with a private character.

`^` and `$` are the ends of lines, as in every tool that searches text by lines. Groups do not capture.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from atril.errors import InvalidArgument
from atril.messages import message

MAX_LENGTH: Final = 2000
MAX_DEPTH: Final = 50

Problem = Literal["lookaround", "backreference", "possessive", "conditional", "syntax", "empty", "too_long"]

UNDERSCORE: Final = "\ue000"
"""What an underscore of the text is spelled with."""

_LETTERS: Final = r"\p{L}\p{M}\p{N}"
_NOT_WORD: Final = (
    r"\p{Z}\p{C}\p{S}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}"
    r"\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}\x{fe4d}-\x{fe4f}\x{ff3f}"
)
_BLANK: Final = r"\t\n\v\f\r\x{1c}-\x{1f}\x{85}\p{Z}"
_NOT_BLANK: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\x00-\x{08}\x{0e}-\x{1b}\x{7f}-\x{84}\x{86}-\x{9f}"
_PUNCTUATION: Final = r"\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\x{203f}\x{2040}\x{2054}"
_SPELLED: Final = r"\x{e000}"

_ASSERTIONS: Final = {"A": r"\A", "z": r"\z", "Z": r"\z", "b": r"\b", "B": r"\B"}
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "b": "\b", "0": "\0"}
_REFUSED: Final[tuple[tuple[re.Pattern[str], Problem], ...]] = (
    (re.compile(r"\(\?(?:=|!|<=|<!)"), "lookaround"),
    (re.compile(r"\(\?P=|\\[1-9]|\\[kg][<{']"), "backreference"),
    (re.compile(r"\(\?>"), "possessive"),
    (re.compile(r"\(\?\("), "conditional"),
)
_OPENING: Final = re.compile(r"\(\?(?:P?<[^\W\d]\w*>|([imsU]*(?:-[imsU]+)?)([:)]))")
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??")
_POINT: Final = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_PROPERTY: Final = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))")
_POSIX: Final = re.compile(r"\[:(\^?)(\w+):\]")


class UnusablePattern(InvalidArgument):
    """A pattern cannot be run. Fields: `pattern`, `problem`, `detail` (of RE2, in English)."""

    key = "regex.unusable"

    def __init__(self, *, pattern: str, problem: Problem, detail: str = "") -> None:
        self.problem = problem
        super().__init__(pattern=pattern, problem=problem, detail=detail)

    def localized(self, language: str | None) -> str:
        problem = message(f"regex.{self.problem}", language, detail=self.fields["detail"], most=MAX_LENGTH)
        return message(self.key, language, pattern=self.fields["pattern"], problem=problem)


@dataclass(frozen=True, slots=True)
class Translation:
    """What RE2 compiles, and whether it is for spelled texts."""

    expression: str
    spelled: bool


def translate(pattern: str) -> Translation:
    """Raises `UnusablePattern` for what no linear engine can do and for what is no pattern at all."""
    if not pattern:
        raise UnusablePattern(pattern=pattern, problem="empty")
    if len(pattern) > MAX_LENGTH:
        raise UnusablePattern(pattern=pattern[:80] + "…", problem="too_long")
    plain = _Translator(pattern, spelled=False)
    expression = plain.translate()
    if plain.boundaries:
        expression = _Translator(pattern, spelled=True).translate()
    return Translation(f"(?m){expression}", plain.boundaries)


def spell(text: str) -> bytes:
    """The text as UTF-8 with every letter, mark and digit beyond ASCII, and every underscore, between
    underscores."""
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    is_marked = np.zeros(sys.maxunicode + 1, dtype=bool)
    beyond = np.unique(points[points > 127])
    is_marked[[ord("_"), *(point for point in beyond.tolist() if _is_word(chr(point)))]] = True
    marked = is_marked[points]
    sizes = np.where(marked, 4, 1)
    places = np.cumsum(sizes) - sizes
    spelled = np.full(int(sizes.sum()), ord("_"), dtype=np.uint32)
    spelled[places + np.where(marked, 2, 0)] = np.where(points == ord("_"), ord(UNDERSCORE), points)
    return spelled.tobytes().decode("utf-32-le").encode()


@dataclass(frozen=True, slots=True)
class _Member:
    """A part of a character class: as RE2 writes it; the same without the underscore, or `None` with what
    it leaves out when it is itself a negation; whether it holds the underscore, and letters beyond ASCII."""

    text: str
    bare: str | None
    underscore: bool = False
    beyond: bool = True
    excluded: str = ""


_SETS: Final = {
    "w": _Member(f"{_LETTERS}_", _LETTERS, underscore=True),
    "W": _Member(_NOT_WORD, _NOT_WORD, beyond=False),
    "d": _Member(r"\p{Nd}", r"\p{Nd}"),
    "D": _Member(r"\P{Nd}", None, underscore=True, excluded=r"\p{Nd}"),
    "s": _Member(_BLANK, _BLANK, beyond=False),
    "S": _Member(_NOT_BLANK, None, underscore=True, excluded=_BLANK),
}
_POSIX_BARE: Final = {
    "word": "0-9A-Za-z",
    "punct": r"!-/:-@\[-\^`{-~",
    "graph": r"!-\^`-~",
    "print": r" -\^`-~",
    "ascii": r"\x00-\^`-\x7f",
}


class _Translator:
    """Reads a pattern from left to right and writes it for RE2, for plain or for spelled texts."""

    def __init__(self, pattern: str, *, spelled: bool) -> None:
        self._pattern = pattern
        self._spelled = spelled
        self._position = 0
        self._dots_match_all = False
        self.boundaries = False

    def translate(self) -> str:
        written = self._branches(0)
        if self._position < len(self._pattern):
            raise self._error("syntax", "unexpected )")
        return written

    def _branches(self, depth: int) -> str:
        if depth > MAX_DEPTH:
            raise self._error("syntax", f"more than {MAX_DEPTH} groups inside each other")
        written = []
        while self._position < len(self._pattern) and not self._at(")"):
            if self._at("|"):
                self._position += 1
                written.append("|")
            else:
                written.append(self._node(depth) + self._quantifier())
        return "".join(written)

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self._pattern, self._position)
        if not found:
            return ""
        self._position = found.end()
        if self._at("+"):
            raise self._error("possessive")
        return found[0]

    def _node(self, depth: int) -> str:
        character = self._pattern[self._position]
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise self._error("syntax", f"nothing to repeat before {character}")
        self._position += 1
        match character:
            case "^" | "$":
                return character
            case ".":
                return self._dot()
        return self._written([_single(character)], negated=False)

    def _dot(self) -> str:
        if not self._spelled:
            return "."
        return "(?:__(?s:.)_|[^_])" if self._dots_match_all else r"(?:__(?s:.)_|[^_\n])"

    def _group(self, depth: int) -> str:
        self._refuse()
        opening, flags = "(?:", ""
        if self._pattern.startswith("(?", self._position):
            found = _OPENING.match(self._pattern, self._position)
            if not found:
                raise self._error("syntax", f"unknown group {self._pattern[self._position :][:4]}")
            self._position = found.end()
            flags = found[1] or ""
            opening = found[0] if found[2] else opening
            if found[2] == ")":
                self._dots_match_all = _dots(flags, self._dots_match_all)
                return opening
        else:
            self._position += 1
        before = self._dots_match_all
        self._dots_match_all = _dots(flags, before)
        written = self._branches(depth + 1)
        self._dots_match_all = before
        if not self._at(")"):
            raise self._error("syntax", "missing )")
        self._position += 1
        return f"{opening}{written})"

    def _escape(self) -> str:
        self._refuse()
        letter = self._pattern[self._position + 1 : self._position + 2]
        if letter in _ASSERTIONS:
            self._position += 2
            self.boundaries = self.boundaries or letter in "bB"
            return _ASSERTIONS[letter]
        return self._written([self._escaped()], negated=False)

    def _escaped(self) -> _Member:
        """An escape that stands for characters, in a class or outside."""
        pattern, start = self._pattern, self._position
        if point := _POINT.match(pattern, start):
            self._position = point.end()
            value = int(next(filter(None, point.groups())), 16)
            if value > 0x10FFFF:
                raise self._error("syntax", f"no character {point[0]}")
            return _single(chr(value))
        if found := _PROPERTY.match(pattern, start):
            self._position = found.end()
            return _property(found[3] or found[4], negated=(found[1] == "P") != bool(found[2]))
        letter = pattern[start + 1 : start + 2]
        self._position = start + 2
        if letter in _SETS:
            return _SETS[letter]
        if letter in _CONTROLS:
            return _single(_CONTROLS[letter])
        if not letter or (letter.isalnum() and letter.isascii()):
            raise self._error("syntax", f"unknown escape \\{letter}")
        return _single(letter)

    def _class(self) -> str:
        start = self._position
        self._position += 1
        negated = self._at("^")
        self._position += negated
        members: list[_Member] = []
        while not members or not self._at("]"):
            if self._position >= len(self._pattern):
                self._position = start
                raise self._error("syntax", "missing ]")
            members.append(self._member())
        self._position += 1
        return self._written(members, negated=negated)

    def _member(self) -> _Member:
        if found := _POSIX.match(self._pattern, self._position):
            self._position = found.end()
            bare = _POSIX_BARE.get(found[2])
            if found[1]:
                outside = f"[:{found[2]}:]"
                return _Member(found[0], None, underscore=bare is None, excluded=outside)
            return _Member(found[0], bare or found[0], underscore=bare is not None, beyond=False)
        start = self._position
        low = self._class_character()
        after = self._pattern[self._position + 1 : self._position + 2]
        if not self._at("-") or after in ("]", "") or not isinstance(low, str):
            return _single(low) if isinstance(low, str) else low
        self._position += 1
        high = self._class_character()
        if not isinstance(high, str) or high < low:
            raise self._error("syntax", f"bad range {self._pattern[start : self._position]}")
        return _range(low, high)

    def _class_character(self) -> str | _Member:
        character = self._pattern[self._position]
        if character != "\\":
            self._position += 1
            return character
        member = self._escaped()
        return member.excluded if member.bare is not None and member.excluded else member

    def _written(self, members: list[_Member], *, negated: bool) -> str:
        """One character of any of the members, or of none of them."""
        texts = "".join(member.text for member in members)
        holds = any(member.underscore for member in members)
        beyond = any(member.beyond or member.underscore for member in members)
        if not self._spelled:
            return f"[^{texts}]" if negated else f"[{texts}]"
        if negated:
            # What an underscore is spelled with is no word to RE2, and here it is one.
            unit = f"[^{texts}{_SPELLED}]" if holds else f"(?:[^{texts}]|{_SPELLED})"
            return f"(?:__{unit}_|[^{texts}_])"
        bare = "".join(member.bare for member in members if member.bare)
        raw = [f"[{bare}]"] if bare else []
        raw += [f"[^{member.excluded}_]" for member in members if member.bare is None]
        if beyond:
            raw.insert(0, f"__[{texts}{_SPELLED if holds else ''}]_")
        return f"(?:{'|'.join(raw)})"

    def _refuse(self) -> None:
        for refused, problem in _REFUSED:
            if refused.match(self._pattern, self._position):
                raise self._error(problem)

    def _at(self, character: str) -> bool:
        return self._pattern.startswith(character, self._position)

    def _error(self, problem: Problem, detail: str = "") -> UnusablePattern:
        return UnusablePattern(pattern=self._pattern, problem=problem, detail=detail)


def _single(character: str) -> _Member:
    """One character; `excluded` keeps it for a range that may begin with it."""
    text = _literal(character)
    if character == "_":
        return _Member(text, "", underscore=True, excluded=character)
    return _Member(text, text, beyond=not character.isascii(), excluded=character)


def _range(low: str, high: str) -> _Member:
    text = f"{_literal(low)}-{_literal(high)}"
    if not low <= "_" <= high:
        return _Member(text, text, beyond=not high.isascii())
    parts = [f"{_literal(low)}-\\^"] if low < "_" else []
    parts += [f"`-{_literal(high)}"] if high > "_" else []
    return _Member(text, "".join(parts), underscore=True, beyond=not high.isascii())


def _property(name: str, *, negated: bool) -> _Member:
    holds = name in ("P", "Pc")
    if negated:
        return _Member(rf"\P{{{name}}}", None, underscore=not holds, excluded=rf"\p{{{name}}}")
    bare = rf"\p{{{name}}}"
    if holds:
        bare = _PUNCTUATION if name == "P" else r"\x{203f}\x{2040}\x{2054}\x{fe33}\x{ff3f}"
    return _Member(rf"\p{{{name}}}", bare, underscore=holds)


def _dots(flags: str, before: bool) -> bool:
    on, _, off = flags.partition("-")
    return ("s" in on or before) and "s" not in off


def _literal(character: str) -> str:
    if character.isascii() and not character.isalnum() and character.isprintable():
        return character if character in " _" else f"\\{character}"
    return character if character.isprintable() else f"\\x{{{ord(character):x}}}"


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"
