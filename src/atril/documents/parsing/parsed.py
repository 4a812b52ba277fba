"""What a parser hands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from atril.types import Page


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something in the file that did not reach the text, or may have reached it wrong.

    `kind` is `needs_ocr`, `ocr`, `hidden_text`, `comments`, `uncalculated`, `encoding` or `damaged_page`; the
    message key is `warning.<kind>`.
    """

    page: int | None
    kind: str

    @classmethod
    def of(cls, kind: str, page: int | None = None) -> ParseWarning:
        return cls(page, kind)


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A file as canonical Markdown; every chunk, highlight and citation is a slice of `text`.

    `type` is one of `document_types`. `metadata` holds front matter, or what an HTML head says, as
    text under the keys as written. `pages` lists every page of a paged format, empty ones with
    `start == end`, in order and without overlap; formats without pages have none.
    """

    text: str
    title: str
    type: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    warnings: tuple[ParseWarning, ...] = ()
