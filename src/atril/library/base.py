"""What every part of a library stands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from atril.home import Home
from atril.tools.tool import Tool
from atril.types import Scope


class Base:
    """One home as one tenant or caller sees it."""

    def __init__(
        self, home: Home, scope: Scope, *, largest_file: int, more_tools: Sequence[Tool[Any]] = ()
    ) -> None:
        self._home = home
        self._scope = scope
        self._largest_file = largest_file
        self._more_tools = tuple(more_tools)
