"""How the driver talks to a harness: one process for each parser, whatever its language.

A harness is started as `HARNESS PEER FOLDER`. It prints one line of JSON that says who it is
(`peer`, `version`, and `runtime` where there is one), then answers each line on stdin:

    parse PASSES              parse every real file
    contact PASSES            parse every real file and ask about its first URL
    load FILE                 read a pack and give it the types that the parser takes
    first FILE PASSES         parse a pack's file and ask about its first URL
    answer FILE COUNT PASSES  ask about the first COUNT URLs of a file that was parsed, and asked
                              twice, before the clock started

by one line of JSON: `ns`, the time of all passes; `answers`, those of the last pass as `1`
(allowed), `0` (disallowed) or `e` (no answer); `allowed`, how many of all passes were allowed. So
nobody can leave work out, and the driver sees where answers differ. For `parse`, `1` says that a
file was parsed. A harness reads its inputs and converts them outside the clock.

A pack is a file of entries: the length in decimal, a line feed, the bytes. `contacts.pack` holds
body, product token and URL of each real file; any other pack one body, one token, and URLs.

In: a command and questions. Out: `Hello` and `Reply` values, or `HarnessFailed`. Nothing here
knows what is measured.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARTING = 60.0
"""Seconds within which a harness says who it is."""


class HarnessFailed(Exception):
    """A harness gives no answer: the text says why in a few words."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who a harness is."""

    peer: str
    version: str
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a harness did."""

    ns: int
    allowed: int
    answers: str


# --- packs --------------------------------------------------------------------------------


def packed(entries: Iterable[bytes]) -> bytes:
    """Make a pack."""
    return b"".join(b"%d\n%b" % (len(entry), entry) for entry in entries)


def unpacked(pack: bytes) -> Iterator[bytes]:
    """Yield the entries of a pack."""
    at = 0
    while at < len(pack):
        head = pack.index(b"\n", at)
        at = head + 1 + int(pack[at:head])
        yield pack[head + 1 : at]


# --- processes ----------------------------------------------------------------------------


class Harness:
    """A harness that runs. Its process ends with it."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self.hello = hello_from(self._line_within(STARTING))
        except HarnessFailed:
            self.close()
            raise

    @property
    def process(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask(self, question: str, timeout: float) -> Reply:
        """Ask a question that may take `timeout` seconds."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise HarnessFailed("failed") from error
        return reply_from(self._line_within(timeout))

    def close(self) -> None:
        """End the process, whatever it does."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        self._listener.join()
        self._process.stdout.close()
        with suppress(OSError):  # what it never read
            self._process.stdin.close()

    def _line_within(self, timeout: float) -> str:
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise HarnessFailed(f"> {timeout:g} s") from None
        if not line:
            raise HarnessFailed("failed")
        return line

    def _listen(self) -> None:
        """Hand every line over, and at last an empty one."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


@contextmanager
def started(command: Sequence[str], log: Path) -> Iterator[Harness]:
    """Run a harness for as long as it is needed."""
    harness = Harness(command, log)
    try:
        yield harness
    finally:
        harness.close()


def hello_from(line: str) -> Hello:
    """Read the first line of a harness."""
    return Hello(**json.loads(line))


def reply_from(line: str) -> Reply:
    """Read the answer to a question; one that says `error` is a failure."""
    found = json.loads(line)
    if "error" in found:
        raise HarnessFailed(found["error"])
    return Reply(**found)
