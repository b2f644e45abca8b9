"""`verger fmt`: files in one format, in place, checked or shown."""

from pathlib import Path

import pytest

from .conftest import Run, laid_down
from .console import console

pytestmark = pytest.mark.usefixtures("folder")

BODY = b"user-agent:*\r\nDISALLOW :/a   # old\r\n\r\n\r\n"
NEW = b"User-agent: *\r\nDisallow: /a  # old\r\n"


@pytest.fixture
def robots(folder: Path) -> Path:
    """Lay down a file that is not formatted."""
    return laid_down(folder, BODY)


def test_in_place(run: Run, robots: Path) -> None:
    """A file is formatted once."""
    first, again = run("fmt"), run("fmt")

    assert robots.read_bytes() == NEW
    assert (0, "1 file formatted, 0 unchanged\n") == (first.code, first.err)
    assert (0, "0 files formatted, 1 unchanged\n") == (again.code, again.err)


def test_stdin(run: Run) -> None:
    """Stdin goes to stdout."""
    assert run("fmt", "-", stdin=BODY).data == NEW


def test_check(run: Run, robots: Path) -> None:
    """`--check` names the file, exits with 1, and writes nothing."""
    done = run("fmt", "--check")

    assert (1, "robots.txt is not formatted\n", BODY) == (done.code, done.out, robots.read_bytes())


def test_diff_in_another_encoding(folder: Path) -> None:
    """A diff is the bytes of the file, also for a stdout that lacks its characters."""
    laid_down(folder, "user-agent: *\ndisallow: /\u2013\n".encode())

    shown = console("$ verger fmt --diff", folder, PYTHONIOENCODING="latin-1")

    assert "\n-disallow: /\u2013\n+User-agent: *\n+Disallow: /\u2013\n" in shown


def test_diff(run: Run, robots: Path) -> None:
    """`--diff` shows what would change, and writes nothing."""
    done = run("fmt", "--diff")

    assert (1, BODY) == (done.code, robots.read_bytes())
    assert done.out.startswith("--- robots.txt\n+++ robots.txt\n@@ ")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><html></html>\n", "cannot be formatted"),
        (bytes(range(256)) * 9, "cannot be formatted"),
        (BODY.decode().encode("utf-16"), "cannot be formatted"),
        (BODY + b"#" * (600 << 10), "crawlers read only its first 40 bytes"),
        (BODY + b"Disallow: /\0\n", "line 5 has a NUL, where some crawlers end the line"),
        (b"Disallow: /\0\n", "line 1 has a NUL, where some crawlers end the line"),
        (b"#" * ((16 << 20) + 1), "more than 16 MiB"),
    ],
)
def test_refused(run: Run, robots: Path, body: bytes, said: str) -> None:
    """What is not a robots.txt file, or not read to its end, stays as it is."""
    robots.write_bytes(body)
    done = run("fmt")

    assert (2, "", body) == (done.code, done.out, robots.read_bytes())
    assert said in done.err
