"""Temporary files: an error in writing one names their folder, not the output.

In: a block that writes temporary files. Out: nothing, or an `UnusableOutput` that names the folder,
which the system's error does not for files without a name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import gettempdir

from verger.errors import UnusableOutput
from verger.plain import quoted, reason_of


@contextmanager
def scratch() -> Iterator[None]:
    """Within the block, a system error that names no file is one of temporary files.

    Raises UnusableOutput.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, UnusableOutput) or error.filename is not None:
            raise
        try:
            where = f" in {quoted(gettempdir())}"
        except OSError:  # no folder is writable
            where = ""
        raise UnusableOutput(
            f"cannot write temporary files{where}: {reason_of(error)}",
            "free some space there, or set TMPDIR to a folder on another disk",
        ) from error
