"""RT117: a comment that silences an unknown check."""

from collections.abc import Iterator
from itertools import groupby

from verger.lint.check import check
from verger.lint.comments import silencers_in, unknown_words
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT117", "warning")
def unknown_ignore(file: File) -> Iterator[Found]:
    """A comment `# verger: ignore ...` that names a check that does not exist.

    Why: the comment silences nothing, or less than intended.

    Use instead: a code, a code prefix, or a name that `verger lint --list` shows.
    """
    if b"verger" not in file.body.lower():
        return
    words = unknown_words(silencers_in(file.lines))
    for line, found in groupby(words, key=lambda each: each[0].line):
        span = file.content(line)
        yield from (Found(line, f"{quoted(word)} is not a check", span) for _, word in found)
