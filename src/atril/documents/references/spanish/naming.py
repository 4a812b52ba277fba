"""How a norm is named: by type and number, by its title, or by an abbreviation."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from atril.documents.references.mentions import Mention, Relative
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import FLAGS

_LONGEST_TITLE: Final = 220
_LONGEST_WAY_TO_APPROVAL: Final = 300

_TYPED: Final = re.compile(
    r"(?:ley(?:\s+organica|\s+foral)?|real\s+decreto[\s-]*ley|real\s+decreto\s+legislativo|real\s+decreto|decreto[\s-]?ley"
    r"|decreto\s+legislativo|decreto|orden(?:\s+ministerial)?(?:\s+[a-z]{2,4})?"
    r"|(?:reglamento|directiva|decision)\s*(?:\((?:ce|ue|cee|euratom)[^)\n]{0,20}\)\s*)?)"
    r"[\s/]\s*(?:n[.\s]?[ºo°.]?\s*|num\.?\s*)?\d{1,5}/\d{2,4}(?!\d)(?:/(?:ce|ue|cee)\b)?"
    r"|orden\s+(?:ministerial\s+)?(?:de\s+)?\d{1,2}\s+de\s+[a-z]+\s+de\s+\d{4}",
    FLAGS,
)
# A kind of norm; without `recast` and `more` it names none by itself: "la ley".
_TITLE: Final = re.compile(
    r"(?P<recast>texto\s+(?:refundido|articulado)\s+de\s+(?:la|el|las)\s+|texto\s+(?:refundido|articulado)\s+del\s+)?"
    r"(?P<kind>ley|estatuto|reglamento|codigo|constitucion|tratado|convenio|directiva|orden(?:anza)?|real\s+decreto|decreto"
    r"|texto\s+(?:refundido|articulado)"
    r"|acuerdo|carta|protocolo|normas|leyes)\b(?P<more>\s+(?:(?:de|del|sobre|para|por)\s+(?:la\s+que\s+|la\s+|las\s+|los\s+|el\s+|que\s+)?"
    r"(?-i:[A-Z«]|trabajo|procedimiento|registro|se\s)|(?-i:[A-Z])\w|general|organica|reguladora?|civil|penal|basico|ordenadora|integral"
    r"|(?<=reglamento\s)de\s+(?!est[ea]|dich|la\s|los\s|desarrollo|aplicacion)[a-z]))?",
    FLAGS,
)
_ABBREVIATION: Final = re.compile(
    r"(?:de(?:l)?\s+(?:la\s+|el\s+)?|\s?-\s?)?(?P<name>(?![IVXLC]+\b)[A-Z]{2,9}(?:[a-z]*[A-Z]*)?)\b(?!\s*/)"
)
_TITLE_END: Final = re.compile(
    r"[.;:()«»\"\n]|\s+(?:y|e|o)\s+(?:en|el|la|los|las|del?)\s+(?:el\s+|la\s+|los\s+|las\s+)?(?:art|disposic|apartado)",
    FLAGS,
)
_APPROVED_BY: Final = re.compile(
    r"(?:aprobad[oa]s?|promulgad[oa]s?)\s+(?:por|mediante|en)\s+(?:el\s+|la\s+)?(?:citad[oa]\s+)?", FLAGS
)
_CONSTITUTION: Final = "constitucion"
_CLAUSE_END: Final = re.compile(r"[.;\n]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SMALL_WORDS: Final = frozenset((
    "de", "del", "la", "el", "los", "las", "y", "e", "en", "a", "al", "sobre", "para", "por", "con", "general",
    "reguladora", "regulador",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Norm:
    """The norm that a reference belongs to, `[start, end)`, and its `kind` in plain words: "real decreto ley".

    It has `text`, the name with possibly more behind it, or `relative` for this very norm, or neither where
    only the kind is said.
    """

    end: int
    kind: str
    text: str | None = None
    relative: Relative | None = None
    approved: bool = False
    start: int = 0

    def own(self, mention: Mention) -> Mention:
        """The mention as one of a place in this norm."""
        return replace(mention, norm=self.text, relative=self.relative, approved=self.approved)


def kind_of(words: str) -> str:
    return " ".join(words.lower().replace("-", " ").split())


def read_norm(passage: Passage, at: int) -> Norm | None:
    """The norm that is named here; "la ley" alone gives one without text."""
    if norm := numbered_norm(passage, at):
        return norm
    plain = passage.plain
    title = _TITLE.match(plain, at)
    if title is None:
        return abbreviated_norm(passage, at)
    kind = kind_of(title["kind"])
    if decree := _approving_decree(passage, at):
        return replace(decree, kind=kind, approved=True)
    if _is_bare(title) and kind != _CONSTITUTION:
        return Norm(title.end(), kind)
    window = plain[at : at + _LONGEST_TITLE]
    stop = _TITLE_END.search(window)
    limit = at + (stop.start() if stop else len(window))
    return Norm(_title_end(plain, at, limit), kind, passage.written[at:limit], approved=True)


def numbered_norm(passage: Passage, at: int) -> Norm | None:
    """ "Ley 20/2007", "Orden de 3 de mayo de 1999"."""
    found = _TYPED.match(passage.plain, at)
    if found is None:
        return None
    return Norm(found.end(), kind_of(found.group()), passage.written[at : found.end()])


def abbreviated_norm(passage: Passage, at: int) -> Norm | None:
    """ "LISOS", "del ET"."""
    found = _ABBREVIATION.match(passage.plain, at)
    return Norm(found.end(), "ley", passage.written[slice(*found.span("name"))]) if found else None


def names_itself(passage: Passage, at: int) -> bool:
    """Whether what stands here is a norm without any words before it."""
    if _TYPED.match(passage.plain, at):
        return True
    title = _TITLE.match(passage.plain, at)
    return title is not None and bool(title["more"] or kind_of(title["kind"]) == _CONSTITUTION)


def has_title(passage: Passage, at: int) -> bool:
    """Whether more than a kind of norm is said here."""
    title = _TITLE.match(passage.plain, at)
    return title is not None and not _is_bare(title)


def _is_bare(title: re.Match[str]) -> bool:
    return not (title["more"] or title["recast"])


def _approving_decree(passage: Passage, at: int) -> Norm | None:
    """The decree that the same clause says approves what is named here."""
    approved = _APPROVED_BY.search(passage.plain, at, at + _LONGEST_WAY_TO_APPROVAL)
    if approved is None or _CLAUSE_END.search(passage.plain, at, approved.start()):
        return None
    return numbered_norm(passage, approved.end())


def _title_end(plain: str, at: int, limit: int) -> int:
    """Where the title probably ends: after its last capitalised word before anything else."""
    end = at
    for word in _WORD.finditer(plain, at, limit):
        if word.group()[0].isupper():
            end = word.end()
        elif word.group().lower() not in _SMALL_WORDS and end > at:
            break
    return max(end, at + 1)
