"""Interrupts and errors: how every command ends.

In: a command as a function. Out: its exit code, or that of what ended it: an error, which is told
on stderr without a traceback; ctrl-C; a reader that has closed the pipe.
"""

import os
import sys
from collections.abc import Callable

from verger import RobotsError
from verger.cli.output import FAILED, Failure, message_lines
from verger.untrusted_text import reason_of

INTERRUPTED = 130  # 128 + SIGINT, as shells report it
PIPE_CLOSED = 141  # 128 + SIGPIPE


def guarded(command: Callable[[], int]) -> int:
    """Run a command; turn errors into messages on stderr and an exit code."""
    try:
        _expect_streams()
        code = command()
        sys.stdout.flush()
    except RobotsError as error:
        return _fail(error.message, error.hint)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return PIPE_CLOSED
    except OSError as error:
        _forget_output()
        return _fail(*_message_and_hint(error))
    return code


def _message_and_hint(error: OSError) -> tuple[str, str | None]:
    """Return message and hint; an error without a file name is about stdout."""
    if error.filename is not None:
        from verger.files.input_errors import unreadable

        read = unreadable(os.fsdecode(error.filename), error)
        return read.message, read.hint
    from verger.files.writing import unwritable

    return f"cannot write the answers: {reason_of(error)}", unwritable("-", error).hint


def _fail(message: str, hint: str | None = None) -> int:
    try:
        sys.stdout.flush()
        print(message_lines(message, hint), end="", file=sys.stderr, flush=True)
    except OSError:
        _forget_output()
    return FAILED


def _expect_streams() -> None:
    """Replace streams that are None, since they were closed before Python started."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 -- until the process ends
    if sys.stdout is None:
        sys.stdout = sys.stderr
        raise Failure("cannot write the answers: stdout is closed", "leave it open, or name a file")


def _forget_output() -> None:
    """Discard what is still in stdout's buffer; otherwise Python complains at exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # a stdout without a descriptor causes no complaint
        pass
