"""RT109: a byte order mark before the first line."""

from codecs import BOM_UTF8
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT109", "note", fix="safe")
def byte_order_mark(file: File) -> Iterator[Found]:
    """A byte order mark (BOM) before the first line, as some editors write it.

    Why: crawlers that do not expect it read the first line as an unknown field.

    Use instead: UTF-8 without a byte order mark.

    Fix: the mark is removed.
    """
    if file.body.startswith(BOM_UTF8):
        mark = 0, len(BOM_UTF8)
        fix = file.rewrite(mark, b"", "Remove the byte order mark", "safe")
        yield Found(1, "the file begins with a byte order mark", mark, fix=fix)
