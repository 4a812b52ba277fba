"""The norms named so far, and what "dicha ley", "el citado texto" or "la misma" mean after them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from atril.documents.references.spanish.naming import (
    Norm,
    abbreviated_norm,
    has_title,
    kind_of,
    names_itself,
    numbered_norm,
    read_norm,
)
from atril.documents.references.spanish.passage import Passage
from atril.documents.references.spanish.patterns import FLAGS, SAID, SAID_PARTICIPLE

_NEAR_A_KIND: Final = 400
_NEAR_ITS: Final = 200
"""Characters between a norm and what belongs to it."""

_KIND: Final = (
    r"(?:ley(?:\s+organica)?|real\s+decreto[\s-]*ley|real\s+decreto\s+legislativo|real\s+decreto|decreto"
    r"|reglamento(?:\s+general)?|estatuto|texto(?:\s+(?:refundido|legal|articulado|normativo))?"
    r"|orden(?:\s+ministerial)?|norma(?:tiva)?"
    r"|codigo|cuerpo\s+legal|disposicion\s+legal|constitucion|convenio)"
)
_ANY_KIND: Final = frozenset((
    "", "norma", "normativa", "cuerpo legal", "disposicion legal", "texto", "texto legal", "texto normativo",
))  # fmt: skip
_PREPOSITION: Final = re.compile(
    r"(?:\s*,?|\.)\s+(?:(?:ambos|todos(?:\s+ellos)?)\s+)?(?-i:del?(?=\s)|en)(?:\s+(?:la|el|los|las))?\s+",
    FLAGS,
)
_THIS: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:est[ea]|presente)\s+(?:mism[oa]\s+|propi[oa]\s+|nuev[oa]\s+)?(?P<kind>{_KIND})\b(?!\s+\d+/)",
    FLAGS,
)
_SAID_LAW: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:{SAID}\s+)+(?P<kind>{_KIND})\b(?!\s+(?:legislativo|ley)\b)", FLAGS
)
_LAW_SAID: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?P<kind>{_KIND})\s+(?:(?:{SAID_PARTICIPLE}|articulada|de\s+referencia)\b)", FLAGS
)
_THE_SAME: Final = re.compile(r"(?:(?:la|el)\s+)?mism[oa](?=\s*[.,;)]|\s+y\b)", FLAGS)
_ADJECTIVES: Final = re.compile(
    rf"(?:(?:el|la)\s+)?(?:{SAID}\s+|vigente\s+|actual\s+|nuev[oa]\s+|anterior\s+)+", FLAGS
)


class Norms:
    """The norms that a passage names, in order; `forget` begins anew."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        self._named: list[Norm] = []

    def forget(self) -> None:
        self._named.clear()

    def after(self, at: int) -> Norm | None:
        """The norm that a place which ends here belongs to: "de la Ley 20/2007", "ET"."""
        plain = self._passage.plain
        if preposition := _PREPOSITION.match(plain, at):
            norm = self._meant(preposition.end())
            if norm is not None:
                return self._keep(replace(norm, start=at))
        begin = self._passage.skip_blanks(at)
        if begin == at:
            return None
        if numbered := numbered_norm(self._passage, begin):
            return self._keep(replace(numbered, start=begin))
        abbreviated = abbreviated_norm(self._passage, begin)
        return self._keep(abbreviated) if abbreviated else None

    def alone(self, at: int) -> Norm | None:
        """The norm that is named here on its own account."""
        norm = self.called(at) if names_itself(self._passage, at) else None
        if norm is None or norm.text is None:
            return None
        return self._keep(replace(norm, start=at))

    def called(self, at: int) -> Norm | None:
        """The norm with this name, which is not kept; after "la ley" alone a near one of that kind."""
        norm = read_norm(self._passage, at)
        if norm is None or norm.text is not None:
            return norm
        return self._recall(norm.kind, norm.end, nearer_than=_NEAR_A_KIND)

    def last(self) -> Norm | None:
        """The last one that was named and not only meant."""
        return next((norm for norm in reversed(self._named) if norm.text), None)

    def last_before(self, at: int) -> Norm | None:
        return next((norm for norm in reversed(self._named) if norm.start < at and norm.text), None)

    def near(self, at: int) -> Norm | None:
        """The norm that "its article" belongs to: the last one in the same sentence, if any."""
        norm = self._named[-1] if self._named else None
        if norm is None or at - norm.end >= _NEAR_ITS or ". " in self._passage.plain[norm.end : at]:
            return None
        return norm

    def _meant(self, at: int) -> Norm | None:
        passage = self._passage
        plain, written = passage.plain, passage.written
        if this := _THIS.match(plain, at):
            return _this_norm(this.end(), kind_of(this["kind"]), "decreto" not in this["kind"].lower())
        if adjectives := _ADJECTIVES.match(plain, at):
            return self._described(at, adjectives.end())
        if said := _LAW_SAID.match(plain, at):
            return self._recall(kind_of(said["kind"]), said.end(), written[at : said.end()])
        if same := _THE_SAME.match(plain, at):
            return self._recall("", same.end(), written[at : same.end()])
        return self.called(at)

    def _described(self, at: int, name: int) -> Norm | None:
        """ "La citada Ley 20/2007" names a norm behind its adjectives, "la citada ley" recalls one."""
        passage = self._passage
        said = _SAID_LAW.match(passage.plain, at)
        if said is None or has_title(passage, name) or numbered_norm(passage, name):
            norm = self.called(name)
            if norm is not None:
                return norm
        if said is None:
            return None
        own = "propi" in passage.plain[at : said.start("kind")].lower()
        return self._recall(
            kind_of(said["kind"]), said.end(), None if own else passage.written[at : said.end()]
        )

    def _recall(
        self, kind: str, end: int, unknown: str | None = None, nearer_than: int | None = None
    ) -> Norm | None:
        """The last norm of a kind; else the one that is called `unknown`, or without that this very norm."""
        for norm in reversed(self._named):
            if nearer_than is not None and end - norm.start > nearer_than:
                break
            if _is_of(kind, norm):
                return replace(norm, end=end)
        if unknown is not None:
            return Norm(end, kind, unknown)
        return _this_norm(end, kind, kind != "real decreto")

    def _keep(self, norm: Norm) -> Norm:
        self._named.append(norm)
        return norm


def _this_norm(end: int, kind: str, approved: bool) -> Norm:
    return Norm(end, kind, relative="this", approved=approved)


def _is_of(kind: str, norm: Norm) -> bool:
    if kind in _ANY_KIND:
        return True
    if kind in ("texto refundido", "texto articulado"):
        return norm.approved or norm.kind in ("ley", "estatuto") or "legislativo" in norm.kind
    if kind.split()[0] == "ley":
        return norm.kind.startswith(("ley", "texto")) or norm.kind == "estatuto"
    return norm.kind.startswith(kind) and (kind != "real decreto" or not norm.kind.endswith("ley"))
