"""A profile as the rest of Atril sees it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final, Literal, TypeAlias

from atril.accents import without_accents
from atril.types import Document

Grounding: TypeAlias = Literal["strict", "reasoned"]
"""`strict` answers say only what the sources say; `reasoned` ones may connect and conclude from them."""

HIGHEST_RANK: Final = 1
LOWEST_RANK: Final = 5
"""Also the rank of everything that has none."""

IDENTIFIER: Final = "identifier"
KIND: Final = "rank"
"""Keys of a document's metadata: the official identifier, and the kind of norm ("ley", "orden")."""


@dataclass(frozen=True, slots=True)
class Norm:
    """A law or another text that others cite by name.

    `identifier` is the official one. `titles` and `abbreviations` are what people write instead, the first
    title being the one to show. Without a `rank` (1 highest to 5) that of its kind counts. In a text from
    before `numbered_since` its names mean an earlier law, whose articles had other numbers.

    `concerns` are the phrases of a question that speaks of those people or matters which alone it regulates;
    without them it is for everybody. An `outdated` one is in force and says what others have overtaken.
    """

    identifier: str
    titles: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    rank: int | None = None
    numbered_since: int | None = None
    concerns: tuple[str, ...] = ()
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """Everyday `phrases` and the `terms` that the documents use for the same thing.

    In a phrase, `=` before a word asks for that very form.
    """

    phrases: tuple[str, ...]
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a domain.

    The index-time part (`language`, `norms`, `ranks`) decides what is stored, and `index_fingerprint`
    changes exactly when it does; everything else acts on questions only. `ranks` gives the level of a kind
    of norm, `weights` the factor of a collection that has no weight of its own, `answering` the rules for
    answers by language of the answer, `forms` the irregular forms of words in the glossary's phrases.
    """

    name: str
    version: str = "1"
    language: str = "es"
    norms: tuple[Norm, ...] = ()
    ranks: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    glossary: tuple[GlossaryEntry, ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    answering: Mapping[str, str] = field(default_factory=dict)
    grounding: Grounding = "strict"
    index_fingerprint: str = field(init=False)
    _names: Mapping[str, Norm] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index_fingerprint", _fingerprint(self))
        object.__setattr__(self, "_names", _names(self.norms))

    def norm_of(self, document: Document) -> Norm | None:
        """The norm that a document holds: by its identifier, else by its file name, else by its title."""
        return self.norm_called(document.metadata.get(IDENTIFIER, ""), document.name, document.title)

    def norm_called(self, identifier: str, name: str, title: str) -> Norm | None:
        """The norm of a document with this identifier, file name and title."""
        # A search asks this of every candidate: what the first name tells the others need not be made for.
        if norm := self._names.get(folded(identifier)):
            return norm
        return self._names.get(folded(PurePosixPath(name).stem)) or self._names.get(folded(title))


def rank_of(profile: Profile | None, document: Document) -> int:
    """The level of a document, 1 (highest) to 5: its norm's, else that of its kind, else 5."""
    if profile is None:
        return LOWEST_RANK
    norm = profile.norm_of(document)
    if norm is not None and norm.rank is not None:
        return norm.rank
    return profile.ranks.get(document.metadata.get(KIND, ""), LOWEST_RANK)


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A name as it is compared: lowercase, without accents, single blanks."""
    return " ".join(without_accents(name, compatible=True).casefold().split())


def _names(norms: tuple[Norm, ...]) -> dict[str, Norm]:
    """Every name of every norm; the first norm of a name keeps it, and identifiers go before all."""
    names = {folded(norm.identifier): norm for norm in norms}
    for norm in norms:
        for name in (*norm.abbreviations, *norm.titles):
            names.setdefault(folded(name), norm)
    return names


def _fingerprint(profile: Profile) -> str:
    norms = [
        (norm.identifier, norm.titles, norm.abbreviations, norm.rank, norm.numbered_since)
        for norm in profile.norms
    ]
    parts = [profile.language, norms, dict(profile.ranks)]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
