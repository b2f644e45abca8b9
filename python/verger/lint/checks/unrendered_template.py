"""RT119: a template that was not rendered."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import counted

MOST_RELATED = 3


@check("RT119", "error")
def unrendered_template(file: File) -> Iterator[Found]:
    """Marks of a template language, such as `{{ site.url }}`, `{% if %}`, `<%= %>` or `<?php`.

    A file has one such finding, and its lines with marks have no others. A pattern that begins
    with a slash or a star may contain marks: sites have such URLs by mistake, and disallow them.

    Why: the file was published without being rendered, and crawlers read the marks as they are.

    Use instead: the output of the template.
    """
    lines = sorted(file.templates)
    if not lines:
        return
    text = quoted(file.text(file.content(lines[0])))
    more = f", and {counted(len(lines) - 1, 'more line')}" if lines[1:] else ""
    related = tuple(Related(number, "another one") for number in lines[1 : MOST_RELATED + 1])
    yield Found(lines[0], f"{text} is a template that was not rendered{more}", related=related)
