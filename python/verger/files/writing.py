"""Writing: a file is there complete or not at all; what is not a regular file is written through.

In: the path of an output. Out: a stream of bytes. Of a regular file all is written beside it, under
a name that nobody else uses or under none, and takes its place in one step when it is whole and on
the disk: with the permissions of the file before, and through symbolic links, which stay. Devices,
pipes, sockets and open descriptors (`-`, `/dev/stdout`, `/dev/fd/3`) are never replaced. Whatever
fails is an `UnusableOutput`.
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
    AnyPath,
    descriptor_in,
    descriptor_of,
    is_special,
    place_of,
)

Bytes = bytes | bytearray | memoryview

ENDING = ".part"
"""How the names of unfinished files end, where the system has no files without a name."""


class Raw(Protocol):
    """What takes bytes, some at a time."""

    def write(self, data: memoryview, /) -> int | None:
        """Write bytes; return how many were, None where none could be just now."""
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
        """Write all of it, which takes more than one call where the stream is a full pipe."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        if self.closed:  # a library that is let go of writes the end of a file that will not be
            return size
        try:
            while rest:
                rest = rest[self._raw.write(rest) or self._wait() :]
        except BrokenPipeError:  # the reader has enough
            raise
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._at += size
        return size

    def _wait(self) -> int:
        """Wait until a descriptor that somebody made non-blocking takes bytes again."""
        from select import select

        select([], [self._raw.fileno()], [])
        return 0

    def tell(self) -> int:
        """Return how many bytes were written: Parquet asks, and a pipe does not say."""
        return self._at

    def flush(self) -> None:
        """Do nothing: nothing waits here."""

    def close(self) -> None:
        """Do nothing: libraries close what they write to, and the file may not be whole yet."""

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return False

    def settle(self) -> None:
        """Wait until all of it is where it goes."""

    def take_place(self, *, with_others: bool) -> None:
        """Take the place of the file before; with others, such that it can be given back."""

    def give_back(self) -> None:
        """Put the file before back."""

    def end(self) -> None:
        """Let go of what is open, and of all that is not in its place."""
        self.closed = True


@contextmanager
def writing(path: AnyPath) -> Iterator[Output]:
    """Yield where to write; what was written takes the place of the file when the block ends.

    path:  `-` for stdout; `./-` is a file of that name.
    Where the block raises, the file before stays as it was. Raises UnusableOutput.
    """
    with writing_all([path]) as (output,):
        yield output


@contextmanager
def replacing(place: AnyPath, *, scratch: AnyPath) -> Iterator[Output]:
    """Yield where to write; what was written takes the place of what has this name then.

    place:    as `real_path` gave it: what became a link meanwhile is replaced, and not followed.
    scratch:  a folder of the caller's on the same disk, where the unfinished file lies meanwhile.
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
    """Yield where to write several files; they are replaced together, or none of them is.

    All are complete and on the disk before the first takes its place, in the order of the paths; so
    that where the last is new, all are. Where one cannot take its place, the others are given back.
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
    """Raise before the work what would be raised after it."""
    name = os.fspath(path)
    if name != STANDARD and descriptor_in(name) is None and not is_special(name):
        _expect_replaceable(name, real_path(name))


def real_path(path: AnyPath) -> str:
    """Return where a regular file lies, behind symbolic links, be it there or not.

    Raises UnusableOutput where the system would neither open it nor make it.
    """
    name = os.fspath(path)
    try:
        return place_of(name)
    except OSError as error:
        raise unplaced(name, error) from None


def unplaced(path: str, error: OSError) -> UnusableOutput:
    """Return what to tell of an output that `place_of` or `place_to_make` finds no place for."""
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
    """Return what to tell of an output that the system refuses."""
    # Arrow has more words, which are not the system's.
    words = os.strerror(error.errno) if error.errno else str(error)
    shown = "to stdout" if path == STANDARD else f"`{path}`"
    told = f"cannot write {shown}: {words[:1].lower()}{words[1:]}"
    return UnusableOutput(told, _HINTS.get(error.errno or 0, "name another file"))


_NO_ROOM = "free some space there, or name a file on another disk"
_NO_RIGHT = "name a file in a folder where you may write"
_HINTS = {
    EACCES: _NO_RIGHT,
    EPERM: _NO_RIGHT,
    EROFS: _NO_RIGHT,
    ENOSPC: _NO_ROOM,
    EDQUOT: _NO_ROOM,
    EFBIG: "raise the limit, see `ulimit -f`, or name a file on another disk",
    ENOENT: "name a file in a folder that is there",
    ENOTDIR: "name a file in a folder that is there",
    EISDIR: "name a file in it",
}


def _open(path: str) -> Output:
    try:
        if path == STANDARD:
            return _stdout()
        descriptor = descriptor_in(path)
        if descriptor is not None:
            sys.stdout.flush()  # of which it may be another name
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
    """Refuse what cannot be replaced by a regular file, or not by this user."""
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
        hint = "a file is written beside the one that it replaces, so that none is there by half"
        said = f"permission denied in the folder `{shown}`"
        raise UnusableOutput(f"cannot write `{path}`: {said}", hint)


# What is written through


class _Through(Output):
    """An open descriptor: a stream that nothing takes the place of."""

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


# What is replaced


class _Beside(Output):
    """A file in the making, in the folder of the one that it will replace."""

    def __init__(self, path: str, place: str, folder: str) -> None:
        self._place = place
        self._folder = folder
        self._before = _status(place)
        self._kept = ""
        """The name under which the file before is kept, while it may have to come back."""
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
            # with a descriptor, Python asks the system to follow the link
            os.link(_link_to(descriptor), name, src_dir_fd=descriptor, follow_symlinks=True)
            self._name = name
        self._file.close()  # Windows moves no open file

    def _keep_before(self) -> None:
        if self._before:
            name = _free_name(self._folder)
            with suppress(OSError):  # a file system without links: then it cannot come back
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
    """Return the descriptor of a new file, and its name; the system may have files without one.

    Of a file without a name nothing stays, however the process ends.
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
    """Return a name that nobody can guess, and that is short wherever the target's is not."""
    return os.path.join(folder, f".verger-{os.urandom(8).hex()}{ENDING}")  # noqa: PTH118


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None


def _take_over(before: os.stat_result, descriptor: int, name: str) -> None:
    """Give a new file the permissions of the one that it replaces, and where possible its owner."""
    mode = stat.S_IMODE(before.st_mode)
    if not hasattr(os, "fchown"):  # Windows
        os.chmod(name, mode)  # noqa: PTH101
        return
    for owner in ((before.st_uid, before.st_gid), (-1, before.st_gid)):
        try:
            os.fchown(descriptor, *owner)
        except OSError:
            mode &= 0o777  # the bits that lend an owner's rights are not another's to give
        else:
            break
    os.fchmod(descriptor, mode)


def _sync_folder(folder: str) -> None:
    """Wait until the names in a folder are on the disk, where a system can say so."""
    with suppress(OSError):  # Windows opens no folders; the file is in its place
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
