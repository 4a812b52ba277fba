"""What documents are called by others: from their titles, their identifiers, and a profile."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from atril.documents.reference_names import names_of
from atril.profiles.profile import IDENTIFIER, Profile

_DATES: Final = ("enactment_date", "publication_date")


def aliases(profile: Profile | None, title: str, name: str, metadata: Mapping[str, str]) -> frozenset[str]:
    """The name keys of a document that has this title, file name and metadata."""
    identifier = metadata.get(IDENTIFIER, "")
    norm = profile.norm_called(identifier, name, title) if profile else None
    others = (*norm.titles, *norm.abbreviations) if norm else ()
    dates = [found[0] for key in _DATES if (found := re.match(r"\d{4}", metadata.get(key, "")))]
    called = names_of(title, (identifier, PurePosixPath(name).stem, *others), dates[0] if dates else "")
    return frozenset(called)
