from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import atril
from atril.errors import InvalidArgument, InvalidSetting
from atril.home import load_embedder, open_home
from atril.models.chat import Message
from atril.models.options import ModelOptions
from atril.models.prices import PriceTable
from atril.models.providers import open_model
from atril.models.roles import Roles, open_roles
from atril.settings import Settings, load_settings
from atril.testing.chat_server import ChatServer
from atril.testing.embedders import HashEmbedder

SECRET = "sk-very-secret-1234567890"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("READER", "PRINCIPAL", "EMBEDDER", "READER__TIMEOUT", "READER__API_KEY", "MY_KEY"):
        monkeypatch.delenv(f"ATRIL_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def write(text: str) -> None:
    Path("atril.toml").write_text(text, encoding="utf-8")


def test_without_settings_no_role_has_a_model() -> None:
    settings = load_settings()
    assert (settings.reader_model, settings.principal_model) == (None, None)
    assert open_roles(None, None) == Roles()


@pytest.mark.parametrize(
    "written",
    ['reader = "openai:gpt-5-nano"', '[reader]\nmodel = "openai:gpt-5-nano"'],
)
def test_a_model_is_a_name_or_a_table(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(written)
    assert load_settings().reader_model == ModelOptions(model="openai:gpt-5-nano")
    monkeypatch.setenv("ATRIL_READER__TIMEOUT", "5")
    assert load_settings().reader_model == ModelOptions(model="openai:gpt-5-nano", timeout=5)


@pytest.mark.parametrize("value", ["anthropic:claude-haiku-4-5", '{"model": "anthropic:claude-haiku-4-5"}'])
def test_the_environment_names_a_model_too(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATRIL_PRINCIPAL", value)
    monkeypatch.setenv("ATRIL_PRINCIPAL__MAX_TOKENS", "500")
    chosen = ModelOptions(model="anthropic:claude-haiku-4-5", max_tokens=500)
    assert load_settings().principal_model == chosen


def test_a_model_named_in_the_environment_takes_nothing_from_the_table_in_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(f'[reader]\nmodel = "openai:local"\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "{SECRET}"\n')
    monkeypatch.setenv("ATRIL_READER", "anthropic:claude-haiku-4-5")
    assert load_settings().reader_model == ModelOptions(model="anthropic:claude-haiku-4-5")


def test_a_key_may_be_the_name_of_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[reader]\nmodel = "openai:gpt-5-nano"\napi_key = "ATRIL_MY_KEY"\n')
    settings = load_settings()
    with pytest.raises(InvalidSetting, match="ATRIL_MY_KEY") as caught:
        _ = settings.reader_model
    assert "ATRIL_MY_KEY" in caught.value.localized("ru")
    monkeypatch.setenv("ATRIL_MY_KEY", SECRET)
    reader = settings.reader_model
    assert reader is not None
    assert reader.api_key is not None
    assert reader.api_key.get_secret_value() == SECRET


@pytest.mark.parametrize(
    "written",
    [
        f'[reader]\napi_key = "{SECRET}"\n',
        f'[reader]\nmodel = "openai:a"\napi_kye = "{SECRET}"\n',
        f'[reader]\nmodel = "openai:a"\napi_key = "{SECRET}"\ntimeout = "soon"\n',
        f'[reader]\nmodel = "openai:a"\napi_key = ["{SECRET}"]\n',
        f'[embedding]\napi_key = ["{SECRET}"]\n',
    ],
)
def test_a_wrong_table_is_explained_without_its_key(written: str) -> None:
    write(written)
    with pytest.raises(InvalidSetting, match="in the settings") as caught:
        load_settings()
    assert SECRET not in f"{caught.value} {caught.value.fields} {caught.value.__cause__}"


def test_settings_show_no_key() -> None:
    write(f'[reader]\nmodel = "openai:a"\napi_key = "{SECRET}"\n[embedding]\napi_key = "{SECRET}"\n')
    settings = load_settings()
    assert SECRET not in f"{settings!r} {settings} {settings.reader_model!r} {settings.embedding_options!r}"


@pytest.mark.parametrize(
    ("embedder", "found"),
    [
        ("openai:text-embedding-3-small", "a"),
        ("azure:mine", "b"),
        ("bedrock:amazon.titan-embed-text-v1", None),
    ],
)
def test_an_embedder_finds_the_usual_key_of_its_provider(
    monkeypatch: pytest.MonkeyPatch, embedder: str, found: str | None
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "b")
    key = Settings(embedder=embedder).embedding_options.api_key
    assert (key.get_secret_value() if key else None) == found


def test_an_embedder_of_another_server_does_not_get_the_key_of_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    settings = Settings(embedder="openai:local", embedding={"base_url": "http://127.0.0.1:1/v1"})
    assert settings.embedding_options.api_key is None


async def test_a_home_has_the_models_of_its_settings_and_closes_them(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.always("Yes.")
        table = {"model": "openai:scripted", "base_url": server.url, "context_tokens": 4096}
        settings = Settings(reader=table, principal="openai:gpt-5-nano")
        async with open_home(tmp_path / "home", HashEmbedder(), settings, "en") as home:
            assert home.roles.context_tokens == {"reader": 4096}
            assert home.roles.principal is not None
            assert home.roles.principal.id == "openai:gpt-5-nano"
            assert home.roles.reader is not None
            assert (await home.roles.reader.complete([Message("user", "?")])).text == "Yes."
        await home.roles.close()


async def test_a_home_without_models_opens_and_prices_are_there(tmp_path: Path) -> None:
    async with open_home(tmp_path / "home", HashEmbedder(), Settings(), "en") as home:
        assert home.roles == Roles()
        assert home.prices.price("openai:gpt-5-nano") is not None


async def test_a_library_whose_model_is_misnamed_does_not_open(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="openai:NAME"):
        async with atril.open(
            tmp_path / "home", embedder=HashEmbedder(), settings=Settings(reader="nobody:model")
        ):
            pass


GUIDE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
TABLES = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("written", TABLES)
def test_what_the_guide_to_models_shows_can_be_used(written: str, tmp_path: Path) -> None:
    if written.startswith('["'):
        (tmp_path / "prices.toml").write_text(written)
        assert PriceTable.load(tmp_path / "prices.toml").price("openai:llama3.1")
        return
    write(written)
    settings = load_settings()
    for role in (settings.reader, settings.principal):
        assert role is None or open_model(role).id == role.model
    if settings.embedder != "bundled":
        assert load_embedder(settings.embedder, settings.embedding).max_tokens == 2048


async def test_the_test_that_the_guide_shows_passes(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```python\n(import atril\n.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(shown, "models.md", "exec"), names)
    await names["test_a_limit_of_the_provider_is_waited_for"](tmp_path)
