"""How a command ends: its exit code, and the error on stderr.

In: a command as a function. Out: its exit code; no traceback for errors that a user can cause.
Yes is 0, no is 1, bad usage or no answer is 2, as in google/robotstxt. A question is *unanswered*
if nobody knows: a site that is not in the snapshot, a row that is no URL, a file that cannot be
read. One such question is enough in every command, whatever the other answers are.
"""

import os
import sys
from collections.abc import Callable

from verger import RobotsError
from verger.plain import printable, reason_of

FINE = 0
DISALLOWED = 1
FAILED = 2
UNANSWERED = FAILED
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
PIPE_CLOSED = 141  # 128 + SIGPIPE


class Failure(RobotsError):
    """The command cannot do its work; the message says why, the hint what to do."""


def refuse_if(is_wrong: object, message: str, hint: str | None = None) -> None:
    """Raise `Failure` if something is wrong."""
    if is_wrong:
        raise Failure(message, hint)


def refuse_first(*wrong: tuple[object, str, str | None]) -> None:
    """Raise `Failure` for the first that is wrong: whether it is, the message and the hint."""
    for is_wrong, message, hint in wrong:
        refuse_if(is_wrong, message, hint)


def see_help(command: str) -> str:
    """Return a hint that points to the options of a command."""
    return f"`verger {command} --help` shows the options"


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
        from verger.files.reading import unreadable

        read = unreadable(os.fsdecode(error.filename), error)
        return read.message, read.hint
    from verger.files.writing import unwritable

    return f"cannot write the answers: {reason_of(error)}", unwritable("-", error).hint


def message_lines(message: str, hint: str | None) -> str:
    """Return the one or two lines that report a problem."""
    message, hint = without_password(message), hint and without_password(hint)
    lines = f"error: {printable(message)}\n"
    return f"{lines}hint: {printable(hint)}\n" if hint else lines


def without_password(text: str) -> str:
    """Return a message in which URLs show no password."""
    if "@" not in text:
        return text
    import re

    return re.sub(r"(://[^/\s`@:]*:)[^/\s`]*@", r"\1...@", text)


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
