"""`User-agent` lines: which crawlers they name, and which ones they seem to name.

RT202 to RT206 and RT210 to RT212.
"""

import re
from collections.abc import Iterator

from verger._core import Line, _leading_name, product_token
from verger.crawlers import LISTED
from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.checks.lines import has_field
from verger.lint.diagnostic import Found, Related, Span, quoted
from verger.lint.file import NO_CRAWLER, File
from verger.lint.spelling import by_letters, letters, nearest


@check("RT202", "error")
def empty_token(file: File) -> Iterator[Found]:
    """A `User-agent` line that names no crawler (RFC 9309 section 2.2.1).

    Why: the rules after it apply to no crawler.

    Use instead: `User-agent: *` for all crawlers, or a product token.
    """
    for number in file.numbers_of("empty-agent"):
        yield Found(number, "the `User-agent` line names no crawler")


QUOTES = "'\"`<>[]()"
IS_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@check("RT203", "error", fix="unsafe")
def not_a_product_token(file: File) -> Iterator[Found]:
    """A `User-agent` line with a whole identification string, a URL, quotes, or invalid characters.

    Why: crawlers compare their product token with it, and the intended one finds no match.

    Use instead: only the product token, as the crawler's operator publishes it, such as
    `Googlebot` (RFC 9309 section 2.2.1).

    Fix: the product token from the string is written. The rules then apply to a different crawler,
    so the fix is unsafe.
    """
    for line, value, span in _named(file):
        bare = value.strip(QUOTES)
        meant = _meant(bare)
        if _is_misread(value) and not tokens_in(line):
            what = f"{quoted(value)} is not a product token, such as {quoted(meant or '')}"
            yield Found(
                line.number,
                what if meant else f"no crawler is called {quoted(value)}",
                span,
                fix=file.write(span, meant.encode()) if meant else None,
            )


def _meant(value: str) -> str | None:
    """Return the product token of a whole identification string; none where it is a mere word."""
    token = value if value == "*" else product_token(value)
    is_name = token and (
        token == value or find(token) or CRAWLER.search(token) or f"{token}/" in value
    )
    return token if is_name and not IS_URL.match(value) else None


def _named(file: File) -> Iterator[tuple[Line, str, Span]]:
    """Yield the `User-agent` lines with a value, each with it and its span."""
    for line in file.start_lines:
        if line.value and line.value_span is not None:
            yield line, line.value, line.value_span


def _is_misread(value: str) -> bool:
    if value.startswith("*"):
        return False  # RT204
    is_string = value.lower().startswith("mozilla/") or IS_URL.match(value) is not None
    return not _leading_name(value) or value[0] in QUOTES or is_string


@check("RT204", "error", fix="unsafe")
def wildcard_in_token(file: File) -> Iterator[Found]:
    """A `User-agent` line with `*` next to other characters, such as `*bot`, `Google*` or `*;`.

    Names are not patterns (RFC 9309 section 2.2.1): the first and the last name nobody, the second
    `Google`. A star behind a version or another word is RT206.

    Why: `*` means every crawler only on its own.

    Use instead: a line for each crawler, or `*` alone.

    Fix: of `*` with signs behind it, only `*` stays. The rules then apply to every crawler, so the
    fix is unsafe.
    """
    for line, value, span in _named(file):
        is_star = value[0] == "*" and not value[1:2].isspace()
        name = "" if is_star else _leading_name(value)
        read = "" if is_star else LETTERS.match(value)[0]  # type: ignore[index]
        reads = f"crawlers read only {quoted(read)}" if read else "no crawler has such a name"
        fix = file.write(span, b"*") if is_star and not letters(value) else None
        is_told = (
            _is_misread(value)  # RT203
            or has_field(file.text(span))  # RT111
            or (name and _is_idle(name, value[len(name) :]))  # RT206
        )
        if "*" in value and value != "*" and not is_told:
            yield Found(line.number, f"{quoted(value)} is not a pattern: {reads}", span, fix=fix)


LETTERS = re.compile(r"[A-Za-z_-]*")
"""The beginning of a value, which crawlers compare."""

SEPARATOR = re.compile(r"\s*[,;|]\s*|\s+")
TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
FEWEST = 2
CRAWLER = re.compile(r".(?<!\Aro)(?:bot|spider|crawler)\Z", re.IGNORECASE)


@check("RT205", "error", fix="unsafe")
def several_tokens_on_a_line(file: File) -> Iterator[Found]:
    """A `User-agent` line that names several crawlers, such as `Googlebot, Bingbot`.

    Why: crawlers read at most the first name, and the rules do not apply to the others.

    Use instead: a `User-agent` line for each, one below the other (RFC 9309 section 2.2.1).

    Fix: the line is split. The rules then apply to more crawlers, so the fix is unsafe.
    """
    for line, _, span in _named(file):
        if tokens := tokens_in(line):
            yield Found(
                line.number,
                f"one line names {len(tokens)} crawlers: {quoted(', '.join(tokens))}",
                span,
                fix=file.split_value(line.number, span, [token.encode() for token in tokens]),
            )


def tokens_in(line: Line) -> list[str]:
    """Return the product tokens of a line that names several crawlers; none for other lines.

    Parts between commas are names if at least one is clearly a crawler: `I, Robot` is one name.
    Parts between blanks may also be one name, so each must be a well-known crawler.
    """
    value = (line.value or "").strip().strip(",;|")
    parts = [part for part in SEPARATOR.split(value) if part]
    if "*" in parts:
        return []  # RT204: on a line of its own, it would apply to every crawler
    if len(parts) < FEWEST or not all(TOKEN.match(part) for part in parts):
        return []
    has_crawler = any(CRAWLER.search(part) or find(part) for part in parts)
    is_row = has_crawler and len(re.split(r"[,;|]", value)) == len(parts)
    known = set(map(str.lower, LISTED))
    return parts if is_row or all(part.lower() in known for part in parts) else []


STRAY = tuple('@=?:"<>[]{}\\')
VERSION = re.compile(r"[v(]?\d|\(", re.IGNORECASE)


@check("RT206", "note", fix="safe")
def token_with_rest(file: File) -> Iterator[Found]:
    """A product token with a version or other words after it, such as `Googlebot/2.1`.

    Crawlers compare the letters, `_` and `-` at the beginning (RFC 9309 section 2.2.1): a group for
    `Googlebot/2.1` applies to every version, and one for `Google bot` to `Google`.

    Why: crawlers ignore everything after the product token, such as a version.

    Other characters that no name of a product contains end it as well, as in `Net::Fetch`.

    Use instead: only the product token.

    Fix: a version or a comment in parentheses is removed, if it is proved that no decision of any
    crawler changes. A star is removed only by an unsafe fix: readers of 1996 take it for a part of
    the name. Words are kept: they may be part of a name.
    """
    for line, value, span in _named(file):
        name = _leading_name(value)
        rest = value[len(name) :]
        # It may be part of the name, such as `Spider` in `Big Spider`.
        is_name = _is_stray(rest) or (rest[:1].isspace() and not VERSION.match(rest.strip()))
        is_name_alone = name.lower() in ("", "*", NO_CRAWLER) or not _is_idle(name, rest)
        is_told = tokens_in(line) or has_field(file.text(span)) or IS_URL.match(value)
        if not (is_name_alone or is_told):
            new, title = name.encode("utf-8", "surrogateescape"), f"Write {quoted(name)}"
            fix = file.rewrite(span, new, title, "unsafe" if rest == "*" else "safe")
            what = f"crawlers read only {quoted(name)} from {quoted(value)}"
            yield Found(line.number, what, span, fix=None if is_name else fix)


def _is_stray(rest: str) -> bool:
    """Whether a text begins with what no name of a product contains (RFC 9110 section 5.6.2).

    Names may have digits, dots and signs such as `!`.
    """
    return rest[:1] in STRAY or not rest[:1].isascii()


def _is_idle(name: str, rest: str) -> bool:
    """Whether the text after a name is merely ignored; a star may be meant as a pattern."""
    is_star = rest == "*" and find(name) is not None
    is_apart = rest[:1] in ("/", " ", "\t", "(", ";", ",") or _is_stray(rest)
    return is_star or (is_apart and "*" not in rest[:2])


@check("RT210", "note", fix="safe")
def repeated_token(file: File) -> Iterator[Found]:
    """A group that names one crawler twice; case does not matter.

    Why: the line is redundant.

    Use instead: one line for each crawler.

    Fix: the line is removed.
    """
    for group in file.robots.groups:
        first: dict[str, int] = {}
        for number in group.start_lines:
            value = file.line(number).value
            if not value:
                continue
            above = first.setdefault(value.lower(), number)
            if above != number and not _is_needed(file, number, above):
                yield Found(
                    number,
                    f"{quoted(value)} is already named in line {above}",
                    file.line(number).value_span,
                    fix=file.without_line(number, "Remove the line", "safe"),
                    related=(Related(above, "named here"),),
                )


def _is_needed(file: File, number: int, above: int) -> bool:
    """Whether some reading has a start-group line in another group than one above it."""
    heads = (reading.head_of for reading in file.all_readings)
    return file.is_cut or any(number in head and head[number] != head.get(above) for head in heads)


SHORTEST = 5
"""Shorter names are near too many others."""

LONG = 7
"""In shorter names, one letter makes a different name: `GetBot` is not `GPTBot`."""

OTHERS = (
    "Googlebot-Image",
    "Googlebot-News",
    "AdsBot-Google",
    "Mediapartners-Google",
    "DuckDuckBot",
    "YandexBot",
    "PetalBot",
    "MJ12bot",
    "Twitterbot",
    "facebookexternalhit",
    "LinkedInBot",
    "Pinterestbot",
    "Sogou",
)
"""Other names that are common in files, in addition to those of `LISTED`."""

WELL_KNOWN = by_letters(token for token in (*LISTED, *OTHERS) if len(token) >= SHORTEST)


@check("RT211", "warning", fix="unsafe")
def misspelt_crawler(file: File) -> Iterator[Found]:
    """A `User-agent` line with an unknown name that is one letter from a well-known one.

    In a short name, only two letters in the wrong order count: `GTPBot` is a slip, and `GetBot` is
    not.

    Why: no known crawler looks for this name, so the line applies to none of them.

    Use instead: the product token as the crawler's operator publishes it.

    Fix: the well-known name is written, unless its group has no rules. The rules then apply to that
    crawler, so the fix is unsafe.
    """
    for line in file.start_lines:
        name = _leading_name(line.value or "")
        is_told = line.value_span and has_field(file.text(line.value_span))  # RT111
        if len(name) < SHORTEST or line.value_span is None or is_told or find(name):
            continue
        once = _with_its_end_once(name)
        near, kin = nearest(once, WELL_KNOWN), _kin(name)
        is_slip = near and _is_slip(once, near) and not file.robots.agent(near).named
        meant = near if is_slip else kin
        if meant:
            span = line.value_span[0], line.value_span[0] + len(name.encode())
            what = f"no known crawler is called {quoted(name)}; {quoted(meant)} is one"
            group = file.robots.groups[file.head_of[line.number]] if is_slip else None
            fix = file.write(span, meant.encode()) if group and group.rules else None
            yield Found(line.number, what, line.value_span, fix=fix)


FAMILIES = frozenset(
    {"gptbot", "oai-searchbot", "chatgpt-user", "claudebot", "perplexitybot", "googlebot"}
    | {"google-extended", "applebot", "applebot-extended", "amazonbot", "ccbot", "bytespider"}
    | {"meta-externalagent", "bingbot"}
)
"""Names, in lower case, of operators that publish all of theirs; others have crawlers such as
`SemrushBot-BM` that no list here has."""

LONGEST_END = 64
"""No well-known name is longer."""


def _with_its_end_once(name: str) -> str:
    """Return a name that ends with the same twice, as `GPTBotBot`, with it once."""
    low, longest = name.lower(), min(len(name) // 2, LONGEST_END)
    ends = (size for size in range(longest, 1, -1) if low[-size:] == low[-2 * size : -size])
    return name[: len(name) - next(ends, 0)]


def _kin(name: str) -> str | None:
    """Return the known crawler whose name an unknown one only adds a word to; or that has the word,
    but not `bot` before it, such as `Claude-User` for `ClaudeBot-User`."""
    head, _, word = name.rpartition("-")
    names = (f"{re.sub('(?i)bot$', '', head)}-{word}", head)
    known = map(find, names if head.lower() in FAMILIES else ())
    return next((each.token for each in known if each), None)


def _is_slip(name: str, token: str) -> bool:
    """Whether a name is likely a slip, not a name of its own: few slips change the first letter."""
    is_long = len(token) >= LONG and name[:1].lower() == token[:1].lower()
    is_anagram = sorted(name.lower()) == sorted(token.lower())
    return is_long or is_anagram or letters(name) == letters(token)


@check("RT212", "note")
def unbound_crawler(file: File) -> Iterator[Found]:
    """A group that disallows something for a crawler that does not follow robots.txt, or may not,
    and not for everyone.

    Its operator says so. Most of these crawlers fetch pages at a person's request.

    Why: its operator does not promise that rules stop it; only the server can.

    Use instead: a rule in the server or firewall, if the crawler must be blocked.
    """
    for line in file.start_lines:
        crawler = find(line.value or "")
        if crawler is None or crawler.bound_by != "nothing":
            continue
        agent = file.robots.agent(crawler.token)
        is_own = all("*" not in group.product_tokens for group in agent.groups)
        if is_own and any(rule.pattern for rule in agent.rules if not rule.allow):
            operator = f" of {crawler.operator}" if crawler.operator else ""
            follows = "does not follow" if crawler.respects == "no" else "may not follow"
            what = f"{quoted(crawler.token)}{operator} {follows} robots.txt files"
            yield Found(line.number, what, line.value_span)
