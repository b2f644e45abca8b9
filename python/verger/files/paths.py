"""Paths: where a path leads, as the system sees it; an output is never an input or a store.

In: a path as a user wrote it, `-` for stdin or stdout. Out: the descriptor that it names, its
status, and the path behind links. For the outputs of a command, its inputs and its stores: nothing,
or `UnusableOutput` before anything is written. Files are compared by device and inode, so that
links and other spellings are the same file; files that do not exist yet by their real path. Nothing
here changes a file.
"""

# `check` imports this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH116, PTH118, PTH120, PTH123

import os
import stat
import sys
from collections.abc import Iterable

from verger.errors import UnusableOutput
from verger.options import AnyPath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

STANDARD = "-"
"""Stdin among the inputs, stdout among the outputs."""

STDIN = "stdin"
"""What messages call it."""

_DESCRIPTORS = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")
_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

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
    if path == STANDARD or descriptor_in(path) is not None:
        return True
    return is_special(path)


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


# Outputs that are also inputs

COMPANIONS = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps next to a database (SQLite, File Naming Conventions)."""

HINT = "name another file for the output"
OTHER_CACHE = "name another file for the cache"

Identity = tuple[int, int] | str | None
"""Device and inode of a file, or the real path of one that does not exist; None for what many may
use at once."""


def expect_no_overwriting(
    outputs: Iterable[AnyPath],
    *,
    inputs: Iterable[AnyPath] = (),
    folders: Iterable[AnyPath] = (),
    stores: Iterable[AnyPath] = (),
) -> None:
    """Refuse an output that this command also uses as something else. Raises UnusableOutput.

    outputs:  files to be written; `-` is stdout.
    inputs:   files that are read; `-` is stdin.
    folders:  folders whose files are all read.
    stores:   databases that are read and written, with the files that SQLite keeps next to them.
    """
    read = _by_identity(inputs, descriptor_of(sys.stdin))
    caches = _by_identity(stores)
    beside_caches, beside_inputs = _companions(caches.values()), _companions(read.values())
    for identity, path in read.items():
        if identity in beside_caches:
            raise UnusableOutput(f"`{path}` is read, and belongs to the cache", OTHER_CACHE)
    for identity, path in caches.items():
        if status_of(path) is None and status_of(real_path(path)) is not None:
            said = "the system finds no such file, but for `.` or `/` at its end"
            raise UnusableOutput(f"cannot write `{path}`: {said}", OTHER_CACHE)
        _expect_other(path, identity, read, "both input and cache", OTHER_CACHE)
    written: dict[Identity, str] = {}
    around = {os.path.join(real_path(os.fspath(each)), ""): each for each in folders}
    for path in (os.fspath(each) for each in outputs):
        identity = _identity(path, descriptor_of(sys.stdout))
        for others, what in (
            (read, "both input and output"),
            (caches, "the cache itself"),
            (beside_caches | beside_inputs, "a file of the cache"),
        ):
            _expect_other(path, identity, others, what, HINT)
        _expect_outside(path, around)
        if identity is not None and identity in written:
            raise UnusableOutput(
                f"the outputs {_shown(written[identity])} and {_shown(path)} are the same file",
                HINT,
            )
        written[identity] = path


def _companions(bases: Iterable[str]) -> dict[Identity, str]:
    return _by_identity(f"{real_path(base)}{ending}" for base in bases for ending in COMPANIONS)


def _by_identity(paths: Iterable[AnyPath], standard: int | None = None) -> dict[Identity, str]:
    names = (os.fspath(each) for each in paths)
    return {_identity(name, standard): name for name in names}


def _identity(path: str, standard: int | None = None) -> Identity:
    """Return what is equal for all names of one file."""
    status = status_of(path, standard)
    if status is None and path != STANDARD:
        status = status_of(real_path(path))  # `file/.` is the file once it is tidied up
    if status is None:
        return None if path == STANDARD else real_path(path)
    is_shared = stat.S_ISCHR(status.st_mode) or stat.S_ISSOCK(status.st_mode)
    return None if is_shared else (status.st_dev, status.st_ino)


def _shown(path: str) -> str:
    return "stdout" if path == STANDARD else f"`{path}`"


def _expect_other(
    path: str, identity: Identity, others: dict[Identity, str], what: str, hint: str
) -> None:
    """Refuse a file that is one of the others."""
    if identity is not None and identity in others:
        other = others[identity]
        also = "" if other in (path, STANDARD) else f": it is `{other}`"
        raise UnusableOutput(f"{_shown(path)} is {what}{also}", hint)


def _expect_outside(written: str, folders: dict[str, AnyPath]) -> None:
    """Refuse an output in one of these folders, by their real paths."""
    # Where the system does not tell where stdout leads, it lies in no folder.
    path = "/proc/self/fd/1" if written == STANDARD else written
    above = os.path.join(real_path(os.path.dirname(path)), "")
    for around, folder in folders.items():
        if real_path(path).startswith(around) or above.startswith(around):
            raise UnusableOutput(
                f"{_shown(written)} lies in `{os.fspath(folder)}`, which is read", HINT
            )
