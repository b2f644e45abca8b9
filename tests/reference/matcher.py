"""Matching: which rule of the binding groups decides a URL.

In: bytes of a file, a dialect, product tokens, a URL. Out: an `Answer`.
RFC 9309 sections 2.2.2 and 2.2.3, and what each dialect makes of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from .normal import PATTERN_FORMS, SUBJECT_FORMS, Form, fold, fold_in_query, fold_with_query
from .reader import Group, Rule
from .selection import binding, checked
from .switches import SWITCHES, Switches

ABSOLUTE_URL = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]+")


class UrlError(ValueError):
    """Neither a path nor a URL with scheme and authority."""


class Answer(NamedTuple):
    allowed: bool
    line: int | None


class Folded(NamedTuple):
    """The folded literals of a pattern, and the form of the subjects they are compared with."""

    literals: tuple[bytes, ...]
    form: Form


@dataclass(frozen=True, slots=True)
class Pattern:
    """A rule made ready: the literals between its wildcards, and how much it weighs."""

    allow: bool
    line: int
    literals: tuple[bytes, ...]
    folded: Folded | None
    anchored: bool
    length: int
    directory: "Pattern | None"


def decide(
    data: bytes, dialect: str | Switches, tokens: str | Sequence[str], url: str | bytes
) -> Answer:
    """Say whether the crawler may fetch the URL, and which line decides.

    Raises: TokenError, UrlError.
    """
    switches = SWITCHES[dialect] if isinstance(dialect, str) else dialect
    return _decide(data, switches, (tokens,) if isinstance(tokens, str) else tuple(tokens), url)


@lru_cache(maxsize=1 << 13)  # each use of a URL asks for the same
def _decide(data: bytes, switches: Switches, listed: tuple[str, ...], url: str | bytes) -> Answer:
    names = tuple(checked(token, switches) for token in listed)
    subject = SUBJECT_FORMS[switches.normalisation](subject_of(url, switches))
    if switches.robots_txt_allowed and subject == b"/robots.txt":
        return Answer(True, None)
    patterns, empty_line = prepared(binding(data, names, switches), switches)
    hits = [hit for pattern in patterns if (hit := hit_by(pattern, subject))]
    return verdict(hits, switches) if hits else Answer(True, empty_line)


# From a URL to the subject


@lru_cache(maxsize=1024)
def subject_of(url: str | bytes, switches: Switches) -> bytes:
    """Return the part of a URL that patterns are compared with, before normalisation."""
    data = url.encode("utf-8", "surrogateescape") if isinstance(url, str) else url
    subject = google_split(data) if switches.url_split == "google" else strict_split(data)
    subject = without_dot_segments(subject) if switches.dot_segments == "remove" else subject
    return subject if switches.query else subject.partition(b"?")[0]


def without_dot_segments(subject: bytes) -> bytes:
    """Return a subject as clients send it: RFC 3986 section 5.2.4; URL Standard, section 4.4."""
    path, mark, query = subject.translate(None, b"\t\n\r").partition(b"?")
    kept: list[bytes] = []
    segments = path.split(b"/")[1:]
    for segment in segments:
        dots = re.sub(b"%2e", b".", segment, flags=re.IGNORECASE)
        if dots == b"..":
            del kept[-1:]
        elif dots != b".":
            kept.append(segment)
    is_folder = re.fullmatch(rb"(\.|%2e){1,2}", segments[-1], re.IGNORECASE)
    return b"/" + b"/".join([*kept, b""] if is_folder else kept) + mark + query


def strict_split(url: bytes) -> bytes:
    absolute = ABSOLUTE_URL.match(url)
    if not (absolute or url.startswith(b"/")):
        raise UrlError(url)
    rest = url[absolute.end() if absolute else 0 :].partition(b"#")[0]
    return rest if rest.startswith(b"/") else b"/" + rest


def google_split(url: bytes) -> bytes:
    rest = url.removeprefix(b"//").partition(b"#")[0]
    before, mark, after = rest.partition(b"://")
    if mark and not re.search(rb"[/?;]", before):
        rest = after
    path = re.search(rb"[/?;].*", rest, re.DOTALL)
    if path is None:
        return b"/"
    # Google's matcher holds the path as a C string, which ends at the first NUL.
    text = path[0].partition(b"\0")[0]
    return text if text.startswith(b"/") else b"/" + text


# From rules to patterns


@lru_cache(maxsize=64)
def prepared(groups: tuple[Group, ...], switches: Switches) -> tuple[list[Pattern], int | None]:
    """Return the patterns that bind a crawler, and the line of an empty rule to fall back on."""
    rules = [with_empty_read(rule, switches) for group in groups for rule in group.rules]
    patterns = [compiled(rule, switches) for rule in rules if is_rule(rule, switches)]
    empty = [rule for rule in rules if not rule.value and switches.report_empty]
    allow_first = sorted(empty, key=lambda rule: not rule.allow)
    return patterns, allow_first[0].line if empty else None


def with_empty_read(rule: Rule, switches: Switches) -> Rule:
    """Read an empty Disallow as `Allow: /` where the dialect says so."""
    if switches.empty_disallow == "allow-root" and not rule.allow and not rule.value:
        return Rule(True, b"/", rule.line)
    return rule


def is_rule(rule: Rule, switches: Switches) -> bool:
    return rule.value != b"" and (not switches.require_slash or rule.value.startswith((b"/", b"*")))


def compiled(rule: Rule, switches: Switches) -> Pattern:
    anchored = switches.wildcards and rule.value.endswith(b"$")
    value = rule.value.removesuffix(b"$") if anchored else rule.value
    # Split before decoding: an escape stands for a literal, whatever it decodes to.
    pieces = value.split(b"*") if switches.wildcards else [value]
    literals = tuple(literal(piece, switches) for piece in pieces)
    return Pattern(
        allow=rule.allow,
        line=rule.line,
        literals=literals,
        folded=folded(literals) if switches.equate_reserved_escapes else None,
        anchored=anchored,
        length=length_of(rule.value, switches),
        directory=directory_of(rule, switches) if switches.index_is_directory else None,
    )


def literal(piece: bytes, switches: Switches) -> bytes:
    """A piece as the subject would write it: `base` escapes `*` and `$` there."""
    form = PATTERN_FORMS[switches.normalisation](piece)
    if switches.normalisation == "base":
        return form.replace(b"*", b"%2A").replace(b"$", b"%24")
    return form


def folded(literals: tuple[bytes, ...]) -> Folded:
    """Fold a pattern: where it holds a `?`, what stands behind the first one is a query."""
    number = next((number for number, data in enumerate(literals) if b"?" in data), None)
    if number is None:
        return Folded(tuple(map(fold, literals)), fold)
    before, behind = map(fold, literals[:number]), map(fold_in_query, literals[number + 1 :])
    return Folded((*before, fold_with_query(literals[number]), *behind), fold_with_query)


def length_of(value: bytes, switches: Switches) -> int:
    """Bytes of the pattern in normal form, `*` and `$` counted as written."""
    form = PATTERN_FORMS["cpp" if switches.normalisation == "cpp" else "base"](value)
    if not switches.trailing_star_counts:
        form = form.removesuffix(b"*$").rstrip(b"*")
    return len(form)


def directory_of(rule: Rule, switches: Switches) -> Pattern | None:
    """An Allow of an index page, as an Allow of its directory alone."""
    directory, slash, page = rule.value.rpartition(b"/")
    if not (rule.allow and slash and page.startswith(b"index.htm")):
        return None
    return compiled(Rule(True, directory + b"/$", rule.line), switches)


# From patterns to an answer


def hit_by(pattern: Pattern, subject: bytes) -> Pattern | None:
    """Return the pattern if it matches, or the directory it stands for if that does."""
    if fits(pattern.literals, pattern.anchored, subject):
        return pattern
    if pattern.folded and fits(
        pattern.folded.literals, pattern.anchored, pattern.folded.form(subject)
    ):
        return pattern
    return hit_by(pattern.directory, subject) if pattern.directory else None


def fits(literals: Sequence[bytes], anchored: bool, subject: bytes) -> bool:
    """Find the literals one after the other, each as early as possible: no backtracking."""
    first, *later = literals
    if not later:
        return subject == first if anchored else subject.startswith(first)
    last = later.pop() if anchored else b""
    end = len(first) if subject.startswith(first) else -1
    for data in later:
        start = subject.find(data, end) if end >= 0 else -1
        end = start + len(data) if start >= 0 else -1
    return 0 <= end <= len(subject) - len(last) and subject.endswith(last)


def verdict(hits: Sequence[Pattern], switches: Switches) -> Answer:
    """Let the first or the longest of the matching rules decide."""
    if switches.precedence == "first":
        deciding = hits[0]
    else:
        wins_tie = switches.tie == "allow"
        deciding = max(hits, key=lambda hit: (hit.length, hit.allow == wins_tie))
    return Answer(deciding.allow, deciding.line)
