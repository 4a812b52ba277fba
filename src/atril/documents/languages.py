"""Which language a text is in, from its script, its function words and the look of its words.

Function words settle anything of a few sentences. A query such as "vacaciones anuales" holds none; then
the spelling of the words decides between Spanish and English, the languages Atril analyses in that
script, and Cyrillic is taken for Russian unless its letters say otherwise. No model is loaded: a trained
identifier of a hundred languages takes 100 MB and, with so many to choose from, errs on two words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from atril.accents import without_accents

UNKNOWN: Final = "und"

_SAMPLE_PARTS: Final = 4
_SAMPLE_PART: Final = 4_000
_ENOUGH_WORDS: Final = 12
_CLEAR_SHARE: Final = 0.06
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ADDRESS: Final = re.compile(r"\S+@\S+|https?://\S+|\S*\d\S*|`[^`\n]*`")

_SCRIPTS: Final = (
    ("cyrillic", re.compile(r"[\u0400-\u052f]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ka", re.compile(r"[\u10a0-\u10ff]")),
    ("hy", re.compile(r"[\u0530-\u058f]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_CYRILLIC: Final = ("ru", "uk", "be", "bg", "sr", "mk", "kk")

_FUNCTION_WORDS: Final = {
    "en": "the of and to in is that for it was on are with as be by this from or have not at which but they you we "
    "his their can will has if would there what when who all been its any such shall may how do does i my your",
    "es": "de la que el en y a los del se las por un para con no una su al lo es más o como pero sus le ya este "
    "entre cuando sin sobre también me hasta hay donde quien desde todo nos durante esta son dos fue ser si mi qué "
    "cómo cuál cuánto cuántos cuándo dónde está tiene tengo puede puedo esto porque",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou "
    "quando muito nos já está eu também só pelo pela até isso ela entre depois sem mesmo aos são você foi ser têm",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec son "
    "aux d'une cette ou elle ont été mais comme on nous vous leur être sa ses fait était tout même ces je",
    "it": "di e il la che in a per un è del non si una con della da le i sono al dei come più nel anche alla o lo "
    "gli ma delle ha questo dal nella ed se essere stato su era dalla degli cui sua suo ai loro può",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er "
    "hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur",
    "ca": "de la i que el en a les els un per amb del una no és al dels es va més com o ha han són seva seu aquest "
    "aquesta també pels però entre sobre ser fins quan als si hi molt des què",
    "gl": "de a o que e do da en un para con non unha os no se na por máis as dos como pero ao das seu súa ou cando "
    "moi nos xa está tamén pola polo ata isto ela entre despois sen mesmo aos son foi ser unhas uns",
    "nl": "de van het een en in is dat op te zijn voor met die niet aan er om ook als dan maar bij uit nog naar heeft "
    "ze worden door over hij wordt kan geen deze dit of werd tot meer onder moet wel zo hun",
    "pl": "i w na z do się nie że to jest o jak od po przez za co dla są ale czy który oraz tym może przy jego tego "
    "już ich jako tylko tak lub ma być także które której został",
    "ro": "de și în la a cu pe care din nu un o se este că pentru sau mai au fost prin al ale lui sunt ca ce această "
    "acest după fi dar între până cel cea iar",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag från vi kan så när ska "
    "eller där vid efter också under sig hade över denna blir mot",
    "da": "og i at det er en til af på for med den der de som ikke har et om fra var han men sig kan vil skal også "
    "efter ved hun blev eller være over nu mod når hvor",
    "nb": "og i å det er en til av på for med den som de ikke har et om fra var han men seg kan vil skal også etter "
    "ved hun ble eller være over nå mot når hvor jeg",
    "fi": "ja on ei se että oli hän mutta ovat joka kun myös sen niin kuin tai jos hänen vain ole mukaan sekä ovat "
    "tämä vuonna noin ennen jälkeen olla sitä voi",
    "tr": "ve bir bu için ile olarak da de daha çok gibi en olan ne kadar sonra ise ancak var değil her olduğu ya "
    "tarafından göre kendi veya iki o mi",
    "cs": "a v se na je že o s z do i to k ve pro za by ale jsou jako po od nebo který které být však jeho před až "
    "podle při není také jejich tak si už",
    "hu": "a az és hogy nem is egy ez volt meg de van csak már mint el vagy ha még azt aki ki lehet után kell minden "
    "olyan ezt között szerint",
    "eu": "eta da du ez bat zen ere dira zuen den hau izan baina dute duen beste egin dela hori oso egiten zituen "
    "urte arte nahi edo ditu",
    "ru": "и в не на с что по как а к из о у за от это для до но он при так же или только его бы если во мы вы со "
    "также который которые все чтобы ли быть может их где когда какой сколько я",
    "uk": "і в не на з що до та як у за від по а про для це й із його при або бути які під також є він якщо через "
    "був щоб чи між ще може її",
    "bg": "на и в да за се от с по е че не са като до при или със към след това които който за бъде без има беше "
    "във може ще той този те",
    "sr": "и у је да на се за са од су о као који не што из по али или до које би то код ће бити због након",
    "mk": "на и во да се од за со не е дека по како што ги го ќе до или при кои кој има беше тоа ова",
    "be": "і ў на з не што да па як а за у ад для пры ці яго гэта каб або быў таксама які гэты",
    "kk": "және мен үшін бұл бір деп да де емес бойынша болып осы оның туралы жоқ қазақстан",
}  # fmt: skip
_EVERYDAY_WORDS: Final = {
    "es": "hola gracias buenos buenas días envío envio envíos gratis pedido pedidos tienda precio precios pago pagos "
    "factura cita citas mesa carta turno nómina nomina baja ley leyes artículo articulo art convenio plazo plazos "
    "total general familiar personal social laboral legal internet wifi cancelar horas hora oferta ofertas",
    "en": "hello hi thanks thank please order orders shipping delivery return returns refund refunds sale sales price "
    "prices net gross income revenue leave hours open book booking table policy policies terms total legal capital "
    "operating expenses expenditures margin interest general personal social internet wifi cancel offer offers one",
}  # fmt: skip
_MARKS: Final = {
    "uk": re.compile(r"[іїєґІЇЄҐ]"),
    "be": re.compile(r"[ўіЎІ]"),
    "kk": re.compile(r"[әғқңөұүһӘҒҚҢӨҰҮҺ]"),
    "mk": re.compile(r"[ѓќѕјљњџЃЌЅЈЉЊЏ]"),
    "sr": re.compile(r"[ђћљњџјЂЋЉЊЏЈ]"),
}
_MARK_SHARE: Final = 0.005
_NOT_BULGARIAN: Final = re.compile(r"[ыэёЫЭЁ]")
_ACCENTED: Final = frozenset("áéíóúñ")
_FUNCTION_WORD_WEIGHT: Final = 12.0
_ACCENT_WEIGHT: Final = 6.0
_SPANISH_LEAN: Final = 1.0


def detect(text: str, *, candidates: Sequence[str] | None = None) -> str:
    """The ISO 639-1 code of the language most of `text` is in; `und` when nothing in it tells.

    `candidates` narrows the choice, to the languages of a library for instance; the answer is one of them
    or `und`. Long texts are judged by samples from several places.
    """
    sample = _ADDRESS.sub(" ", _sampled(text))
    script = _script(sample)
    if script is None:
        return UNKNOWN
    allowed = tuple(candidates) if candidates is not None else None
    if script not in ("latin", "cyrillic", "arabic"):
        return script if allowed is None or script in allowed else UNKNOWN
    if script == "arabic":
        found = "fa" if re.search(r"[پچژگ]", sample) else "ar"
        return found if allowed is None or found in allowed else UNKNOWN
    words = [word.lower().replace("’", "'") for word in _WORD.findall(sample)]
    choice = [code for code in _of_script(script) if allowed is None or code in allowed]
    if not choice:
        return UNKNOWN
    if len(choice) == 1 and allowed is not None:
        return choice[0]
    return _cyrillic(words, sample, choice) if script == "cyrillic" else _latin(words, choice)


def _sampled(text: str) -> str:
    size = _SAMPLE_PARTS * _SAMPLE_PART
    if len(text) <= size:
        return text
    step = (len(text) - _SAMPLE_PART) // (_SAMPLE_PARTS - 1)
    return "\n".join(text[start : start + _SAMPLE_PART] for start in range(0, step * _SAMPLE_PARTS, step))


def _script(text: str) -> str | None:
    counts = {name: len(letters.findall(text)) for name, letters in _SCRIPTS}
    counts["latin"] = len(_LATIN.findall(text))
    if counts["ja"] and counts["ja"] + counts["zh"] > max(counts["latin"], counts["cyrillic"]):
        return "ja"
    best = max(counts, key=lambda name: counts[name])
    # A product name in Latin letters does not make a short Russian question English.
    if best == "latin" and counts["cyrillic"] > 0.4 * counts["latin"]:
        best = "cyrillic"
    return best if counts[best] else None


def _of_script(script: str) -> list[str]:
    return [code for code in _FUNCTION_WORDS if (code in _CYRILLIC) == (script == "cyrillic")]


def _latin(words: list[str], choice: list[str]) -> str:
    scores = _function_scores(words, choice)
    best = max(choice, key=lambda code: scores[code])
    if len(words) >= _ENOUGH_WORDS:
        return (
            best if scores[best] >= _CLEAR_SHARE * len(words) else _by_look(words, scores, choice) or UNKNOWN
        )
    return _by_look(words, scores, choice) or best


def _cyrillic(words: list[str], sample: str, choice: list[str]) -> str:
    possible = _spelt_like(sample, choice)
    scores = _function_scores(words, possible)
    if len(words) < _ENOUGH_WORDS:
        # A few words hold few function words: letters of its own decide, and Russian is likeliest without.
        possible = [code for code in possible if code in _MARKS] or ["ru"] * ("ru" in possible) or possible
    return max(possible, key=lambda code: scores[code])


def _spelt_like(sample: str, choice: list[str]) -> list[str]:
    """The Cyrillic languages whose own letters are there; Russian and Bulgarian have none of their own."""
    least = max(1.0, _MARK_SHARE * len(sample))
    foreign = [code for code in choice if code in _MARKS and len(_MARKS[code].findall(sample)) >= least]
    plain = [
        code for code in choice if code not in _MARKS and not (code == "bg" and _NOT_BULGARIAN.search(sample))
    ]
    return [*plain, *foreign] or choice


def _function_scores(words: list[str], choice: Sequence[str]) -> dict[str, float]:
    """Function words seen per language; one that several of the languages share counts for less."""
    scores = dict.fromkeys(choice, 0.0)
    owners = _owners()
    for word in words:
        mine = [code for code in owners.get(word, ()) if code in choice]
        for code in mine:
            scores[code] += 1.0 / len(mine) ** 0.5
    return scores


@cache
def _owners() -> dict[str, tuple[str, ...]]:
    owners: dict[str, tuple[str, ...]] = {}
    for code, listed in _FUNCTION_WORDS.items():
        for word in {*listed.split(), *_EVERYDAY_WORDS.get(code, "").split()}:
            owners[word] = (*owners.get(word, ()), code)
    return owners


def _by_look(words: list[str], scores: Mapping[str, float], choice: Sequence[str]) -> str | None:
    """Spanish or English by function words and spelling; nothing when neither may be chosen."""
    offered = [code for code in ("es", "en") if code in choice]
    if len(offered) < 2:
        return offered[0] if offered else None
    spanish = _FUNCTION_WORD_WEIGHT * (scores["es"] - scores["en"])
    owners = _owners()
    spanish += sum(_spelling(word) for word in words if not {"es", "en"} & set(owners.get(word, ())))
    return "es" if spanish > 0 else "en"


def _spelling(word: str) -> float:
    """How Spanish a word looks; negative for English."""
    weights = _trigrams()
    framed = f"^{without_accents(word)}$"
    known = sum(weights.get(framed[start : start + 3], 0.0) for start in range(len(framed) - 2))
    return known + _SPANISH_LEAN + _ACCENT_WEIGHT * sum(char in _ACCENTED for char in word)


@cache
def _trigrams() -> dict[str, float]:
    text = (files(__package__) / "trigrams_es_en.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {gram: float(weight) for weight, *grams in lines for gram in grams}
