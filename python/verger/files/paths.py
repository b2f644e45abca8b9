"""Paths: where a path leads, as the system sees it.

In: a path as a user wrote it, `-` for stdin or stdout. Out: the descriptor that it names, its
status, and the path behind links. Nothing here changes a file.
"""

# `check` imports this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH116, PTH123

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

STANDARD = "-"
"""Stdin among the inputs, stdout among the outputs."""

STDIN = "stdin"
"""What messages call it."""

_DESCRIPTORS = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss", "hdfs", "https", "http")
"""The schemes of addresses: Amazon S3 and what speaks like it, Google Cloud Storage, Azure Blob
Storage, Hadoop, and web servers. Spark calls S3 `s3a`, and Azure `abfss`."""

HDFS = "hdfs://"

ANONYMOUS = ("AWS_SKIP_SIGNATURE", "GOOGLE_SKIP_SIGNATURE", "AZURE_SKIP_SIGNATURE")
"""Variables of the environment that say `true` to read public buckets without credentials."""

_MOST_DIGITS = 10
"""More digits than a descriptor, a C `int`, has."""


def input_name(path: str) -> str:
    """Return the name of an input in messages and answers: its path, or `stdin`."""
    return STDIN if path == STANDARD else path


def is_url(word: str) -> bool:
    """Whether a word is a URL, and not a path: it begins with a scheme and `://`.

    A scheme is a letter, then letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1).
    """
    scheme, separator, _ = word.partition("://")
    letters = scheme.replace("+", "").replace("-", "").replace(".", "")
    return bool(separator) and scheme.isascii() and scheme[:1].isalpha() and letters.isalnum()


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is the address of an object, and not of a file on this machine."""
    scheme, mark, _ = os.fspath(path).partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def go_anonymous() -> None:
    """Let this process, and those that it starts, read public buckets without credentials."""
    os.environ.update(dict.fromkeys(ANONYMOUS, "true"))


def scheme_of(address: str | os.PathLike[str]) -> str:
    """Return the beginning of an address, such as `s3://`."""
    return os.fspath(address).partition("://")[0].lower() + "://"


def real_path(path: str) -> str:
    """Return the path behind links, whether the file exists or not.

    A path that no file can have is returned as it is: the system refuses to open it.
    """
    try:
        return os.path.realpath(path)
    except ValueError:
        return path


def descriptor_of(stream: "IO[str] | IO[bytes] | None") -> int | None:
    """Return the descriptor of a stream; None if it has none."""
    try:
        return None if stream is None else stream.fileno()
    except (AttributeError, OSError, ValueError):  # a test's stream, or a closed one
        return None


def descriptor_in(path: str) -> int | None:
    """Return the descriptor that a path names, such as `/dev/stdout` or `/dev/fd/3`.

    Opening such a path is not the same: a regular file would get a new position.
    """
    folder, _, number = path.rpartition("/")
    if folder in _DESCRIPTORS and number.isdecimal() and len(number) < _MOST_DIGITS:
        return int(number)
    return _STREAMS.get(path)


def status_of(path: str, standard: int | None = None) -> os.stat_result | None:
    """Return the status of what a path leads to; None if nothing is there.

    standard:  the descriptor that `-` stands for, if there is one.
    """
    descriptor = standard if path == STANDARD else descriptor_in(path)
    try:
        if descriptor is not None:
            return os.fstat(descriptor)
        return None if path == STANDARD else os.stat(path)
    except (OSError, ValueError):  # ValueError: the path contains a NUL
        return None


def is_stream(path: str) -> bool:
    """Whether an output is written to directly: a descriptor, a device, a pipe or a socket."""
    return path == STANDARD or descriptor_in(path) is not None or is_special(path)


def is_special(path: str) -> bool:
    """Whether a path leads to something that is neither a regular file nor a folder."""
    status = status_of(path)
    return status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def is_terminal(path: str) -> bool:
    """Whether an output is a terminal."""
    if path == STANDARD:
        return sys.stdout.isatty()
    status = status_of(path)
    if status is None or not stat.S_ISCHR(status.st_mode):
        return False
    try:
        with open(path, "wb", buffering=0) as device:
            return device.isatty()
    except OSError:
        return False
