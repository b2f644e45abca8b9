"""Files with every layout that an edit must keep, which all dialects read alike enough.

Out: hypothesis strategies for bytes, dialect names, product tokens and rules. Every group has a
rule and stands apart from others, so that no dialect may refuse an edit of what it reads.
"""

from hypothesis import strategies as st

import verger

LINE_ENDS = (b"\n", b"\n", b"\r\n", b"\r")
KEYS = {
    b"user-agent": (b"User-agent", b"User-Agent", b"user-agent", b"USER-AGENT"),
    b"disallow": (b"Disallow", b"disallow", b"DISALLOW"),
    b"allow": (b"Allow", b"allow", b"ALLOW"),
    b"sitemap": (b"Sitemap", b"SITEMAP"),
    b"crawl-delay": (b"Crawl-delay", b"crawl-delay"),
    b"x-other": (b"X-Other",),
}
SEPARATORS = (b": ", b": ", b":", b" : ", b":\t")
COMMENTS = (b"", b"", b"", b" # why", b"#")
PATHS = ("/", "/a", "/b*", "/a/b$", "/*.c", "", "/%41", "/\u00fc", "/a b")
TOKENS = ("*", "a", "b", "abc", "Bot-x", "Googlebot", "Yandex")

dialects = st.sampled_from(sorted(verger.DIALECTS))
tokens = st.sampled_from(TOKENS)
patterns = st.sampled_from(PATHS)


def fields(dialect: str) -> st.SearchStrategy[str]:
    """Fields of rules that a dialect reads."""
    reads_allow = verger.DIALECTS[dialect].allow_is_rule
    return st.sampled_from(["disallow", "disallow", "allow"] if reads_allow else ["disallow"])


def new_rules(dialect: str) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(st.tuples(fields(dialect), patterns), max_size=4)


@st.composite
def lines(draw: st.DrawFn, field: bytes, value: str) -> bytes:
    """A line without its end."""
    indent = draw(st.sampled_from([b"", b"", b"  ", b"\t"]))
    key, separator = draw(st.sampled_from(KEYS[field])), draw(st.sampled_from(SEPARATORS))
    return indent + key + separator + value.encode() + draw(st.sampled_from(COMMENTS))


@st.composite
def groups(draw: st.DrawFn, dialect: str) -> list[bytes]:
    """The lines of a group, behind it blank lines and perhaps comments."""
    inside = [] if verger.DIALECTS[dialect].blank_ends else [b""]
    other = st.sampled_from([b"# comment", *inside])
    found = [draw(lines(b"user-agent", draw(tokens))) for _ in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(1, 3))):
        found += draw(st.lists(other, max_size=1))
        found.append(draw(lines(draw(fields(dialect)).encode(), draw(patterns))))
    field = draw(st.sampled_from([b"", b"", b"crawl-delay", b"x-other"]))
    found += [draw(lines(field, "1"))] if field else []
    return [*found, *draw(st.lists(st.just(b"# trailing"), max_size=1))]


@st.composite
def files(draw: st.DrawFn, dialect: str) -> bytes:
    """A file: comments, groups, sitemaps, in any layout."""
    found = draw(st.lists(st.sampled_from([b"# head", b""]), max_size=2))
    for _ in range(draw(st.integers(1, 3))):
        found += draw(groups(dialect))
        found += [b""] * draw(st.integers(1, 2))
    for _ in range(draw(st.integers(0, 2))):
        found.append(draw(lines(b"sitemap", "https://e.example/s.xml")))
    ends = [draw(st.sampled_from(LINE_ENDS)) for _ in found]
    if draw(st.booleans()):  # one kind of end for all, as most files have
        ends = ends[:1] * len(found)
    body = b"".join(line + end for line, end in zip(found, ends, strict=True))
    if draw(st.booleans()):
        body = body.rstrip(b"\r\n")
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + body
