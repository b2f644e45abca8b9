"""RT404: a sitemap that is named twice."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT404", "note", fix="unsafe")
def repeated_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` that the file names twice. It applies to the whole file, wherever it is.

    Why: the line is redundant.

    Use instead: one line.

    Fix: the second line is removed. A program that lists the sitemaps of the file finds one fewer,
    so the fix is unsafe.
    """
    first: dict[str, int] = {}
    for record in file.records:
        if record.field != "sitemap":
            continue
        above = first.setdefault(record.raw, record.line)
        if above != record.line:
            fix = file.without_line(record.line, "Remove the line", "unsafe")
            related = (Related(above, "named here"),)
            what = f"{quoted(record.raw)} is already named in line {above}"
            yield Found(record.line, what, fix=fix, related=related)
