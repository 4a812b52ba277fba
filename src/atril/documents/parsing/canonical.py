"""The canonical form of text: what everything downstream slices, matches and quotes.

NFC, `\\n` line ends, no control characters but `\\n` and `\\t`, no characters that print nothing, one kind
of space. Equal input gives equal output, and a second pass changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_LINE_ENDS: Final = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS: Final = r"\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
# Soft hyphen, zero-width space, word joiner and its invisible neighbours, byte order mark, bidirectional
# embeddings and overrides, interlinear marks, and the tag letters that can carry text no reader sees.
_INVISIBLE: Final = r"\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_REMOVED: Final = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")
# Joiners are spelling in Persian and in emoji; beside a Latin, Greek or Cyrillic letter they only hide a word.
_JOINERS: Final = re.compile(
    r"(?<=[A-Za-z\u00c0-\u052f])[\u200c\u200d]+|[\u200c\u200d]+(?=[A-Za-z\u00c0-\u052f])"
)
_SPACES: Final = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_BLANKS: Final = re.compile(r"\s+")
_BLANK_RUNS: Final = re.compile(r"\n{3,}")


def canonical(text: str) -> str:
    """`text` in canonical form, without blank lines around it and without blanks at the ends of lines."""
    text = _LINE_ENDS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", text)
    text = _REMOVED.sub("", text)
    text = _JOINERS.sub("", text)
    text = _SPACES.sub(" ", unicodedata.normalize("NFC", text))
    return "\n".join([line.rstrip(" \t") for line in text.split("\n")]).strip("\n")


def one_line(text: str) -> str:
    """`text` with every run of blanks, line ends included, as one space."""
    return _BLANKS.sub(" ", text).strip()


def single_blank_lines(text: str) -> str:
    """`text` with no more than one blank line in a row."""
    return _BLANK_RUNS.sub("\n\n", text)


def plain(line: str) -> str:
    """A line of prose that Markdown would not take for a heading."""
    return f"\\{line}" if line.startswith("#") else line


def pipe_row(cells: list[str]) -> str:
    """One row of a Markdown table; bars inside cells are escaped."""
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"


def pipe_table(rows: list[list[str]]) -> str:
    """Rows as a Markdown table whose first row is the header; short rows are filled up.

    Rows and columns without any text are left out; nothing left gives an empty string.
    """
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in rows), default=0)
    square = [row + [""] * (width - len(row)) for row in rows]
    used = [column for column in range(width) if any(row[column].strip() for row in square)]
    lines = [pipe_row([row[column] for column in used]) for row in square]
    if lines:
        lines.insert(1, "|" + "---|" * len(used))
    return "\n".join(lines)
