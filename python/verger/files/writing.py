"""Writing: a file is written completely or not at all.

In: the path of an output. Out: a stream of bytes. A regular file is first written next to its
place, with a unique name or without a name, and replaces the old file in one step once it is
complete and on the disk. It takes over the old permissions, and symbolic links are followed and
kept. Devices, pipes, sockets and open descriptors (`-`, `/dev/stdout`, `/dev/fd/3`) are written to
directly and never replaced. Every failure is an `UnusableOutput`.
"""

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, EISDIR, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS
from typing import Protocol

from verger.errors import UnusableOutput
from verger.files.places import (
    STANDARD,
    descriptor_in,
    descriptor_of,
    is_special,
    place_of,
)
from verger.options import AnyPath
from verger.plain import reason_of

Bytes = bytes | bytearray | memoryview

ENDING = ".part"
"""The suffix of unfinished files, on systems where every file needs a name."""


class Raw(Protocol):
    """A stream that may write only some of the bytes at a time."""

    def write(self, data: memoryview, /) -> int | None:
        """Write bytes; return how many were written, None if none could be written yet."""
        ...

    def fileno(self) -> int:
        """Return the descriptor."""
        ...


class Output:
    """A stream of bytes to a path. It stays open until the `writing` around it ends."""

    def __init__(self, path: str, raw: Raw) -> None:
        self.path = path
        self.closed = False
        self._raw = raw
        self._at = 0

    def write(self, data: Bytes, /) -> int:
        """Write all bytes, in several calls if the stream is a full pipe."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        if self.closed:  # a library being torn down writes the end of a file that was given up
            return size
        try:
            while rest:
                rest = rest[self._raw.write(rest) or self._wait() :]
        except BrokenPipeError:  # the reader has closed the pipe
            raise
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._at += size
        return size

    def _wait(self) -> int:
        """Wait until a non-blocking descriptor takes bytes again."""
        from select import select

        select([], [self._raw.fileno()], [])
        return 0

    def tell(self) -> int:
        """Return how many bytes were written: Parquet needs it, and a pipe does not know."""
        return self._at

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def close(self) -> None:
        """Do nothing: libraries close their output, and the file may not be complete yet."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return False

    def settle(self) -> None:
        """Wait until all bytes have reached their destination."""

    def take_place(self, *, with_others: bool) -> None:
        """Replace the old file; with other outputs, so that it can be restored."""

    def give_back(self) -> None:
        """Restore the old file."""

    def end(self) -> None:
        """Close what is open, and remove unfinished files."""
        self.closed = True


@contextmanager
def writing(path: AnyPath) -> Iterator[Output]:
    """Yield a stream whose content replaces the file when the block ends.

    path:  `-` for stdout; `./-` is a file of that name.
    If the block raises, the old file is unchanged. Raises UnusableOutput.
    """
    with writing_all([path]) as (output,):
        yield output


@contextmanager
def replacing(place: AnyPath, *, scratch: AnyPath) -> Iterator[Output]:
    """Yield a stream whose content replaces whatever has this path when the block ends.

    place:    as `real_path` returned it: if it has become a link, the link is replaced.
    scratch:  a folder of the caller's on the same disk for the unfinished file.
    """
    name = os.fspath(place)
    try:
        _expect_replaceable(name, name)
        output = _Beside(name, name, os.fspath(scratch))
    except UnusableOutput:
        raise
    except OSError as error:
        raise unwritable(name, error) from error
    with ExitStack() as at_end:
        at_end.callback(output.end)
        yield output
        output.settle()
        _take_places([output])


@contextmanager
def writing_all(paths: Sequence[AnyPath]) -> Iterator[list[Output]]:
    """Yield streams to several files; either all files are replaced or none is.

    All are complete and on the disk before the first is replaced, in the order of the paths: if the
    last file is new, all are. If one cannot be replaced, the others are restored.
    """
    with ExitStack() as at_end:
        outputs: list[Output] = []
        for path in paths:
            output = _open(os.fspath(path))
            at_end.callback(output.end)
            outputs.append(output)
        yield outputs
        for output in outputs:
            output.settle()
        _take_places(outputs)


def expect_writable(path: AnyPath) -> None:
    """Raise the error that writing this path would raise, before any work is done."""
    name = os.fspath(path)
    if name != STANDARD and descriptor_in(name) is None and not is_special(name):
        _expect_replaceable(name, real_path(name))


def real_path(path: AnyPath) -> str:
    """Return the path of a regular file behind symbolic links, whether it exists or not.

    Raises UnusableOutput if the system would neither open nor create it.
    """
    name = os.fspath(path)
    try:
        return place_of(name)
    except OSError as error:
        raise unplaced(name, error) from None


def unplaced(path: str, error: OSError) -> UnusableOutput:
    """Return the error for an output whose path `place_of` or `place_to_make` rejects."""
    blamed = os.fsdecode(error.filename or path)
    if error.errno == ENOENT:
        is_folder = not path or path.endswith(os.sep)
        said = "it is a folder" if is_folder else f"there is no folder `{blamed}`"
    elif error.errno == ENOTDIR:
        said = f"`{blamed}` is not a folder"
    else:
        return unwritable(path, error)
    return UnusableOutput(f"cannot write `{path}`: {said}", _HINTS[ENOENT])


def unwritable(path: str, error: OSError) -> UnusableOutput:
    """Return the error for an output that the system cannot write."""
    # The message of an error from Arrow has more than the system's words.
    own = OSError(error.errno, os.strerror(error.errno)) if error.errno else error
    shown = "to stdout" if path == STANDARD else f"`{path}`"
    message = f"cannot write {shown}: {reason_of(own)}"
    return UnusableOutput(message, _HINTS.get(error.errno or 0, "name another file"))


_NO_ROOM = "free some space there, or name a file on another disk"
_NO_RIGHT = "name a file in a folder where you may write"
_HINTS = {
    EACCES: _NO_RIGHT,
    EPERM: _NO_RIGHT,
    EROFS: _NO_RIGHT,
    ENOSPC: _NO_ROOM,
    EDQUOT: _NO_ROOM,
    EFBIG: "raise the limit, see `ulimit -f`, or name a file on another disk",
    ENOENT: "name a file in a folder that exists",
    ENOTDIR: "name a file in a folder that exists",
    EISDIR: "name a file in it",
}


def _open(path: str) -> Output:
    try:
        if path == STANDARD:
            return _stdout()
        descriptor = descriptor_in(path)
        if descriptor is not None:
            sys.stdout.flush()  # the path may be another name of stdout
            return _Through(path, os.dup(descriptor))
        if is_special(path):
            flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
            return _Through(path, os.open(path, flags))
        place = real_path(path)
        _expect_replaceable(path, place)
        return _Beside(path, place, os.path.dirname(place))  # noqa: PTH120
    except OSError as error:
        if isinstance(error, UnusableOutput):
            raise
        raise unwritable(path, error) from error


def _expect_replaceable(path: str, place: str) -> None:
    """Refuse a path that cannot be replaced by a regular file, or not by this user."""
    if os.path.isdir(place):  # noqa: PTH112
        raise UnusableOutput(f"cannot write `{path}`: it is a folder", _HINTS[EISDIR])
    if os.path.exists(place) and not os.access(place, os.W_OK):  # noqa: PTH110
        hint = "make the file writable, or name another"
        raise UnusableOutput(f"cannot write `{path}`: permission denied", hint)
    folder = os.path.dirname(place)  # noqa: PTH120
    if not os.access(folder, os.W_OK | os.X_OK):
        shown = os.path.dirname(path) or os.curdir  # noqa: PTH120
        if os.path.realpath(shown) != folder:  # behind a link
            shown = folder
        hint = "a new file is first written to this folder, so that no half-written file is left"
        said = f"permission denied in the folder `{shown}`"
        raise UnusableOutput(f"cannot write `{path}`: {said}", hint)


# Streams that are written to directly


class _Through(Output):
    """An open descriptor: a stream that is never replaced."""

    def __init__(self, path: str, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        super().__init__(path, self._file)

    def isatty(self) -> bool:
        return self._file.isatty()

    def end(self) -> None:
        super().end()
        with suppress(OSError):
            self._file.close()


class _Standard(Output):
    """A stdout without a descriptor, such as a test's."""

    def isatty(self) -> bool:
        return sys.stdout.isatty()

    def settle(self) -> None:
        sys.stdout.buffer.flush()


def _stdout() -> Output:
    sys.stdout.flush()  # what was printed comes first
    descriptor = descriptor_of(sys.stdout)
    if descriptor is None:
        return _Standard(STANDARD, sys.stdout.buffer)
    return _Through(STANDARD, os.dup(descriptor))


# Files that are replaced


class _Beside(Output):
    """An unfinished file, in the folder of the file that it will replace."""

    def __init__(self, path: str, place: str, folder: str) -> None:
        self._place = place
        self._folder = folder
        self._before = _status(place)
        self._kept = ""
        """The name of the old file while it may have to be restored."""
        descriptor, self._name = _make(folder, 0o600 if self._before else 0o666)
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        super().__init__(path, self._file)
        if self._before:
            _take_over(self._before, descriptor, self._name)

    def settle(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from error

    def take_place(self, *, with_others: bool) -> None:
        try:
            if with_others:
                self._keep_before()
            self._link()
            if is_special(self._place):
                raise UnusableOutput(f"cannot write `{self.path}`: it has become a device or pipe")
            os.replace(self._name, self._place)  # noqa: PTH105
            self._name = ""
            _sync_folder(os.path.dirname(self._place))  # noqa: PTH120
        except OSError as error:
            if isinstance(error, UnusableOutput):
                raise
            raise unwritable(self.path, error) from error

    def _link(self) -> None:
        """Give the file a name, if it has none, and close it."""
        descriptor = self._file.fileno()
        if not self._name:
            name = _free_name(self._folder)
            # with a descriptor, Python makes the system follow the link
            os.link(_link_to(descriptor), name, src_dir_fd=descriptor, follow_symlinks=True)
            self._name = name
        self._file.close()  # Windows cannot move an open file

    def _keep_before(self) -> None:
        if self._before:
            name = _free_name(self._folder)
            with suppress(OSError):  # without links in the file system, it cannot be restored
                os.link(self._place, name)
                self._kept = name

    def give_back(self) -> None:
        with suppress(OSError):
            if self._kept:
                os.replace(self._kept, self._place)  # noqa: PTH105
                self._kept = ""
            elif not self._before:
                os.unlink(self._place)  # noqa: PTH108

    def end(self) -> None:
        super().end()
        for name in filter(None, (self._kept, self._name)):
            with suppress(OSError):
                os.unlink(name)  # noqa: PTH108
        with suppress(OSError):
            self._file.close()


def _take_places(outputs: Sequence[Output]) -> None:
    taken: list[Output] = []
    try:
        for output in outputs:
            taken.append(output)
            output.take_place(with_others=len(outputs) > 1)
    except BaseException:
        for output in reversed(taken):
            output.give_back()
        raise


def _make(folder: str, mode: int) -> tuple[int, str]:
    """Return the descriptor of a new file, and its name; empty if the system allows none.

    A file without a name leaves nothing behind, however the process ends.
    """
    flags = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder, flags | os.O_TMPFILE, mode)
        if os.path.exists(_link_to(descriptor)):  # noqa: PTH110 -- /proc may not be there
            return descriptor, ""
        os.close(descriptor)
    name = _free_name(folder)
    binary = getattr(os, "O_BINARY", 0)
    return os.open(name, flags | os.O_CREAT | os.O_EXCL | binary, mode), name


def _link_to(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _free_name(folder: str) -> str:
    """Return a name that nobody can guess, and that is short even if the target's is long."""
    return os.path.join(folder, f".verger-{os.urandom(8).hex()}{ENDING}")  # noqa: PTH118


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None


def _take_over(before: os.stat_result, descriptor: int, name: str) -> None:
    """Give a new file the permissions of the old one, and if possible its owner."""
    mode = stat.S_IMODE(before.st_mode)
    if not hasattr(os, "fchown"):  # Windows
        os.chmod(name, mode)  # noqa: PTH101
        return
    for owner in ((before.st_uid, before.st_gid), (-1, before.st_gid)):
        try:
            os.fchown(descriptor, *owner)
        except OSError:
            mode &= 0o777  # without the owner, no set-user-ID and set-group-ID bits
        else:
            break
    os.fchmod(descriptor, mode)


def _sync_folder(folder: str) -> None:
    """Wait until the names in a folder are on the disk, if the system supports it."""
    with suppress(OSError):  # Windows cannot open folders; the file is already in place
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
