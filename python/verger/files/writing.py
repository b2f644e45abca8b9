"""Writing: a file is written completely or not at all.

In: the path of an output. Out: a stream of bytes. A regular file is first written next to its
place, and replaces the old file in one step once it is complete and on the disk. Its owner, group,
permissions and extended attributes (with them POSIX ACLs) are those of the old file; if one of them
cannot be kept, or the file has other names, nothing is written. Symbolic links are followed and
kept. Devices, pipes, sockets and open descriptors (`-`, `/dev/stdout`, `/dev/fd/3`) are written to
directly and never replaced. An address names an object, which is there once it is complete. Every
failure is an `UnusableOutput`. A process that is killed leaves
the old file, and a hidden file `.verger-….part` beside it, which the next run removes.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EDQUOT, EFBIG, EINVAL, EISDIR, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS
from hashlib import sha256
from io import RawIOBase
from select import select
from typing import BinaryIO

from verger.errors import UnusableOutput
from verger.files.addresses import upload_to
from verger.files.locking import is_at, lock
from verger.files.paths import (
    STANDARD,
    descriptor_in,
    descriptor_of,
    is_address,
    is_special,
    is_stream,
    real_path,
)
from verger.options import AnyPath
from verger.untrusted_text import listed, quoted, reason_of

Bytes = bytes | bytearray | memoryview

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
    rewrite_all([(path, old, new)])


def rewrite_all(files: Iterable[tuple[AnyPath, bytes, bytes]]) -> None:
    """Replace the content of several files as `rewrite` does; if one has changed, replace none.

    files:  the path of each, what was read of it, and its new content.
    Raises UnusableOutput.
    """
    named = [(os.fspath(path), old, new) for path, old, new in files]
    for name, _, _ in named:
        if is_stream(name):
            raise UnusableOutput(f"`{name}` is not a regular file", "name a regular file")
    changed = [each for each in named if each[1] != each[2]]
    with writing_all([name for name, _, _ in changed]) as outputs:
        for output, (_, _, new) in zip(outputs, changed, strict=True):
            output.write(new)
            output.settle()
        for name, old, _ in changed:
            _expect_unchanged(name, old)


def _expect_unchanged(path: str, read: bytes) -> None:
    """Refuse to lose what somebody has written since the file was read."""
    with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123
        if file.read(len(read) + 1) == read:
            return
    raise UnusableOutput(
        f"`{path}` has changed since it was read", "nothing was written: run the command again"
    )


@contextmanager
def writing_all(paths: Sequence[AnyPath]) -> Iterator[list[Output]]:
    """Yield streams to several files, which replace the old files when the block ends.

    All are complete and on the disk before the first is replaced, in the order of the paths.
    """
    with ExitStack() as at_end:
        outputs: list[Output] = []
        for path in paths:
            outputs.append(_open(os.fspath(path)))
            at_end.callback(outputs[-1].end)
        yield outputs
        for output in outputs:
            output.settle()
        for output in outputs:
            output.take_place()


def expect_writable(path: AnyPath) -> None:
    """Raise the error that writing this path would raise, before any work is done."""
    name = os.fspath(path)
    if not is_stream(name):
        _open(name).end()


def unwritable(path: str, error: OSError) -> UnusableOutput:
    """Return the error for an output that the system cannot write."""
    # The message of an error from Arrow has more than the system's words.
    own = OSError(error.errno, os.strerror(error.errno)) if error.errno else error
    shown = "to stdout" if path == STANDARD else f"`{path}`"
    return UnusableOutput(
        f"cannot write {shown}: {reason_of(own)}",
        _HINTS.get(error.errno or 0, "name another file"),
    )


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
    if is_address(path):
        return _Object(path)
    with told_of(path):
        is_stdout = path == STANDARD
        descriptor = descriptor_of(sys.stdout) if is_stdout else descriptor_in(path)
        if is_stdout or descriptor is not None:
            sys.stdout.flush()  # what was printed comes first; the path may be a name of stdout
        if descriptor is not None:
            return _through(path, os.dup(descriptor))
        if is_stdout:  # a test's stdout
            return Output(STANDARD, sys.stdout.buffer, is_own=False)
        if is_special(path):
            return _through(path, os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)))
        return _Replacement(path)


def _through(path: str, descriptor: int) -> Output:
    """Return an output that is written to directly, and never replaced."""
    return Output(path, os.fdopen(descriptor, "wb", buffering=0))


class _Object(Output):
    """A temporary file, which becomes an object once it is complete."""

    def __init__(self, address: str) -> None:
        from tempfile import TemporaryFile  # `check` imports this module

        self._upload = upload_to(address)
        with temporary_files():
            self._file = TemporaryFile(prefix="verger-")  # noqa: SIM115 -- `end` closes it
        super().__init__(address, self._file)

    def take_place(self) -> None:
        self._file.seek(0)
        self._upload.send(self._file)


# Files that are replaced


def _expect_replaceable(path: str, place: str) -> None:
    """Refuse a path that cannot be replaced by a regular file, or not by this user."""
    folder, shown = os.path.dirname(place), os.path.dirname(path)  # noqa: PTH120
    if not path or path.endswith(os.sep) or os.path.isdir(place):  # noqa: PTH112
        raise _refused(path, "it is a folder", _HINTS[EISDIR])
    if not os.path.isdir(folder):  # noqa: PTH112
        is_file = os.path.exists(folder)  # noqa: PTH110
        why = f"`{shown}` is not a folder" if is_file else f"there is no folder `{shown}`"
        raise _refused(path, why, _HINTS[ENOENT])
    is_old = os.path.exists(place)  # noqa: PTH110
    if is_old and not os.path.exists(path):  # noqa: PTH110
        why = "the system finds no such file, but for `.` or `..` in its path"
        raise _refused(path, why, "name the file itself")
    if is_old and not os.access(place, os.W_OK):
        raise _refused(path, "permission denied", "make the file writable, or name another")
    if not os.access(folder, os.W_OK | os.X_OK):
        shown = folder if os.path.islink(path) else shown or os.curdir  # noqa: PTH114
        raise _refused(
            path,
            f"permission denied in the folder `{shown}`",
            "a new file is first written to this folder, so that no half-written file is left",
        )


def _refused(path: str, why: str, hint: str) -> UnusableOutput:
    return UnusableOutput(f"cannot write `{path}`: {why}", hint)


class _Replacement(Output):
    """An unfinished file, in the folder of the file that it will replace."""

    def __init__(self, path: str) -> None:
        self._has_place = False
        self._place = real_path(path)
        _expect_replaceable(path, self._place)
        self._name = _unfinished(self._place)
        _remove_left(self._name, path)
        mode = 0o600 if os.path.isfile(self._place) else 0o666  # noqa: PTH113
        descriptor = _locked(self._name, mode, path)
        super().__init__(path, os.fdopen(descriptor, "wb", buffering=0))
        try:
            self._take_over()
        except BaseException:
            self.end()
            raise

    def settle(self) -> None:
        with told_of(self.path):
            self._take_over()  # the old file's rights may have changed while this one was written
            os.fsync(self._stream.fileno())

    def _take_over(self) -> None:
        """Become what the old file is for everybody, or refuse to replace it."""
        if not os.path.isfile(self._place):  # noqa: PTH113
            return
        lost = _carry_over(self._place, self._stream.fileno(), self._name)
        if lost:
            raise _refused(
                self.path,
                f"a new file could not keep {listed(lost)}",
                "write to another file, and copy it over this one: `cp` keeps them",
            )

    def take_place(self) -> None:
        if sys.platform == "win32":  # it neither moves nor removes an open file
            self._stream.close()
        with told_of(self.path):
            os.replace(self._name, self._place)  # noqa: PTH105
        self._has_place = True
        _sync_folder(os.path.dirname(self._place))  # noqa: PTH120

    def end(self) -> None:
        if sys.platform == "win32":
            super().end()
        if not self._has_place:
            with suppress(OSError):
                os.unlink(self._name)  # noqa: PTH108
        super().end()  # with the lock: until then, nobody else has the name


def _unfinished(place: str) -> str:
    """Return the name of the unfinished file, which is short even if the name of the file is long.

    It is the same in every run, so that a run finds what one before it left.
    """
    folder, name = os.path.split(place)
    digest = sha256(os.fsencode(name)).hexdigest()[:16]
    return os.path.join(folder, f".verger-{digest}{ENDING}")  # noqa: PTH118


def _remove_left(name: str, path: str) -> None:
    """Remove the unfinished file of a run that was killed; a run that lives holds its lock."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(name, flags)
    except FileNotFoundError:
        return
    except OSError:
        raise _taken(name, path) from None
    try:
        _take_lock(descriptor, path)
        if is_at(name, descriptor):
            os.unlink(name)  # noqa: PTH108
    except IsADirectoryError:
        raise _taken(name, path) from None
    finally:
        os.close(descriptor)


def _locked(name: str, mode: int, path: str) -> int:
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


def _take_lock(descriptor: int, path: str) -> None:
    try:
        lock(descriptor)
    except BlockingIOError:
        raise _busy(path) from None
    except OSError:  # a file system without locks does not tell
        pass


def _busy(path: str) -> UnusableOutput:
    return UnusableOutput(f"another run is writing `{path}`", "wait until it is done")


def _taken(name: str, path: str) -> UnusableOutput:
    return _refused(
        path, f"{quoted(name)}, the name of its unfinished file, is taken", "remove that file"
    )


@contextmanager
def told_of(path: str) -> Iterator[None]:
    """Turn an error of the system into one that names the output."""
    try:
        yield
    except UnusableOutput:
        raise
    except OSError as error:
        raise unwritable(path, error) from error
    except ValueError as error:  # no file can have this path
        raise unwritable(path, OSError(EINVAL, str(error))) from error


# What a new file takes over from the old one

OWNER, GROUP, MODE, LINKS = "its owner", "its group", "its permissions", "its other hard links"

ACL = "system.posix_acl_access"
"""The extended attribute of a POSIX ACL (Linux, acl(5) and xattr(7))."""


def _carry_over(old: str, descriptor: int, name: str) -> list[str]:
    """Give a new file the rights of the old one; return what it could not be given.

    What succeeds without an effect counts as not given: some file systems ignore a change.
    """
    wanted = _rights_of(old)
    with suppress(AttributeError, OSError):  # Windows has no owners
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
        if isinstance(error, UnusableOutput) or error.filename is not None:
            raise
        raise unusable_temporary_files(error) from error


def unusable_temporary_files(error: OSError) -> UnusableOutput:
    """Return the error for temporary files that cannot be written, which names their folder."""
    from tempfile import gettempdir  # `check` imports this module

    where = ""
    with suppress(OSError):  # no folder is writable
        where = f" in {quoted(gettempdir())}"
    return UnusableOutput(
        f"cannot write temporary files{where}: {reason_of(error)}",
        "free some space there, or set TMPDIR to a folder on another disk",
    )
