"""What documents are called by others: from their titles, their identifiers, and a profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from atril.documents.references.names import names_of, says_when, year_of
from atril.profiles.profile import IDENTIFIER, Profile
from atril.store.records import Records
from atril.types import Scope

NAMED_BY: Final = "references.named_by"
"""The fact that tells what the names in the records were made with."""
NAMES_VERSION: Final = "2"
"""Changes whenever the same title could give other names."""


def aliases(
    profile: Profile | None, title: str, name: str, metadata: Mapping[str, str]
) -> dict[str, int | None]:
    """The name keys of a document that has this title, file name and metadata, each with the year since when
    it means this document's articles."""
    identifier = metadata.get(IDENTIFIER, "")
    norm = profile.norm_called(identifier, name, title) if profile else None
    others = (*norm.titles, *norm.abbreviations) if norm else ()
    year = year_of(title, metadata)
    called = names_of(title, (identifier, PurePosixPath(name).stem, *others), str(year or ""))
    since = norm.numbered_since if norm else None
    return {key: None if says_when(key) else since for key in called}


async def relink(records: Records, profile: Profile | None) -> None:
    """Names every document again and binds all references, if the names were made with another profile.

    Interrupted, it is done again at the next opening.
    """
    mark = f"{NAMES_VERSION} {profile.index_fingerprint if profile else ''}".strip()
    if await records.fact(NAMED_BY) == mark:
        return
    for tenant in await records.tenants():
        scope = Scope(tenant)
        called = {
            document.version: aliases(profile, document.title, document.name, document.metadata)
            for document in await records.documents(scope)
        }
        await records.rename(scope, called)
    await records.set_facts({NAMED_BY: mark})
