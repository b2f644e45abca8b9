"""Bad usage: one `error:` line, a hint where there is one, exit code 2, no traceback."""

import errno
import io
import sys

import pytest

from verger.cli.app import main

from .conftest import Run

pytestmark = pytest.mark.usefixtures("robots")


def test_unreadable_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says of a file is passed on (it lets root read everything)."""

    def refuse(*_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    done = run("check", "--robots", "robots.txt", "--agent", "A", "/")

    assert (2, "error: cannot read `robots.txt`: permission denied") == (
        done.code,
        done.err.splitlines()[0],
    )
    assert "hint: make it readable for this user, or name another file\n" in done.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--robots", "robots.txt", "-"], "URLs"),
        (["--robots", "-", "/"], "robots.txt"),
    ],
)
def test_closed_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], what: str
) -> None:
    """A stdin that was closed before the command began is said to be closed."""
    monkeypatch.setattr(sys, "stdin", None)
    code = main(["check", "--agent", "A", *words])

    assert 2 == code
    assert (
        f"error: cannot read {what} from stdin: it is closed\nhint: leave it open, or name a file\n"
        == capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PAR1 and more", "is not text\nhint: it is a Parquet file: pass the path of the file"),
        (b"SQLite format 3\0", "is not text\nhint: it is a database, such as a cache"),
        ("https://a.example/\n".encode("utf-16"), "is encoded in UTF-16\nhint: save it as UTF-8"),
        (bytes(range(256)) * 20, "is not text\nhint: is it the right file?"),
    ],
)
@pytest.mark.parametrize("command", ["check", "filter"])
def test_stdin_that_is_not_text(run: Run, command: str, data: bytes, told: str) -> None:
    """URLs come as text, whichever command reads them."""
    if command == "check":
        words = ("check", "--robots", "robots.txt", "--agent", "A", "-")
    else:
        words = ("filter", "--snapshot", ".", "--agent", "A", "-")
    done = run(*words, stdin=data)

    assert (2, f"error: `stdin` {told}\n") == (done.code, done.err)


class FailingStdin(io.BytesIO):
    """A stdin on a disk that fails."""

    def read(self, _size: int | None = -1, /) -> bytes:
        """Fail, as a disk does."""
        raise OSError(errno.EIO, "Input/output error")


def test_stdin_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the middle of stdin is said in the system's words."""
    monkeypatch.setattr("verger.files.stdio.stdin_bytes", lambda *_: FailingStdin())
    done = run("check", "--robots", "robots.txt", "--agent", "A", "-")

    assert 2 == done.code
    assert "error: cannot read `stdin`: input/output error\nhint: name another file\n" == done.err
