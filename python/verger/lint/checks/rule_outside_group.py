"""RT201: a rule before the first start-group line."""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File


@check("RT201", "error", fix="unsafe")
def rule_outside_group(file: File) -> Iterator[Found]:
    """A rule before any `User-agent` line: it is outside any group (RFC 9309 section 2.2.1).

    Why: the rule applies to no crawler.

    Use instead: a group that begins with the crawlers that the rule is meant for.

    Fix: `User-agent: *` is written before the first such rule. The rule then takes effect, so the
    fix is unsafe.
    """
    numbers = [each.line for each in file.by_code.get("rule-without-group", [])]
    for at, number in enumerate(sorted(set(numbers))):
        start = file.content(number)[0]
        edit = Edit((start, start), b"User-agent: *" + file.line_end())
        fix = None if at else Fix("Write `User-agent: *` before it", (edit,), "unsafe")
        what = "the rule is before any `User-agent` line, and applies to no crawler"
        yield Found(number, what, fix=fix)
