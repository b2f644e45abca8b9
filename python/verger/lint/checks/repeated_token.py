"""RT210: a crawler that one group names twice."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT210", "note", fix="safe")
def repeated_token(file: File) -> Iterator[Found]:
    """A group that names one crawler twice; case does not matter.

    Why: the line is redundant.

    Use instead: one line for each crawler.

    Fix: the line is removed.
    """
    for group in file.groups:
        first: dict[str, int] = {}
        for number in group.start_lines:
            value = file.line(number).value
            if not value:
                continue
            above = first.setdefault(value.lower(), number)
            if above != number:
                fix = file.without_line(number, "Remove the line", "safe")
                related = (Related(above, "named here"),)
                what = f"{quoted(value)} is already named in line {above}"
                span = file.line(number).value_span
                yield Found(number, what, span, fix=fix, related=related)
