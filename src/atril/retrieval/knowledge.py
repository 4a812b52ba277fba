"""What a home knows beside its documents, made once and shared by all its searches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from atril.profiles.profile import GlossaryEntry, Profile
from atril.retrieval.glossary import Glossary
from atril.retrieval.meanings import Meanings


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A profile, its glossary made ready for questions, what short texts were found to mean, and by which
    words a question `concerns` a norm that is not for everybody."""

    profile: Profile | None = None
    glossary: Glossary | None = None
    meanings: Meanings = field(default_factory=Meanings)
    concerns: Glossary | None = None

    @classmethod
    def of(cls, profile: Profile | None) -> Knowledge:
        """What a profile, if there is one, gives."""
        if profile is None:
            return cls()
        entries = tuple(
            GlossaryEntry(norm.concerns, (norm.identifier,)) for norm in profile.norms if norm.concerns
        )
        concerns = Glossary(replace(profile, glossary=entries)) if entries else None
        return cls(profile, Glossary(profile), concerns=concerns)

    def concerned(self, question: str) -> frozenset[str]:
        """The identifiers of the norms for certain people or matters of whom the question speaks."""
        return self.concerns.terms(question) if self.concerns else frozenset()
