"""RT207: a group without rules of its own, which therefore gets those of the next."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from verger._core import Group, Line, Rule
from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT207", "error", fix="unsafe")
def merged_by_record(file: File) -> Iterator[Found]:
    """`User-agent` lines with only records such as `Crawl-delay` between them, and no rule.

    Google's parser continues the group (google/robotstxt, issue 51), as RFC 9309 section 2.2
    says: other records must not interfere with groups. Authors usually mean two groups, often one
    crawler that is allowed and another that is not.

    Why: a line such as `Crawl-delay` does not end a group: the crawlers above it also follow the
    rules below it.

    Use instead: an empty `Disallow:` below the first `User-agent` line, which ends its group.

    Fix: that line is written. The first crawlers may then fetch everything, so the fix is unsafe.
    """
    for group in file.groups:
        if not any(rule.pattern for rule in group.rules):
            continue
        last = group.start_lines[-1]  # the rules are below it
        closing = next((rule for rule in group.rules if not rule.allow and rule.pattern), None)
        for above, below, between in _seams(file, group):
            yield _report(file, (above, below, last), between, closing)


def _seams(file: File, group: Group) -> Iterator[tuple[int, int, Sequence[Line]]]:
    """Yield pairs of start-group lines of one group, each with the records between them."""
    for above, below in pairwise(group.start_lines):
        between = [
            line
            for line in file.lines[above : below - 1]
            if line.kind == "record" and line.field not in ("sitemap", "host")
        ]
        if between:
            yield above, below, between


def _report(
    file: File, starts: tuple[int, int, int], between: Sequence[Line], closing: Rule | None
) -> Found:
    above, below, last = starts
    ending = file.line(above).span[1]
    edit = Edit((ending, ending), b"Disallow:" + file.line_end())
    first, then = (quoted(file.line(number).value or "") for number in (above, last))
    key = quoted(between[0].key or "")
    what = f"{key} does not end the group: the rules for {then} also apply to {first}"
    related = [Related(below, f"the group of {first} continues here")]
    if closing is not None:
        related.append(Related(closing.line, f"this rule applies to {first}"))
    return Found(
        between[0].number,
        what,
        witness=None,
        fix=Fix(f"End the group of {first} with `Disallow:`", (edit,), "unsafe"),
        related=tuple(related),
    )
