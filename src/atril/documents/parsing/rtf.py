"""Rich Text Format: the text with its headings, lists, tables and notes.

Pictures are noticed; headers and footers stand in a part of their own at the end. Hidden, white and tiny
text, comments and deleted text are left out, the first three reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from atril.documents.parsing.assembly import document, image, language_of, part
from atril.documents.parsing.canonical import one_line
from atril.documents.parsing.docx_outline import blocks_of, is_running, unique, with_headings
from atril.documents.parsing.docx_styles import heading_of_name
from atril.documents.parsing.parsed import Noticed, ParsedDocument
from atril.documents.parsing.rtf_story import Look, Story
from atril.documents.parsing.rtf_tokens import Token, tokens
from atril.documents.parsing.xmltree import reader_of_file
from atril.errors import UnreadableDocument

_SKIPPED: Final = frozenset(
    ("fonttbl", "filetbl", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "themedata",
     "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "fldinst", "pntxtb", "pntxta", "pn", "pgdsctbl",
     "objdata", "objclass", "result", "nonshppict", "shprslt", "bkmkstart", "bkmkend", "xe", "tc", "rxe",
     "nonesttables", "userprops", "docvar", "mmathPr", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "ftncn", "aftncn",
     "private", "template", "stylesheet_entry", "listname", "listpicture", "falt", "panose", "sp", "atnid", "atnauthor",
     "atntime", "atndate", "atnref", "atnicn", "atnparent", "passwordhash", "wgrffmtfilter", "svb", "protusertbl")
)  # fmt: skip
_MARGINS: Final = frozenset(
    ("header", "footer", "headerl", "headerr", "headerf", "footerl", "footerr", "footerf")
)
_INFO: Final = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "keywords": "keywords",
    "doccomm": "description",
}
_OWN: Final = frozenset(
    ("info", "stylesheet", "colortbl", "pict", "footnote", "annotation", "listtext", "pntext", "shptxt")
)
_READ_WHEN_STARRED: Final = frozenset(
    ("shpinst", "shptxt", "shppict", "footnote", "annotation", "nesttableprops")
)
_TINY: Final = 4
_WHITE: Final = 0xFA


@reader_of_file
def read_rtf(name: str, data: bytes) -> ParsedDocument:
    """A Rich Text file. Raises `UnreadableDocument`: corrupt, empty, needs_ocr."""
    if not data.lstrip()[:5].startswith(b"{\\rtf"):
        raise UnreadableDocument(reason="corrupt", detail="no RTF inside")
    reader = _Reader()
    for token in tokens(data):
        reader.take(token)
    reader.finish()
    blocks = blocks_of(with_headings(reader.story.items))
    margins = [text for text in unique(reader.story.margins) if not is_running(text)]
    return document(
        name,
        "rtf",
        blocks,
        after=part("margins", 1, margins, language_of(blocks)),
        stated=reader.info.pop("title", ""),
        metadata=reader.info,
        noticed=reader.noticed,
    )


class _Reader:
    def __init__(self) -> None:
        self.info: dict[str, str] = {}
        self.noticed = Noticed()
        self.story = Story()
        self._look = Look()
        self._stack: list[Look] = []
        self._fresh = False
        self._aside: list[str] = []
        self._style_name: list[str] = []
        self._colors: list[int] = []
        self._mixed = [0, 0, 0]

    def take(self, token: Token) -> None:
        if token.kind == "open":
            self._stack.append(self._look)
            self._fresh = True
        elif token.kind == "close":
            self._close()
        elif token.kind == "word":
            self._word(token)
            self._fresh = False
        else:
            self._text(token.text)
            self._fresh = False

    def finish(self) -> None:
        while self._stack:
            self._close()
        self.story.finish(self._look)

    # Where text goes: groups change the place, and the end of a group brings what was gathered home.

    def _word(self, token: Token) -> None:
        name = token.text
        if self._look.place in ("skip", "annotation"):
            return
        if self._fresh or token.star:
            if name in _SKIPPED or (token.star and name not in _READ_WHEN_STARRED):
                self._look = replace(self._look, place="skip")
                return
            if name in _OWN or name in _MARGINS or (name in _INFO and self._look.place == "info"):
                self._enter(name)
                return
        if self._look.place == "colortbl":
            self._mix(name, token.value or 0)
        elif self._look.place.startswith("stylesheet"):
            self._style_word(name, token.value)
        else:
            self._format(name, token.value)

    def _enter(self, name: str) -> None:
        if name in _MARGINS or name in ("shptxt",):
            # Boxes and margins hold paragraphs of their own.
            self.story.end_paragraph(self._look)
            self._look = replace(Look(), place="margin" if name in _MARGINS else "body")
            return
        if name == "pict":
            self.story.add(f" {image()} ", self._look)
            self._look = replace(self._look, place="skip")
            return
        if name == "annotation":
            self.noticed.add("comments")
            self._look = replace(self._look, place="annotation")
            return
        self._aside = [] if name in ("footnote", "listtext", "pntext", *_INFO) else self._aside
        self._look = replace(self._look, place=name)

    def _close(self) -> None:
        if not self._stack:
            return
        ended, style = self._look.place, self._look.style
        self._look = self._stack.pop()
        self._fresh = False
        if ended == self._look.place:
            if ended == "stylesheet":
                self._style_done(style)
            return
        text = "".join(self._aside)
        if ended in ("listtext", "pntext"):
            self.story.label(text)
        elif ended == "footnote":
            self.story.note(one_line(text))
        elif ended in _INFO:
            self.info[_INFO[ended]] = text
        elif ended == "margin":
            self.story.end_paragraph(self._look, margin=True)

    def _text(self, text: str) -> None:
        place = self._look.place
        if place in ("listtext", "pntext", "footnote", *_INFO):
            if place in _INFO or not self._unseen(text):
                self._aside.append(text)
        elif place == "colortbl":
            for _ in range(text.count(";")):
                self._colors.append(min(self._mixed))
                self._mixed = [0, 0, 0]
        elif place == "stylesheet":
            self._style_name.append(text)
        elif place == "annotation":
            self.noticed.leave_out(text, "comments")
        elif place in ("body", "margin") and not self._unseen(text):
            self.story.add(text, self._look)

    def _unseen(self, text: str) -> bool:
        look = self._look
        if look.deleted:
            return True
        white = (
            not look.shaded
            and not look.in_table
            and 0 < look.color < len(self._colors)
            and self._colors[look.color] >= _WHITE
        )
        unseen = look.hidden or look.size <= _TINY or white
        if unseen:
            self.noticed.leave_out(text)
        return unseen

    # What control words say.

    def _format(self, name: str, value: int | None) -> None:
        on = value != 0
        changes: dict[str, object] = {}
        if name == "par":
            self.noticed.end_line()
            self._end_of(name)
        elif name in ("sect", "page", "column"):
            self.story.end_paragraph(self._look)
        elif name in ("cell", "nestcell", "row", "nestrow"):
            self._end_of(name)
        elif name == "pard":
            changes = {"in_table": False, "level": 0, "indent": 0, "style": 0, "centred": False}
        elif name == "plain":
            changes = {
                "hidden": False,
                "bold": False,
                "size": 24,
                "color": 0,
                "shaded": False,
                "deleted": False,
            }
        elif name == "v":
            changes = {"hidden": on}
        elif name == "b":
            changes = {"bold": on}
        elif name == "deleted":
            changes = {"deleted": on}
        elif name == "intbl":
            changes = {"in_table": True}
        elif name == "qc":
            changes = {"centred": True}
        elif name in ("ql", "qr", "qj"):
            changes = {"centred": False}
        elif name in ("highlight", "cb", "chcbpat", "cbpat"):
            changes = {"shaded": bool(value)}
        elif value is not None:
            changes = self._with_number(name, value)
        if changes:
            self._look = replace(self._look, **changes)  # type: ignore[arg-type]

    def _with_number(self, name: str, value: int) -> dict[str, object]:
        if name == "fs":
            return {"size": value}
        if name == "cf":
            return {"color": value}
        if name == "s":
            return {"style": value}
        if name == "outlinelevel":
            return {"level": min(max(value, 0), 8) + 1 if value < 9 else 0}
        return {"indent": min(max(value, 0), 8)} if name == "ilvl" else {}

    def _style_word(self, name: str, value: int | None) -> None:
        if name == "s" and value is not None:
            self._look = replace(self._look, style=value)
        elif name == "outlinelevel" and value is not None and value < 9:
            self.story.levels[self._look.style] = min(max(value, 0), 8) + 1

    def _style_done(self, style: int) -> None:
        name = "".join(self._style_name).strip().rstrip(";")
        self._style_name.clear()
        if level := heading_of_name(name):
            self.story.levels[style] = level

    def _mix(self, name: str, value: int) -> None:
        if name in ("red", "green", "blue"):
            self._mixed[("red", "green", "blue").index(name)] = value

    def _end_of(self, name: str) -> None:
        if name == "par":
            if self._look.place == "footnote":
                self._aside.append(" ")
            elif self._look.in_table:
                self.story.end_line()
            else:
                self.story.end_paragraph(self._look, margin=self._look.place == "margin")
        elif name in ("cell", "nestcell"):
            self.story.end_cell()
        else:
            self.story.end_row()
