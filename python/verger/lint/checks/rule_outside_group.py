"""RT201: a rule outside any group."""

from collections.abc import Collection, Iterator, Sequence

from verger._core import Line
from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT201", "error", fix="unsafe")
def rule_outside_group(file: File) -> Iterator[Found]:
    """A rule before any `User-agent` line: it is outside any group (RFC 9309 section 2.2.1).

    For targets in which a blank line ends a group, also a rule after such a line.

    Why: the rule applies to no crawler.

    Use instead: a group that begins with the crawlers that the rule is meant for.

    Fix: the blank lines between the `User-agent` line and the rule are removed; without such a
    line, `User-agent: *` is written before the first rule. The rule then takes effect, so the fix
    is unsafe.
    """
    outside = {each.line for each in file.by_code.get("rule-without-group", [])}
    is_first = True
    for number, start, blanks in _places(file, outside):
        if start is not None:
            yield _cut_off(number, start, blanks)
        else:
            at = file.content(number)[0]
            edit = Edit((at, at), b"User-agent: *" + file.line_end())
            fix = Fix("Write `User-agent: *` before it", (edit,), "unsafe") if is_first else None
            what = "the rule is before any `User-agent` line, and applies to no crawler"
            yield Found(number, what, fix=fix)
            is_first = False


def _places(
    file: File, numbers: Collection[int]
) -> Iterator[tuple[int, Line | None, Sequence[Line]]]:
    """Yield lines, each with the `User-agent` line above it and the blank lines right above it.

    Comments may stand between the blank lines.
    """
    start: Line | None = None
    blanks: list[Line] = []
    for line in file.lines if numbers else ():
        if line.number in numbers:
            yield line.number, start, blanks
        if line.kind == "start-group":
            start = line
        if line.kind == "blank":
            blanks.append(line)
        elif line.kind != "comment":
            blanks = []


def _cut_off(number: int, start: Line, blanks: Sequence[Line]) -> Found:
    """Return what to say of a rule that a blank line cuts off from its group."""
    edits = tuple(Edit(line.span, b"") for line in blanks)
    fix = Fix("Remove the blank lines above it", edits, "unsafe") if edits else None
    what = f"a blank line ends the group of {quoted(start.value or '')}: the rule is in no group"
    return Found(number, what, fix=fix)
