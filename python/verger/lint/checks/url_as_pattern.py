"""RT302: a whole URL in place of a path pattern."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.pattern_without_slash import is_url
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

AUTHORITY = re.compile(rb"\A(?:[A-Za-z]+:)?//[^/?#]*")


@check("RT302", "error", fix="unsafe")
def url_as_pattern(file: File) -> Iterator[Found]:
    """A rule with a whole URL: crawlers skip it, or compare it with paths.

    Why: patterns are compared with the path of a URL, and no path begins like this.

    Use instead: only the path, in the robots.txt file of the host that the URL names.

    Fix: scheme and host are removed. The rule then takes effect, so the fix is unsafe.
    """
    for rule in file.rules:
        if is_url(rule.pattern):
            new = AUTHORITY.sub(b"", rule.pattern_bytes) or b"/"
            fix = file.rewrite(rule.span, new, f"Write {quoted(new)}", "unsafe")
            what = f"{quoted(rule.pattern)} is a URL, but a path pattern begins with `/`"
            yield Found(rule.line, what, rule.span, fix=fix)
