"""Addresses: objects in the cloud, and files of web servers, named where a path may be.

In: a word as a user wrote it. Out: whether it is an address, and a file that can be read at any
place, whether it lies on the disk or elsewhere. `verger.files.objects`, which needs the extra
`cloud`, is imported for addresses alone.
"""

# ruff: noqa: PTH123

import os

from verger.errors import MissingExtra
from verger.options import AnyPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from verger.files.objects import CloudFile, Upload

SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss", "hdfs", "https", "http")
"""The schemes of addresses: Amazon S3 and what speaks like it, Google Cloud Storage, Azure Blob
Storage, Hadoop, and web servers. Spark calls S3 `s3a`, and Azure `abfss`."""

BUFFER = 1 << 18
"""Bytes that are read at once."""

ANONYMOUS = ("AWS_SKIP_SIGNATURE", "GOOGLE_SKIP_SIGNATURE", "AZURE_SKIP_SIGNATURE")
"""Variables of the environment that say `true` to read public buckets without credentials."""


def is_address(path: AnyPath) -> bool:
    """Whether a path is the address of an object, and not of a file on this machine."""
    scheme, mark, _ = os.fspath(path).partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def go_anonymous() -> None:
    """Let this process, and those that it starts, read public buckets without credentials."""
    os.environ.update(dict.fromkeys(ANONYMOUS, "true"))


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


def upload_to(address: AnyPath) -> "Upload":
    """Return the place of an object that will be written.

    Raises UnusableOutput, MissingExtra.
    """
    with MissingExtra.unless_installed("cloud", f"writing `{scheme_of(address)}`"):
        from verger.files.objects import Upload

    return Upload(os.fspath(address))


def scheme_of(address: AnyPath) -> str:
    """Return the beginning of an address, such as `s3://`."""
    return os.fspath(address).partition("://")[0].lower() + "://"
