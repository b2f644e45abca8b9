"""A disk that is full where nobody looks: temporary files, and what SQLite keeps beside a cache.

A limit on the size of files stands for it: the system refuses what goes beyond.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import folder
from cli.console import environment
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore

__all__ = ["folder"]

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX"),
]

LIMIT = 20_000
"""Bytes of the largest file; those that are there may have more."""

FILE = b"User-agent: *\n" + b"Disallow: /private\n" * 5_000


def limited(*words: str, limit: int = LIMIT) -> subprocess.CompletedProcess[str]:
    """Run Python where files can have so many bytes.

    Without bytecode: Python keeps the half of it that there is room for, for everybody after.
    """
    from resource import RLIMIT_FSIZE, setrlimit

    return subprocess.run(
        [sys.executable, *words],
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: setrlimit(RLIMIT_FSIZE, (limit, limit)),
    )


def lay_down_a_table() -> str:
    rows = FILE.decode().replace("\n", "\\n")
    Path("s.jsonl").write_text(f'{{"origin": "https://a.example", "body": "{rows}"}}\n')
    return "s.jsonl"


def test_temporary_files_of_a_snapshot() -> None:
    """The folder of temporary files is named, and not the output."""
    done = limited(
        *("-m", "verger", "filter", "--agent", "A", "--snapshot", lay_down_a_table(), "/dev/null")
    )

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("error: cannot write temporary files in `/")
    assert "hint: free some space there, or set TMPDIR to a folder on another disk\n" in done.stderr


@pytest.mark.parametrize("words", [("purge", "--all"), ("purge", "https://a.example")])
def test_what_sqlite_keeps_beside_a_cache(words: tuple[str, ...]) -> None:
    """An error of the disk has a hint."""
    result = AccessResult(
        url="https://a.example/robots.txt", fetched_at=1.7e9, status=200, body=FILE
    )
    store = SqliteStore("c.db")

    async def fill() -> None:
        await store.save([Entry("https://a.example", result)])
        await store.close()

    asyncio.run(fill())
    done = limited("-m", "verger", "cache", *words, "--cache", "c.db", limit=100)

    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith("error: the system cannot read or write the cache `")
    assert "\nhint: check whether its disk is full" in done.stderr
