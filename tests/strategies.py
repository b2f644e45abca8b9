"""Hypothesis strategies: files as webmasters and attackers write them, and questions on them.

Out: bytes that are nearly robots.txt files, product tokens, URLs, and dialects with some knobs
turned. The alphabets are small on purpose: rules, URLs and tokens must meet.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from hypothesis import strategies as st

import verger
from reference import SWITCHES, Switches
from support import KnobValue, switched, turned

T = TypeVar("T")

BOMS = (b"", b"", b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xef\xbb\xbf\xef\xbb\xbf")
UTF16 = {b"\xfe\xff": "utf-16-be", b"\xff\xfe": "utf-16-le"}
LINE_ENDS = (
    b"\n",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\r",
    b"\n\n",
    b"\r\r\n",
    b"\n \t\n",
    b"\x85\n",
)
BLANKS = (b"", b"", b" ", b"\t", b"  ", b" \t", b"\v", b"\f", b"\0", b"\xc2\xa0")
SEPARATORS = (b":", b":", b":", b": ", b": ", b" : ", b"\t:\v", b" ", b"\t", b"  ", b"", b"::")
COMMENTS = (b"", b"", b"", b"", b"#", b" # c", b"#\0", b"# Disallow: /")

AGENT_KEYS = (
    *(b"User-agent", b"User-agent", b"user-agent", b"USER-AGENT", b"useragent", b"user agent"),
    *(b"User-agents", b"User-agent-", b"User\tagent", b"user_agent", b"useragenta"),
)
RULE_KEYS = (
    *(b"Disallow", b"Disallow", b"Allow", b"Allow", b"disallow", b"ALLOW", b"Dissallow"),
    *(b"dissalow", b"Disalow", b"Diasllow", b"disallaw", b"disallows", b"Allowed", b"Alow"),
    *(b"Disallow-all", b"Disa llow", b"\xc3\xa4llow"),
)
OTHER_KEYS = (
    *(b"Sitemap", b"site-map", b"sitemaps", b"Crawl-delay", b"Host", b"Clean-param", b"Noindex"),
    *(b"Request-rate", b"Visit-time", b"Content-Signal", b"Content-Usage", b"License", b"acap-x"),
    *(b"", b"x", b"\xff", b"Disallow "),
)
OTHER_VALUES = (
    *(b"", b"1", b"0.5", b"-1", b"/a", b"https://e.com/s.xml", b"a&b /x", b"1/10s 0600-0845"),
    *(b"search=yes, ai-train=no", b"train-ai=n", b"/a train-ai=y", b"0600-0845", b"\xff\0"),
)

RESERVED = ":@[]!'(),;/?"

# Some are common, so that groups share names and questions meet groups.
NAMES = (
    *("a", "a", "a", "*", "*", "*", "ab", "bot", "bot", "A", "abc", "a-b", "a_b", "a.b", "7"),
    *("Yandex", "YandexBot", "yandexbot", "MJ12bot", "MJ", "\u00fcbot", "Googlebot", "a+b", "~"),
)
MISTAKEN_NAMES = (
    *("", "a/1.0", "a b", "a;b", "(a)", "/", " ", "a\t", "*/1", "Bot/2 (x)", "\u2003", "a,bot"),
    *("a|b", "a:", "a*", "**", "a#", "a\0", "a=b", '"a"', "a@b", "\u202ea", "a\u0301", "\udcfc"),
)
AGENT_SUFFIXES = (
    *(b"", b"", b"", b"", b"*", b"/1.0", b" b", b", b", b";b", b"\tb", b"\vb", b"7", b"\xc3\xbc"),
    *(b"/", b"(x)", b"=b", b"\0b", b".b"),
)
PIECES = (
    *("/", "/", "/", "a", "a", "b", "ab", "*", "*", "**", "$", "?", "?", "=", "&", ":", "@", ";"),
    *("%41", "%61", "%2F", "%2f", "%7e", "~", "%3A", "%3F", "%40", "%2A", "%2a", "%24", "%25"),
    *("%", "%4", "%zz", "%C3%BC", "%c3%bc", "\u00fc", "\u30c4", "\udcff", " ", "%20", "<", "{"),
    *(".", "..", "index.htm", "index.html", "robots.txt", "\t", "\0", "%00", "+", "://", "aaaa"),
    *("[", "]", "(", "!", ",", "'", "%5B", "%5d", "%28", "%21", "%2C", "%27", "%3b", "3A", "A"),
)
COMMON_VALUES = (
    *(b"", b"", b"/", b"/", b"/*", b"*", b"*$", b"/$", b"/a", b"/robots.txt", b"a"),
    *(b"/d/index.html", b"/" + b"a" * 300),
)
URL_STARTS = (
    *("/", "/", "/", "/", "http://e.com", "http://e.com/", "https://u:p@e.com:8080/", "//a/"),
    *("", "?", "e.com/", "http:/", "http://", "ftp://e.com/", "http://e.com?", "http://e.com;"),
)
URL_ENDS = ("", "", "", "x", "/", "?", "?a", "#f", "a", "$", "*")


class Question(NamedTuple):
    """One URL, and the product token, or tokens, of the crawler that asks."""

    url: str
    tokens: str | tuple[str, ...]


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def weighted(**shares: tuple[int, st.SearchStrategy[T]]) -> st.SearchStrategy[T]:
    """One strategy of several, in proportion; `one_of` would not keep to any."""
    pool = [strategy for share, strategy in shares.values() for _ in range(share)]
    return st.sampled_from(pool).flatmap(lambda strategy: strategy)


def joined(*parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.tuples(*parts).map(b"".join)


# Files

paths = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
slashed = st.lists(st.sampled_from(PIECES), max_size=4).map(lambda pieces: "/" + "".join(pieces))
values = weighted(
    slashed=(4, slashed.map(encoded)),
    common=(3, st.sampled_from(COMMON_VALUES)),
    any=(1, paths.map(encoded)),
)
blanks, separators = st.sampled_from(BLANKS), st.sampled_from(SEPARATORS)
comments = st.sampled_from(COMMENTS)
names = st.sampled_from(NAMES)
plain_agents = names.map(lambda name: b"User-agent: " + encoded(name))
odd_agents = joined(
    *(blanks, st.sampled_from(AGENT_KEYS), separators),
    *(names.map(encoded), st.sampled_from(AGENT_SUFFIXES), comments),
)
plain_rules = joined(st.sampled_from([b"Disallow: ", b"Disallow: ", b"Allow: "]), values)
odd_rules = joined(blanks, st.sampled_from(RULE_KEYS), separators, values, blanks, comments)
other_lines = joined(st.sampled_from(OTHER_KEYS), separators, st.sampled_from(OTHER_VALUES))
rough_lines = weighted(
    blank=(1, st.one_of(comments, blanks)),
    other=(2, other_lines),
    any=(1, st.binary(max_size=12)),
)
agents = weighted(plain=(4, plain_agents), odd=(1, odd_agents))
rules = weighted(plain=(6, plain_rules), odd=(1, odd_rules), rough=(1, rough_lines))


def ended(lines: st.SearchStrategy[bytes], least: int, most: int) -> st.SearchStrategy[bytes]:
    """Some lines with their ends, one kind of end for all but rarely."""
    ended_lines = joined(lines, st.sampled_from(LINE_ENDS))
    return st.lists(ended_lines, min_size=least, max_size=most).map(b"".join)


groups = joined(ended(agents, 1, 2), ended(rules, 0, 5))
blocks = weighted(group=(8, groups), rough=(1, ended(rough_lines, 1, 3)))
utf8_files = joined(
    st.sampled_from(BOMS), st.lists(blocks, min_size=1, max_size=4).map(b"".join), rules
)
utf16_files = st.builds(
    lambda bom, text, rest: bom + text.decode("latin-1").encode(UTF16[bom]) + rest,
    st.sampled_from(sorted(UTF16)),
    utf8_files,
    st.sampled_from([b"", b"\xd8", b"\x00\xd8", b"\xd8\x00"]),
)
files = weighted(utf8=(16, utf8_files), utf16=(1, utf16_files), any=(1, st.binary(max_size=60)))


# Questions

free_urls = st.tuples(st.sampled_from(URL_STARTS), paths, st.sampled_from(URL_ENDS)).map("".join)


def as_written(path: str) -> str:
    """The path as it is."""
    return path


def escaped(path: str) -> str:
    """The path with its reserved characters escaped, but for the slash at its beginning."""
    escape = {ord(byte): f"%{ord(byte):02X}" for byte in RESERVED}
    return path[:1] + path[1:].translate(escape)


def unescaped(path: str) -> str:
    """The path with escapes of reserved characters decoded."""
    for byte in RESERVED:
        path = path.replace(f"%{ord(byte):02X}", byte).replace(f"%{ord(byte):02x}", byte)
    return path


def with_query_escaped(path: str) -> str:
    """The path with the reserved characters behind its first `?` escaped."""
    path, mark, query = path.partition("?")
    return path + mark + escaped(query)


SPELLINGS = (as_written, as_written, escaped, unescaped, with_query_escaped)


def urls_near(patterns: Sequence[str]) -> st.SearchStrategy[str]:
    """URLs that patterns are about: wildcards filled in, `$` at times taken away, respelt."""
    filled = st.builds(
        lambda pattern, filling, end, spell: spell(
            pattern.replace("*", filling).removesuffix("$") + end
        ),
        st.sampled_from(patterns),
        st.sampled_from(["", "a", "/b", "x?y", "*"]),
        st.sampled_from(URL_ENDS),
        st.sampled_from(SPELLINGS),
    )
    starts = st.sampled_from(["", "", "", "http://e.com", "https://e.com:8080"])
    return st.tuples(starts, filled).map("".join)


def patterns_in(file: bytes) -> list[str]:
    """Whatever stands behind a colon or a blank and looks like a path."""
    words = file.decode("utf-8", "surrogateescape").replace(":", " ").split()
    return [word.partition("#")[0] for word in words if word[0] == "/"]


def tokens_near(file: bytes) -> st.SearchStrategy[str | tuple[str, ...]]:
    """One token or several, more often than not from the file, at times no token at all."""
    present = [name for name in NAMES if encoded(name) in file] or NAMES
    one = weighted(
        near=(6, st.sampled_from(present)),
        free=(2, st.sampled_from(NAMES)),
        mistaken=(1, st.sampled_from(MISTAKEN_NAMES)),
    )
    return st.lists(one, min_size=1, max_size=3).map(
        lambda found: found[0] if len(found) < 3 else tuple(found)
    )


@st.composite
def questions(draw: st.DrawFn, file: bytes) -> Question:
    """A question about a file; more often than not about one of its patterns and groups."""
    patterns = patterns_in(file)
    near = urls_near(patterns) if patterns else free_urls
    url = draw(weighted(near=(4, near), free=(1, free_urls)))
    return Question(url, draw(tokens_near(file)))


@st.composite
def asked_files(draw: st.DrawFn, count: int = 6) -> tuple[bytes, list[Question]]:
    """A file and what is asked about it."""
    file = draw(files)
    return file, [draw(questions(file)) for _ in range(count)]


# Dialects

SMALL_LIMITS = (None, 0, 1, 2, 5, 12, 30, 100)
EXTENSIONS: tuple[tuple[str, ...], ...] = ((), ("content-usage",), ("sitemap", "content-usage"))


class Pair(NamedTuple):
    """The same reading of robots.txt for either side."""

    dialect: verger.Dialect
    switches: Switches


NAMED = tuple(Pair(verger.DIALECTS[name], SWITCHES[name]) for name in SWITCHES)
# The other knobs are about fetching: they change no decision.
DECIDING = tuple(knob for knob in verger.KNOBS if knob.name in Switches.__dataclass_fields__)


def values_of(knob: verger.Knob) -> st.SearchStrategy[KnobValue]:
    """Values that a knob can take, told from what it is in RFC 9309."""
    if knob.choices:
        return st.sampled_from(knob.choices)
    if knob.name == "extensions":
        return st.sampled_from(EXTENSIONS)
    if knob.name == "crawl_delay_ceiling":
        return st.none() | st.integers(0, 10**6)
    return st.sampled_from(SMALL_LIMITS)


@st.composite
def pairs(draw: st.DrawFn, most: int = 3) -> Pair:
    """A dialect of the caller's own, up to `most` knobs away from a named one."""
    named = draw(st.sampled_from(NAMED))
    chosen = draw(st.lists(st.sampled_from(DECIDING), min_size=1, max_size=most))
    knobs = {knob.name: draw(values_of(knob)) for knob in chosen}
    return Pair(turned(named.dialect, **knobs), switched(named.switches, **knobs))
