"""A robots.txt file that a user names: a path, or `-` for stdin.

In: a word. Out: the bytes that are read of it, or an `UnusableInput` that says what to do.
"""

# `check` imports this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH123

import errno
import os
import stat
from collections.abc import Callable, Iterable

from verger._core import Dialect
from verger.dialects import RFC9309
from verger.errors import UnusableInput
from verger.files.formats import BEGINNINGS, GZIP, MARKS, SNAPSHOTS, format_by_name
from verger.files.input_errors import unreadable
from verger.files.paths import STANDARD, input_name
from verger.files.stdio import stdin_bytes
from verger.untrusted_text import printable, quoted, reason_of

MOST_BYTES = 16 << 20
"""A longer file is not a robots.txt file: crawlers read half a megabyte (RFC 9309 section 2.5)."""


LARGEST = 64 << 20
"""The most bytes read for a dialect without a limit: no robots.txt file is larger."""

MOST_TYPED = 1 << 16
"""More than this comes from no terminal."""


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
        raise OSError(errno.EFBIG, f"it has more than {LARGEST:,} bytes")
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
            return _expect_plain("the file on stdin", _read_stdin(dialects))
        with open(path, "rb") as file:
            body = read_robots(file.read, dialects)
            expect_end(path, file.fileno(), body)
            _expect_plain(quoted(path), body)
            _expect_one_file(path, body)
            return body
    except OSError as error:
        hints = {errno.ENOENT: if_missing, errno.EISDIR: if_folder}
        raise unreadable(path, error, hint=hints.get(error.errno or 0)) from None
    except ValueError as error:  # a name with a NUL
        raise UnusableInput(f"cannot read {quoted(path)}: {error}") from None


def _expect_plain(shown: str, body: bytes) -> bytes:
    """Return a file. Refuse one in another form, whose lines are not those of a robots.txt file."""
    if body.startswith(GZIP):
        raise UnusableInput(f"{shown} is compressed with gzip", "unpack it first: `gzip -dc`")
    if body.startswith(MARKS):
        why = f"{shown} holds a file in another form: packed, a message, or a pointer to it"
        raise UnusableInput(why, "pass the text of the robots.txt file")
    return body


def _expect_one_file(path: str, body: bytes) -> None:
    """Refuse a table, an archive or a cache: their lines are not those of a robots.txt file."""
    if (BEGINNINGS.get(body[:4]) or format_by_name(path)) in SNAPSHOTS:
        why = f"{quoted(path)} is not one file, but a snapshot of many"
        hint = f"`verger check --snapshot {quoted(path)[1:-1]}` asks it, `verger scan` reads it"
        raise UnusableInput(why, hint)


def _read_stdin(dialects: Iterable[Dialect]) -> bytes:
    try:
        return read_robots(stdin_bytes("robots.txt").read, dialects)
    except OSError as error:
        why = f"cannot read robots.txt from stdin: {reason_of(error)}"
        raise UnusableInput(why, "pass the path of the file") from None


def expect_end(path: str | os.PathLike[str], descriptor: int, body: bytes) -> None:
    """Refuse a device such as /dev/zero, which goes on after what was read of it."""
    if len(body) > MOST_TYPED and stat.S_ISCHR(os.fstat(descriptor).st_mode):
        name = printable(os.fspath(path))
        raise UnusableInput(f"`{name}` is a device without an end", "pass a file")


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
        why = f"{quoted(name)} has more than {MOST_BYTES >> 20} MiB"
        raise UnusableInput(why, "pass a robots.txt file")
