"""The norm of a mention that names none: from the words before it, a quotation, an amendment, or a list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from atril.documents.references.mentions import Mention
from atril.documents.references.spanish.amendments import Amendments
from atril.documents.references.spanish.norms import Norms
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import FLAGS, ITS_BEFORE, PART, PART_NUMBERS, SAID
from atril.documents.references.spanish.quotes import Quotations

_SAID_BEFORE: Final = re.compile(rf"\b{SAID}\s+$", FLAGS)
_EXCEPT_BEFORE: Final = re.compile(
    r"\b(?:salvo|excepto|con\s+excepcion\s+de|a\s+excepcion\s+de)\s+(?:el|la|los|las)\s+$", FLAGS
)
_CONNECTION: Final = re.compile(
    r"\s*(?:[,;]|,?\s*(?:y|e|o|u|asi\s+como|en\s+relacion\s+con|ni)(?=\s))?\s*"
    r"(?:(?:a|en|con|de|por|segun|al|del|como|tambien)\s+)*(?:el|la|los|las|lo|lo\s+dispuesto\s+en)?\s*"
    rf"(?:{PART}\s+{PART_NUMBERS}\s+del?\s+)?",
    FLAGS,
)
_LONGEST_CONNECTION: Final = 80
_MOST_EARLIER: Final = 30


class Belonging:
    """Gives mentions the norm that the text around them speaks of."""

    def __init__(
        self, passage: Passage, norms: Norms, quotations: Quotations, amendments: Amendments
    ) -> None:
        self._passage = passage
        self._norms = norms
        self._quotations = quotations
        self._amendments = amendments

    def settle(self, mention: Mention, earlier: Sequence[Mention]) -> Mention:
        """The mention with its norm, or with a hint at one; `earlier` are those before it."""
        quotation = self._quotations.around(mention.start)
        if mention.norm is not None or (mention.relative is not None and quotation is None):
            return mention
        before = self._passage.before(mention.start, 40)
        if quotation is None and _SAID_BEFORE.search(before):
            for other in reversed(earlier[-_MOST_EARLIER:]):
                if other.articles and set(mention.articles) <= set(other.articles):
                    return _beside(mention, other)
        norm = self._amendments.at(mention.start)
        if norm is None and quotation is not None:
            norm = self._norms.last_before(quotation)
        elif norm is None and (ITS_BEFORE.search(before) or _EXCEPT_BEFORE.search(before)):
            norm = self._norms.near(mention.start)
        if norm is not None:
            return norm.own(mention)
        last = self._norms.last()
        return replace(mention, hint=last.text if last else None) if mention.relative is None else mention


def share_norms(found: Sequence[Mention], plain: str) -> list[Mention]:
    """In "el artículo 5 y la disposición final primera de la Ley X" the norm belongs to both."""
    shared: list[Mention] = []
    after: Mention | None = None
    for mention in reversed(found):
        if after is not None and _lacks_norm(mention) and _has_norm(after):
            gap = plain[mention.end : after.start]
            if len(gap) < _LONGEST_CONNECTION and (
                mention.start == after.start or _CONNECTION.fullmatch(gap)
            ):
                mention = _beside(mention, after)
        shared.append(mention)
        after = mention
    return shared[::-1]


def _names_articles(mention: Mention) -> bool:
    return mention.kind == "article" and bool(mention.articles)


def _lacks_norm(mention: Mention) -> bool:
    return _names_articles(mention) and mention.norm is None and mention.relative is None


def _has_norm(mention: Mention) -> bool:
    return _names_articles(mention) and not (mention.norm is None and mention.relative is None)


def _beside(mention: Mention, other: Mention) -> Mention:
    """The mention as one of a place in the norm of the other."""
    return replace(mention, norm=other.norm, relative=other.relative, approved=other.approved)
