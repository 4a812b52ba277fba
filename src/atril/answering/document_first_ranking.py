"""Which documents answer a question, without a model that reads their descriptions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final
from uuid import UUID

from atril.documents.analysis import QueryTerm, distinct_terms, query_terms, term_id
from atril.retrieval.searcher import Retrieval
from atril.store.terms import TermStatistics
from atril.types import Document

_YEAR: Final = r"(?P<{}>(?:19|20)\d\d|\d\d)"
_PERIOD: Final = re.compile(
    rf"\b(?:(?:FY|CY|[QH][1-4]|[1-4][QH])[\s'’\-]?\s?{_YEAR.format('after')}"
    rf"|{_YEAR.format('before')}[\s\-]?(?:[QH][1-4]|[1-4][QH]))\b",
    re.IGNORECASE,
)


def years_in_periods(question: str) -> tuple[str, ...]:
    """The years that fiscal periods are written with: 2022 of "FY22", 2023 of "Q2'23" and "2023Q4"."""
    found = (match["after"] or match["before"] for match in _PERIOD.finditer(question))
    return tuple(dict.fromkeys(year if len(year) == 4 else f"20{year}" for year in found))
