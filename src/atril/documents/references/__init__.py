"""References in a text to articles, norms, sections, pages and other documents."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import Final

from atril.documents.references.general import find_english, find_general, find_russian
from atril.documents.references.mentions import Mention
from atril.documents.references.names import LONGEST_NAME, NO_NAMES, WORD, NormNames

__all__ = ["NO_NAMES", "Mention", "NormNames", "find_mentions"]

_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[^\n]*", re.MULTILINE)


def find_mentions(text: str, language: str, names: NormNames = NO_NAMES) -> list[Mention]:
    """The references in a text in order; time is linear in its length. `language` is ISO 639-1.

    Headings are passed over. With `names`, a mention whose norm is known carries its identifier, and a known
    name that stands alone is a mention of kind `norm`.
    """
    headings = [match.span() for match in _HEADING.finditer(text)]
    found = find_general(text)
    match language:
        case "en":
            found += find_english(text)
        case "ru":
            found += find_russian(text)
        case _:
            # Its patterns take longer to compile than any other room of the program takes to load.
            from atril.documents.references.spanish import find_spanish

            found += find_spanish(text, headings)
    found = _disjoint(found)
    if names.identifiers:
        found = [replace(each, identifier=names.find(each.norm)) if each.norm else each for each in found]
        alone = [each for each in _alone(text, names) if not _inside(each.start, headings)]
        found = _disjoint([*found, *alone])
    return found


def _alone(text: str, names: NormNames) -> list[Mention]:
    """Known names that stand alone."""
    words = list(WORD.finditer(text))
    found, at = [], 0
    while at < len(words):
        named = names.named_at([word.group() for word in words[at : at + 2 * LONGEST_NAME]])
        if named is None:
            at += 1
            continue
        count, identifier = named
        start, end = words[at].start(), words[at + count - 1].end()
        found.append(Mention(start, end, "norm", norm=text[start:end], identifier=identifier))
        at += count
    return found


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    index = bisect_right(spans, (at, at)) - 1
    return any(start <= at < end for start, end in spans[max(0, index) : index + 2])


def _disjoint(found: list[Mention]) -> list[Mention]:
    """In order; of two that overlap the one that begins first, then the longer one, then the first found."""
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda each: (each.start, -each.end)):
        last = kept[-1] if kept else None
        if last is None or mention.start >= last.end or _listed(last, mention):
            kept.append(mention)
    return kept


def _listed(one: Mention, other: Mention) -> bool:
    """Whether both are what one list names: such mentions have one span."""
    if (one.start, one.end) != (other.start, other.end):
        return False
    return one.kind == other.kind == "article" or (_divides(one) and _divides(other))


def _divides(mention: Mention) -> bool:
    """Whether it is of a division of a law, "titulo 3", and not of a numbered section."""
    return mention.kind == "section" and (mention.value or "")[:1].isalpha()
