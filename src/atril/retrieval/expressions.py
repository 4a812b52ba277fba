r"""Regular expressions as people write them, turned into what RE2 runs in linear time.

RE2's `\w`, `\d`, `\s` and `\b` know ASCII only. Here they mean Unicode's letters, marks, digits and blanks,
inside character classes too. RE2 cannot look around, so a `\b` where a match begins or ends takes its
neighbour with it and an empty group marks where the match itself begins or ends; one between two
characters whose kinds are known is decided beforehand. Only a `\b` inside a match beside something that may
be a letter or not (`a.*\bb`) keeps RE2's ASCII meaning.

`^` and `$` are the ends of lines, as in every tool that searches text by lines. Groups do not capture.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from atril.errors import InvalidArgument
from atril.messages import message

MAX_LENGTH: Final = 2000
MAX_DEPTH: Final = 50

Problem = Literal["lookaround", "backreference", "possessive", "conditional", "syntax", "empty", "too_long"]

_WORD: Final = r"\p{L}\p{M}\p{N}_"
_NOT_WORD: Final = (
    r"\p{Z}\p{C}\p{S}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}"
    r"\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}\x{fe4d}-\x{fe4f}\x{ff3f}"
)
_BLANK: Final = r"\t\n\v\f\r\x{1c}-\x{1f}\x{85}\p{Z}"
_NOT_BLANK: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\x00-\x{08}\x{0e}-\x{1b}\x{7f}-\x{84}\x{86}-\x{9f}"
_NEVER: Final = r"[^\x00-\x{10ffff}]"

LETTER: Final = 1
OTHER: Final = 2
EDGE: Final = 4
"""What may stand beside a place: part of a word, anything else, or what is outside the match."""

_CLASSES: Final = {
    "w": (_WORD, LETTER),
    "W": (_NOT_WORD, OTHER),
    "d": (r"\p{Nd}", LETTER),
    "D": (r"\P{Nd}", LETTER | OTHER),
    "s": (_BLANK, OTHER),
    "S": (_NOT_BLANK, LETTER | OTHER),
}
_ASSERTIONS: Final = {"A": r"\A", "z": r"\z", "Z": r"\z"}
_CONTROLS: Final = frozenset("abfnrtv")
_REFUSED: Final[tuple[tuple[re.Pattern[str], Problem], ...]] = (
    (re.compile(r"\(\?(?:=|!|<=|<!)"), "lookaround"),
    (re.compile(r"\(\?P=|\\[1-9]|\\[kg][<{']"), "backreference"),
    (re.compile(r"\(\?>"), "possessive"),
    (re.compile(r"\(\?\("), "conditional"),
)
_OPENING: Final = re.compile(r"\(\?(?:P?<[^\W\d]\w*>|([imsU]*(?:-[imsU]+)?)([:)]))")
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{(\d+)(,)?(\d*)\})(\??)")
_POINT: Final = re.compile(r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_PROPERTY: Final = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))")
_SET: Final = re.compile(r"\\[pP]|\\t\\n")
_POSIX: Final = re.compile(r"\[:\^?\w+:\]")


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
    """What RE2 compiles, and for each of its groups whether it marks where the match begins."""

    expression: str
    begins: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Atom:
    """One character, or what stands at none when `kinds` is 0."""

    text: str
    kinds: int


@dataclass(frozen=True, slots=True)
class _Boundary:
    negated: bool


@dataclass(frozen=True, slots=True)
class _Group:
    opening: str
    branches: tuple[_Branch, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """Something with its quantifier as text; `optional` and `repeats` say what it allows."""

    node: _Atom | _Boundary | _Group
    quantifier: str = ""
    optional: bool = False
    repeats: bool = False


_Branch = tuple[_Item, ...]


def translate(pattern: str) -> Translation:
    """Raises `UnusablePattern` for what no linear engine can do and for what is no pattern at all."""
    if not pattern:
        raise UnusablePattern(pattern=pattern, problem="empty")
    if len(pattern) > MAX_LENGTH:
        raise UnusablePattern(pattern=pattern[:80] + "…", problem="too_long")
    branches = _Parser(pattern).parse()
    writer = _Writer()
    return Translation("(?m)" + writer.branches(branches, EDGE, EDGE), tuple(writer.begins))


class _Parser:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._position = 0

    def parse(self) -> tuple[_Branch, ...]:
        branches = self._branches(0)
        if self._position < len(self._pattern):
            raise self._error("syntax", "unexpected )")
        return branches

    def _branches(self, depth: int) -> tuple[_Branch, ...]:
        if depth > MAX_DEPTH:
            raise self._error("syntax", f"more than {MAX_DEPTH} groups inside each other")
        branches = [self._branch(depth)]
        while self._at("|"):
            self._position += 1
            branches.append(self._branch(depth))
        return tuple(branches)

    def _branch(self, depth: int) -> _Branch:
        items = []
        while self._position < len(self._pattern) and not self._at("|") and not self._at(")"):
            items.append(self._quantified(self._node(depth)))
        return tuple(items)

    def _quantified(self, node: _Atom | _Boundary | _Group) -> _Item:
        found = _QUANTIFIER.match(self._pattern, self._position)
        if not found or (isinstance(node, _Atom) and node.text.startswith("(?")):
            return _Item(node)
        self._position = found.end()
        if self._at("+"):
            raise self._error("possessive")
        sign = found[0][0]
        least = int(found[1]) if sign == "{" else int(sign == "+")
        most = _most(found) if sign == "{" else (1 if sign == "?" else None)
        return _Item(node, found[0], least == 0, most is None or most > 1)

    def _node(self, depth: int) -> _Atom | _Boundary | _Group:
        character = self._pattern[self._position]
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "." | "^" | "$":
                self._position += 1
                return _Atom(character, LETTER | OTHER if character == "." else 0)
            case "*" | "+" | "?":
                raise self._error("syntax", f"nothing to repeat before {character}")
        self._position += 1
        return _Atom(_literal(character), _kind(character))

    def _group(self, depth: int) -> _Atom | _Group:
        for refused, problem in _REFUSED:
            if refused.match(self._pattern, self._position):
                raise self._error(problem)
        opening = "(?:"
        if self._pattern.startswith("(?", self._position):
            found = _OPENING.match(self._pattern, self._position)
            if not found:
                raise self._error("syntax", f"unknown group {self._pattern[self._position :][:4]}")
            self._position = found.end()
            if found[2] == ")":
                return _Atom(found[0], 0)
            opening = found[0] if found[2] else opening
        else:
            self._position += 1
        branches = self._branches(depth + 1)
        if not self._at(")"):
            raise self._error("syntax", "missing )")
        self._position += 1
        return _Group(opening, branches)

    def _escape(self) -> _Atom | _Boundary:
        for refused, problem in _REFUSED:
            if refused.match(self._pattern, self._position):
                raise self._error(problem)
        letter = self._pattern[self._position + 1 : self._position + 2]
        if letter in ("b", "B"):
            self._position += 2
            return _Boundary(letter == "B")
        if letter in _ASSERTIONS:
            self._position += 2
            return _Atom(_ASSERTIONS[letter], 0)
        text, kinds = self._escaped()
        return _Atom(f"[{text}]" if letter in _CLASSES else text, kinds)

    def _escaped(self) -> tuple[str, int]:
        """An escape that stands for characters, as it is written inside a class."""
        pattern, start = self._pattern, self._position
        if point := _POINT.match(pattern, start):
            self._position = point.end()
            value = int(next(filter(None, point.groups())), 16)
            if value > 0x10FFFF:
                raise self._error("syntax", f"no character {point[0]}")
            return f"\\x{{{value:x}}}", _kind(chr(value))
        if found := _PROPERTY.match(pattern, start):
            self._position = found.end()
            positive = found[1] == "p" and not found[2]
            return found[0], _property_kinds(found[3] or found[4]) if positive else LETTER | OTHER
        letter = pattern[start + 1 : start + 2]
        self._position = start + 2
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return f"\\{letter}" if letter != "b" else r"\x08", OTHER
        if letter == "0":
            return r"\x00", OTHER
        if not letter or letter.isalnum():
            raise self._error("syntax", f"unknown escape \\{letter}")
        return _literal(letter), _kind(letter)

    def _class(self) -> _Atom:
        start = self._position
        self._position += 1
        negated = self._at("^")
        self._position += negated
        members, kinds, first = [], 0, True
        while first or not self._at("]"):
            if self._position >= len(self._pattern):
                self._position = start
                raise self._error("syntax", "missing ]")
            text, kind = self._member()
            members.append(text)
            kinds |= kind
            first = False
        self._position += 1
        if negated:
            everything = {_WORD: OTHER, _NOT_WORD: LETTER}
            kinds = next((everything[each] for each in members if each in everything), LETTER | OTHER)
        return _Atom(f"[{'^' if negated else ''}{''.join(members)}]", kinds)

    def _member(self) -> tuple[str, int]:
        if found := _POSIX.match(self._pattern, self._position):
            self._position = found.end()
            return found[0], LETTER | OTHER
        low, kind = self._class_character()
        after = self._pattern[self._position + 1 : self._position + 2]
        if not self._at("-") or after in ("]", "") or _SET.match(low):
            return low, kind
        self._position += 1
        high, last = self._class_character()
        return f"{low}-{high}", kind if _within_one_kind(low, high) else LETTER | OTHER | last

    def _class_character(self) -> tuple[str, int]:
        character = self._pattern[self._position]
        if character == "\\":
            return self._escaped()
        self._position += 1
        return _literal(character), _kind(character)

    def _at(self, character: str) -> bool:
        return self._pattern.startswith(character, self._position)

    def _error(self, problem: Problem, detail: str = "") -> UnusablePattern:
        return UnusablePattern(pattern=self._pattern, problem=problem, detail=detail)


class _Writer:
    """Writes a parsed pattern for RE2, each `\\b` by what stands on both sides of it."""

    def __init__(self) -> None:
        self.begins: list[bool] = []

    def branches(self, branches: tuple[_Branch, ...], before: int, after: int) -> str:
        return "|".join(self._branch(branch, before, after) for branch in branches)

    def _branch(self, branch: _Branch, before: int, after: int) -> str:
        written = []
        for index, item in enumerate(branch):
            left = _reach(reversed(branch[:index]), before, last=True)
            right = _reach(iter(branch[index + 1 :]), after, last=False)
            written.append(self._item(item, left, right))
        return "".join(written)

    def _item(self, item: _Item, left: int, right: int) -> str:
        node = item.node
        if isinstance(node, _Boundary):
            return "" if item.optional else self._boundary(node, left, right)
        if isinstance(node, _Atom):
            return node.text + item.quantifier
        if item.repeats:
            left |= _ends(item, last=True)[0]
            right |= _ends(item, last=False)[0]
        return f"{node.opening}{self.branches(node.branches, left, right)}){item.quantifier}"

    def _boundary(self, boundary: _Boundary, left: int, right: int) -> str:
        differ = not boundary.negated
        single = (LETTER, OTHER)
        if left in single and right in single:
            return "" if (left != right) is differ else _NEVER
        if left == EDGE and right in single:
            return self._outside(_opposite(right) if differ else right, "^") + self._mark(True)
        if right == EDGE and left in single:
            return self._mark(False) + self._outside(_opposite(left) if differ else left, "$")
        if left == EDGE and right == LETTER | OTHER and differ:
            return self._outside(OTHER, "^") + self._mark(True)
        if right == EDGE and left == LETTER | OTHER and differ:
            return self._mark(False) + self._outside(OTHER, "$")
        return r"\B" if boundary.negated else r"\b"

    def _outside(self, kind: int, edge: str) -> str:
        return f"[{_WORD}]" if kind == LETTER else f"(?:{edge}|[^{_WORD}])"

    def _mark(self, begins: bool) -> str:
        self.begins.append(begins)
        return "()"


def _reach(items: Iterator[_Item], outside: int, *, last: bool) -> int:
    """What may stand next to a place, looking past what may be absent."""
    kinds = 0
    for item in items:
        some, empty = _ends(item, last=last)
        kinds |= some
        if not empty:
            return kinds
    return kinds | outside


def _ends(item: _Item, *, last: bool) -> tuple[int, bool]:
    """The kinds of the item's first or last character, and whether it may have none."""
    node = item.node
    if isinstance(node, _Boundary):
        return 0, True
    if isinstance(node, _Atom):
        return node.kinds, item.optional or not node.kinds
    kinds, empty = 0, item.optional
    for branch in node.branches:
        none = 8
        found = _reach(reversed(branch) if last else iter(branch), none, last=last)
        kinds |= found & ~none
        empty = empty or bool(found & none)
    return kinds, empty


def _opposite(kind: int) -> int:
    return OTHER if kind == LETTER else LETTER


def _most(quantifier: re.Match[str]) -> int | None:
    if not quantifier[2]:
        return int(quantifier[1])
    return int(quantifier[3]) if quantifier[3] else None


def _literal(character: str) -> str:
    if character.isascii() and not character.isalnum() and character.isprintable():
        return f"\\{character}" if character not in " _" else character
    return character if character.isprintable() else f"\\x{{{ord(character):x}}}"


def _kind(character: str) -> int:
    return LETTER if character == "_" or unicodedata.category(character)[0] in "LMN" else OTHER


def _property_kinds(name: str) -> int:
    if name[:1] in "LMN" and len(name) <= 2:
        return LETTER
    if name in ("Z", "Zs", "Zl", "Zp", "S", "Sc", "Sm", "Sk", "So", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"):
        return OTHER
    return LETTER | OTHER


def _within_one_kind(low: str, high: str) -> bool:
    """Whether a range such as `a-z` or `0-9` holds letters and digits only."""
    runs = ("09", "az", "AZ", "аяё", "АЯЁ")
    return any(run[0] <= low <= high <= run[-1] for run in runs if len(low) == len(high) == 1)
