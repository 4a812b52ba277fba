"""Where output goes: results to standard output, everything else to standard error.

Text out of documents is hostile here: it may hold terminal escape sequences, bidirectional overrides and
rich's own markup. `plain` removes the first two, and nothing is ever printed as markup.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without characters that steer a terminal; line breaks and tabs stay."""
    return _UNSAFE.sub("", text)


def prepare_streams() -> None:
    """Lets a terminal that lacks a character show a substitute instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


class Terminal:
    """The two streams of one command, and whether the result is wanted as JSON."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.out = Console(highlight=False, markup=False, emoji=False)
        self.err = Console(stderr=True, highlight=False, markup=False, emoji=False)

    @property
    def marks_needed(self) -> bool:
        """Whether emphasis has to be written, because there is no style to show it with."""
        return self.out.color_system is None

    def json(self, document: Any) -> None:
        """One JSON document on one line, readable by any program whatever the encoding of the stream."""
        text = json.dumps(document, ensure_ascii=False)
        try:
            text.encode(sys.stdout.encoding or "ascii")
        except UnicodeEncodeError:
            text = json.dumps(document)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def result(self, document: Any, view: Callable[[], RenderableType]) -> None:
        """The outcome of a command: the document with `--json`, else the view, made only then."""
        if self.as_json:
            self.json(document)
        else:
            self.show(view())

    def show(self, *parts: RenderableType) -> None:
        for part in parts:
            self.out.print(part)

    def text(self, text: str) -> None:
        """Text for a program, as it is: not wrapped to the width of the terminal."""
        sys.stdout.write(plain(text))
        sys.stdout.flush()

    def note(self, text: str) -> None:
        """A remark beside the result, on standard error."""
        self.err.print(Text(plain(text)), soft_wrap=True)

    def fail(self, text: str, kind: str) -> None:
        """One red line; with `--json` also `{"error", "kind"}`, so that there is always one document."""
        self.err.print(Text(plain(" ".join(text.split())), style="red"), soft_wrap=True)
        if self.as_json:
            self.json({"error": text, "kind": kind})
