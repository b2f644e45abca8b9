"""RT105: a file without content."""

from codecs import BOM_UTF8
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

BLANK = b" \t\r\n\v\f" + BOM_UTF8


@check("RT105", "note")
def empty_file(file: File) -> Iterator[Found]:
    """A file with only blank lines and comments: everything may be fetched.

    Why: an empty file allows every crawler to fetch everything.

    Use instead: `User-agent: *` and an empty `Disallow:`, which says so explicitly.
    """
    if all(line.kind in ("blank", "comment") for line in file.lines):
        what = "says nothing" if file.body.strip(BLANK) else "is empty"
        yield Found(1, f"the file {what}: every crawler may fetch everything", (0, 0))
