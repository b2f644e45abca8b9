"""Writing: a file is written completely or not at all.

In: the path of an output. Out: a stream of bytes. A regular file is first written next to its
place, and replaces the old file in one step once it is complete and on the disk. Its owner, group,
permissions and extended attributes (with them POSIX ACLs) are those of the old file; if one of them
cannot be kept, or the file has other names, nothing is written. Symbolic links are followed and
kept. Devices, pipes, sockets and open descriptors (`-`, `/dev/stdout`, `/dev/fd/3`) are written to
directly and never replaced. Every failure is an `UnusableOutput`.

The name of the unfinished file depends only on the place, and it is locked while it is written: if
a process is killed, the next run that writes the same file removes what was left, and two runs
cannot write a file at the same time.
"""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, EISDIR, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS
from functools import partial
from hashlib import sha256
from io import RawIOBase
from select import select
from typing import BinaryIO

from verger.errors import UnusableOutput
from verger.files.paths import (
    STANDARD,
    descriptor_in,
    descriptor_of,
    is_special,
    is_stream,
    place_of,
)
from verger.options import AnyPath
from verger.plain import listed, quoted, reason_of

if sys.platform == "win32":
    from msvcrt import LK_NBLCK, locking
else:
    from fcntl import LOCK_EX, LOCK_NB, flock

Bytes = bytes | bytearray | memoryview

CHUNK = 1 << 20

ENDING = ".part"
"""The suffix of unfinished files."""


class Output:
    """A stream of bytes to a path. It stays open until the `writing` around it ends."""

    def __init__(self, path: str, stream: "RawIOBase | BinaryIO", *, is_own: bool = True) -> None:
        self.path = path
        self.closed = False
        self._stream = stream
        self._is_own = is_own
        self._at = 0

    def write(self, data: Bytes, /) -> int:
        """Write all bytes, in several calls if the stream is a full pipe."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        if self.closed:  # a library being torn down writes the end of a file that was given up
            return size
        try:
            while rest:
                rest = rest[self._stream.write(rest) or self._wait() :]
        except BrokenPipeError:  # the reader has closed the pipe
            raise
        except OSError as error:
            raise unwritable(self.path, error) from error
        self._at += size
        return size

    def _wait(self) -> int:
        """Wait until a non-blocking descriptor takes bytes again."""
        select([], [self._stream.fileno()], [])
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
        return self._stream.isatty()

    def settle(self) -> None:
        """Wait until all bytes have reached their destination."""
        self._stream.flush()

    def take_place(self) -> None:
        """Replace the old file."""

    def give_back(self) -> None:
        """Restore the old file."""

    def end(self) -> None:
        """Close what is open, and remove unfinished files."""
        self.closed = True
        if self._is_own:
            with suppress(OSError):
                self._stream.close()


@contextmanager
def writing(path: AnyPath) -> Iterator[Output]:
    """Yield a stream whose content replaces the file when the block ends.

    path:  `-` for stdout; `./-` is a file of that name.
    If the block raises, the old file is unchanged. Raises UnusableOutput.
    """
    with writing_all([path]) as (output,):
        yield output


def rewrite(path: AnyPath, old: bytes, new: bytes) -> None:
    """Replace the content of a regular file, unless it has changed since it was read.

    old:  what was read of the file.
    Raises UnusableOutput.
    """
    name = os.fspath(path)
    if is_stream(name):
        raise UnusableOutput(f"`{name}` is not a regular file", "name a regular file")
    if new != old:
        with _filling([partial(_open, name, old)]) as (output,):
            output.write(new)


@contextmanager
def replacing(place: AnyPath) -> Iterator[Output]:
    """Yield a stream whose content replaces whatever has this path when the block ends.

    place:  as `real_path` returned it: if it has become a link, the link is replaced.
    """
    name = os.fspath(place)
    with _filling([partial(_Replacement, name, name)]) as (output,):
        yield output


@contextmanager
def writing_all(paths: Sequence[AnyPath]) -> Iterator[list[Output]]:
    """Yield streams to several files; either all files are replaced or none is.

    All are complete and on the disk before the first is replaced, in the order of the paths: if the
    last file is new, all are. If one cannot be replaced, the others are restored.
    """
    with _filling([partial(_open, os.fspath(path)) for path in paths]) as outputs:
        yield outputs


@contextmanager
def _filling(openings: Iterable[Callable[[], Output]]) -> Iterator[list[Output]]:
    with ExitStack() as at_end:
        outputs: list[Output] = []
        for opening in openings:
            outputs.append(opening())
            at_end.callback(outputs[-1].end)
        yield outputs
        for output in outputs:
            output.settle()
        _take_places(outputs)


def expect_writable(path: AnyPath) -> None:
    """Raise the error that writing this path would raise, before any work is done."""
    name = os.fspath(path)
    if not is_stream(name):
        _open(name).end()


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
_COPY_OVER = "write to another file, and copy it over this one: `cp` keeps them"
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


def _open(path: str, read: bytes | None = None) -> Output:
    """Return the output at a path.

    read:  what was read of the file, if it must not have changed since.
    """
    try:
        if path == STANDARD:
            return _stdout()
        descriptor = descriptor_in(path)
        if descriptor is not None:
            sys.stdout.flush()  # the path may be another name of stdout
            return _through(path, os.dup(descriptor))
        if is_special(path):
            return _through(path, os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)))
    except OSError as error:
        raise unwritable(path, error) from error
    return _Replacement(path, real_path(path), read)


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


def _stdout() -> Output:
    sys.stdout.flush()  # what was printed comes first
    descriptor = descriptor_of(sys.stdout)
    if descriptor is None:  # a test's stdout
        return Output(STANDARD, sys.stdout.buffer, is_own=False)
    return _through(STANDARD, os.dup(descriptor))


def _through(path: str, descriptor: int) -> Output:
    """Return an output that is written to directly, and never replaced."""
    return Output(path, os.fdopen(descriptor, "wb", buffering=0))


# Files that are replaced


class _Replacement(Output):
    """An unfinished file, in the folder of the file that it will replace."""

    def __init__(self, path: str, place: str, read: bytes | None = None) -> None:
        _expect_replaceable(path, place)
        self._place = place
        self._read = read
        self._old: BinaryIO | None = None
        self._is_new = self._has_place = False
        self._name = _unfinished(place)
        with _told_of(path):
            _remove_left(self._name, path)
            descriptor = _make(self._name, 0o600 if _is_regular(place) else 0o666, path)
        super().__init__(path, os.fdopen(descriptor, "wb", buffering=0))
        try:
            self._take_over()
        except BaseException:
            self.end()
            raise

    def settle(self) -> None:
        self._take_over()  # the old file's rights may have changed while this one was written
        with _told_of(self.path):
            os.fsync(self._stream.fileno())

    def _take_over(self) -> None:
        """Become what the old file is for everybody, or refuse to replace it."""
        with _told_of(self.path):
            if not _is_regular(self._place):
                return
            lost = _carry_over(self._place, self._stream.fileno(), self._name)
        if lost:
            said = f"a new file could not keep {listed(lost)}"
            raise UnusableOutput(f"cannot write `{self.path}`: {said}", _COPY_OVER)

    def take_place(self) -> None:
        with _told_of(self.path):
            if is_special(self._place):
                raise UnusableOutput(f"cannot write `{self.path}`: it has become a device or pipe")
            self._is_new = not _is_regular(self._place)
            with suppress(OSError):  # it is new, or may not be read
                self._old = open(self._place, "rb")  # noqa: PTH123, SIM115
            self._expect_unchanged()
            if os.name == "nt":  # Windows neither moves nor removes an open file
                self._stream.close()
            os.replace(self._name, self._place)  # noqa: PTH105
            self._has_place = True
            _sync_folder(os.path.dirname(self._place))  # noqa: PTH120

    def _expect_unchanged(self) -> None:
        """Refuse to lose what somebody has written since the file was read."""
        if self._read is None:
            return
        if self._old is None or self._old.read(len(self._read) + 1) != self._read:
            hint = "nothing was written: run the command again"
            raise UnusableOutput(f"`{self.path}` has changed since it was read", hint)

    def give_back(self) -> None:
        if not self._has_place:
            return
        with suppress(OSError, UnusableOutput):
            if self._is_new:
                os.unlink(self._place)  # noqa: PTH108
            elif self._old is not None:
                self._old.seek(0)
                with replacing(self._place) as before:
                    while data := self._old.read(CHUNK):
                        before.write(data)

    def end(self) -> None:
        if os.name == "nt":
            super().end()
        with suppress(OSError):
            if not self._has_place:
                os.unlink(self._name)  # noqa: PTH108
        super().end()  # with the lock: until then, nobody else has the name
        if self._old is not None:
            self._old.close()


def _take_places(outputs: Sequence[Output]) -> None:
    try:
        for output in outputs:
            output.take_place()
    except BaseException:
        for output in reversed(outputs):
            output.give_back()
        raise


@contextmanager
def _told_of(path: str) -> Iterator[None]:
    """Turn an error of the system into one that names the output."""
    try:
        yield
    except UnusableOutput:
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def _busy(path: str) -> UnusableOutput:
    return UnusableOutput(f"another run is writing `{path}`", "wait until it is done")


def _unfinished(place: str) -> str:
    """Return the name of the unfinished file, which is short even if the name of the file is long.

    It is the same in every run, so that a run finds what one before it left.
    """
    folder, name = os.path.split(place)
    digest = sha256(os.fsencode(name)).hexdigest()[:16]
    return os.path.join(folder, f".verger-{digest}{ENDING}")  # noqa: PTH118


def _remove_left(name: str, path: str) -> None:
    """Remove the unfinished file of a run that was killed; a run that lives holds its lock."""
    try:
        _remove_unlocked(name, path)
    except FileNotFoundError:
        pass
    except UnusableOutput:
        raise
    except OSError:
        said = f"{quoted(name)}, the name of its unfinished file, is taken"
        raise UnusableOutput(f"cannot write `{path}`: {said}", "remove that file") from None


def _remove_unlocked(name: str, path: str) -> None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(name, flags)
    try:
        _take_lock(descriptor, path)
        if is_at(name, descriptor):
            os.unlink(name)  # noqa: PTH108
    finally:
        os.close(descriptor)


def is_at(name: AnyPath, descriptor: int) -> bool:
    """Whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.stat(name), os.fstat(descriptor))  # noqa: PTH116
    except FileNotFoundError:
        return False


def _take_lock(descriptor: int, path: str) -> None:
    """Take the lock of an unfinished file. Raises UnusableOutput if another run has it."""
    try:
        lock(descriptor)
    except BlockingIOError:
        raise _busy(path) from None
    except OSError:  # a file system without locks does not tell
        pass


def lock(descriptor: int) -> None:
    """Take the lock of an open file, which lasts until the file is closed or the process ends.

    Raises BlockingIOError if another process has it, OSError if the file system has no locks.
    """
    if sys.platform == "win32":
        try:
            locking(descriptor, LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
    else:
        flock(descriptor, LOCK_EX | LOCK_NB)


def _make(name: str, mode: int, path: str) -> int:
    """Return the descriptor of a new file with a lock.

    Until it is locked, another run may take it for one that was left.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(name, flags, mode)
    except FileExistsError:
        raise _busy(path) from None
    try:
        _take_lock(descriptor, path)
        if not is_at(name, descriptor):
            raise _busy(path)
    except UnusableOutput:
        os.close(descriptor)
        raise
    return descriptor


def _is_regular(place: str) -> bool:
    """Whether a file is there to be replaced; a link that came meanwhile is nobody's old file."""
    try:
        return stat.S_ISREG(os.lstat(place).st_mode)
    except FileNotFoundError:
        return False


# What a new file takes over from the old one

OWNER, GROUP, MODE, LINKS = "its owner", "its group", "its permissions", "its other hard links"

ACL = "system.posix_acl_access"
"""The extended attribute of a POSIX ACL (Linux, acl(5) and xattr(7))."""


def _carry_over(old: str, descriptor: int, name: str) -> list[str]:
    """Give a new file the rights of the old one; return what it could not be given.

    What succeeds without an effect counts as not given: some file systems ignore a change.
    """
    wanted, found = _rights_of(old), _rights_of(descriptor)
    with suppress(OSError):
        if (wanted[OWNER], wanted[GROUP]) != (found[OWNER], found[GROUP]):
            os.fchown(descriptor, int(wanted[OWNER]), int(wanted[GROUP]))
    _carry_attributes(old, descriptor)
    with suppress(OSError):  # last: a new owner and a new ACL change the mode
        os.chmod(descriptor if os.chmod in os.supports_fd else name, int(wanted[MODE]))  # noqa: PTH101
    found = _rights_of(descriptor)
    return [right for right in {**wanted, **found} if wanted.get(right) != found.get(right)]


def _carry_attributes(old: str, descriptor: int) -> None:
    wanted, found = _attributes_of(old), _attributes_of(descriptor)
    for name in found.keys() - wanted.keys():  # such as the default ACL of the folder
        with suppress(OSError):
            os.removexattr(descriptor, name)
    for name, value in wanted.items():
        if found.get(name) != value:
            with suppress(OSError):
                os.setxattr(descriptor, name, value)


def _rights_of(file: str | int) -> dict[str, int | bytes]:
    """Return what decides who may do what with a file, under names for messages."""
    status = os.stat(file)  # noqa: PTH116
    rights: dict[str, int | bytes] = {
        OWNER: status.st_uid,
        GROUP: status.st_gid,
        MODE: stat.S_IMODE(status.st_mode),
        LINKS: status.st_nlink,
    }
    for name, value in _attributes_of(file).items():
        shown = "its ACL" if name == ACL else f"its extended attribute {quoted(name)}"
        rights[shown] = value
    return rights


def _attributes_of(file: str | int) -> dict[str, bytes]:
    """Return the extended attributes; none where the system or the file system has none."""
    try:
        names = os.listxattr(file)
    except (AttributeError, OSError):
        return {}
    return {name: os.getxattr(file, name) for name in names}


def _sync_folder(folder: str) -> None:
    """Wait until the names in a folder are on the disk, if the system supports it."""
    with suppress(OSError):  # Windows cannot open folders; the file is already in place
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def temporary_files() -> Iterator[None]:
    """Within the block, a system error that names no file is one of temporary files.

    Raises UnusableOutput, which names their folder.
    """
    try:
        yield
    except OSError as error:
        from tempfile import gettempdir  # `check` imports this module

        if isinstance(error, UnusableOutput) or error.filename is not None:
            raise
        where = ""
        with suppress(OSError):  # no folder is writable
            where = f" in {quoted(gettempdir())}"
        raise UnusableOutput(
            f"cannot write temporary files{where}: {reason_of(error)}",
            "free some space there, or set TMPDIR to a folder on another disk",
        ) from error
