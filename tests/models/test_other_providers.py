"""Anthropic and Google over their own protocols, which `llmock` speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from atril.errors import NoReply
from atril.models.chat import Completion, Delta, Message
from atril.models.options import ModelOptions
from atril.models.providers import open_model
from atril.models.remote import RemoteModel

pytest.importorskip("llmock", reason="llmock is not installed")

ASKED = [Message("system", "Be brief."), Message("user", "How many days?")]
PROVIDERS = [
    ("anthropic", "anthropic", "claude-haiku-4-5", "anthropic"),
    ("google", "gemini", "gemini-2.5-flash", "google.genai"),
]


@pytest.fixture(params=PROVIDERS, ids=lambda each: each[0])
async def model(request: pytest.FixtureRequest, llmock: Any) -> AsyncIterator[RemoteModel]:
    provider, path, name, package = request.param
    pytest.importorskip(package, reason=f"the extra `{provider}` is not installed")
    options = ModelOptions(
        model=f"{provider}:{name}",
        base_url=llmock.base_url(path),
        api_key="key",
        timeout=5.0,
        stall=0.3,
        pause=0.0,
        temperature=0.2,
        max_tokens=100,
    )
    opened = open_model(options)
    yield opened
    await opened.close()


async def pieces(model: RemoteModel) -> list[Delta | Completion]:
    return [piece async for piece in model.stream(ASKED)]


async def test_a_reply_comes_whole_and_as_it_is_written(model: RemoteModel, llmock: Any) -> None:
    llmock.reply("Thirty days a year.", times=2)
    whole = await model.complete(ASKED)
    *deltas, last = await pieces(model)
    assert (whole.text, whole.cut_off, whole.tokens.output > 0) == ("Thirty days a year.", False, True)
    assert "".join(delta.text for delta in deltas) == "Thirty days a year."
    assert isinstance(last, Completion)
    assert (last.text, last.cut_off) == ("Thirty days a year.", False)


async def test_a_limit_of_the_provider_is_waited_for(model: RemoteModel, llmock: Any) -> None:
    llmock.rate_limit(times=1, retry_after=0.0).reply("Thirty.")
    assert (await model.complete(ASKED)).requests == 2


async def test_a_refused_key_is_named(model: RemoteModel, llmock: Any) -> None:
    llmock.fail(401, times=1)
    with pytest.raises(NoReply) as caught:
        await model.complete(ASKED)
    assert caught.value.fields["problem"] == "key"


@pytest.mark.parametrize("fault", ["disconnect", "corrupt", "stall"])
async def test_a_broken_stream_is_repeated_only_before_its_first_word(
    model: RemoteModel, llmock: Any, fault: str
) -> None:
    getattr(llmock, fault)(after_chunks=4)
    llmock.reply("One two three four five six.", times=2)
    got: list[Delta | Completion] = []
    try:
        async for piece in model.stream(ASKED):
            got.append(piece)
    except NoReply as error:
        assert got
        assert error.fields["problem"] in ("broken", "stalled")
    else:
        assert isinstance(got[-1], Completion)
    said = "".join(piece.text for piece in got if isinstance(piece, Delta))
    assert "One two three four five six.".startswith(said)
