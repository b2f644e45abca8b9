"""One question per switch whose answer changes when that switch alone changes.

Each row of `FLIPS`: take `dialect`, set `switch` to `value`, ask `bytes` about `url`. An
error counts as an answer, and so does the line alone. The reference and the core are held
to the same rows.

Exempt, in `EXEMPT`, because they change no answer:
- `usage_ends_starts`: no named dialect reads `content-usage`, so it has no effect alone.
- `crawl_delay_inherits`, `crawl_delay_ceiling`, `crawl_delay_whole`: they shape a typed value.
- `require_slash`: every subject begins with `/`, and no normal form turns another byte into `/`, so
  a pattern that begins with neither `/` nor `*` never matches; skipping it changes findings only.
- of `extensions` all but `content-usage`, which alone closes a run of user-agent lines.
"""

from dataclasses import fields
from typing import NamedTuple

from .switches import Switches

EXEMPT = frozenset(
    {
        *("require_slash", "usage_ends_starts"),
        *("crawl_delay_inherits", "crawl_delay_ceiling", "crawl_delay_whole"),
    },
)
DECIDING = tuple(field.name for field in fields(Switches) if field.name not in EXEMPT)


class Flip(NamedTuple):
    switch: str
    value: bool | int | str | tuple[str, ...] | None
    dialect: str
    data: bytes
    tokens: str | tuple[str, ...]
    url: str


def named(name: str, *lines: str) -> bytes:
    """A group, as it stands in a file."""
    return "".join(f"{line}\n" for line in (f"User-agent: {name}", *lines)).encode("latin-1")


def star(*lines: str) -> bytes:
    return named("*", *lines)


CLOSED = star("Disallow: /")
LETTERS = "a" * 17_000
LIMIT = 512_000
FILLED = b"#" * LIMIT + b"\n" + CLOSED
LONG_RULE = star("Disallow: /" + LETTERS)
UTF16 = CLOSED.decode().encode("utf-16-be")
BLANK_BETWEEN = star("", "Disallow: /")
DELAY_BETWEEN = named("a", "Crawl-delay: 1") + named("b", "Disallow: /")
EQUATE = "equate_reserved_escapes"
LAST_IS_EMPTY = CLOSED + named("a")
AB = named("a", "Disallow: /a") + named("b", "Disallow: /b")
TWICE = named("a", "Disallow: /x", "") + named("a", "Disallow: /y")
FAMILY = named("Yandex", "Disallow: /") + named("YandexBot", "Disallow: /z")
USAGE = named("a", "Content-Usage: train-ai=n") + named("b", "Disallow: /")
MJ12 = named("MJ12bot", "Disallow: /")
INDEX = star("Disallow: /", "Allow: /d/index.html")

FLIPS = (
    # bytes to lines
    Flip("parse_limit", None, "rfc9309", FILLED, "x", "/a"),
    Flip("parse_limit", LIMIT, "googlebot-cpp", FILLED, "x", "/a"),
    Flip("over_limit", "absent", "rfc9309", CLOSED + b"#" * LIMIT, "x", "/a"),
    Flip("over_limit", "cut", "yandex", CLOSED + b"#" * LIMIT, "x", "/a"),
    Flip("decode_utf16", True, "rfc9309", b"\xfe\xff" + UTF16, "x", "/a"),
    Flip("skip_partial_bom", True, "rfc9309", b"\xef\xbb" + CLOSED, "x", "/a"),
    Flip("skip_partial_bom", False, "googlebot-cpp", b"\xef" + CLOSED, "x", "/a"),
    Flip("nul_ends_line", True, "rfc9309", star("Disallow: /a\0b"), "x", "/a"),
    Flip("nul_ends_line", False, "googlebot-cpp", star("Disallow: /a\0b"), "x", "/a"),
    Flip("max_line_len", 16_664, "rfc9309", LONG_RULE, "x", f"/{LETTERS}"),
    Flip("max_line_len", None, "googlebot-cpp", LONG_RULE, "x", f"/{LETTERS[100:]}"),
    Flip("over_line", "cut", "koster-1996", LONG_RULE, "x", f"/{LETTERS}"),
    Flip("over_line", "drop", "googlebot-cpp", LONG_RULE, "x", f"/{LETTERS}"),
    Flip("max_lines", 1, "rfc9309", CLOSED, "x", "/a"),
    Flip("max_lines", None, "bing", b"\n" * 100_000 + CLOSED, "x", "/a"),
    # lines to fields
    Flip("allow_is_rule", False, "rfc9309", star("Disallow: /", "Allow: /a"), "x", "/a"),
    Flip("allow_is_rule", True, "original-1994", star("Allow: /a", "Disallow: /"), "x", "/a"),
    Flip("lenient_keys", False, "rfc9309", star("Dissallow: /"), "x", "/a"),
    Flip("lenient_keys", True, "yandex", star("Disallow /"), "x", "/a"),
    Flip("lenient_keys", False, "googlebot-cpp", star("Disallow /"), "x", "/a"),
    Flip("prefix_keys", True, "rfc9309", star("Disallow-all: /"), "x", "/a"),
    Flip("prefix_keys", False, "googlebot-cpp", star("Disallow: /", "Allowed: /a"), "x", "/a"),
    Flip("extensions", ("content-usage",), "rfc9309", USAGE, "a", "/"),
    # fields to groups
    Flip("blank_ends", True, "rfc9309", BLANK_BETWEEN, "x", "/a"),
    Flip("blank_ends", False, "yandex", BLANK_BETWEEN, "x", "/a"),
    Flip("record_ends_starts", True, "rfc9309", DELAY_BETWEEN, "a", "/"),
    Flip("drop_empty_groups", True, "rfc9309", LAST_IS_EMPTY, "a", "/"),
    Flip("drop_empty_groups", False, "koster-1996", LAST_IS_EMPTY, "a", "/"),
    Flip("max_rules", 1, "rfc9309", b"Disallow: /\n" + CLOSED, "x", "/a"),
    Flip("max_rules", None, "yandex", b"Allow:\n" * 2_048 + CLOSED, "x", "/a"),
    Flip("max_rule_len", 1, "rfc9309", star("Disallow: /a"), "x", "/a"),
    Flip("max_rule_len", 1_025, "yandex", star("Disallow: /" + "a" * 1_024), "x", f"/{LETTERS}"),
    # groups to the crawler's
    Flip("token_check", "cut", "rfc9309", CLOSED, "a/1.0", "/"),
    Flip("token_check", "any", "rfc9309", CLOSED, "", "/"),
    Flip("token_check", "strict", "koster-1996", CLOSED, "a/1.0", "/"),
    Flip("token_check", "strict", "googlebot-cpp", CLOSED, "a (b)", "/"),
    Flip("user_agent_match", "substring", "koster-1996", named("a", "Disallow: /"), "ab", "/"),
    Flip(
        "user_agent_match",
        "value-contains-name",
        "koster-1996",
        named("ab", "Disallow: /"),
        "b",
        "/",
    ),
    Flip("user_agent_match", "equal", "rfc9309", named("bot*", "Disallow: /"), "bot", "/"),
    Flip("user_agent_match", "rfc", "google", MJ12, "MJ12bot", "/"),
    Flip("user_agent_match", "prefix", "rfc9309", MJ12, "MJ12bot", "/"),
    Flip("user_agent_match", "family-prefix", "rfc9309", named("a", "Disallow: /"), "ab", "/"),
    Flip("ignore_family", True, "yandex", FAMILY, "YandexImages", "/"),
    Flip(
        "user_agent_star_suffix", "white-space", "rfc9309", named("*\vall", "Disallow: /"), "x", "/"
    ),
    Flip(
        "user_agent_star_suffix", "blank", "googlebot-cpp", named("*\fall", "Disallow: /"), "x", "/"
    ),
    Flip("ignore_star", True, "rfc9309", CLOSED, "x", "/"),
    Flip("named_groups", "first", "rfc9309", TWICE, "a", "/y"),
    Flip("named_groups", "best-merge", "original-1994", TWICE, "a", "/y"),
    Flip("named_groups", "merge", "yandex", FAMILY, "YandexBot", "/x"),
    Flip("star_groups", "first", "rfc9309", star("Disallow: /x") + CLOSED, "a", "/y"),
    Flip("star_groups", "merge", "koster-rep-00", star("Disallow: /x") + CLOSED, "a", "/y"),
    Flip("tokens", "first", "rfc9309", AB, ("a", "b"), "/b"),
    Flip("tokens", "merge", "google", AB, ("a", "b"), "/b"),
    # a URL to the subject
    Flip("url_split", "google", "rfc9309", star("Disallow: /b"), "x", "//a/b"),
    Flip("url_split", "strict", "googlebot-cpp", star("Disallow: /;p"), "x", "http://a;p"),
    Flip("query", False, "rfc9309", star("Disallow: /a?b"), "x", "/a?b"),
    Flip("query", True, "koster-1996", star("Disallow: /a?b"), "x", "/a?b"),
    Flip("dot_segments", "keep", "rfc9309", star("Disallow: /b"), "x", "/a/%2e./b"),
    Flip("dot_segments", "remove", "googlebot-cpp", star("Disallow: /b"), "x", "/a/%2E./b"),
    # rules to patterns
    Flip("normalisation", "raw", "rfc9309", star("Disallow: /%7Ea"), "x", "/~a"),
    Flip("normalisation", "koster96", "original-1994", star("Disallow: /%3Ca"), "x", "/<a"),
    Flip("normalisation", "base", "koster-1996", star("Disallow: /100%x"), "x", "/100%25x"),
    Flip("normalisation", "base", "googlebot-cpp", star("Disallow: /a%2A"), "x", "/a*"),
    Flip("normalisation", "cpp", "rfc9309", star("Disallow: /a%2fb"), "x", "/a%2fb"),
    Flip(
        "equate_reserved_escapes", False, "rfc9309", star("Disallow: /a?u=b:c"), "x", "/a?u=b%3Ac"
    ),
    Flip("equate_reserved_escapes", True, "google", star("Disallow: /a?u=%40"), "x", "/a?u=@"),
    Flip("equate_reserved_escapes", True, "bing", star("Disallow: /a%28b"), "x", "/a(b"),
    Flip("wildcards", False, "rfc9309", star("Disallow: /*.gif"), "x", "/a.gif"),
    Flip("wildcards", True, "original-1994", star("Disallow: /a$"), "x", "/a"),
    Flip("empty_disallow", "allow-root", "rfc9309", star("Disallow:", "Disallow: /"), "x", "/a"),
    Flip("empty_disallow", "no-rule", "yandex", star("Disallow:", "Disallow: /"), "x", "/a"),
    Flip("report_empty", True, "rfc9309", star("Disallow:"), "x", "/a"),
    Flip("report_empty", False, "googlebot-cpp", star("Disallow:"), "x", "/a"),
    Flip("index_is_directory", True, "rfc9309", INDEX, "x", "/d/"),
    Flip("index_is_directory", False, "googlebot-cpp", INDEX, "x", "/d/"),
    # patterns to an answer
    Flip("trailing_star_counts", False, "rfc9309", star("Disallow: /a*", "Allow: /a"), "x", "/a"),
    Flip("trailing_star_counts", True, "yandex", star("Disallow: /a*", "Allow: /a"), "x", "/a"),
    Flip("precedence", "first", "rfc9309", star("Disallow: /", "Allow: /a"), "x", "/a"),
    Flip("precedence", "longest", "koster-1996", star("Disallow: /", "Allow: /a"), "x", "/a"),
    Flip("tie", "disallow", "rfc9309", star("Disallow: /", "Allow: /"), "x", "/a"),
    Flip("robots_txt_allowed", False, "rfc9309", CLOSED, "x", "/robots.txt"),
    Flip("robots_txt_allowed", True, "googlebot-cpp", CLOSED, "x", "/robots.txt"),
)
