"""OpenDocument presentations (ODF 1.3 part 3, 10): one page per slide, with its title, text, tables and notes.

Hidden slides keep their number and lose their text, which is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from atril.documents.parsing.assembly import (
    check_text,
    heading,
    joined,
    language_of,
    paged,
    part,
    tidy_metadata,
    title_of,
)
from atril.documents.parsing.docx_outline import blocks_of
from atril.documents.parsing.opendocument import TextBody
from atril.documents.parsing.opendocument_package import open_package
from atril.documents.parsing.opendocument_styles import TextStyles
from atril.documents.parsing.parsed import ParsedDocument
from atril.documents.parsing.xmltree import Element, attribute, children, local, reader_of_file

_FURNITURE: Final = ("header", "footer", "date-time", "page-number", "page")


@reader_of_file
def read_odp(name: str, data: bytes) -> ParsedDocument:
    """An OpenDocument presentation. Raises `UnreadableDocument`: corrupt, encrypted, empty, needs_ocr, too_large."""
    package = open_package(data, "presentation")
    slides = [_Slide(node, package.styles) for node in children(package.body, "page")]
    language = language_of(block for slide in slides for block in slide.blocks)
    text, pages = paged(
        [joined([*slide.blocks, *part("notes", 3, slide.notes, language)]) for slide in slides]
    )
    check_text(text)
    warnings = tuple(each for at, slide in enumerate(slides, 1) for each in slide.reader.noticed.warnings(at))
    title = title_of(name, text, package.title)
    return ParsedDocument(text, title, "odp", tidy_metadata(package.metadata), pages, warnings)


class _Slide:
    def __init__(self, node: Element, styles: TextStyles) -> None:
        self.reader = TextBody(styles)
        shapes = [each for each in node if local(each) not in ("notes", "animations", "par")]
        shapes.sort(key=lambda shape: attribute(shape, "class") not in ("title", "subtitle"))
        self.blocks = [block for shape in shapes for block in self._shape(shape)]
        self.notes = [
            block for notes in children(node, "notes") for shape in notes for block in self._shape(shape)
        ]
        for comment in children(node, "annotation"):
            self.reader.noticed.leave_out(" ".join(comment.itertext()) + "\n", "comments")
        if styles.hides_slide(attribute(node, "style-name")):
            self.reader.noticed.leave_out("\n".join([*self.blocks, *self.notes]) + "\n")
            self.blocks, self.notes = [], []

    def _shape(self, shape: Element) -> Sequence[str]:
        place = attribute(shape, "class")
        if place in _FURNITURE:
            return []
        blocks = blocks_of(self.reader.shape_items(shape))
        return [heading(2, " ".join(blocks))] if place == "title" else blocks
