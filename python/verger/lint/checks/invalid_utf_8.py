"""RT116: a line that is not UTF-8."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT116", "warning")
def invalid_utf_8(file: File) -> Iterator[Found]:
    """A value in an encoding other than UTF-8, such as Latin-1.

    Why: crawlers compare it byte by byte, and no URL of the site has these bytes.

    Use instead: UTF-8, or the escapes that the URLs of the site have, such as `%C3%A9`.
    """
    for number in sorted({each.line for each in file.by_code.get("invalid-utf8", [])}):
        yield Found(number, "the line is not UTF-8", file.line(number).value_span)
