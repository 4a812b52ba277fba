"""A conversation as a file: JSON lines for programs, Markdown for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, get_args

from atril.errors import InvalidArgument
from atril.messages import message
from atril.types import LoggedMessage, Transcript

TranscriptForm = Literal["jsonl", "markdown"]
FORMS: Final[tuple[str, ...]] = get_args(TranscriptForm)


def written_out(transcript: Transcript, form: str, language: str | None) -> str:
    """The transcript as `jsonl`, one message to a line with everything known of it, or as `markdown`, with
    the quotes under each answer. Raises `InvalidArgument` for another form."""
    if form == "jsonl":
        lines = (json.dumps(each.to_dict(), ensure_ascii=False) for each in transcript.messages)
        return "".join(f"{line}\n" for line in lines)
    if form == "markdown":
        title = " ".join(transcript.conversation.title.split())
        parts = [f"# {title}", *(_message(each, language) for each in transcript.messages)]
        return "\n\n".join(parts) + "\n"
    raise InvalidArgument(name="form", value=form, allowed=", ".join(FORMS))


def _message(said: LoggedMessage, language: str | None) -> str:
    who = message(f"transcript.{said.role}", language)
    parts = [f"## {who} · {said.created_at:%Y-%m-%d %H:%M} UTC", said.text]
    return "\n\n".join([*parts, *_citations(said.answer or {}, language)])


def _citations(answer: Mapping[str, Any], language: str | None) -> Iterator[str]:
    for citation in answer.get("citations", ()):
        place = [citation["source_file"]]
        if citation["page"] is not None:
            place.append(message("cli.on_page", language, page=citation["page"]))
        if citation["section_title"]:
            place.append(citation["section_title"])
        quote = " ".join(citation["quote"].split())
        yield f"> [{citation['number']}] {' · '.join(place)}: “{quote}”"
