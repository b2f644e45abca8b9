"""Fields that crawlers do not read, and values that their fields do not have.

RT112, RT114, RT405, RT408, RT411 and RT415.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from verger._core import Dialect, Line, parse
from verger.analysis import Edit
from verger.analysis.layout import key_span
from verger.grouping import by_key
from verger.lint.check import check
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import File, tokens_of
from verger.lint.spelling import FIELDS, SPELLINGS, letters, nearest
from verger.untrusted_text import counted, listed

PLURAL = "content-signal"
"""A field that is read in the plural as well."""


@check("RT112", "warning", fix="safe")
def misspelt_field(file: File) -> Iterator[Found]:
    """A misspelt field that some crawlers accept, and others do not, such as `Dissallow`.

    Google and Bing accept some misspellings of rules; some libraries accept `Content-Signals`.

    Why: some crawlers accept the misspelling, and others skip the line.

    Use instead: the spelling of RFC 9309 section 2.2.

    Fix: the spelling is corrected. The fix is unsafe if a decision of any crawler may change.
    """
    numbers = set(file.numbers_of("misspelt-key"))
    for line in file.lines:
        is_plural = line.field == PLURAL and (line.key or "").lower() != PLURAL
        is_misspelt = is_plural or line.number in numbers
        if line.key is None or line.field not in FIELDS or not is_misspelt:
            continue
        name = FIELDS[line.field]
        span = key_span(file.robots, line)
        yield Found(
            line.number,
            f"{quoted(line.key)} is a misspelling of `{name.decode()}` that some crawlers reject",
            span,
            fix=file.prove_fix([Edit(span, name)], f"Write `{name.decode()}`"),
        )


URL_SCHEMES = ("http", "https", "ftp")


@check("RT114", "warning", fix="unsafe")
def unknown_field(file: File) -> Iterator[Found]:
    """A line whose field is unknown, such as `Disallows`, a spelling that no crawler accepts.

    Of a line that looks as if it began a group, such as `Signature-Agent`, the finding says which
    crawlers the rules below bind. Only a `User-agent` line begins a group (RFC 9309 section 2.1).

    Why: crawlers skip the line, so it has no effect.

    Use instead: a field of RFC 9309 section 2.2, or one that crawlers document.

    Fix: if a known field has nearly the same spelling, its name is written. The line then takes
    effect, so the fix is unsafe.
    """
    known = set(file.numbers_of("field-not-read"))  # RT415
    for line in file.lines:
        is_field = line.kind == "unknown" and line.key is not None and line.value is not None
        if is_field and line.number not in known and not is_prose(line):
            yield _unknown(file, line, nearest(line.key or "", SPELLINGS))


def _unknown(file: File, line: Line, meant: str | None) -> Found:
    """Return what to say of an unknown field.

    meant:  the known one that has nearly the same spelling.
    """
    span = key_span(file.robots, line)
    what = f"{quoted(line.key or '')} is not a field that crawlers read"
    is_quoted = (line.key or "").startswith(('"', "'"))
    if meant is None or is_quoted or not _is_read(meant, file.robots.dialect):
        return Found(line.number, what + _whom_rules_bind(file, line), span)
    name = FIELDS[meant].decode()
    return Found(line.number, f"{what}: `{name}` is", span, fix=file.write(span, FIELDS[meant]))


HEAD = re.compile(r"(?:\Aua|\Auser.*|agent|bot|crawler|spider)s?\Z", re.IGNORECASE)

NEAR = 4
"""How many lines below what looks as if it began a group a rule is looked for."""


def _whom_rules_bind(file: File, line: Line) -> str:
    """Return whom the rules right below a line bind that looks as if it began a group; empty for
    other lines."""
    near = file.lines[line.number : line.number + NEAR]
    below = next((each for each in near if each.kind not in ("blank", "comment")), line)
    if below.kind != "rule" or not HEAD.search(line.key or ""):
        return ""
    at = file.group_of.get(below.number)
    names = tokens_of(file.robots.groups[at]) if at is not None else ()
    return f", and begins no group: the rules below bind {listed(names, quoted) or 'no crawler'}"


@lru_cache(maxsize=64)
def _is_read(field: str, dialect: Dialect) -> bool:
    """Whether a dialect reads a field: that of 1994 does not read `Allow`."""
    return parse(f"{field}: x", dialect=dialect).lines[0].kind != "unknown"


def is_prose(line: Line) -> bool:
    """Whether a line is text, such as a URL or a sentence, rather than a field and its value."""
    key = (line.key or "").strip()
    is_url = key.lower().endswith(URL_SCHEMES)
    is_text = key.startswith("<") or len(key.split()) > 2 or not key.isascii()
    return is_url or is_text or not letters(key)


NEVER_READ = {
    "noarchive": "use a `robots` meta tag or the header `X-Robots-Tag: noarchive`",
    "unavailable-after": "use the header `X-Robots-Tag: unavailable_after`",
    "acap": "use `Allow` and `Disallow`",
    "disallowaitraining": "disallow the crawlers that fetch for training, or use `Content-Signal`",
    "allowaitraining": "use `Content-Signal: ai-train=yes`",
    "llm-policy": "use `Content-Signal`",
    "permits": "use `License` or `Content-Signal`",
    "prohibits": "use `License` or `Content-Signal`",
    "compensation": "use `License`",
    "cache-delay": "use `Crawl-delay`",
    "revisit-after": "search engines choose when they come back",
    "domain": "a file applies to the host that it is on",
}
"""Fields that appear in files though no crawler's documentation has them, and what to use. The
Automated Content Access Protocol (1.0, November 2007) was read by no large search engine;
`DisallowAITraining` is of draft-canel-robots-ai-control (2024, expired)."""

DRAFTS = ("content-usage",)
"""Fields of drafts, which crawlers may read before a dialect does."""


@check("RT415", "warning")
def field_not_read(file: File) -> Iterator[Found]:
    """A field that no crawler is known to read, or that none of the targets reads.

    With `--target original-1994`, for example, `Allow` is not read.

    Why: the line has no effect, whatever it says.

    Use instead: what the message says; `Content-Signal` for uses by AI.
    """
    by_target = (
        {each.line for each in robots.findings if each.code == "field-not-read"}
        for robots in file.readings.values()
    )
    unread = set.intersection(*by_target)
    targets = " and ".join(f"`{name}`" for name in file.targets)
    for line in file.lines:
        if (hint := NEVER_READ.get(line.field or "")) is not None:
            what = f"no crawler is known to read {quoted(line.key or '')}: {hint}"
            yield Found(line.number, what)
        elif line.number in unread and line.field not in DRAFTS:
            yield Found(line.number, f"{quoted(line.key or '')} is not read in {targets}")


BY_GOOGLE = "Google has not read it since 1 September 2019; use a `robots` meta tag or the header"

RETIRED = {
    "noindex": f"{BY_GOOGLE} `X-Robots-Tag: noindex`",
    "nofollow": f"{BY_GOOGLE} `X-Robots-Tag: nofollow`",
    "host": "Yandex has not read it since March 2018; use a redirect to the main host",
}
"""Fields, who retired them, and what to use. Google Search Central Blog, "A note on unsupported
rules in robots.txt" (2 July 2019); Yandex Webmaster, "Host" (retired in March 2018)."""


@check("RT408", "warning")
def retired_field(file: File) -> Iterator[Found]:
    """`Noindex`, `Nofollow` or `Host` lines; a file has one such finding for each of them.

    Why: crawlers ignore the line, so it has no effect.

    Use instead: for `Noindex`, a `robots` meta tag or the header `X-Robots-Tag`, on pages that
    crawlers may fetch; for `Host`, a redirect to the main host.
    """
    retired = [each for each in file.lines if each.kind in ("record", "unknown")]
    of_field = by_key((line.field, line) for line in retired if line.field in RETIRED)
    for field, lines in of_field.items():
        more = f"; likewise {counted(len(lines) - 1, 'more line')}" if lines[1:] else ""
        what = f"{quoted(lines[0].key or '')} has no effect: {RETIRED[str(field)]}{more}"
        yield Found(lines[0].number, what)


@check("RT405", "error")
def malformed_value(file: File) -> Iterator[Found]:
    """A `Crawl-delay`, `Sitemap`, `Host`, `License` or other record whose value cannot be read.

    Why: crawlers skip a value that they cannot read.

    Use instead: the form that the message gives.
    """
    for finding in file.by_code.get("malformed-value", []):
        line = file.line(finding.line)
        key, value = quoted(line.key or ""), line.value
        if line.field not in ("noindex", "host") and value is not None:  # RT408
            what = f"{quoted(value)} is not a value of {key}" if value else f"{key} is empty"
            yield Found(line.number, f"{what}: {finding.message}", line.value_span)


FOR_GROUPS = ("crawl-delay", "request-rate", "visit-time", "content-usage")


@check("RT411", "warning")
def record_outside_group(file: File) -> Iterator[Found]:
    """A `Crawl-delay`, `Content-Usage` or similar line before any `User-agent` line.

    Why: it applies to no crawler.

    Use instead: the line inside the group of the crawlers that it is meant for.
    """
    first = min(
        (start for group in file.robots.groups for start in group.start_lines),
        default=len(file.lines) + 1,
    )
    for line in file.lines[: first - 1]:
        if line.field in FOR_GROUPS:
            yield Found(line.number, f"{quoted(line.key or '')} is outside any group")
