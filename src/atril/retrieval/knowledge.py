"""What a home knows beside its documents, made once and shared by all its searches."""

from __future__ import annotations

from dataclasses import dataclass, field

from atril.profiles.profile import Profile
from atril.retrieval.glossary import Glossary
from atril.retrieval.meanings import Meanings


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A profile, its glossary made ready for questions, and what short texts were found to mean."""

    profile: Profile | None = None
    glossary: Glossary | None = None
    meanings: Meanings = field(default_factory=Meanings)
