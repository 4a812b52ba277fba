"""What a parser hands on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from atril.types import Page

_MOST_UNSEEN: Final = 200_000


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something in the file that did not reach the text, or may have reached it wrong.

    `kind` is `needs_ocr`, `ocr`, `hidden_text`, `comments`, `uncalculated`, `encoding`, `damaged_page` or
    `hidden_instructions`; the message key is `warning.<kind>`. `unseen` is the text that was left out, for
    whoever looks for instructions in it; it is not kept.
    """

    page: int | None
    kind: str
    unseen: str = field(default="", compare=False, repr=False)

    @classmethod
    def of(cls, kind: str, page: int | None = None, unseen: str = "") -> ParseWarning:
        return cls(page, kind, unseen)


class Noticed:
    """What a parser notices in a file, or on a page of it, besides the text it hands on."""

    def __init__(self) -> None:
        self._unseen: dict[str, list[str]] = {}

    def add(self, kind: str) -> None:
        self._unseen.setdefault(kind, [])

    def leave_out(self, text: str, kind: str = "hidden_text") -> None:
        """Notes a text that a reader does not see. Pieces of a line come one by one, line ends with them."""
        if text.strip():
            self._unseen.setdefault(kind, []).append(text)

    def end_line(self) -> None:
        """Parts what is left out from now on from what was left out before."""
        for texts in self._unseen.values():
            if texts and not texts[-1].endswith("\n"):
                texts.append("\n")

    def take(self, warnings: Iterable[ParseWarning]) -> None:
        """Notes what was noticed in a part that was read by itself."""
        for each in warnings:
            self.add(each.kind)
            self.leave_out(f"{each.unseen}\n", each.kind)

    def warnings(self, page: int | None = None) -> tuple[ParseWarning, ...]:
        """One warning of each kind, in a fixed order."""
        return tuple(
            ParseWarning.of(kind, page, "".join(self._unseen[kind])[:_MOST_UNSEEN])
            for kind in sorted(self._unseen)
        )


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
