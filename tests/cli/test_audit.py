"""`verger audit`: reports in every format, exit codes, and what goes wrong."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from patience import LONG

from .conftest import Run, validator
from .console import talking_to

VALID = validator("audit")

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def line(
    target: str = "/private/a",
    agent: str = BOT,
    *,
    status: int = 200,
    day: int = 5,
    method: str = "GET",
    host: str = "",
) -> str:
    """Return a line in combined format."""
    request = f"{method} {target} HTTP/1.1"
    client = f"{host}:80 192.0.2.1" if host else "192.0.2.1"
    return f'{client} - - [{day:02}/Jan/2026:12:00:00 +0000] "{request}" {status} 5 "-" "{agent}"\n'


LOG = "".join(
    (
        line(),
        line(day=7, status=403),
        line("/private/press"),
        line("/all", GPTBOT, day=6),
        line("/robots.txt", GPTBOT, day=6),
        line("/all", FIREFOX),
        line("/all", "-"),
        line(method="POST"),
        "rubbish\n",
    )
)


@pytest.fixture
def log(robots: Path) -> Path:
    """Lay down `access.log` beside `robots.txt`."""
    path = robots.with_name("access.log")
    path.write_text(LOG)
    return path


def report(run: Run, *words: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the JSON report of a run, which follows the schema."""
    done = run("audit", *words, "--format", "json", stdin=stdin)
    found: dict[str, Any] = json.loads(done.out)
    VALID.validate(found)

    assert (1 if found["closed"] else 0) == done.code
    return found


def closed(found: dict[str, Any]) -> dict[str, int]:
    """Return how much was closed to each crawler."""
    return {crawler["token"]: crawler["closed"]["count"] for crawler in found["crawlers"]}


# What is found


@pytest.mark.usefixtures("log")
def test_json(run: Run) -> None:
    """One object, which follows the published schema, and whose lines add up."""
    found = report(run, "--robots", "robots.txt", "access.log")
    first = found["crawlers"][0]
    counted = found["log"]
    kinds = "judged people nameless other_crawlers no_url other_hosts other_times undated"

    assert {"ExampleBot": 2, "GPTBot": 1} == closed(found)
    assert {"count": 2, "answered": 1, "refused": 1} == {
        name: first["closed"][name] for name in ("count", "answered", "refused")
    }
    assert ("OpenAI", ["training"], "yes") == tuple(
        found["crawlers"][1][name] for name in ("operator", "purposes", "respects")
    )
    assert (
        9
        == counted["lines"]
        == counted["unreadable"]
        + sum(counted["other_methods"].values())
        + sum(counted[kind] for kind in kinds.split())
    )
    assert [{"input": "access.log", "line": 9, "reason": "no-time"}] == counted["unreadable_lines"]


# What counts


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("name", ["report.json", "report.csv", "report.parquet", "report.txt"])
def test_output(run: Run, name: str) -> None:
    """The name says the format; stdout stays empty, the file is the same as on stdout."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--quiet")
    done = run(*words, "--output", name)
    named = name.removeprefix("report.").replace("txt", "text")

    assert (1, b"") == (done.code, done.data)
    assert Path(name).read_bytes() == run(*words, "--format", named).data
    assert {"access.log", "robots.txt", name} == {path.name for path in Path.cwd().iterdir()}


# What goes wrong


@pytest.mark.usefixtures("log")
def test_stdin_is_called_stdin(folder: Path) -> None:
    """Not by the number of its descriptor."""
    (folder / "odd.log").write_bytes(b"PAR1" + LOG.encode())
    with (folder / "odd.log").open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "verger", "audit", "--robots=robots.txt", "-"],
            stdin=stdin,
            capture_output=True,
            check=False,
        )

    assert b"error: `stdin` is not text\n" in done.stderr
    assert b"hint: it is a Parquet file, and access logs are lines of text\n" in done.stderr


def test_log_on_stdin_after_an_option(run: Run) -> None:
    """`-` is stdin, and not one more crawler or purpose."""
    words = ("audit", "--robots", "robots.txt")

    for more in (("--agent", "ExampleBot"), ("--purpose", "training")):
        assert (
            run(*words, "access.log", *more).out == run(*words, *more, "-", stdin=LOG.encode()).out
        )


@pytest.mark.usefixtures("log")
def test_dialect_of_crawlers(run: Run) -> None:
    """What names a crawler depends on the dialect, as in other commands."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--agent", "foo/1")

    assert 2 == run(*words).code
    assert 0 == run(*words, "--dialect", "original-1994").code


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupt(robots: Path) -> None:
    """Ctrl-C ends a run that waits for a log, without a word."""
    command = [sys.executable, "-m", "verger", "audit", "--robots", str(robots), "-"]
    with talking_to(command) as process:
        assert process.stdin is not None
        # More than a pipe and all that is read ahead hold: when it is written, the audit is on.
        process.stdin.write(LOG.encode() * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONG)

    assert (130, b"", b"") == (process.returncode, out, err)
