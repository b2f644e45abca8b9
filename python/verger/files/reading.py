"""Reading: stdin, a robots.txt file that a user names, files below a folder; errors for inputs.

In: a path, or `-` for stdin. Out: the bytes that are read of it. In: a folder. Out: paths of files.
In: the streams of the process. Out: stdin as bytes; streams for lines of data, escaped for
terminals.
In: the path of an input as a user wrote it, and the system's error; or the columns of a table. Out:
an `UnusableInput` whose hint says what to do.
"""

# `check` imports this module, and `pathlib` would take a tenth of its start-up time; it would also
# change paths, and messages show them as they were given.
# ruff: noqa: PTH110, PTH113, PTH114, PTH115, PTH117, PTH118, PTH120, PTH123, PTH208

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from errno import EACCES, EFBIG, EISDIR, ENOENT, ENOTDIR, EPERM

from verger._core import Dialect
from verger.dialects import RFC9309
from verger.errors import InvalidTable, UnusableInput
from verger.files.paths import STANDARD, STDIN, descriptor_of, input_name
from verger.options import AnyPath
from verger.plain import closest, printable, quoted, reason_of, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import FileIO
    from typing import IO, BinaryIO, TypeAlias

    from verger.files.writing import Output

    Stream: TypeAlias = "BinaryIO | Output | Plain"

NAME_A_FILE = "leave it open, or name a file"

LONGEST = 1 << 20
"""The most bytes in a line; a longer one is not a URL, and must not fill the memory."""

MOST_BYTES = 16 << 20
"""A longer file is not a robots.txt file: crawlers read half a megabyte (RFC 9309 section 2.5)."""

LARGEST = 64 << 20
"""The most bytes read for a dialect without a limit: no robots.txt file is larger."""

MOST_TYPED = 1 << 16
"""More than this comes from no terminal."""

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
"""Folders of a project whose files are not its own."""

MOST_NAMES = 1_000
"""The most names in a folder to compare with a missing one."""

SHOWN = 20
"""The most columns that a hint lists."""

WIDEST = 40
"""The most characters of a name in a hint."""

_ANOTHER = "name another file"
_NO_RIGHT = "make it readable for this user, or name another file"
_HINTS = {EACCES: _NO_RIGHT, EPERM: _NO_RIGHT}


def unreadable(
    path: str,
    error: OSError,
    *,
    what: str = "file",
    hint: str | None = None,
    kind: type[UnusableInput] = UnusableInput,
) -> UnusableInput:
    """Return the error for an input.

    what:  what was expected: a file, a folder, either.
    hint:  what to do, if the caller knows better than the system's error.
    kind:  the class of the error.
    """
    shown = quoted(path)
    if error.errno == ENOENT:
        return kind(f"no such {what}: {shown}", hint or _where_it_may_be(path))
    if error.errno == EISDIR:
        return kind(f"{shown} is a folder, not a {what}", hint or "name a file in it")
    if error.errno == ENOTDIR:
        hint = hint or f"{quoted(os.path.dirname(path))} is not a folder"
    return kind(
        f"cannot read {shown}: {reason_of(error)}",
        hint or _HINTS.get(error.errno or 0, _ANOTHER),
    )


def damaged(name: str, error: Exception) -> UnusableInput:
    """Return what to tell of a table or an archive that cannot be read, perhaps not to its end."""
    if isinstance(error, OSError) and error.errno:
        return unreadable(name, error, kind=InvalidTable)
    return InvalidTable(
        f"cannot read {quoted(name)}: {reason_of(error)}", "is it damaged, or cut off?"
    )


def no_column(
    shown: str, column: str, present: Sequence[str], *, option: str = "", needs: str | None = None
) -> InvalidTable:
    """Return the error for a missing column.

    shown:   what the message calls the table, such as `` `urls.csv` ``.
    option:  the option that names another column on the command line, such as `--column `.
    needs:   a hint that says which columns are needed, instead of listing those present.
    """
    message = f"no column {quoted(column)} in {shown}"
    if needs is not None:
        return InvalidTable(message, needs)
    near = closest(column, present)
    if near is not None:
        return InvalidTable(message, f"did you mean `{option}{printable(near)}`?")
    names = ", ".join(f"`{shortened(printable(name), WIDEST)}`" for name in present[:SHOWN])
    return InvalidTable(message, f"the columns are {names}" if names else "it has no columns")


def _where_it_may_be(path: str) -> str:
    """Return a hint for a file that does not exist."""
    if os.path.islink(path):
        return f"it is a link to {quoted(os.readlink(path))}, which does not exist"
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return f"there is no folder {quoted(folder)}"
    near = closest(name, names[:MOST_NAMES]) if name else None
    if near not in (None, name) and path != STANDARD:
        return f"did you mean {quoted(os.path.join(folder, near))}?"
    return _ANOTHER if os.path.isabs(path) else "relative paths start from the current folder"


# Files of robots.txt


def read_robots(read: Callable[[int], bytes], dialects: Iterable[Dialect]) -> bytes:
    """Return the part of a file that these dialects read, and one more byte if there is more
    (RFC 9309 section 2.5).

    read:  returns up to so many bytes.
    Raises OSError for an endless stream that a dialect without a limit would read.
    """
    limits = [dialect.parse_limit for dialect in dialects]
    known = [limit for limit in limits if limit is not None]
    if len(known) == len(limits):
        return read(max(known) + 1)
    data = read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(EFBIG, f"it has more than {LARGEST:,} bytes")
    return data


def read_named(
    path: str,
    dialects: Iterable[Dialect],
    *,
    if_missing: str | None = None,
    if_folder: str | None = None,
    is_path: bool = False,
) -> bytes:
    """Return the part of a robots.txt file that these dialects read; `-` is stdin.

    if_missing:  the hint if there is no such file; `if_folder` if it is a folder.
    is_path:     whether `-` is a file of this name.
    Raises UnusableInput.
    """
    try:
        if path == STANDARD and not is_path:
            return _read_stdin(dialects)
        with open(path, "rb") as file:
            body = read_robots(file.read, dialects)
            expect_end(path, file.fileno(), body)
            return body
    except OSError as error:
        hints = {ENOENT: if_missing, EISDIR: if_folder}
        raise unreadable(path, error, hint=hints.get(error.errno or 0)) from None
    except ValueError as error:  # a name with a NUL
        raise UnusableInput(f"cannot read {quoted(path)}: {error}") from None


def _read_stdin(dialects: Iterable[Dialect]) -> bytes:
    try:
        return read_robots(stdin_bytes("robots.txt").read, dialects)
    except OSError as error:
        raise UnusableInput(
            f"cannot read robots.txt from stdin: {reason_of(error)}", "pass the path of the file"
        ) from None


def expect_end(path: str | os.PathLike[str], descriptor: int, body: bytes) -> None:
    """Refuse a device such as /dev/zero, which goes on after what was read of it."""
    if len(body) > MOST_TYPED and stat.S_ISCHR(os.fstat(descriptor).st_mode):
        raise UnusableInput(
            f"`{printable(os.fspath(path))}` is a device without an end", "pass a file"
        )


def read_whole(path: str) -> bytes:
    """Return the bytes of a robots.txt file, or of stdin for `-`.

    Raises UnusableInput if it cannot be read, or has more than `MOST_BYTES`.
    """
    body = read_named(path, [RFC9309.replace(parse_limit=MOST_BYTES)])
    expect_size(body, input_name(path))
    return body


def expect_size(body: bytes, name: str) -> None:
    """Refuse a file that is too long to be a robots.txt file. Raises UnusableInput."""
    if len(body) > MOST_BYTES:
        raise UnusableInput(
            f"{quoted(name)} has more than {MOST_BYTES >> 20} MiB", "pass a robots.txt file"
        )


# Files below a folder


def project_files(folder: AnyPath, is_wanted: Callable[[str], bool]) -> Iterator[str]:
    """Yield the paths of the files of a project whose names are wanted, in and below a folder.

    They are regular files, those of a folder before those below it, each sorted by name. Hidden
    folders, virtual environments, installed packages and unreadable folders are skipped; links to
    folders are not followed. Raises UnusableInput if the folder itself cannot be read.
    """
    top = os.fspath(folder)
    try:
        os.scandir(top).close()  # `os.walk` ignores a folder that it cannot read
    except OSError as error:
        raise unreadable(top, error, what="folder") from None
    for above, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if _is_searched(above, name))
        for name in sorted(filter(is_wanted, names)):
            path = os.path.join(above, name)
            if os.path.isfile(path):  # opening a pipe would block
                yield path.removeprefix(f"{os.curdir}{os.sep}")


def _is_searched(above: str, name: str) -> bool:
    if name.startswith(".") or name in SKIPPED:
        return False
    return not os.path.exists(os.path.join(above, name, "pyvenv.cfg"))


# Stdin and terminals, read and written as bytes


def stdin_bytes(what: str, hint: str = NAME_A_FILE) -> "BinaryIO":
    """Return stdin as bytes; `what` is expected there.

    Raises UnusableInput, with this hint, if stdin is closed or cannot be read.
    """
    if sys.stdin is None:
        raise UnusableInput(f"cannot read {what} from stdin: it is closed", hint)
    if _is_for_writing(sys.stdin):
        raise UnusableInput(f"cannot read {what} from stdin: it is open only for writing", hint)
    descriptor = descriptor_of(sys.stdin)
    if descriptor is not None:
        os.set_blocking(descriptor, True)  # else what comes late would be taken for the end
    return sys.stdin.buffer


def _is_for_writing(stream: "IO[str]") -> bool:
    """Whether a stream is open only for writing, as `0> FILE` of a shell opens it."""
    descriptor = descriptor_of(stream)
    try:
        from fcntl import F_GETFL, fcntl
    except ImportError:  # Windows
        return False
    return descriptor is not None and fcntl(descriptor, F_GETFL) & os.O_ACCMODE == os.O_WRONLY


def unbuffered_stdin(what: str, hint: str = NAME_A_FILE) -> "BinaryIO | FileIO":
    """Return stdin unbuffered: a read returns what is available, and holds no lock.

    A thread that waits in a buffered stdin would keep the interpreter from exiting. Raises
    UnusableInput as `stdin_bytes` does.
    """
    stdin = stdin_bytes(what, hint)
    try:
        raw = open(stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    except (OSError, ValueError):  # a test's stdin, without a descriptor
        return stdin
    raw.name = STDIN  # instead of the number of a descriptor
    return raw


def plain_on(stream: "BinaryIO | Output") -> "Stream":
    """Return a stream for data, which escapes control characters if it is a terminal."""
    return Plain(stream) if stream.isatty() else stream


class Plain:
    """A terminal for lines of data, in which control characters are escaped."""

    def __init__(self, stream: "BinaryIO | Output") -> None:
        self._stream = stream
        self._encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def write(self, data: bytes | memoryview, /) -> int:
        """Write whole lines."""
        lines = bytes(data).decode("utf-8", "surrogateescape").split("\n")
        shown = "\n".join(map(printable, lines))
        rest = memoryview(shown.encode(self._encoding, "backslashreplace"))
        while rest:
            rest = rest[self._stream.write(rest) or 0 :]
        return len(data)

    def close(self) -> None:
        """Do nothing: the terminal stays open."""
