"""RT404: a sitemap that is named twice."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT404", "note", fix="unsafe")
def repeated_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` that the file names twice. It holds for the whole file, wherever it stands.

    Why: the line says nothing that another does not say.

    Use instead: one line.

    Fix: the second is removed. A program that lists the sitemaps of the file sees one less, so the
    fix is unsafe.
    """
    first: dict[str, int] = {}
    for record in file.records:
        if record.field != "sitemap":
            continue
        above = first.setdefault(record.raw, record.line)
        if above != record.line:
            fix = file.without_line(record.line, "Remove the line", "unsafe")
            related = (Related(above, "named here"),)
            what = f"{quoted(record.raw)} is named in line {above} already"
            yield Found(record.line, what, fix=fix, related=related)
