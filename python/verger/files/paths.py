"""Paths: where a path leads, as the system sees it.

In: a path as a user wrote it, `-` for stdin or stdout. Out: the descriptor that it names, its
status, and the place of its file: one path for all spellings. A path that the system would reject
is rejected, never normalised: `file/.` and `missing/../file` lead nowhere (POSIX.1-2017, Base
Definitions, section 4.13, "Pathname Resolution"). Nothing here opens or changes a file.
"""

# `check` imports this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH114, PTH115, PTH116, PTH118, PTH120

import os
import stat
import sys
from errno import EINVAL, ELOOP, ENOTDIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

STANDARD = "-"
"""Stdin among the inputs, stdout among the outputs."""

MOST_LINKS = 40
"""How many symbolic links the system follows (Linux, path_resolution(7))."""

_DESCRIPTORS = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")

_MOST_DIGITS = 9
"""The most digits of a descriptor, which is a C `int`."""


def input_name(path: str) -> str:
    """Return the name of an input in messages and answers: its path, or `stdin`."""
    return "stdin" if path == STANDARD else path


def is_url(word: str) -> bool:
    """Whether a word is a URL, and not a path: it begins with a scheme and `://`.

    A scheme is a letter, then letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1).
    """
    scheme, separator, _ = word.partition("://")
    letters = scheme.replace("+", "").replace("-", "").replace(".", "")
    return bool(separator) and scheme.isascii() and scheme[:1].isalpha() and letters.isalnum()


def place_of(path: str) -> str:
    """Return the path of the file that the system would open or create under this name.

    Follows all symbolic links, including the last one, even if it is dangling. Raises OSError,
    whose `filename` is the failing part, if the system would do neither.
    """
    _expect_name(path)
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if name in ("", os.curdir, os.pardir):
            os.stat(path)
            return os.path.realpath(path)
        _expect_folder(folder or os.curdir)
        place = os.path.join(os.path.realpath(folder), name)
        if not os.path.islink(place):
            return place
        path = os.path.join(os.path.dirname(place), os.readlink(place))
    raise OSError(ELOOP, os.strerror(ELOOP), path)


def place_to_make(path: str) -> str:
    """Return the path of a file whose missing folders are created first.

    Raises OSError as `place_of` does; `missing/../file` is an error, since creating folders must
    not make it valid.
    """
    below: list[str] = []
    while True:
        try:
            return os.path.join(place_of(path), *reversed(below))
        except FileNotFoundError:
            path, name = os.path.split(path)
            if name in ("", os.curdir, os.pardir) or not path:
                raise
            below.append(name)


def _expect_name(path: str) -> None:
    """Refuse a path that no file can have."""
    try:
        is_name = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise OSError(EINVAL, os.strerror(EINVAL), path)


def _expect_folder(path: str) -> None:
    if not stat.S_ISDIR(os.stat(path).st_mode):
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), path)


def descriptor_of(stream: "IO[str] | None") -> int | None:
    """Return the descriptor of a stream; None if it has none."""
    try:
        return None if stream is None else stream.fileno()
    except (AttributeError, OSError, ValueError):  # a test's stream, or a closed one
        return None


def descriptor_in(path: str) -> int | None:
    """Return the descriptor that a path names, such as `/dev/stdout` or `/dev/fd/3`.

    Opening such a path is not the same: a regular file would get a new position.
    """
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if _is_number(name) and _holds_descriptors(folder):
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def _is_number(name: str) -> bool:
    """Whether a name is a number as the system writes it."""
    is_short = name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS
    return is_short and name == str(int(name))


def _holds_descriptors(folder: str) -> bool:
    if status_of(folder or os.curdir, None) is None:
        return False
    place = os.path.realpath(folder or os.curdir)
    return any(place == os.path.realpath(known) for known in _DESCRIPTORS)


def status_of(path: str, standard: "IO[str] | None") -> os.stat_result | None:
    """Return the status of what a path leads to; None if nothing is there.

    standard:  what `-` stands for.
    """
    descriptor = descriptor_of(standard) if path == STANDARD else descriptor_in(path)
    try:
        if descriptor is not None:
            return os.fstat(descriptor)
        return None if path == STANDARD else os.stat(path)
    except (OSError, ValueError):  # ValueError: the path contains a NUL
        return None


def is_stream(path: str) -> bool:
    """Whether an output is written to directly: a descriptor, a device, a pipe or a socket."""
    if path == STANDARD or descriptor_in(path) is not None:
        return True
    return is_special(path)


def is_special(path: str) -> bool:
    """Whether a path leads to something that is neither a regular file nor a folder."""
    status = status_of(path, None)
    return status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def is_terminal(path: str) -> bool:
    """Whether an output is a terminal."""
    if path == STANDARD:
        return sys.stdout.isatty()
    status = status_of(path, sys.stdout)
    if status is None or not stat.S_ISCHR(status.st_mode):
        return False
    try:
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    except OSError:
        return False
    try:
        return os.isatty(descriptor)
    finally:
        os.close(descriptor)
