"""Text in a form that patterns can be written for, and the way back to the original's offsets.

Letters are lower-cased and lose accents and ornaments (full-width, bold, circled), blanks of every kind are
spaces, invisible characters are gone, the invisible tag characters become the letters they stand for, and
words that mix Latin and Cyrillic letters are written in the alphabet they mostly belong to.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_TAGS: Final = range(0xE0020, 0xE007F)
_CYRILLIC: Final = range(0x400, 0x530)
_LATIN_TWINS: Final = "aceopxybkmhtnu"
_CYRILLIC_TWINS: Final = "асеорхувкмнтпи"
_TO_LATIN: Final = str.maketrans(_CYRILLIC_TWINS + "іјѕԁһ", _LATIN_TWINS + "ijsdh")
_TO_CYRILLIC: Final = str.maketrans(_LATIN_TWINS, _CYRILLIC_TWINS)
_ONLY_LATIN: Final = re.compile(r"[dfgijlqrsvwz]")
_ONLY_CYRILLIC: Final = re.compile(r"[бгджзйлфцчшщъыьэюя]")
_MIXED: Final = re.compile(r"[a-z][Ѐ-ԯ]|[Ѐ-ԯ][a-z]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


class _Letters(dict[int, str]):
    """Each character's folded form, worked out once: one character, none, or several."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


@dataclass(frozen=True)
class Folded:
    """A folded text; `original` is the text it was made of, and empty where each character became one."""

    text: str
    original: str = ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a slice of the folded text lies in the original."""
        if not self.original or start >= end:
            return start, end
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        """The character of the original that a character of the folded text comes from."""
        odd, ends = self._odd
        passed = bisect_right(ends, at)
        shift = ends[passed - 1] - odd[passed - 1] - 1 if passed else 0
        return min(at - shift, odd[passed]) if passed < len(odd) else at - shift

    @cached_property
    def _odd(self) -> tuple[list[int], list[int]]:
        """Where the characters stand that became none or several, and where each ends in the folded text."""
        lengths = {each: len(_letters[ord(each)]) for each in set(self.original)}
        unlike = "".join(each for each, length in lengths.items() if length != 1)
        odd, ends, shift = [], [], 0
        for match in re.finditer(f"[{re.escape(unlike)}]", self.original):
            shift += lengths[match[0]] - 1
            odd.append(match.start())
            ends.append(match.end() + shift)
        return odd, ends


def fold(text: str) -> Folded:
    """The folded text. Takes time in proportion to its length."""
    folded = text.translate(_letters)
    is_odd = any(len(_letters[ord(character)]) != 1 for character in set(text))
    if _MIXED.search(folded):
        folded = _LETTERS.sub(_one_alphabet, folded)
    return Folded(folded, text if is_odd else "")


def has_tags(text: str) -> bool:
    """Whether a text carries a message in tag characters, which no reader sees."""
    return any(chr(code) in text for code in _SPELLING_TAGS) and _TAG_RUN.search(text) is not None


_SPELLING_TAGS: Final = (0xE0020, 0xE0061, 0xE0065, 0xE006F)
_TAG_RUN: Final = re.compile("[\U000e0020-\U000e007e]{8}")


def _fold(character: str) -> str:
    code = ord(character)
    if code in _TAGS:
        return chr(code - 0xE0000).lower()
    if character in "\n\t ":
        return character
    if character.isspace():
        return "\n" if character in "\r\u2028\u2029\x0b\x0c" else " "
    if code in _CYRILLIC:
        return character.lower().replace("ё", "е")
    if unicodedata.category(character) in ("Cf", "Mn", "Me", "Cs"):
        return ""
    plain = unicodedata.normalize("NFKD", character)
    letters = "".join(each for each in plain if not unicodedata.combining(each)).lower()
    return letters or " "


def _one_alphabet(match: re.Match[str]) -> str:
    word = match[0]
    if not _MIXED.search(word):
        return word
    cyrillic, latin = len(_ONLY_CYRILLIC.findall(word)), len(_ONLY_LATIN.findall(word))
    if cyrillic == latin:
        cyrillic += sum(ord(letter) in _CYRILLIC for letter in word) * 2 > len(word)
    return word.translate(_TO_CYRILLIC if cyrillic > latin else _TO_LATIN)


_letters: Final = _Letters()
