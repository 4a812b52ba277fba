"""Assistants that answer from your documents, with every claim pointing at its page.

async with atril.open("home") as library:
    await library.add(["laws/"])
    answer = await library.ask("¿Cuántos días de vacaciones tengo?")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atril.app import Library, open
    from atril.blocking import SyncLibrary, open_sync
    from atril.errors import AtrilError
    from atril.models.embeddings import Embedder
    from atril.settings import Settings
    from atril.types import AddReport, Answer, Citation, Document, Hit, Scope, SearchResult

__version__ = "0.1.0"

# Looked up on first use: `atril --help` must not pay for an engine.
_HOMES = {
    "AddReport": "types",
    "Answer": "types",
    "AtrilError": "errors",
    "Citation": "types",
    "Document": "types",
    "Embedder": "models.embeddings",
    "Hit": "types",
    "Library": "app",
    "Scope": "types",
    "SearchResult": "types",
    "Settings": "settings",
    "SyncLibrary": "blocking",
    "open": "app",
    "open_sync": "blocking",
}

__all__ = [
    "AddReport",
    "Answer",
    "AtrilError",
    "Citation",
    "Document",
    "Embedder",
    "Hit",
    "Library",
    "Scope",
    "SearchResult",
    "Settings",
    "SyncLibrary",
    "open",
    "open_sync",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'atril' has no attribute {name!r}")
    return getattr(import_module(f"atril.{_HOMES[name]}"), name)
