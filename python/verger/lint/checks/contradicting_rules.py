"""RT306: an Allow and a Disallow of the same."""

from collections.abc import Iterator

from verger._core import Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check(
    "RT306",
    "contradicting-rules",
    "warning",
    why="`Allow` wins (RFC 9309 section 2.2.2), so that what one line closes is open",
)
def contradicting_rules(file: File) -> Iterator[Found]:
    """An `Allow` and a `Disallow` with one pattern in the same group.

    Where both match, RFC 9309 section 2.2.2 lets `Allow` win. Older crawlers take the first.

    Use instead: the one that is meant.
    """
    for group in file.groups:
        allowed = {rule.pattern_bytes: rule for rule in group.rules if rule.allow and rule.pattern}
        for rule in group.rules:
            other = None if rule.allow else allowed.get(rule.pattern_bytes)
            if other is not None:
                yield _found(rule, other)


def _found(rule: Rule, other: Rule) -> Found:
    what = f"{quoted(rule.pattern)} is closed here, and opened in line {other.line}: it is open"
    path = rule.pattern
    witness = path if path.startswith("/") and not {"*", "$"} & set(path) else None
    related = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=witness, related=related)
