"""The formats of `verger lint`: each writes a file at a time.

In: what was found in one file. Out: a piece of text. A format that nobody asks for is not imported.
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
        """What stands between the pieces of two files."""

        def opening(self) -> str:
            """Return what stands before all files."""
            ...

        def of_file(self, linted: Linted, /) -> str:
            """Return the piece of one file; nothing where there is nothing to say."""
            ...

        def closing(self, tally: Tally, /) -> str:
            """Return what stands behind all files."""
            ...


class Named:
    """A format, by the module that has it."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *, coloured: bool) -> "Writer":
        """Return what writes the format."""
        make: Callable[..., Writer] = getattr(import_module(self._module), self._name)
        return make(coloured=coloured)


_HERE = __name__.rpartition(".")[0]

WRITERS = {
    "text": Named(f"{_HERE}.text", "Text"),
    "json": Named(f"{_HERE}.json_object", "JsonObject"),
    "sarif": Named(f"{_HERE}.sarif", "Sarif"),
    "github": Named(f"{_HERE}.github", "Github"),
    "markdown": Named(f"{_HERE}.markdown", "Markdown"),
    "statistics": Named(f"{_HERE}.statistics", "Statistics"),
    "diff": Named(f"{_HERE}.text", "Nothing"),
}
"""`diff` and `statistics` have nothing to say of one file."""

FORMATS = ("text", "json", "sarif", "github", "markdown")
