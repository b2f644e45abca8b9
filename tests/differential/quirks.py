"""Files and questions aimed at each peculiarity of Google's parser.

In: real files as raw material, a seeded generator. Out: `Batch`es, tagged.

Every tag says how to see that an answer depends on its peculiarity. Either the dialect has a
knob for it: then the answer must change when that knob alone is turned (`Quirk.without`). Or
it has none: then the builder writes a *twin*, the same lines as a reader without the
peculiarity would take them, and Google's own answer on the twin must differ.

| tag | the answer changes when |
|---|---|
| typo-key | misspelt keys are unknown |
| key-prefix | keys must be equal, not begin alike |
| missing-colon | a blank does not stand for the colon |
| index-htm | `Allow: /d/index.html` does not mean `/d/$` |
| star-trailing | twin: `* text` names nobody; or VT and FF do not end the `*` |
| agent-extract | agent values are compared by RFC 9309, or contain the name |
| docs-agent-fallback | `Googlebot` also binds `Googlebot-News` |
| partial-bom | a partial byte order mark stays in the key |
| line-cut-16663 | lines have any length |
| nul-cut | NUL is a byte like others |
| url-not-normalised | the URL is normalised like the pattern |
| pct-unreserved-not-decoded | escapes of unreserved bytes are decoded |
| pct-special-not-decoded | `%2A` and `%24` equal `*` and `$` of the URL |
| wildcard-chars-in-priority | trailing `*` do not count; twin: `**` counts one |
| encoded-length-priority | twin: raw bytes count one each, not three |
| pattern-without-slash | twin: a `/` is put before the pattern |
| inner-whitespace-kept | white space equals `%20`; twin: it ends the value |
| no-500KiB-limit | reading ends after 512,000 bytes |
| robots-txt-not-exempt | `/robots.txt` is always allowed |
| url-split | URLs are split as RFC 3986 does, and refused where they are none |
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from .corpus import RealFile
from .hints import Hint, hints
from .questions import UNKNOWN_TOKENS, Batch, Question, direct, formed_plain, token_of
from .urls import filled, odd

Knobs = Mapping[str, bool | int | str | None]
Questions = tuple[Question, ...]

QUESTIONS_A_CASE = 10
_TOKEN = "quirkbot"
_KEY = re.compile(rb"(?im)^[ \t]*(user-agent|disallow|allow)(?=[ \t]*:)")
_COLON = re.compile(rb"(?im)^([ \t]*(?:user-agent|disallow|allow))[ \t]*:[ \t]*(?=[^\s#])")
_STAR = re.compile(rb"(?im)^([ \t]*user-agent[ \t]*:[ \t]*)\*[ \t]*(?=\r?$)")
_AGENT = re.compile(rb"(?im)^[ \t]*user-agent[ \t]*:")
_RULE = re.compile(rb"(?im)^([ \t]*(?:dis)?allow[ \t]*:[ \t]*)(/[^\s#]*)")


class Case(NamedTuple):
    """A file written for a peculiarity, its questions, and the twin where it has one."""

    data: bytes
    questions: Questions
    twin: bytes | None = None


class Quirk(NamedTuple):
    """A peculiarity: its tag, what builds a case, and the knobs that switch it off."""

    tag: str
    build: Callable[[Random, RealFile], Case]
    without: tuple[Knobs, ...] = ()
    cases: int = 40


def quirk_batches(files: Sequence[RealFile], seed: str) -> Iterator[Batch]:
    """Yield the cases of every quirk, each built on another small real file."""
    material = [file for file in files if _is_material(file)]
    for quirk in QUIRKS:
        rng = Random(f"{seed}/quirk/{quirk.tag}")
        for file in rng.sample(material, min(quirk.cases, len(material))):
            case = quirk.build(rng, file)
            yield Batch(f"{file.host} ({quirk.tag})", *case[:2], quirk.tag, case.twin)


def _is_material(file: RealFile) -> bool:
    """Whether a file is small, plainly written, and has a wildcard group with rules."""
    return (
        len(file.data) < 3_000
        and file.data.isascii()
        and _STAR.search(file.data) is not None
        and len(_star_hints(file)) >= 2
    )


def _star_hints(file: RealFile) -> list[Hint]:
    return [hint for hint in hints(file.data) if "*" in hint.agents]


# Lines and keys


def _typo_key(rng: Random, file: RealFile) -> Case:
    data = _KEY.sub(lambda key: rng.choice(_SPELLINGS[key[1].lower()]), file.data)
    return Case(data, _direct_questions(rng, file))


_SPELLINGS = {
    b"user-agent": (b"User-agent", b"Useragent", b"user agent", b"USERAGENT"),
    b"disallow": (b"Dissallow", b"dissalow", b"Disalow", b"diasllow", b"DISALLAW"),
    b"allow": (b"Allow",),
}


def _key_prefix(rng: Random, file: RealFile) -> Case:
    data = _KEY.sub(lambda key: key[0] + rng.choice(_KEY_TAILS), file.data)
    return Case(data, _direct_questions(rng, file))


_KEY_TAILS = (b"s", b"ed", b"-all", b" these", b"_x", b".", b"=", b"\xc3\xa9", b"")


def _missing_colon(rng: Random, file: RealFile) -> Case:
    blank = rng.choice((b" ", b"\t", b"  ", b" \t"))
    data = _COLON.sub(lambda key: key[1] + blank, file.data)
    return Case(data, _direct_questions(rng, file))


def _partial_bom(rng: Random, file: RealFile) -> Case:
    first = _AGENT.search(file.data)
    body = file.data[first.start() if first else 0 :].lstrip()
    mark = rng.choice((b"\xef", b"\xef\xbb", b"\xef\xbb", b"\xef\xef", b"\xef\xbb\xbf\xef"))
    return Case(mark + body, _direct_questions(rng, file))


def _line_cut(rng: Random, file: RealFile) -> Case:
    stem = _stem(rng, file)
    line = rng.choice(_LONG_LINES).replace(b"STEM", stem.encode())
    filler = 16_663 - line.index(b"FILL") + rng.randint(-1, 2)
    data = _with_group(file, line.replace(b"FILL", b" " * filler))
    tails = ("", "x", "/y.html", "zz", " zz")
    return Case(data, _own_questions(rng, file, [stem + tail for tail in tails]))


_LONG_LINES = (
    b"Disallow: STEMFILLzz",
    b"Disallow:FILLSTEMzz",
    b"Disallow: STEM*FILL$",
    b"Allow: STEMFILLzz\nDisallow: /",
    b"Disallow: /\nAllow: STEM/*FILL.html",
    b"Disallow FILLSTEM",
)


def _nul_cut(rng: Random, file: RealFile) -> Case:
    data = _RULE.sub(lambda rule: rule[1] + _insert(rng, rule[2], b"\0"), file.data)
    kept = [Hint(hint.agents, hint.pattern.partition(b"\0")[0]) for hint in hints(data)]
    return Case(data, _direct_questions(rng, file, kept))


def _no_limit(rng: Random, file: RealFile) -> Case:
    width = rng.choice((99, 999, 9_999))
    padding = (b"#" + b"x" * (width - 1) + b"\n") * (512_000 // (width + 1) + 1)
    if rng.random() < 0.5:
        return Case(padding + file.data, _direct_questions(rng, file) * 3)
    stem = _stem(rng, file)
    before, after = f"User-agent: {_TOKEN}\nDisallow: /\n", f"Allow: {stem}\n"
    data = before.encode() + padding + after.encode() + file.data
    return Case(data, _own_questions(rng, file, [stem, f"{stem}/x"]))


# Agents


def _star_trailing(rng: Random, file: RealFile) -> Case:
    blank = rng.choice((b" ", b"\t", b"\x0b", b"\x0c", b"  ", b" \x0b"))
    text = rng.choice((b"(all bots)", b"all", b"*", b"Googlebot", b"/1.0"))
    data = _STAR.sub(lambda line: line[1] + b"*" + blank + text, file.data)
    twin = _STAR.sub(lambda line: line[1] + b"a-name-of-nobody", file.data)
    questions = [direct(rng, file.host, hint) for hint in _sampled(rng, _star_hints(file))]
    strangers = tuple(each._replace(tokens=rng.choice(UNKNOWN_TOKENS)) for each in questions)
    return Case(data, strangers, twin)


def _agent_extract(rng: Random, file: RealFile) -> Case:
    value, tokens = rng.choice(_AGENT_VALUES)
    rule = rng.choice(("Disallow: /", "Allow: /"))
    data = f"User-agent: {value}\n{rule}\n".encode() + file.data
    paths = [filled(rng, hint.pattern) for hint in _sampled(rng, _star_hints(file))]
    return Case(data, tuple(Question(path, rng.choice(tokens)) for path in paths))


_AGENT_VALUES = (
    ("MJ12bot", ("MJ12bot", "MJ", "mj")),
    ("MJ12bot/v1.4.8", ("MJ12bot", "MJ")),
    ("FooBot/2.1 (+http://x)", ("FooBot/2.1 (+http://x)", "FooBot/2.1")),
    ("FooBot, BarBot", ("BarBot", "FooBot, BarBot")),
    ("FooBot BarBot", ("BarBot", "FooBot BarBot")),
    ("008", ("008", "")),
    ("360Spider", ("360Spider", "Spider", "")),
    ("Foo.Bot", ("Foo.Bot", "Foo", "Bot")),
    ("Foo*", ("Foo*", "Foo.")),
    ("Über-Bot", ("Über-Bot", "ber-Bot", "")),
    ("*all", ("*all", "")),
)


def _docs_agent_fallback(rng: Random, file: RealFile) -> Case:
    family = rng.choice(("Googlebot", "googlebot", "AdsBot-Google", "Applebot"))
    rule = rng.choice(("Disallow: /", "Allow: /", "Disallow: /*"))
    data = file.data + f"\nUser-agent: {family}\n{rule}\n".encode()
    paths = [filled(rng, hint.pattern) for hint in _sampled(rng, _star_hints(file))]
    members = (f"{family}-News", f"{family}-Image", f"{family}-Video", f"{family}x")
    return Case(data, tuple(Question(path, rng.choice(members)) for path in paths))


# Patterns and their normal form


def _url_not_normalised(rng: Random, file: RealFile) -> Case:
    pattern = rng.choice(("é", "%c3%a9", "%C3%A9", "ツ", "%2f", "%3c"))
    spellings = {"é": ("é", "%c3%a9"), "ツ": ("ツ", "%e3%83%84"), "%2f": ("%2f",)}
    urls = spellings.get(pattern, ("é", "%c3%a9") if pattern.lower() == "%c3%a9" else ("<", "%3c"))
    return _spelled(rng, file, pattern, urls)


def _pct_unreserved(rng: Random, file: RealFile) -> Case:
    plain, escaped = rng.choice((("~", "%7E"), ("baz", "%62%61%7A"), ("-", "%2D"), ("_", "%5F")))
    if rng.random() < 0.5:
        return _spelled(rng, file, escaped, (plain,))
    return _spelled(rng, file, plain, (escaped, escaped.lower()))


def _pct_special(rng: Random, file: RealFile) -> Case:
    literal, escaped = rng.choice((("*", "%2A"), ("$", "%24"), ("*", "%2a")))
    if literal == "$" and rng.random() < 0.5:
        return _spelled(rng, file, "$b", ("%24b",))
    return _spelled(rng, file, escaped, (literal, f"{literal}b"))


def _inner_white_space(rng: Random, file: RealFile) -> Case:
    blank = rng.choice((b" ", b"\t", b"  ", b" - "))
    data = _RULE.sub(lambda rule: rule[1] + _insert(rng, rule[2], blank + b"w"), file.data)
    twin = re.sub(rb"(?im)^([ \t]*(?:dis)?allow[ \t]*:[ \t]*/\S*)[^\r\n]*", rb"\1", data)
    questions = _direct_questions(rng, file, hints(data) + hints(twin))
    escaped = tuple(each._replace(url=_blanks_escaped(each.url)) for each in questions)
    return Case(data, rng.choice((questions, escaped)), twin)


def _blanks_escaped(url: str) -> str:
    return url.replace(" ", "%20").replace("\t", "%09")


def _pattern_without_slash(rng: Random, file: RealFile) -> Case:
    before = rng.choice((b"", b"", b"http://" + file.host.encode() + b"/", b"?", b"./"))
    data = _RULE.sub(lambda rule: rule[1] + before + rule[2][1:], file.data)
    return Case(data, _direct_questions(rng, file), file.data)


# Priority


def _wildcards_in_priority(rng: Random, file: RealFile) -> Case:
    one, other = rng.sample(("Allow", "Disallow"), 2)
    stem, stars = _stem(rng, file), "*" * rng.randint(5, 9)
    if rng.random() < 0.5:
        rules = f"{one}: {stem}{stars}\n{other}: {stem}/abc"
        twin = f"{one}: {stem}\n{other}: {stem}/abc"
    else:
        rules = f"{one}: {stem}/{stars}z\n{other}: {stem}/abc"
        twin = f"{one}: {stem}/*z\n{other}: {stem}/abc"
    return _priority(rng, file, rules, twin, [f"{stem}/abcz", f"{stem}/abc/z", f"{stem}/abz"])


def _encoded_length(rng: Random, file: RealFile) -> Case:
    one, other = rng.sample(("Allow", "Disallow"), 2)
    stem, letters = _stem(rng, file), rng.randint(1, 4)
    between = "*" * (2 * letters + rng.randint(1, 4 * letters - 1))
    rules = f"{one}: {stem}{'é' * letters}\n{other}: {stem}{between}"
    # Two stars match the same letter and are as long as its two bytes.
    twin = f"{one}: {stem}{'**' * letters}\n{other}: {stem}{between}"
    return _priority(rng, file, rules, twin, [f"{stem}{'%C3%A9' * letters}{tail}" for tail in "/x"])


def _index_htm(rng: Random, file: RealFile) -> Case:
    folder = rng.choice((_stem(rng, file), "", "/*", "/d/e", "/ü", "/a$"))
    name = rng.choice(("index.html", "index.htm", "index.htmfoo?x", "index.html$", "index.htm*"))
    rules = [f"Allow: {folder}/{name}", rng.choice(("Disallow: /", f"Disallow: {folder}/"))]
    rng.shuffle(rules)
    path = filled(rng, folder.encode()) if folder else ""
    urls = [f"{path}/", f"{path}/#f", f"{path}/", f"{path}/{name}", f"{path}/index.html", "/x/"]
    return Case(_with_group(file, "\n".join(rules).encode()), _own_questions(rng, file, urls))


# URLs


def _robots_txt(rng: Random, file: RealFile) -> Case:
    rule = rng.choice(("Disallow: /", "Disallow: /robots", "Disallow: /*.txt$", "Disallow: /*"))
    urls = ["/robots.txt", f"https://{file.host}/robots.txt", "/robots.txt#f", "/robots.txt?q"]
    return Case(_with_group(file, rule.encode()), _own_questions(rng, file, urls))


def _url_split(rng: Random, file: RealFile) -> Case:
    chosen = _sampled(rng, hints(file.data))
    questions = [
        Question(odd(rng, file.host, filled(rng, hint.pattern)), token_of(rng, hint))
        for hint in chosen
    ]
    return Case(file.data, tuple(questions))


# Pieces of cases


def _direct_questions(
    rng: Random, file: RealFile, found: Sequence[Hint] | None = None
) -> Questions:
    chosen = _sampled(rng, hints(file.data) if found is None else found)
    return tuple(direct(rng, file.host, hint) for hint in chosen)


def _own_questions(rng: Random, file: RealFile, paths: Sequence[str]) -> Questions:
    chosen = [rng.choice(paths) for _ in range(QUESTIONS_A_CASE)]
    return tuple(Question(_plain(rng, file.host, path), _TOKEN) for path in chosen)


def _plain(rng: Random, host: str, path: str) -> str:
    return formed_plain(rng, host, path) if path.startswith("/") else path


def _sampled(rng: Random, found: Sequence[Hint]) -> list[Hint]:
    return rng.choices(found, k=QUESTIONS_A_CASE) if found else []


def _with_group(file: RealFile, rules: bytes) -> bytes:
    return file.data + f"\nUser-agent: {_TOKEN}\n".encode() + rules + b"\n"


def _spelled(rng: Random, file: RealFile, pattern: str, urls: Sequence[str]) -> Case:
    stem = _stem(rng, file)
    rule = rng.choice(("Disallow: ", "Disallow: /\nAllow: ")) + stem + pattern
    paths = [f"{stem}{url}{tail}" for url in urls for tail in ("", "/x", "?q")]
    return Case(_with_group(file, rule.encode()), _own_questions(rng, file, paths))


def _priority(rng: Random, file: RealFile, rules: str, twin: str, paths: Sequence[str]) -> Case:
    questions = _own_questions(rng, file, paths)
    return Case(_with_group(file, rules.encode()), questions, _with_group(file, twin.encode()))


def _stem(rng: Random, file: RealFile) -> str:
    """Return a literal path of the file, as short as its first special character makes it."""
    pattern = rng.choice(hints(file.data)).pattern.decode("ascii")
    literal = re.match(r"/[A-Za-z0-9_./-]*", pattern)
    return (literal[0].rstrip("/") if literal else "") or "/w"


def _insert(rng: Random, value: bytes, extra: bytes) -> bytes:
    place = rng.randint(1, len(value))
    return value[:place] + extra + value[place:]


_NORMALISED: tuple[Knobs, ...] = ({"normalisation": "base"},)

QUIRKS: tuple[Quirk, ...] = (
    Quirk("typo-key", _typo_key, ({"lenient_keys": False},)),
    Quirk("key-prefix", _key_prefix, ({"prefix_keys": False},)),
    Quirk("missing-colon", _missing_colon, ({"lenient_keys": False},)),
    Quirk("index-htm", _index_htm, ({"index_is_directory": False},), cases=60),
    Quirk("star-trailing", _star_trailing, ({"user_agent_star_suffix": "blank"},)),
    Quirk(
        "agent-extract",
        _agent_extract,
        ({"user_agent_match": "rfc"}, {"user_agent_match": "value-contains-name"}),
    ),
    Quirk("docs-agent-fallback", _docs_agent_fallback, ({"user_agent_match": "family-prefix"},)),
    Quirk("partial-bom", _partial_bom, ({"skip_partial_bom": False},), cases=60),
    Quirk("line-cut-16663", _line_cut, ({"max_line_len": None},), cases=60),
    Quirk("nul-cut", _nul_cut, ({"nul_ends_line": False},)),
    Quirk("url-not-normalised", _url_not_normalised, _NORMALISED),
    Quirk("pct-unreserved-not-decoded", _pct_unreserved, _NORMALISED),
    Quirk("pct-special-not-decoded", _pct_special, _NORMALISED),
    Quirk("wildcard-chars-in-priority", _wildcards_in_priority, ({"trailing_star_counts": False},)),
    Quirk("encoded-length-priority", _encoded_length),
    Quirk("pattern-without-slash", _pattern_without_slash),
    Quirk("inner-whitespace-kept", _inner_white_space, _NORMALISED),
    Quirk("no-500KiB-limit", _no_limit, ({"parse_limit": 512_000},), cases=20),
    Quirk("robots-txt-not-exempt", _robots_txt, ({"robots_txt_allowed": True},)),
    Quirk("url-split", _url_split, ({"url_split": "strict"},), cases=60),
)
