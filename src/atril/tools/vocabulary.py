"""The names that mean something in a model's text: tools and their arguments, as models may write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from atril.tools.markup import LONGEST_NAME, Tag, plain
from atril.tools.toolset import Toolset

NAMED: Final = frozenset(("parameter", "param", "arg", "argument"))
"""Tags that tell in an attribute which argument they hold."""
CALLING: Final = frozenset(("invoke", "tool", "function", "call", "tool_call", "tool_use", "function_call"))
"""Tags that tell in an attribute which tool they call."""
_WRAPPERS: Final = frozenset(
    (
        "toolcall",
        "toolcalls",
        "tooluse",
        "tools",
        "toolcode",
        "toolresult",
        "toolresponse",
        "tooloutput",
        "toolname",
    )
)
"""Tags that models put around calls, and around what they imagine the answer to be."""
_CLOSE: Final = 0.82
_LOOKUPS: Final = 500
"""Different names that are compared with the known ones in one text; a model does not make up more."""


class Vocabulary:
    """Finds a tool or an argument by what is left of a name without its dashes, capitals and `tool_`, and
    by a name with a slip in it. For one text: it remembers the names it has seen."""

    def __init__(self, toolset: Toolset) -> None:
        self._toolset = toolset
        self._tools = {plain(name): name for name in toolset.names}
        for name in toolset.names:  # `tool_search` and `search` may both be somebody's
            self._tools.setdefault(plain(name.removeprefix("tool_")), name)
        self._fields = {
            tool.name: {plain(field): field for field in tool.arguments.model_fields} for tool in toolset
        }
        self._full = {plain(name): name for name in toolset.names}
        self._near: dict[tuple[str, str], str | None] = {}
        self.known = frozenset(self._full).union(*self._fields.values())
        """The plain names of all tools and arguments."""

    def fields(self, tool: str) -> Mapping[str, str]:
        """The arguments of a tool by their plain names; none for a tool that does not exist."""
        return self._fields.get(tool, {})

    def first_required(self, tool: str) -> str | None:
        fields = self._toolset[tool].arguments.model_fields
        return next((name for name, field in fields.items() if field.is_required()), None)

    def written(self, tag: Tag) -> str:
        """The name of the tool that a tag calls, as it is written."""
        calls = tag.written.casefold() in CALLING and "name" in tag.attributes
        return tag.attributes["name"] if calls else tag.written

    def opened(self, tag: Tag) -> str | None:
        return self.tool_name(self.written(tag))

    def tool_name(self, written: str) -> str | None:
        """The tool that is meant; a name that begins as tools do and is none stays as written."""
        name = plain(written)
        if name in self._tools:
            return self._tools[name]
        if name in _WRAPPERS or not name.startswith("tool"):
            return None
        near = self._nearest("", name, self._full)
        if near is not None:
            return near
        return written if re.fullmatch(r"tool[_-]\w+", written[: LONGEST_NAME + 1], re.I) else None

    def field(self, tool: str, written: str) -> str | None:
        fields, name = self.fields(tool), plain(written)
        return fields[name] if name in fields else self._nearest(tool, name, fields)

    def _nearest(self, tool: str, name: str, known: Mapping[str, str]) -> str | None:
        key = (tool, name)
        if key not in self._near:
            if len(self._near) >= _LOOKUPS or len(name) > LONGEST_NAME:
                return None
            close = get_close_matches(name, list(known), n=1, cutoff=_CLOSE)
            self._near[key] = known[close[0]] if close else None
        return self._near[key]
