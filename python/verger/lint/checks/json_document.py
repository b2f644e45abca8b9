"""RT103: a JSON document in place of a robots.txt file."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT103", "error", reads_any_file=True)
def json_document(file: File) -> Iterator[Found]:
    """A JSON document, as APIs send it in place of a missing file, without any `User-agent` line.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: a text file, or status 404 if there is no robots.txt file.
    """
    for finding in file.by_code.get("json", [])[:1]:
        yield Found(finding.line, "the file is a JSON document, not a robots.txt file")
