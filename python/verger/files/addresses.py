"""Addresses: objects in the cloud, and files of web servers, named where a path may be.

In: a path or an address. Out: a file that can be read at any place, whether it lies on the disk or
elsewhere. `verger.files.objects`, which needs the extra `cloud`, is imported for addresses alone.
"""

# ruff: noqa: PTH123

import os

from verger.errors import MissingExtra
from verger.files.paths import is_address, scheme_of
from verger.options import AnyPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from verger.files.objects import CloudFile, Upload

BUFFER = 1 << 18
"""Bytes that are read at once."""


def open_input(path: AnyPath, buffering: int = BUFFER) -> "BinaryIO":
    """Open a file, or an object by its address, for reading at any place.

    buffering:  as for `open`: 0 is none.
    Raises OSError for a file; UnusableInput, MissingExtra for an address.
    """
    if not is_address(path):
        return open(path, "rb", buffering)
    from io import BufferedReader

    file = open_object(path)
    return BufferedReader(file, buffering) if buffering else file  # type: ignore[return-value]


def open_object(address: AnyPath) -> "CloudFile":
    """Open an object; it has a `size`, and a `version` that changes with its content.

    Raises UnusableInput, MissingExtra.
    """
    with MissingExtra.unless_installed("cloud", f"reading `{scheme_of(address)}`"):
        from verger.files.objects import CloudFile

    return CloudFile(os.fspath(address))


def state_of(path: AnyPath) -> tuple[int, int | str]:
    """Return the size of a file or an object, and what changes with its content.

    Raises what `open_input` raises.
    """
    if is_address(path):
        with open_object(path) as file:
            return file.size, file.version
    status = os.stat(path)  # noqa: PTH116
    return status.st_size, status.st_mtime_ns


def upload_to(address: AnyPath) -> "Upload":
    """Return the place of an object that will be written.

    Raises UnusableOutput, MissingExtra.
    """
    with MissingExtra.unless_installed("cloud", f"writing `{scheme_of(address)}`"):
        from verger.files.objects import Upload

    return Upload(os.fspath(address))
