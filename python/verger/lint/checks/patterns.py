"""Rules whose pattern matches other URLs than it seems to, or none.

RT301, RT302, RT314, RT315, RT317, RT319 to RT321 and RT323.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from verger._core import Dialect, Rule, parse
from verger.analysis import effects
from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.checks.lines import has_field
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import STEPS, File
from verger.untrusted_text import counted


@check("RT301", "error", fix="unsafe")
def pattern_without_slash(file: File) -> Iterator[Found]:
    """A rule whose path pattern begins with neither `/` nor `*`, so crawlers skip it.

    Why: crawlers skip the whole rule, so it has no effect.

    Use instead: a pattern that begins at the root of the site, such as `/private`.

    Fix: a slash is written before the pattern, or `/*` before a parameter or the ending of a file
    name. The rule then takes effect, so the fix is unsafe. What is no path, such as the name of a
    crawler or a host, `null` or `""`, has no fix.
    """
    for rule in file.rules:
        is_told = not rule.pattern or is_url(rule.pattern) or has_field(rule.pattern_bytes)
        if not is_told and not rule.pattern.startswith(("/", "*")):
            why = _no_path(rule.pattern)
            what = f"{quoted(rule.pattern)} {why or 'begins with neither `/` nor `*`'}"
            value = rule.pattern_bytes.lstrip(b":= \t")  # another separator
            path = b"/*" + value if IS_PART.match(rule.pattern) else b"/" + _bare(value)
            is_row = value[:1] in QUOTES and value[:1] in path
            is_none = why or is_row or path == b"/" or IS_HOST.match(rule.pattern)
            fix = None if is_none else file.write(rule.span, path)
            yield Found(rule.line, f"{what}: crawlers skip the rule", rule.span, fix=fix)


IS_PART = re.compile(
    r"[?&]|\w+=|\.(?:css|js|php|aspx?|jsp|cgi|pl|html?|xml|json|txt|pdf|docx?|xlsx?|pptx?|zip|t?gz"
    r"|rar|csv|sql|bak|log|cfm|jpe?g|png|gif|webp|svg|ico|swf|mp[34])[$*]?\Z",
    re.IGNORECASE,
)
"""What rather stands within paths: a query, a parameter, the ending of a file name."""
IS_HOST = re.compile(
    r"www\.|(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|edu|gov)(?:[/:*$]|\Z)"
    r"|(?:[a-z0-9-]+\.){2,}(?!gz|js|md|pl|py|rb|sh|so|ts)[a-z]{2}(?:[/:*$]|\Z)",
    re.IGNORECASE,
)


NO_PATHS = frozenset(
    {"null", "none", "nil", "undefined", "nan", "true", "false", "[object object]", "n/a", "-"}
    | {"all", "any", "nothing", "everything", "yes", "no"}
)
"""What programs write for a value that they do not have, and people for no path or all of them."""


def _no_path(value: str) -> str | None:
    """Return what a value is that cannot be a path without its slash; None for others."""
    if value.lower() in NO_PATHS:
        return "is no path"
    return "is the name of a crawler, and no path" if find(VERSION.sub("", value)) else None


VERSION = re.compile(r"[/ ]v?\d[\d.]*\Z")
QUOTES = (b'"', b"'")
PAIRS = (b'""', b"''", b"[]", b"<>")
WIDE_SLASH = "\uff0f".encode()


def _bare(value: bytes) -> bytes:
    """Return a pattern without quotes or brackets around it, backslashes as on Windows, slashes as
    wide as letters of East Asia, and a leading `./`."""
    bare = value[1:-1] if value[:1] + value[-1:] in PAIRS else value
    return bare.replace(b"\\", b"/").replace(WIDE_SLASH, b"/").removeprefix(b"./").lstrip(b"/")


URL = re.compile(r"[a-z]+://|//[^/]+\.[^/]", re.IGNORECASE)


def is_url(pattern: str) -> bool:
    """Whether a pattern is a whole URL."""
    return URL.match(pattern) is not None


AUTHORITY = re.compile(rb"\A(?:[A-Za-z]+:)?//[^/?#]*")
ANOTHER = re.compile(rb"[ \t,;](?:https?:/)?/", re.IGNORECASE)
"""What another URL or path begins with."""


@check("RT302", "error", fix="unsafe")
def url_as_pattern(file: File) -> Iterator[Found]:
    """A rule with a whole URL: crawlers skip it, or compare it with paths.

    Why: patterns are compared with the path of a URL, and no path begins like this.

    Use instead: only the path, in the robots.txt file of the host that the URL names.

    Fix: scheme and host are removed, unless nothing else is there, since `/` would close the site,
    or another URL is. The rule then takes effect, so the fix is unsafe.
    """
    for rule in file.rules:
        if is_url(rule.pattern):
            path = AUTHORITY.sub(b"", rule.pattern_bytes)
            what = f"{quoted(rule.pattern)} is a URL, but a path pattern begins with `/`"
            is_one = path.strip(b"/*") and not ANOTHER.search(path)
            fix = file.write(rule.span, path) if is_one else None
            yield Found(rule.line, what, rule.span, fix=fix)


@check("RT315", "warning")
def fragment_in_pattern(file: File) -> Iterator[Found]:
    """A rule with `#` inside its value, such as `/#/account` or `/page#section`.

    The pattern ends before it (RFC 9309 section 2.2.3): the first example disallows the whole site.

    Why: `#` begins a comment, and crawlers never request the part of a URL after `#`.

    Use instead: the path that crawlers request; `%23` if a path contains `#`.
    """
    for rule in file.rules:
        comment = file.line(rule.line).comment
        if not comment or not rule.pattern or file.body[rule.span[1] : rule.span[1] + 1] != b"#":
            continue
        rest = comment[1:].split(" ")[0].split("\t")[0]
        if rest and (rest.startswith(("/", "!")) or (comment[1:] == rest and rest[0].islower())):
            meant = quoted(rule.pattern + "#" + rest)
            what = f"crawlers read only {quoted(rule.pattern)} from {meant}: `#` begins a comment"
            stop = rule.span[1] + 1 + len(rest.encode("utf-8", "surrogateescape"))
            yield Found(rule.line, what, (rule.span[0], stop))


SEPARATOR = re.compile(
    rb"(?<![ \t])(?:[ \t]++(?:[,;][ \t]*+)?(?=[/*])|[,;][ \t]++(?=[/*])|(?<=[\w/*$])[,;]++(?=/))"
)
ENDINGS = re.compile(rb"/?\*\.\w++\$?(?:[,;]/?\*\.\w++\$?)++")
"""Several endings of file names."""
NO_ROW = re.compile(rb"[^ \t,;]*+\Z|[^/*]|.* //|.*&[\w;]+;/|.*\*/\Z|.*<\w++ />", re.DOTALL)
"""What is one pattern: nothing in it separates two, or it has a comment, a reference or a tag."""
FEWEST = 2


@check("RT317", "error", fix="unsafe")
def several_patterns_on_a_line(file: File) -> Iterator[Found]:
    """A rule with several paths, such as `Disallow: /a /b`: it matches none of them.

    Why: crawlers read one pattern that contains all paths and what stands between them.

    Use instead: a line for each path.

    Fix: the line is split. The rules then take effect, so the fix is unsafe.
    """
    rows = [(rule, row) for rule in file.rules if (row := patterns_in(rule.pattern_bytes))]
    others = {rule.pattern_bytes for rule in file.rules} if rows else set()
    backwards = _backwards(others - {rule.pattern_bytes for rule, _ in rows})
    for rule, patterns in rows:
        if not _is_slip(backwards, patterns):
            what = f"{quoted(rule.pattern)} is read as one pattern, not as {len(patterns)}"
            yield Found(
                rule.line, what, rule.span, fix=file.split_value(rule.line, rule.span, patterns)
            )


def patterns_in(value: bytes) -> list[bytes]:
    """Return the patterns of a value that contains several; none for other values.

    A path may contain commas and references such as `&amp;`; `//` or `/*` rather begins a comment.
    A lone slash or star is rather the end of a path with a blank in it: as a pattern of its own, it
    would disallow the whole site.
    """
    if ENDINGS.fullmatch(value):
        return re.split(rb"[,;]", value)
    if NO_ROW.match(value):
        return []
    parts = [part for part in SEPARATOR.split(value.rstrip(b",;")) if part]
    is_row = len(parts) >= FEWEST and not any(b" " in part or b"\t" in part for part in parts)
    return (
        parts
        if is_row and all(part.strip(b"/*") for part in parts) and not has_field(value)
        else []
    )


def _backwards(patterns: Iterable[bytes]) -> list[bytes]:
    """Return the patterns without blanks, each reversed, in order: equal ends are neighbours."""
    return sorted(pattern[::-1] for pattern in patterns if b" " not in pattern)


def _is_slip(backwards: Sequence[bytes], patterns: list[bytes]) -> bool:
    """Whether the blank is rather part of one path: other rules end as the second part does."""
    end = patterns[-1][::-1]
    at = bisect_right(backwards, end)  # longer ones with this end come right after it
    return len(patterns) == FEWEST and at < len(backwards) and backwards[at].startswith(end)


OTHERS, MANY = 3, 5
"""How many rules must spell a folder one way before another spelling looks like a mistake, and
before it is known to be the wrong one."""


@check("RT314", "warning", fix="unsafe")
def case_mismatch(file: File) -> Iterator[Found]:
    """A rule whose folder differs in case from the same folder in the rules around it.

    If a file has both spellings of one whole pattern, both are meant, and nothing is reported.

    Why: paths are case-sensitive, so the rule does not match the folder of the other rules.

    Use instead: the spelling of the URLs.

    Fix: the folder is written as in the other rules, if these are at least five. The rule then
    matches different URLs, so the fix is unsafe.
    """
    for group in file.robots.groups:
        yield from _odd_ones(file, group.rules)


def _odd_ones(file: File, rules: tuple[Rule, ...]) -> Iterator[Found]:
    folders = [(rule, folder) for rule in rules if (folder := _folder(rule))]
    counts = Counter(folder for _, folder in folders)
    if len({folder.lower() for folder in counts}) == len(counts):
        return
    usual_of: dict[str, str] = {}
    for folder, _ in counts.most_common():
        usual_of.setdefault(folder.lower(), folder)
    spellings = Counter(pattern.lower() for pattern in {rule.pattern for rule in rules})
    for rule, folder in folders:
        usual = usual_of[folder.lower()]
        rest = rule.pattern[len(folder) :]
        is_odd = counts[folder] == 1 and counts[usual] >= OTHERS
        is_deliberate = spellings[rule.pattern.lower()] > 1
        if is_odd and not is_deliberate and rest:
            span = rule.span[0], rule.span[0] + len(folder)
            what = f"{quoted(folder)} is {quoted(usual)} in {counts[usual]} other rules"
            fix = file.write(span, usual.encode()) if counts[usual] >= MANY else None
            yield Found(rule.line, what, span, fix=fix)


def _folder(rule: Rule) -> str | None:
    """Return the first folder of a pattern, with the slashes around it."""
    pattern = rule.pattern
    end = pattern.find("/", 1)
    folder = pattern[: end + 1]
    is_plain = folder.isascii() and not {"*", "$", "?"} & set(folder)
    return folder if pattern.startswith("/") and end > 1 and is_plain else None


@check("RT320", "note")
def rule_for_robots_txt(file: File) -> Iterator[Found]:
    """A rule for `/robots.txt`, which may always be fetched (RFC 9309 section 2.2.2).

    Such a rule decides other URLs, such as `/robots.txt.bak`, unless it ends in `$`.

    Why: crawlers always fetch `/robots.txt`, and no rule changes that.

    Use instead: no rule. To keep the file out of search results, serve it with the header
    `X-Robots-Tag: noindex`.
    """
    for rule in file.rules:
        if rule.pattern.removesuffix("$") == "/robots.txt":
            what = "crawlers may always fetch `/robots.txt`, whatever the rule says"
            yield Found(rule.line, what, rule.span)


@check("RT319", "warning", fix="safe")
def empty_allow(file: File) -> Iterator[Found]:
    """An `Allow:` without a path pattern: it matches nothing (RFC 9309 section 2.2.2).

    It does not mean "allow nothing" either: that is `Disallow: /`. As the only rule of a group, it
    separates the group from the next, and is not reported.

    Why: it matches no URL, so it has no effect.

    Use instead: `Allow: /`, or no line at all, since everything is allowed unless a rule disallows
    it.

    Fix: the line is removed, if it is proved that no decision changes.
    """
    for group in file.robots.groups:
        for rule in group.rules if len(group.rules) > 1 else ():
            if rule.allow and not rule.pattern_bytes and rule.line not in file.anchors:
                yield Found(
                    rule.line,
                    "`Allow:` without a path has no effect",
                    fix=file.without_line(rule.line, "Remove the line", "safe"),
                )


MOST_RULES, LONGEST = 2_048, 1_024
"""How many rules Yandex reads, and the bytes of the longest (Yandex Webmaster, "Robots.txt parsing
errors")."""


@check("RT321", "warning")
def rule_over_limit(file: File) -> Iterator[Found]:
    """A rule that a limit excludes: Yandex reads 2,048 rules of at most 1,024 bytes.

    The limits count if Yandex is a target.

    Why: that crawler does not read the rule.

    Use instead: fewer and shorter rules. `verger minimise` finds those that change no decision.
    """
    for name, robots in file.readings.items():
        many: list[int] = []
        for line in (each.line for each in robots.findings if each.code == "rule-over-limit"):
            start, stop = robots.lines[line - 1].value_span or (0, 0)
            if stop - start > LONGEST:
                size = f"{stop - start:,} bytes"
                what = f"the pattern has {size}, and {quoted(name)} reads {LONGEST:,}"
                yield Found(line, what, (start, stop))
            else:
                many.append(line)
        if many:
            last = (
                f"{quoted(name)} reads {MOST_RULES:,} rules, and skips {counted(len(many), 'rule')}"
            )
            yield Found(many[0], f"{last} from here on")


DOT_SEGMENT = re.compile(rb"/((?:\.|%2[Ee]){1,2})(?=[/?$])")


@check("RT323", "error")
def dot_segment(file: File) -> Iterator[Found]:
    """A path pattern with a segment `.` or `..`, also escaped, that no URL of a request has.

    HTTP clients remove such segments before they ask (RFC 3986 section 5.2.4; URL Standard). A
    pattern that also matches something else, such as `/a/..` the path `/a/..b`, or `/x/*/../y` the
    query of `/x/?/../y`, is not reported.

    Why: clients ask for `/b`, and never for `/a/../b`, so the rule matches no request.

    Use instead: the path without the segment, as it is in URLs.
    """
    for rule, match, span in file.rules_with(DOT_SEGMENT):
        if any(_asks_for_dots(rule.pattern_bytes, each.dialect) for each in file.readings.values()):
            what = f"no request matches {quoted(rule.pattern)}: clients remove {quoted(match[1])}"
            yield Found(rule.line, what, (span[0] + 1, span[1]))


@lru_cache(maxsize=1_024)
def _asks_for_dots(pattern: bytes, dialect: Dialect) -> bool:
    """Whether a pattern matches nothing, only because URLs have no dot segments."""
    body = b"User-agent: *\nDisallow: " + pattern
    removed, kept = (
        [each.does for each in effects(parse(body, dialect=one).agent("*"), steps=STEPS)]
        for one in (dialect, dialect.replace(dot_segments="keep"))
    )
    return removed == ["matches-nothing"] != kept
