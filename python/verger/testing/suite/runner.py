"""Asking a parser: a process that reads a question from each line and answers with a line.

In: a command and cases. Out: a `Verdict` for each case. The parser is not trusted: it has a limit
of time and of memory for each answer, and one that crashes, hangs or prints anything else has
failed that case, and is started again for the next.

A question is `{"id", "robots", "agent", "url", "dialect"}`, where `robots` is the file in base64.
An answer is `{"id", "allowed"}`, with `line` if the parser knows it, or `{"id", "cannot"}` with
the reason why it has none.
"""

import base64
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from verger.errors import InvalidOption
from verger.testing.suite.cases import Case

Outcome: TypeAlias = Literal["passed", "failed", "cannot"]

TIMEOUT = 10.0
"""Seconds for one answer, the start of the process included."""
MEMORY = 1 << 30
"""Bytes that a parser and its children may hold."""
LONGEST_ANSWER = 1 << 16
"""Bytes of a line."""
PATIENCE = 5
"""Questions in a row without an answer, after which no more are asked."""
NOT_ASKED = f"not asked: {PATIENCE} questions in a row had no answer"
_LAST_WORDS = 2000
"""Bytes of stderr that are kept, its last: the whole might fill a disk."""
_TICK = 0.05
_GOODBYE = 40
"""Ticks that the pipes of a process may stay open when it has ended."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a parser did with one case."""

    case: Case
    outcome: Outcome
    allowed: bool | None = None
    """Its answer, if it gave one."""
    line: int | None = None
    """The line that it named."""
    why: str = ""
    """Why there is no answer."""

    @property
    def names_other_line(self) -> bool:
        """Whether it named a line that does not decide. No specification asks for lines."""
        return self.outcome == "passed" and self.line not in (None, self.case.line)


def run(
    command: Sequence[str],
    cases: Iterable[Case],
    *,
    timeout: float = TIMEOUT,
    memory: int = MEMORY,
) -> Iterator[Verdict]:
    """Ask a parser about cases, one after the other.

    command:  the program and its arguments.
    timeout:  seconds for one answer.
    memory:   bytes that the program and its children may hold; measured on Linux alone.
    Raises InvalidOption if the program cannot be started.
    """
    if not command or isinstance(command, str):
        raise InvalidOption(
            "a command is a list of a program and its arguments", "`['node', 'adapter.js']`"
        )
    parser: _Parser | None = None
    unanswered = 0
    try:
        for case in cases:
            if unanswered >= PATIENCE:
                yield Verdict(case, "failed", why=NOT_ASKED)
                continue
            parser = parser or _Parser(command)
            try:
                verdict = _verdict(case, parser.ask(question(case), timeout, memory))
                unanswered = 0
            except _NoAnswer as why:
                parser.close()
                parser, verdict = None, Verdict(case, "failed", why=str(why))
                unanswered += 1
            yield verdict
    finally:
        if parser is not None:
            parser.close()


def question(case: Case) -> dict[str, str]:
    """Return what a parser is asked."""
    return {
        "id": case.id,
        "robots": base64.b64encode(case.robots).decode(),
        "agent": case.agent,
        "url": case.url,
        "dialect": case.specification,
    }


def _verdict(case: Case, answer: dict[str, Any]) -> Verdict:
    if answer.get("cannot") is not None:
        outcome: Outcome = "cannot" if case.allowed is not None else "passed"
        return Verdict(case, outcome, why=answer["cannot"])
    allowed, line = answer["allowed"], answer.get("line")
    return Verdict(case, "passed" if allowed is case.allowed else "failed", allowed, line)


class _NoAnswer(Exception):
    """The parser gave no answer that can be understood: the text says why in a few words."""


class _Parser:
    """A process that runs. It ends with `close`, and so do its children."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise InvalidOption(
                f"cannot run `{command[0]}`: {said}", "name a program and its arguments"
            ) from error
        self._questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=4)
        self._said = b""
        self._threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in (
                (self._write, self._process.stdin),
                (self._listen, self._process.stdout),
                (self._remember, self._process.stderr),
            )
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, asked: dict[str, str], timeout: float, memory: int) -> dict[str, Any]:
        """Return the answer to a question, or raise `_NoAnswer`."""
        self._questions.put(json.dumps(asked).encode() + b"\n")
        end = time.monotonic() + timeout
        while True:
            try:
                line = self._lines.get(timeout=_TICK)
            except queue.Empty:
                self._expect_modest(memory)
                if time.monotonic() > end:
                    raise _NoAnswer(f"no answer within {timeout:g} s") from None
            else:
                self._expect_modest(memory)
                return _understood(line, asked["id"]) if line else self._ended()

    def close(self) -> None:
        """End the process and its children, whatever they do."""
        _, *children = _family(self._process.pid)
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        for child in children:  # those that left the group
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        self._process.wait()
        self._questions.put(b"")
        for _ in range(_GOODBYE):
            if not any(thread.is_alive() for thread in self._threads):
                break
            with suppress(queue.Empty):
                self._lines.get(timeout=_TICK)
        else:  # an orphan in a session of its own holds the pipes: they are left to it
            return
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _write(self, stream: IO[bytes]) -> None:
        """Hand questions over, until an empty one: a parser that does not read blocks nobody."""
        with suppress(OSError):
            while asked := self._questions.get():
                stream.write(asked)
                stream.flush()

    def _listen(self, stream: IO[bytes]) -> None:
        """Hand lines over, and at last an empty one."""
        while line := stream.readline(LONGEST_ANSWER):
            self._lines.put(line)
        self._lines.put(b"")

    def _remember(self, stream: IO[bytes]) -> None:
        """Keep the end of what is said on stderr."""
        while said := os.read(stream.fileno(), 1 << 16):
            self._said = (self._said + said)[-_LAST_WORDS:]

    def _expect_modest(self, memory: int) -> None:
        if _held_by(self._process.pid) > memory:
            raise _NoAnswer(f"more than {memory >> 20} MiB of memory")

    def _ended(self) -> dict[str, Any]:
        """Raise what is known of a process that says nothing more."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            raise _NoAnswer("closed its output") from None
        how = f"exit code {code}" if code >= 0 else f"signal {-code}"
        said = self._last_words()
        raise _NoAnswer(f"ended with {how}" + (f": {said}" if said else ""))

    def _last_words(self) -> str:
        """Return the last line on stderr."""
        self._threads[-1].join(timeout=1)
        lines = self._said.decode("utf-8", "replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")


def _understood(line: bytes, wanted: str) -> dict[str, Any]:
    """Return an answer that is one."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise _NoAnswer(f"not a line of JSON: {_shown(line)}") from None
    if not isinstance(answer, dict) or answer.get("id") != wanted:
        raise _NoAnswer(f"not an answer to the question: {_shown(line)}")
    is_answer, is_none = type(answer.get("allowed")) is bool, type(answer.get("cannot")) is str
    if is_answer is is_none:
        how = "both" if is_answer else "neither"
        raise _NoAnswer(f"{how} of `allowed` and `cannot`: {_shown(line)}")
    if type(answer.get("line")) not in (int, type(None)):
        raise _NoAnswer(f"`line` is not a number: {_shown(line)}")
    return answer


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace").rstrip("\n"))


def _held_by(process: int) -> int:
    """Return the memory of a process and its children in bytes; 0 where the system does not say."""
    return sum(_resident(each) for each in _family(process))


def _resident(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text("ascii", "replace")
    except OSError:
        return 0
    kilobytes = next((row.split()[1] for row in status.splitlines() if row[:6] == "VmRSS:"), "0")
    return int(kilobytes) << 10


def _family(process: int) -> Iterator[int]:
    """Yield a process and its children, whatever group they are in; on Linux, else it alone."""
    yield process
    with suppress(OSError):
        for started in Path(f"/proc/{process}/task").glob("*/children"):
            for child in started.read_text("ascii").split():
                yield from _family(int(child))
