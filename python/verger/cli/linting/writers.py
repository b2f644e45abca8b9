"""The formats of `verger lint`, each of which writes one file at a time.

In: the findings of one file. Out: a part of the output. Only the requested format is imported.
"""

from verger.cli.writers import WriterFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import LintTally

    class Writer(Protocol):
        """One format."""

        between: str
        """The text between the outputs of two files."""
        is_whole: bool
        """Whether the output is one document, complete even if no file could be read."""

        def opening(self) -> str:
            """Return the text before all files."""
            ...

        def of_file(self, linted: Linted, /) -> str:
            """Return the output for one file; empty if there is nothing to report."""
            ...

        def closing(self, tally: LintTally, /) -> str:
            """Return the text after all files."""
            ...


_HERE = __name__.rpartition(".")[0]

WRITERS = {
    "text": WriterFormat(f"{_HERE}.text", "Text"),
    "json": WriterFormat(f"{_HERE}.json_object", "JsonObject", "utf-8"),
    "sarif": WriterFormat(f"{_HERE}.sarif", "Sarif", "utf-8"),
    "github": WriterFormat(f"{_HERE}.github", "Github"),
    "markdown": WriterFormat(f"{_HERE}.markdown", "Markdown"),
    "statistics": WriterFormat(f"{_HERE}.text", "Statistics"),
    "diff": WriterFormat(f"{_HERE}.text", "Nothing", errors="surrogateescape"),
}
"""`diff` and `statistics` have no output for single files."""

FORMATS = ("text", "json", "sarif", "github", "markdown")
