from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from atril.errors import InvalidArgument, InvalidSetting, MissingExtra, NoReply
from atril.models.chat import Completion, Delta, Message
from atril.models.options import ModelOptions
from atril.models.providers import open_model
from atril.models.remote import RemoteModel
from atril.testing.chat_server import ChatServer, Fault, Reply
from atril.types import Tokens

ASKED = [Message("system", "Be brief."), Message("user", "How many days?")]
KEY = "sk-very-secret-1234567890"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
async def models(server: ChatServer) -> AsyncIterator[Any]:
    opened: list[RemoteModel] = []

    def make(model: str = "openai:scripted", **options: Any) -> RemoteModel:
        given = {"base_url": server.url, "pause": 0.0, "timeout": 5.0, **options}
        opened.append(open_model(ModelOptions(model=model, **given)))
        return opened[-1]

    yield make
    for each in opened:
        await each.close()


async def collect(model: RemoteModel) -> tuple[list[str], Completion]:
    pieces = [piece async for piece in model.stream(ASKED)]
    *deltas, last = pieces
    assert isinstance(last, Completion)
    return [delta.text for delta in deltas if isinstance(delta, Delta)], last


async def problem(model: RemoteModel) -> NoReply:
    with pytest.raises(NoReply) as caught:
        await model.complete(ASKED)
    return caught.value


async def test_a_reply_comes_whole_with_what_it_cost(server: ChatServer, models: Any) -> None:
    server.add(Reply("Thirty.", usage=Tokens(21, 3)))
    model = models()
    assert await model.complete(ASKED) == Completion("Thirty.", Tokens(21, 3))
    assert model.id == "openai:scripted"


async def test_a_reply_comes_as_it_is_written(server: ChatServer, models: Any) -> None:
    server.add(Reply("Thirty days a year.", piece=5, usage=Tokens(21, 3)))
    deltas, last = await collect(models())
    assert deltas == ["Thirt", "y day", "s a y", "ear."]
    assert last == Completion("Thirty days a year.", Tokens(21, 3))


async def test_messages_keep_their_order_and_roles(server: ChatServer, models: Any) -> None:
    server.add("Yes.")
    await models().complete(
        [*ASKED, Message("assistant", "Thirty."), Message("user", "Sure?"), Message("system", "Cite.")]
    )
    sent = [(each["role"], each["content"]) for each in server.requests[0].messages]
    assert sent == [
        ("system", "Be brief."),
        ("user", "How many days?"),
        ("assistant", "Thirty."),
        ("user", "Sure?"),
        ("system", "Cite."),
    ]


async def test_leading_system_messages_are_one_for_templates_that_take_one(
    server: ChatServer, models: Any
) -> None:
    server.add("Yes.")
    await models().complete([Message("system", "One."), Message("system", "Two."), Message("user", "Go.")])
    assert [each["role"] for each in server.requests[0].messages] == ["system", "user"]


async def test_only_what_is_configured_is_sent(server: ChatServer, models: Any) -> None:
    server.always("Yes.")
    await models().complete(ASKED)
    await models(temperature=0.2, max_tokens=50).complete(ASKED)
    plain, chosen = (set(request.body) for request in server.requests)
    assert plain == {"model", "messages", "stream"}
    assert chosen - plain == {"temperature", "max_tokens"}


async def test_a_model_that_always_reasons_gets_no_temperature(server: ChatServer, models: Any) -> None:
    server.add("Yes.")
    await models("openai:gpt-5-nano", temperature=0.2).complete(ASKED)
    assert "temperature" not in server.requests[0].body


async def test_a_deployment_that_refuses_the_temperature_is_asked_without(
    server: ChatServer, models: Any
) -> None:
    refusal = {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}
    server.add(Reply(status=400, error=refusal), "Yes.", "Again.")
    model = models(temperature=0.2)
    assert (await model.complete(ASKED)).requests == 2
    await model.complete(ASKED)
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("reply", "named", "requests"),
    [
        (Reply(status=401), "key", 1),
        (Reply(status=403), "key", 1),
        (Reply(status=404), "no_model", 1),
        (Reply(status=400), "rejected", 1),
        (Reply(status=400, error={"message": "", "code": "context_length_exceeded"}), "too_long", 1),
        (Reply(status=400, error={"message": "", "type": "exceed_context_size_error"}), "too_long", 1),
        (Reply(status=429, error={"message": "", "code": "insufficient_quota"}), "quota", 1),
        (Reply(status=429, retry_after=600), "rate", 1),
        (Reply(status=429), "rate", 3),
        (Reply(status=500), "server", 3),
        (Reply("Yes.", fault="disconnect"), "unreachable", 3),
        (Reply("Yes.", fault="malformed"), "nonsense", 3),
        (Reply("Yes.", fault="no_choices"), "nonsense", 3),
        (Reply("  "), "empty", 3),
        (Reply("", finish="length"), "no_room", 1),
        (Reply("", finish="content_filter"), "filtered", 1),
    ],
)
async def test_what_keeps_a_model_from_answering_is_named(
    server: ChatServer, models: Any, reply: Reply, named: str, requests: int
) -> None:
    server.always(reply)
    error = await problem(models())
    assert (error.fields["problem"], error.fields["requests"], len(server.requests)) == (
        named,
        requests,
        requests,
    )
    texts = {error.localized(language) for language in ("en", "es", "ru")}
    assert len(texts) == 3
    assert all("openai:scripted" in text for text in texts)


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, retry_after=0),
        Reply(status=503),
        Reply("Yes.", fault="disconnect"),
        Reply("Yes.", fault="malformed"),
        Reply(""),
    ],
)
async def test_what_may_pass_is_tried_again(server: ChatServer, models: Any, fault: Reply) -> None:
    server.add(fault, "Thirty.", fault, "Thirty.")
    model = models()
    whole = await model.complete(ASKED)
    deltas, streamed = await collect(model)
    assert (whole.text, whole.requests) == ("Thirty.", 2)
    assert ("".join(deltas), streamed.requests) == ("Thirty.", 2)


@pytest.mark.parametrize(
    ("fault", "named"), [("disconnect", "broken"), ("malformed", "broken"), ("stall", "stalled")]
)
async def test_a_reply_that_has_begun_is_never_repeated(
    server: ChatServer, models: Any, fault: Fault, named: str
) -> None:
    server.always(Reply("Thirty days a year.", fault=fault, after=1))
    seen: list[Any] = []
    with pytest.raises(NoReply) as caught:
        async for piece in models(stall=0.2).stream(ASKED):
            seen.append(piece)
    assert seen == [Delta("Thirty d")]
    assert caught.value.fields["problem"] == named
    assert len(server.requests) == 1


async def test_a_stream_of_blanks_is_an_empty_answer(server: ChatServer, models: Any) -> None:
    server.always("   \n")
    with pytest.raises(NoReply) as caught:
        await collect(models())
    assert (caught.value.fields["problem"], len(server.requests)) == ("empty", 1)


async def test_a_reply_that_does_not_end_is_ended(server: ChatServer, models: Any) -> None:
    server.add(Reply("word " * 500, pause=0.02))
    with pytest.raises(NoReply) as caught:
        await collect(models(longest=0.3))
    assert caught.value.fields["problem"] == "endless"


async def test_a_model_that_says_nothing_in_time_is_given_up(server: ChatServer, models: Any) -> None:
    server.always(Reply("Late.", delay=20))
    model = models(timeout=0.2)
    assert (await problem(model)).fields["problem"] == "slow"
    with pytest.raises(NoReply) as caught:
        await collect(model)
    assert caught.value.fields["problem"] == "slow"


async def test_a_server_that_is_not_there_is_named(models: Any) -> None:
    error = await problem(models(base_url="http://me:password@127.0.0.1:9/v1"))
    assert error.fields["problem"] == "unreachable"
    assert "http://127.0.0.1:9/v1" in str(error)


@pytest.mark.parametrize(
    ("reply", "cut_off"),
    [
        (Reply("Thirty", finish="length"), True),
        (Reply("Thirty", finish="content_filter"), True),
        (Reply("Thirty", finish=None), True),
        (Reply("Thirty."), False),
    ],
)
async def test_a_stream_that_stops_short_is_marked(
    server: ChatServer, models: Any, reply: Reply, cut_off: bool
) -> None:
    server.add(reply)
    _, last = await collect(models())
    assert last.cut_off is cut_off


async def test_a_whole_reply_is_cut_off_only_at_the_limit(server: ChatServer, models: Any) -> None:
    server.add(Reply("Thirty", finish="length"), Reply("Thirty.", finish=None))
    model = models()
    assert (await model.complete(ASKED)).cut_off
    assert not (await model.complete(ASKED)).cut_off


async def test_tokens_that_a_server_does_not_tell_are_estimated(server: ChatServer, models: Any) -> None:
    server.add(Reply("Thirty days.", usage=None), Reply("Thirty days.", usage=None))
    model = models()
    whole, (_, streamed) = await model.complete(ASKED), await collect(model)
    for completion in (whole, streamed):
        assert completion.estimated
        assert completion.tokens.input > 0 < completion.tokens.output


async def test_a_key_is_sent_and_shown_nowhere(
    server: ChatServer, models: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.add(Reply(status=401, error={"message": f"Incorrect API key provided: {KEY}"}))
    model = models(api_key=KEY)
    error = await problem(model)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown = [repr(model), str(error), repr(error), repr(error.fields), repr(error.__cause__)]
    assert all(KEY not in text for text in [*shown, *(record.getMessage() for record in caplog.records)])


async def test_the_key_of_openai_goes_to_no_other_server(
    server: ChatServer, models: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.add("Yes.")
    await models().complete(ASKED)
    assert KEY not in str(server.requests[0].headers)


async def test_without_its_key_a_provider_is_not_asked(models: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    error = await problem(models("openai:gpt-5-nano", base_url=None))
    assert (error.fields["problem"], error.fields["requests"]) == ("unconfigured", 0)


async def test_an_abandoned_stream_leaves_the_model_usable(server: ChatServer, models: Any) -> None:
    server.add(Reply("word " * 200, pause=0.01), "Thirty.")
    model = models()
    stream = model.stream(ASKED)
    await anext(stream)
    await stream.aclose()
    assert (await model.complete(ASKED)).text == "Thirty."


async def test_replies_are_sought_side_by_side(server: ChatServer, models: Any) -> None:
    server.always(lambda request: Reply(request.messages[-1]["content"].upper(), delay=0.05))
    model = models()
    asked = [[Message("user", f"question {number}")] for number in range(8)]
    replies = await asyncio.gather(*(model.complete(each) for each in asked))
    assert [reply.text for reply in replies] == [f"QUESTION {number}" for number in range(8)]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"requests_per_minute": 1}, "budget_requests"),
        ({"tokens_per_minute": 40}, "budget_tokens"),
        ({"tokens_per_minute": 5}, "budget_one_request"),
    ],
)
async def test_a_used_up_budget_sends_nothing_and_says_so(
    server: ChatServer, models: Any, options: dict[str, int], named: str
) -> None:
    server.always(Reply("Thirty.", usage=Tokens(30, 3)))
    model = models(**options)
    if named != "budget_one_request":
        await model.complete(ASKED)
    sent = len(server.requests)
    error = await problem(model)
    assert (error.fields["problem"], len(server.requests)) == (named, sent)


async def test_azure_is_asked_for_a_deployment_with_its_own_header(server: ChatServer, models: Any) -> None:
    server.add("Yes.")
    await models("azure:mine", base_url=server.address, api_key=KEY, api_version="2024-10-21").complete(ASKED)
    request = server.requests[0]
    assert request.path == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert request.headers["api-key"] == KEY


async def test_bedrock_is_asked_over_converse(
    server: ChatServer, models: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("boto3", reason="the extra `bedrock` is not installed")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    thirty = Reply("Thirty days a year.", usage=Tokens(21, 3))
    server.add(thirty, thirty, Reply(status=403))
    model = models("bedrock:amazon.nova-micro-v1:0", base_url=server.address, region="eu-west-1")
    assert await model.complete(ASKED) == Completion("Thirty days a year.", Tokens(21, 3))
    deltas, last = await collect(model)
    assert (deltas, last) == (
        ["Thirty d", "ays a ye", "ar."],
        Completion("Thirty days a year.", Tokens(21, 3)),
    )
    assert server.requests[0].headers["authorization"].startswith("AWS4-HMAC-SHA256")
    assert (await problem(model)).fields["problem"] == "key"


@pytest.mark.parametrize("name", ["gpt-5-nano", "nobody:model", "openai:", ""])
def test_a_provider_that_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="openai:NAME"):
        open_model(ModelOptions.model_construct(model=name))


def test_bedrock_takes_no_key() -> None:
    with pytest.raises(InvalidSetting, match="the tools of AWS"):
        open_model(ModelOptions(model="bedrock:amazon.nova-micro-v1:0", api_key=KEY))


def test_a_provider_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atril.models.providers.find_spec", lambda name: None)
    for provider, extra in (("openai", "models"), ("anthropic", "anthropic")):
        with pytest.raises(MissingExtra, match=rf"atril\[{extra}\]"):
            open_model(ModelOptions(model=f"{provider}:any"))
