"""Finds text that speaks to an assistant instead of a reader: instructions hidden in documents or messages.

It judges by how such instructions are put in Spanish, English and Russian, so it finds what is phrased as
one and nothing that merely misleads. Matching takes time in proportion to the text, whatever the text is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from atril.safety.encodings import decoded
from atril.safety.folding import fold, has_tags
from atril.safety.grammar import Severity, load_rules, to_bytes

_WINDOW: Final = 20_000
_OVERLAP: Final = 400
_WEIGHT: Final[dict[Severity, int]] = {"low": 0, "medium": 1, "high": 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """One instruction: its kind and its slice `start`–`end` of the scanned text, in code points.

    `kind` is `instruction_override`, `system_prompt_extraction`, `jailbreak`, `exfiltration`, `tool_use`,
    `addressed_to_assistant`, `reply_control`, `concealment`, `hidden_markup` or `obfuscation`. `severity` is
    `low` where the words alone also stand in honest texts.
    """

    kind: str
    start: int
    end: int
    severity: Severity


def scan(text: str, *, least: Severity = "medium") -> tuple[Finding, ...]:
    """The instructions in a text of any language, at least that severe, in order of their start."""
    found = [*_plain(text), *_encoded(text)]
    if has_tags(text):
        found.append(Finding("obfuscation", 0, len(text), "high"))
    severe = [each for each in found if _WEIGHT[each.severity] >= _WEIGHT[least]]
    return tuple(_outermost(sorted(severe, key=lambda each: (each.start, -each.end, each.kind))))


def _outermost(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Leaves out what lies inside another finding of its kind."""
    ends: dict[str, int] = {}
    for each in findings:
        if each.end > ends.get(each.kind, -1):
            ends[each.kind] = each.end
            yield each


def _plain(text: str) -> Iterator[Finding]:
    folded = fold(text)
    encoded = to_bytes(folded.text)
    for begin, end in _windows(len(encoded)):
        window = encoded[begin:end]
        for rule in load_rules():
            for start, stop in rule.spans(window):
                yield Finding(rule.kind, *folded.span(begin + start, begin + stop), rule.severity)


def _encoded(text: str) -> Iterator[Finding]:
    for start, end, said in decoded(text):
        for finding in _plain(said):
            yield Finding(finding.kind, start, end, finding.severity)


def _windows(length: int) -> Iterator[tuple[int, int]]:
    """Slices that overlap by more than an instruction is long."""
    start = 0
    while True:
        end = min(start + _WINDOW, length)
        yield start, end
        if end == length:
            return
        start = end - _OVERLAP
