"""The formats of `verger lint`, each of which writes one file at a time.

In: the findings of one file. Out: a part of the output. Only the requested format is imported.
"""

from collections.abc import Callable
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import Tally

    class Writer(Protocol):
        """One format."""

        between: str
        """The text between the outputs of two files."""

        def opening(self) -> str:
            """Return the text before all files."""
            ...

        def of_file(self, linted: Linted, /) -> str:
            """Return the output for one file; empty if there is nothing to report."""
            ...

        def closing(self, tally: Tally, /) -> str:
            """Return the text after all files."""
            ...


class Named:
    """A format, by the module and name of its writer."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *, coloured: bool) -> "Writer":
        """Return the writer of the format."""
        make: Callable[..., Writer] = getattr(import_module(self._module), self._name)
        return make(coloured=coloured)


_HERE = __name__.rpartition(".")[0]

WRITERS = {
    "text": Named(f"{_HERE}.text", "Text"),
    "json": Named(f"{_HERE}.json_object", "JsonObject"),
    "sarif": Named(f"{_HERE}.sarif", "Sarif"),
    "github": Named(f"{_HERE}.github", "Github"),
    "markdown": Named(f"{_HERE}.markdown", "Markdown"),
    "statistics": Named(f"{_HERE}.text", "Statistics"),
    "diff": Named(f"{_HERE}.text", "Nothing"),
}
"""`diff` and `statistics` have no output for single files."""

FORMATS = ("text", "json", "sarif", "github", "markdown")
