"""RT207: a group that has no rules of its own, and so gets those of the next."""

from collections.abc import Iterator, Sequence

from verger._core import Group, Line
from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT207", "error", fix="unsafe")
def merged_by_record(file: File) -> Iterator[Found]:
    """`User-agent` lines with only a `Crawl-delay` or the like between them, and no rule.

    Google's parser goes on with the group (google/robotstxt, issue 51), as RFC 9309 section 2.2
    says: other records are not to interfere with groups. Whoever writes this means two groups, and
    mostly lets one crawler in and keeps another out.

    Why: a line such as `Crawl-delay` does not end a group: the crawlers above it get the rules of
    the next group as well.

    Use instead: an empty `Disallow:` below the first `User-agent` line, which ends its group.

    Fix: that line is written. The first crawlers are let in then, so the fix is unsafe.
    """
    for group in file.groups:
        if not any(rule.pattern for rule in group.rules):
            continue
        for above, below, between in _seams(file, group):
            yield _found(file, group, above, below, between)


def _seams(file: File, group: Group) -> Iterator[tuple[int, int, Sequence[Line]]]:
    """Yield start-group lines of one group that a record stands between, and the records."""
    for above, below in zip(group.start_lines, group.start_lines[1:], strict=False):
        between = [
            line
            for line in file.lines[above : below - 1]
            if line.kind == "record" and line.field not in ("sitemap", "host")
        ]
        if between:
            yield above, below, between


def _found(file: File, group: Group, above: int, below: int, between: Sequence[Line]) -> Found:
    ending = file.line(above).span[1]
    edit = Edit((ending, ending), b"Disallow:" + file.line_end())
    last = group.start_lines[-1]  # the rules stand below it
    first, then = (quoted(file.line(number).value or "") for number in (above, last))
    closing = next((rule for rule in group.rules if not rule.allow and rule.pattern), None)
    key = quoted(between[0].key or "")
    what = f"{key} does not end the group: the rules for {then} bind {first}, too"
    related = [Related(below, f"the group of {first} goes on here")]
    if closing is not None:
        related.append(Related(closing.line, f"this rule binds {first}"))
    return Found(
        between[0].number,
        what,
        witness=None,
        fix=Fix(f"End the group of {first} with `Disallow:`", (edit,), "unsafe"),
        related=tuple(related),
    )
