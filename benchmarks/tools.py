"""What calling tools costs, and how many of a model's slips are understood.

    python benchmarks/tools.py [--calls 10000] [--seed 1] [--home HOME]

1. Known calls are written as XML and damaged in the ways models damage them; the arguments that reach the
   tool are compared with the original ones. Damage that loses information (a text that ends inside a value,
   a tag that nobody could guess) counts apart.
2. Tokens (o200k) of all definitions, of each result and of a response above its content.
3. Time of a tool call above that of the search itself.
4. Time from starting `atril mcp` to its first list of tools.

Without `--home` a library of the shipped samples is made for 2 to 4.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import string
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib.resources import files
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bpe_openai import get_encoding
from pydantic import BaseModel

import atril
from atril.tools.documents import document_tools
from atril.tools.export.openai import openai_tools
from atril.tools.tool import Tool, ToolContext
from atril.tools.toolset import Call, Toolset
from atril.tools.xml import read_calls
from measuring import table

TAG = re.compile(r"</?(?:tool_\w+|query|top_k|min_score|document_name|file_name|chunk_type|keywords|position|pattern|"
                 r"case_sensitive|context_lines|max_matches_per_file|chunk_start|chunk_end|include_\w+)>")  # fmt: skip
"""The tags of a call, as against those that stand in a query or a pattern."""
WORDS = (
    "vacaciones anuales artículo 38 ET despido objetivo AT&T <b> 5 < 7 договор аренды цена R&D ¿cuántos días? "
    'API_KEY "frase exacta" -excluida C++ 50 % https://ejemplo.es/?a=1&b=2 {x} naïve salario mínimo'
).split()
PATTERNS = (r"\bAPI[-_]?KEY\b", r"REF-\d{4}-[A-Z]{3}", r"(?i)artículo\s+\d+", r"<td>(.*?)</td>", r"a&&b|c<d")
FILES = ("FD-Mulesoft_Funcional.docx", "ley 20-2007.md", "отчёт за 2024.pdf", "precios & tarifas.xlsx")


def echo_tools() -> tuple[Toolset, list[dict[str, Any]]]:
    """The seven tools with their real names and arguments, keeping what they are called with."""
    received: list[dict[str, Any]] = []

    async def run(self: Any, arguments: BaseModel, context: ToolContext) -> str:
        received.append(arguments.model_dump())
        return "ok"

    kinds = [type(tool) for tool in document_tools(lambda: AsyncExitStack())]  # type: ignore[arg-type,return-value]
    tools: list[Tool[Any]] = [type(kind.__name__, (kind,), {"run": run})(None) for kind in kinds]
    return Toolset(tools), received


def known_call(chance: random.Random, tool: Tool[Any]) -> dict[str, Any]:
    """Valid arguments, the required ones and some of the others."""
    query = " ".join(chance.sample(WORDS, chance.randint(1, 6)))
    first = chance.randint(1, 40)
    every: dict[str, Any] = {
        "query": query,
        "top_k": chance.randint(1, 10),
        "min_score": chance.choice([0.0, 0.25, 0.5]),
        "document_name": chance.choice(FILES),
        "file_name": chance.choice(FILES),
        "chunk_type": chance.choice(["table", "section_header", "content"]),
        "keywords": ",".join(chance.sample(["token", "oauth", "clave"], 2)),
        "position": chance.choice(["all", "first_5", "last_3"]),
        "pattern": chance.choice(PATTERNS),
        "case_sensitive": chance.choice([True, False]),
        "context_lines": chance.randint(0, 20),
        "max_matches_per_file": chance.randint(1, 100),
        "chunk_start": first,
        "chunk_end": first + chance.randint(0, 50),
        "include_metadata": chance.choice([True, False]),
        "include_structure": chance.choice([True, False]),
    }
    fields = tool.arguments.model_fields
    wanted = [
        name for name in fields if name in every and (fields[name].is_required() or chance.random() < 0.6)
    ]
    if "pattern" in fields and "pattern" not in wanted:
        wanted.append("pattern")
    return {name: every[name] for name in wanted}


CDATA = r"<(query|pattern)>(.*?)</\1>"
Damage = Callable[[random.Random, str, str], str]


def _prose(chance: random.Random, text: str, name: str) -> str:
    return (
        chance.choice(["Voy a buscar.\n", "Let me look <now>: ", "**Plan** & búsqueda\n\n", "1. "])
        + text
        + "\nListo."
    )


def _fence(chance: random.Random, text: str, name: str) -> str:
    return f"```{chance.choice(['xml', ''])}\n{text}\n```"


def _capitals(chance: random.Random, text: str, name: str) -> str:
    return TAG.sub(lambda tag: tag[0].upper() if chance.random() < 0.8 else tag[0], text)


ATTRIBUTES = ("id=1", "type='string'", 'lang="es"')


def _attributes(chance: random.Random, text: str, name: str) -> str:
    return TAG.sub(
        lambda tag: tag[0] if tag[0][1] == "/" else f"{tag[0][:-1]} {chance.choice(ATTRIBUTES)}>",
        text,
        count=4,
    )


def _no_tool_end(chance: random.Random, text: str, name: str) -> str:
    return text.replace(f"</{name}>", "")


def _no_argument_end(chance: random.Random, text: str, name: str) -> str:
    ends = [end for end in TAG.findall(text) if end.startswith("</") and end != f"</{name}>"]
    return text.replace(chance.choice(ends), "", 1) if ends else text


def _escaped(chance: random.Random, text: str, name: str) -> str:
    if "CDATA" in text:  # there an entity is no entity
        return text
    return re.sub(r">([^<>]*&[^<>]*)<", lambda value: ">" + value[1].replace("&", "&amp;") + "<", text)


def _unknown(chance: random.Random, text: str, name: str) -> str:
    return text.replace(f"</{name}>", f"<reasoning>porque sí</reasoning>\n</{name}>")


def _twice(chance: random.Random, text: str, name: str) -> str:
    argument = re.search(r"<(?!td)(\w+)>[^<>]*</\1>", text)
    return text.replace(argument[0], argument[0] + "\n" + argument[0], 1) if argument else text


def _spaces(chance: random.Random, text: str, name: str) -> str:
    return TAG.sub(
        lambda tag: chance.choice(["", "\n", "  "]) + tag[0] + chance.choice(["", "\n", " "]), text
    )


def _typo(chance: random.Random, text: str, name: str) -> str:
    """Two letters of an argument's name exchanged, in both of its tags."""
    names = [tag.strip("</>") for tag in TAG.findall(text)]
    arguments = [each for each in names if each != name and len(each) > 5]
    if not arguments:
        return text
    argument = chance.choice(arguments)
    place = chance.randrange(1, len(argument) - 2)
    wrong = argument[:place] + argument[place + 1] + argument[place] + argument[place + 2 :]
    return text.replace(f"<{argument}>", f"<{wrong}>").replace(f"</{argument}>", f"</{wrong}>")


def _cdata(chance: random.Random, text: str, name: str) -> str:
    return text if "&amp;" in text else re.sub(CDATA, r"<\1><![CDATA[\2]]></\1>", text, flags=re.S)


def _comment(chance: random.Random, text: str, name: str) -> str:
    return text.replace(f"<{name}>", f"<{name}><!-- <top_k>9</top_k> nota -->", 1)


def _wrapped(chance: random.Random, text: str, name: str) -> str:
    tag = chance.choice(["tool_call", "answer", "function_calls", "xml"])
    return f"<{tag}>\n{text}\n</{tag}>"


def _as_json(chance: random.Random, text: str, name: str) -> str:
    pairs = dict(re.findall(r"<(?!tool_)(\w+)>(.*?)</\1>", text, flags=re.S))
    return json.dumps({"name": name, "arguments": pairs}, ensure_ascii=False)


def _invoked(chance: random.Random, text: str, name: str) -> str:
    body = re.sub(r"<(?!/|tool_)(\w+)>(.*?)</\1>", r'<parameter name="\1">\2</parameter>', text, flags=re.S)
    return body.replace(f"<{name}>", f'<invoke name="{name}">').replace(f"</{name}>", "</invoke>")


def _half_tag(chance: random.Random, text: str, name: str) -> str:
    """A tag without its first or its last bracket; half of those that open an argument or the tool."""
    opening = [tag for tag in TAG.finditer(text) if tag[0][1] != "/"]
    if not opening:
        return text
    tag = chance.choice(opening)
    wrong = tag[0][1:] if chance.random() < 0.5 else tag[0][:-1] + " "
    return f"{text[: tag.start()]}\n{wrong}{text[tag.end() :]}"


def _fullwidth(chance: random.Random, text: str, name: str) -> str:
    return TAG.sub(lambda tag: tag[0].replace("<", "＜").replace(">", "＞"), text)


def _escaped_inside(chance: random.Random, text: str, name: str) -> str:
    inner = text.removeprefix(f"<{name}>").removesuffix(f"</{name}>")
    if "&" in inner or f"<{name}>{inner}</{name}>" != text:
        return text
    return f"<{name}>{inner.replace('<', '&lt;').replace('>', '&gt;')}</{name}>"


def _smart_quotes(chance: random.Random, text: str, name: str) -> str:
    return re.sub(CDATA, r"<parameter name=“\1”>\2</parameter>", text, flags=re.S)


def _other_calls(chance: random.Random, text: str, name: str) -> str:
    """A call of another tool after it, broken in its own way."""
    other = chance.choice(["<tool_weather><city>Lugo</tool_weather>", "<tool_file_content><file_name>a.md"])
    return f"{text}\n{other}"


def _wrong_type(chance: random.Random, text: str, name: str) -> str:
    """Numbers and truth values as people say them."""
    text = re.sub(r"<(top_k|context_lines)>(\d+)<", r"<\1>\2 results<", text)
    return re.sub(r">(true|false)<", lambda value: f">{'sí' if value[1] == 'true' else 'NO'}<", text)


def _assigned(chance: random.Random, text: str, name: str) -> str:
    body = re.sub(r"<(?!/|tool_)(\w+)>(.*?)</\1>", r"<parameter=\1>\n\2\n</parameter>", text, flags=re.S)
    return body.replace(f"<{name}>", f"<function={name}>").replace(f"</{name}>", "</function>")


def _slash_forgotten(chance: random.Random, text: str, name: str) -> str:
    return text.replace(f"</{name}>", f"<{name}>")


def _cut(chance: random.Random, text: str, name: str) -> str:
    return text[: chance.randrange(len(name) + 2, len(text))]


def _eaten(chance: random.Random, text: str, name: str) -> str:
    place = chance.randrange(len(text))
    return text[:place] + chance.choice(string.punctuation + "\0") + text[place + chance.randint(0, 3) :]


RECOVERABLE: dict[str, Damage] = {
    "prose around it": _prose, "code fence": _fence, "capitals": _capitals, "stray attributes": _attributes,
    "no closing tag of the tool": _no_tool_end, "no closing tag of an argument": _no_argument_end,
    "escaped ampersands": _escaped, "unknown argument": _unknown, "argument twice": _twice, "blanks": _spaces,
    "typing error in a name": _typo, "CDATA": _cdata, "comment inside": _comment, "wrapped": _wrapped,
    "half a tag": _half_tag, "fullwidth brackets": _fullwidth, "smart quotes": _smart_quotes,
    "another call, broken": _other_calls, "types in words": _wrong_type, "slash forgotten": _slash_forgotten,
    "as JSON": _as_json, "as invoke": _invoked, "as function=": _assigned, "escaped inside": _escaped_inside,
}  # fmt: skip
LOSING: dict[str, Damage] = {"cut off": _cut, "letters eaten": _eaten}
LAST = ("as JSON", "as invoke", "as function=", "escaped inside", "smart quotes")
"""Other ways of writing a whole call; nothing is damaged after them."""


def written(name: str, arguments: dict[str, Any]) -> str:
    inner = "".join(f"<{key}>{_text(value)}</{key}>\n" for key, value in arguments.items())
    return f"<{name}>\n{inner}</{name}>"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def slips(calls: int, seed: int) -> list[tuple[str, int, str]]:
    """For each kind of damage how many calls had it and how many came through as written."""
    chance, (toolset, received) = random.Random(seed), echo_tools()
    tools = list(toolset)
    tried: Counter[str] = Counter()
    right: Counter[str] = Counter()
    silent = raised = 0
    for _ in range(calls):
        tool = chance.choice(tools)
        arguments = known_call(chance, tool)
        text = written(tool.name, arguments)
        losing = chance.random() < 0.15
        chosen = chance.sample(list(RECOVERABLE), chance.randint(1, 3))
        chosen.sort(key=lambda kind: kind in LAST)
        if sum(kind in LAST for kind in chosen) and len(chosen) > 1:
            chosen = chosen[-1:]
        for kind in chosen:
            text = RECOVERABLE[kind](chance, text, tool.name)
        if losing:
            chosen = [chance.choice(list(LOSING))]
            text = LOSING[chosen[0]](chance, text, tool.name)
        received.clear()
        try:
            outcomes = [await toolset.run(call, ToolContext()) for call in read_calls(text, toolset)]
        except Exception as error:  # noqa: BLE001  the point is that there is none
            raised += 1
            print(f"raised {type(error).__name__} on {text!r}", file=sys.stderr)
            continue
        silent += any(not outcome.text for outcome in outcomes)
        came_through = bool(received) and received[0] == tool.arguments.model_validate(arguments).model_dump()
        if not came_through and not losing and os.environ.get("SHOW"):
            print(chosen, text, received, sep="\n", end="\n\n", file=sys.stderr)
        for kind in ["all recoverable"] * (not losing) + chosen:
            tried[kind] += 1
            right[kind] += came_through
    rows = [(kind, tried[kind], f"{right[kind] / tried[kind]:.4f}") for kind in sorted(tried)]
    return [*rows, ("exceptions", raised, ""), ("outcomes without a text", silent, "")]


async def costs(home: Path) -> list[tuple[str, str, str]]:
    """Tokens and time of the tools over a library."""
    count = get_encoding("o200k_base").encode
    rows: list[tuple[str, str, str]] = []
    async with atril.open(home, language="es") as library:
        for language in ("en", "es", "ru"):
            text = json.dumps(openai_tools(library.tools(), language), ensure_ascii=False)
            rows.append((f"tokens of all definitions, {language}", str(len(count(text))), "≤ 1,100"))
        call = "<tool_search><query>vacaciones y permisos</query><top_k>8</top_k></tool_search>"
        reply = (await library.run_tools(call, question="¿Cuántas vacaciones tengo?", language="es")).text
        head, *results = re.split(r"\n\[Resultado \d+\]\n", reply)
        above = [
            len(count("\n[Resultado 1]\n" + each.split("Contenido:\n")[0] + "Contenido:\n"))
            for each in results
        ]
        above = [
            cost + (len(count(each[each.index("\n[... ") :])) if "\n[... " in each else 0)
            for cost, each in zip(above, results, strict=True)
        ]
        rows.append(("tokens of a result above its content, most", str(max(above, default=0)), "≤ 55"))
        rows.append(("tokens of a response above its results", str(len(count(head))), "≤ 120"))
        rows.append(("time of a call above the search, median ms", f"{await overhead(library):.2f}", "≤ 1"))
    return rows


async def overhead(library: atril.Library, rounds: int = 300) -> float:
    """The same searches with and without the tool around them, by turns."""
    toolset, context = library.tools(), library.tool_context(language="es")
    queries = ["vacaciones", "precio de la bicicleta", "estatutos de la cooperativa"]
    differences = []
    for number in range(rounds):
        query = queries[number % len(queries)]
        start = perf_counter()
        await library.search(query, mode="lexical", top_k=5)
        between = perf_counter()
        await toolset.run(Call("tool_lexical_search", {"query": query, "top_k": "5"}), context)
        differences.append((perf_counter() - between) - (between - start))
    return median(differences) * 1000


async def mcp_start(home: Path, rounds: int = 5) -> float:
    """Seconds from starting the process to its list of tools, median."""
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from atril.cli.main import run; run()", "mcp", "--home", str(home)],
        env=dict(os.environ),
    )
    seconds = []
    for _ in range(rounds):
        start = perf_counter()
        async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            await session.list_tools()
            seconds.append(perf_counter() - start)
    return median(seconds)


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    print(table(("damage", "calls", "as written"), await slips(options.calls, options.seed)))
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder) / "home"
        if options.home is None:
            async with atril.open(home) as library:
                await library.add([Path(str(files("atril") / "samples"))])
        print()
        rows = await costs(home)
        rows.append(("`atril mcp` to the first list of tools, s", f"{await mcp_start(home):.2f}", "≤ 1.5"))
        print(table(("what", "got", "reach"), rows))


if __name__ == "__main__":
    asyncio.run(main())
