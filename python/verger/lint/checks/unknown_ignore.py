"""RT117: a comment that silences a check that there is not."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.comments import silencers_in, unknown_words
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT117", "warning")
def unknown_ignore(file: File) -> Iterator[Found]:
    """A comment `# verger: ignore ...` that names a check that there is not.

    Why: the comment silences nothing, or less than it was written for.

    Use instead: a code, the beginning of one, or a name that `verger lint --list` shows.
    """
    if b"verger" not in file.body.lower():
        return
    for silencer, word in unknown_words(silencers_in(file.lines)):
        yield Found(silencer.line, f"{quoted(word)} is not a check")
