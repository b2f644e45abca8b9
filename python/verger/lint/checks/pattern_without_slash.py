"""RT301: a path pattern that begins with neither `/` nor `*`."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.several_fields_on_a_line import has_field
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT301", "error", fix="unsafe")
def pattern_without_slash(file: File) -> Iterator[Found]:
    """A rule whose path pattern begins with neither `/` nor `*`, so crawlers skip it.

    Why: crawlers skip the whole rule, so it has no effect.

    Use instead: a pattern that begins at the root of the site, such as `/private`.

    Fix: a slash is written before the pattern. The rule then takes effect, so the fix is unsafe.
    """
    for rule in file.rules:
        if not rule.pattern or rule.pattern.startswith(("/", "*")) or is_url(rule.pattern):
            continue
        if not has_field(rule.pattern_bytes):
            new = b"/" + _bare(rule.pattern_bytes)
            fix = file.rewrite(rule.span, new, f"Write {quoted(new)}", "unsafe")
            what = f"{quoted(rule.pattern)} begins with neither `/` nor `*`: crawlers skip the rule"
            yield Found(rule.line, what, rule.span, fix=fix)


def _bare(value: bytes) -> bytes:
    """Return a pattern without quotes around it, backslashes as on Windows, and a leading `./`."""
    quotes = value[:1] if value[:1] in (b'"', b"'") and value[:1] == value[-1:] else b""
    bare = value.strip(quotes) if quotes else value
    return bare.replace(b"\\", b"/").removeprefix(b"./").lstrip(b"/")


def is_url(pattern: str) -> bool:
    """Whether a pattern is a whole URL."""
    return re.match(r"https?://|//[^/]+\.[^/]", pattern, re.IGNORECASE) is not None
