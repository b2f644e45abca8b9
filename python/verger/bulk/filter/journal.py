"""The journal: finished blocks next to the output, until all are finished.

In: blocks as they are finished, in any order. Out: the output file, complete, moved to its name in
one step; or, after a kill, the blocks that another run does not decide again. A journal belongs to
one manifest: the same inputs, crawler, dialect, snapshot or options of fetching, and format.

`OUTPUT.verger-journal/` (see `_folder_of`) holds `manifest.json`, `blocks` (record after record: a
line of JSON, then the bytes of the block), `lock`, and the output while it is assembled. A record
that a crash cut short is recognised by its length and checksum, and removed. A folder of that name
with anything else in it belongs to somebody else, and is not touched.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import IO, NamedTuple, Protocol
from zlib import crc32

from verger.bulk.filter.blocks import Kind
from verger.bulk.filter.writing import Sink
from verger.errors import UnusableOutput
from verger.files.locking import is_at, lock
from verger.files.paths import is_address, real_path
from verger.files.writing import ENDING, Output, expect_writable, told_of, writing
from verger.untrusted_text import quoted

VERSION = 3
MANIFEST, BLOCKS, LOCK = "manifest.json", "blocks", "lock"

JOURNAL = ".verger-journal"
"""The suffix of the folder."""

LONGEST_NAME = 255
"""The most bytes in a file name, on nearly all file systems."""

PRIVATE = 0o600
"""The mode of its files: the output may be for its owner alone, as it was before, or will be."""

LONGEST_HEAD = 1 << 20
SYNC_EVERY = 1.0
"""Seconds between two syncs to disk: the most work that a power failure costs."""

Manifest = Mapping[str, object]
"""All that decides what the output is, by name, as JSON can hold it."""


class Placed(Protocol):
    """What a journal keeps: a block of rows, or an archive of a list."""

    number: int
    digest: str
    counts: Counter[Kind]


class Finished(NamedTuple):
    """A block in the journal."""

    number: int
    place: int
    size: int
    digest: str
    counts: Counter[Kind]


class Journal:
    """The finished blocks of one output."""

    waiting = 0
    """No bytes wait: the journal takes blocks in any order."""
    patience = 5.0
    """Seconds that an interrupted run waits for the block that is being written."""

    def __init__(
        self,
        output: str,
        manifest: Manifest,
        sink_on: Callable[[Output], Sink],
        *,
        restart: bool,
    ) -> None:
        expect_writable(output)
        self.path = output if is_address(output) else real_path(output)
        self._sink_on = sink_on
        self.folder = _folder_of(self.path)
        self.finished: dict[int, Finished] = {}
        self._synced_at = monotonic()
        with told_of(output):
            _make(self.folder)
            _expect_own(self.folder)
            self._lock = _take_lock(self.folder, output)
            try:
                self._blocks = self._open(manifest, restart=restart)
            except BaseException:
                self._lock.close()
                raise

    def put(self, block: Placed, data: bytes) -> None:
        """Add a finished block."""
        head = {
            "block": block.number,
            "digest": block.digest,
            "counts": [[*kind, count] for kind, count in sorted(block.counts.items(), key=repr)],
            "size": len(data),
            "checksum": crc32(data),
        }
        record = json.dumps(head).encode() + b"\n" + data
        place = self._blocks.seek(0, os.SEEK_END) + len(record) - len(data)
        self._write(record)
        self.finished[block.number] = Finished(
            block.number, place, len(data), block.digest, block.counts
        )
        if monotonic() - self._synced_at > SYNC_EVERY:
            os.fsync(self._blocks.fileno())
            self._synced_at = monotonic()

    def _write(self, record: bytes) -> None:
        rest = memoryview(record)
        with told_of(str(self.folder)):
            while rest:
                rest = rest[self._blocks.write(rest) or 0 :]

    def complete(self, number_of_blocks: int) -> None:
        """Assemble the output from all blocks, move it to its name, and remove the journal."""
        with writing(self.path) as file:
            self._copy(number_of_blocks, self._sink_on(file))
        self.discard()

    def discard(self) -> None:
        """Remove the journal."""
        self.finished.clear()
        self.close()

    def _copy(self, number_of_blocks: int, sink: Sink) -> None:
        with (self.folder / BLOCKS).open("rb") as blocks:
            for number in range(number_of_blocks):
                found = self.finished[number]
                blocks.seek(found.place)
                sink.write(blocks.read(found.size))
        sink.close()

    def close(self) -> None:
        """Close the journal; remove it if it has no finished block."""
        if self._blocks.closed:
            return
        self._blocks.close()
        if not self.finished:
            self._remove()
        self._lock.close()

    # Opening

    def _open(self, manifest: Manifest, *, restart: bool) -> IO[bytes]:
        path, blocks = self.folder / MANIFEST, self.folder / BLOCKS
        before = None if restart else _manifest(path)
        if before is not None:
            self._expect_same(before, json.loads(json.dumps(manifest)))
        else:
            _forget(self.folder, MANIFEST, BLOCKS)
            blocks.touch(PRIVATE)
            with writing(path) as unfinished:
                unfinished.write(json.dumps(manifest, indent=1).encode())
            path.chmod(PRIVATE)
        with blocks.open("rb") as reader:
            end = self._read(reader)
        file = blocks.open("r+b", buffering=0)
        file.truncate(end)
        return file

    def _expect_same(self, before: Manifest, now: Manifest) -> None:
        for name in [*now, *before]:
            if before.get(name) != now.get(name):
                again = "run the same command again to resume"
                if name in ("input", "snapshot"):
                    again += ", if no file has changed since"
                raise UnusableOutput(
                    f"{quoted(str(self.folder))} was left by a run with another {name}",
                    f"{again}, or pass `--restart` to begin again",
                )

    def _read(self, file: IO[bytes]) -> int:
        """Take over the records of the previous run; return where the last complete one ends."""
        end = 0
        while line := file.readline(LONGEST_HEAD):
            if (found := _record(line, file)) is None:
                break
            self.finished[found.number] = found
            end = found.place + found.size
        return end

    def _remove(self) -> None:
        unfinished = (file.name for file in self.folder.glob(f"*{ENDING}"))
        _forget(self.folder, MANIFEST, BLOCKS, *unfinished, LOCK)
        with suppress(OSError):  # somebody put a file there, or the next run has begun
            self.folder.rmdir()


def _record(line: bytes, file: IO[bytes]) -> Finished | None:
    try:
        head = json.loads(line)
        data = file.read(head["size"])
        if len(data) != head["size"] or crc32(data) != head["checksum"]:
            return None
        counts = Counter({(allowed, why): count for allowed, why, count in head["counts"]})
        place = file.tell() - len(data)
        return Finished(head["block"], place, len(data), head["digest"], counts)
    except (ValueError, KeyError, TypeError):
        return None


def _expect_own(folder: Path) -> None:
    """Refuse what is not a journal, or is elsewhere: its files would be overwritten."""
    is_folder = folder.is_dir() and not folder.is_symlink()
    if not is_folder or not all(map(_is_own, folder.iterdir())):
        hint = "move it away, or pass another `--output`"
        raise UnusableOutput(f"{quoted(str(folder))} is not a journal of verger's", hint)


def _is_own(file: Path) -> bool:
    is_named = file.name in (MANIFEST, BLOCKS, LOCK) or file.name.endswith(ENDING)
    return is_named and file.is_file() and not file.is_symlink()


def _folder_of(path: str) -> Path:
    """Return the folder of a journal: the output's name with a suffix; a hash if it is too long.
    That of an address lies in the current folder.
    """
    if is_address(path):
        return Path(f"{sha256(os.fsencode(path)).hexdigest()[:32]}{JOURNAL}")
    output = Path(path)
    name = f"{output.name}{JOURNAL}"
    data = os.fsencode(name)
    is_long = len(data) > LONGEST_NAME
    return output.with_name(f".{sha256(data).hexdigest()[:32]}{JOURNAL}" if is_long else name)


def _make(folder: Path) -> None:
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)  # what will be in the output is not for more people than that


def _take_lock(folder: Path, output: str) -> IO[bytes]:
    """Take and return the lock of a journal, held until it is closed or the process ends."""
    path = folder / LOCK
    while True:
        try:
            path.touch(PRIVATE)
            file = path.open("ab")
        except FileNotFoundError:  # the previous run removed the folder just now
            _make(folder)
            continue
        try:
            lock(file.fileno())
        except OSError:
            file.close()
            hint = "wait until it is done, or pass another `--output`"
            raise UnusableOutput(f"another run is writing {quoted(output)}", hint) from None
        if is_at(path, file.fileno()):
            return file
        file.close()


def _manifest(path: Path) -> Manifest | None:
    """Return the manifest of the previous run; None if it ended before it wrote one."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _forget(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)
