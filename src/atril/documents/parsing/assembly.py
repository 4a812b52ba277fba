"""What the readers of office files share: pieces of Markdown, and the document made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Final, Literal

from atril.documents.languages import detect
from atril.documents.parsing.canonical import canonical, one_line, pipe_table, plain, single_blank_lines
from atril.documents.parsing.markdown import TITLE_LENGTH, first_heading, title_from
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.errors import UnreadableDocument
from atril.messages import message
from atril.types import Page

Part = Literal["margins", "notes"]
"""`margins` are headers and footers; `notes` those of a speaker."""

_TARGET: Final = re.compile(r"(?:https?://|mailto:)[^\s()<>]{1,200}$")
_MADE_UP: Final = re.compile(
    r"(?:untitled|без названия|sin título|microsoft \w+|powerpoint[ -]pr\w+|present\w+ (?:de )?powerpoint"
    r"|презентация powerpoint|slide \d+|diapositiva \d+|document\d*|документ\d*|.*\.\w{3,4})\s*\d*$",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"(?<!!)\[([^\[\]]+)\]\((?:https?|mailto):[^)\s]*\)")
_PICTURE: Final = re.compile(r"!\[[^\]\n]*\]\(\)")
_FILE_NAME: Final = re.compile(r".*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$|\w+ ?\d+$", re.IGNORECASE)
_GENERATED: Final = re.compile(
    r"[.,]?\s*(?:descripción generada automáticamente|description automatically generated"
    r"|автоматически созданное описание).*$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_BLANKS: Final = re.compile(r"(?<=\S)[ \t\u00a0]{2,}|\t")
_FRONT: Final = frozenset(
    ("оглавление", "содержание", "índice", "contents", "table of contents", "введение", "introducción",
     "introduction")
)  # fmt: skip
_NUMBER: Final = re.compile(r"^[\dIVX.]+\s+")
_FIGURE: Final = re.compile(r"[^\w]*\d[\d.,\s%/:()-]*[^\w]*")
_HEADER_WITHIN: Final = 6
_NAMED: Final = 0.6
_PICTURE_ALONE: Final = 40
_TITLE_WITHIN: Final = 6000


def image(description: str = "") -> str:
    """The mark of a picture. Names that programs give ("Picture 3", "scan.png") describe nothing."""
    text = _GENERATED.sub("", one_line(canonical(description))).replace("[", "(").replace("]", ")")
    return f"![{'' if _FILE_NAME.match(text) else text}]()"


def link(label: str, target: str) -> str:
    """A link with its address when that leads somewhere and says more than the text."""
    shown = one_line(label)
    if not shown or "\n" in label or "[" in shown or not _TARGET.match(target):
        return label
    return label if shown in target else f"[{shown}]({target})"


def heading(level: int, text: str) -> str:
    """A heading of level 1 to 6, or nothing for blank text."""
    line = one_line(_LINK.sub(r"\1", text))
    return f"{'#' * min(max(level, 1), 6)} {line}" if line else ""


def paragraph(text: str) -> str:
    """Prose whose lines Markdown takes for nothing else."""
    return "\n".join(plain(_BLANKS.sub(" ", line)) for line in text.strip().split("\n"))


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The blocks of a table: lines that stood over its header, then the table.

    A table of one row or one column is prose in boxes and comes back as paragraphs.
    """
    filled = [list(row) for row in rows if any(cell.strip() for cell in row)]
    width = len({place for row in filled for place, cell in enumerate(row) if cell.strip()})
    above = _rows_above_header(filled, width)
    blocks = [paragraph(" ".join(cell for cell in row if cell.strip())) for row in filled[:above]]
    filled = filled[above:]
    while filled and (width < 2 or len(filled) == 1 or _is_caption(filled, width)):
        blocks += [paragraph(cell) for cell in filled.pop(0) if cell.strip()]
    return [*blocks, pipe_table(filled)] if filled else blocks


def _is_caption(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row is one cell at its left with a whole table below."""
    first = min(place for row in rows for place, cell in enumerate(row) if cell.strip())
    filled = [place for place, cell in enumerate(rows[0]) if cell.strip()]
    return filled == [first] and len(rows) > 2 and width > 1


def _rows_above_header(rows: Sequence[Sequence[str]], width: int) -> int:
    """How many rows stand over the header: a few words each, before a row that names nearly all columns."""
    counts = [sum(1 for cell in row if cell.strip()) for row in rows[:_HEADER_WITHIN]]
    for place, count in enumerate(counts):
        named = not any(_FIGURE.fullmatch(cell.strip()) for cell in rows[place])
        if named and count >= _NAMED * width:
            return place if all(before * 2 <= count for before in counts[:place]) else 0
    return 0


def part(kind: Part, level: int, blocks: Iterable[str], language: str) -> list[str]:
    """Blocks below a heading that says, in the document's language, what they are; nothing for none."""
    found = [block for block in blocks if block.strip()]
    return [heading(level, message(f"document.{kind}", language)), *found] if found else []


def language_of(blocks: Iterable[str]) -> str:
    return detect("\n\n".join(blocks))


def joined(blocks: Iterable[str]) -> str:
    """Blocks as canonical text, one blank line between them."""
    return single_blank_lines(canonical("\n\n".join(block for block in blocks if block.strip())))


def paged(texts: Sequence[str]) -> tuple[str, tuple[Page, ...]]:
    """The texts of slides as one, and where each lies in it; a slide without text keeps its number."""
    pages: list[Page] = []
    whole = ""
    for count, text in enumerate(texts, 1):
        whole += "\n\n" if whole and text else ""
        pages.append(Page(count, len(whole), len(whole) + len(text)))
        whole += text
    return whole, tuple(pages)


def title_of(name: str, text: str, stated: str = "", *, within: str = "") -> str:
    """The stated title when the text (or `within`) bears it out, else the first heading or line of the text,
    else the file's name.

    Titles kept in properties often belong to the template the file was made from.
    """
    stated = one_line(canonical(stated))
    words = {word.lower() for word in _WORD.findall(stated)}
    shown = (within or text)[:_TITLE_WITHIN].lower() + one_line(name).lower()
    if words and not _MADE_UP.match(stated) and sum(word in shown for word in words) * 2 >= len(words):
        return stated[:TITLE_LENGTH]
    bare = _PICTURE.sub("", text).strip()
    found = first_heading(bare) or title_from(name, bare)
    if _NUMBER.sub("", found).lower() in _FRONT:
        return name_title(name)
    return found[:TITLE_LENGTH]


def name_title(name: str) -> str:
    return one_line(canonical(PurePath(name).stem or name))[:TITLE_LENGTH]


def tidy_metadata(values: Mapping[str, str]) -> dict[str, str]:
    """Values as single lines of canonical text, blank ones left out."""
    tidy = {key: one_line(canonical(value)) for key, value in values.items()}
    return {key: value for key, value in tidy.items() if value}


def check_text(text: str) -> None:
    """Raises `UnreadableDocument`: `empty` for a text without words, `needs_ocr` for a picture with no more
    than a line beside it."""
    bare = _PICTURE.sub("", text).strip(" \n#|-")
    pictured = _PICTURE.search(text) is not None
    if not bare or (pictured and sum(map(str.isalnum, bare)) < _PICTURE_ALONE):
        raise UnreadableDocument(reason="needs_ocr" if pictured else "empty")


def document(
    name: str,
    kind: str,
    blocks: Sequence[str],
    *,
    after: Sequence[str] = (),
    stated: str = "",
    metadata: Mapping[str, str] | None = None,
    noticed: Noticed | None = None,
    file_titles: bool = False,
) -> ParsedDocument:
    """A document without pages. Raises `UnreadableDocument` when it holds no text.

    Blocks `after` the others are part of the text and give no title. `file_titles` is for formats whose
    first line says little: the name of the file stands in for a title that is not stated.
    """
    text = joined([*blocks, *after])
    check_text(text)
    title = title_of(name, "" if file_titles else joined(blocks), stated, within=text)
    return ParsedDocument(
        text, title, kind, tidy_metadata(metadata or {}), (), (noticed or Noticed()).warnings()
    )
