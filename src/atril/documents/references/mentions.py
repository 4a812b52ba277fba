"""What a text says of another place: the value that the grammar of references finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Relative = Literal["previous", "next", "this"]
MentionKind = Literal["article", "norm", "section", "page", "link"]


@dataclass(frozen=True, slots=True)
class Mention:
    """One reference in a text: `[start, end)` and what it names.

    `articles` are keys as `Chunk.article` has them ("38", "20 bis", "Disposición adicional segunda"), and
    `apartado` the paragraph of them. `norm` is the text that names the norm or document, from its first
    word on and possibly too long: the longest known name that begins it counts. `relative` says that the
    place is counted from here: the article before or after, or this very norm ("this", with `articles`) or
    article ("this", without). `value` is the number of a section or page, the divisions of a norm from the
    outermost in ("titulo 3/capitulo 2"), or the address of a link. `approved` means the text that a decree
    approves and not the decree.

    `hint` names the norm last spoken of, in case this document has no such article.

    A mention with neither `norm` nor `relative` is of the document it stands in.
    """

    start: int
    end: int
    kind: MentionKind
    articles: tuple[str, ...] = ()
    apartado: str | None = None
    norm: str | None = None
    relative: Relative | None = None
    value: str | None = None
    approved: bool = False
    identifier: str | None = None
    hint: str | None = None
