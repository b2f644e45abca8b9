"""A run that is killed loses nothing: the next goes on, and the output is the same.

One hundred kills at random, seeded moments: of runs that read stdin and are killed before it
ends, and of runs over a network in which one host does not answer before the last run.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import pytest

from bulk.filter.server import Server, serving
from cli.console import environment, hear_interrupts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"),
]

VERGER = [sys.executable, "-m", "verger", "filter", "--quiet"]
KILLS = 5
ROWS = 40_000
FORMATS = ("csv", "jsonl", "urls", "parquet")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay down a snapshot of some hundreds of origins."""
    folder = tmp_path_factory.mktemp("sites")
    for number in range(300):
        (folder / f"h{number}.example").write_bytes(b"User-agent: *\nDisallow: /private\n")
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Serve some hundreds of origins."""
    with serving() as server:
        yield server


@pytest.mark.parametrize("seed", range(14))
def test_killed_while_it_reads_stdin(seed: int, sites: Path, tmp_path: Path) -> None:
    """SIGKILL before all rows came, and the same rows again."""
    dice = random.Random(seed)
    rows = rows_of(dice, [f"h{number}" for number in range(310)])
    name = f"out.{dice.choice(FORMATS)}"
    command = [*VERGER, "--snapshot", str(sites), "--agent", "ExampleBot", "--output"]
    undisturbed = output_of([*command, f"whole-{name}"], tmp_path, rows)
    for last in (*[False] * (KILLS - 1), True):
        with running([*command, name], tmp_path) as process:
            feed(process, rows[: dice.randrange(len(rows) // 2 if last else 0, len(rows))])
            wait_for_blocks(process, tmp_path, name, at_least=last)
            sleep(dice.uniform(0, 0.1))
            end(process, signal.SIGKILL)
        assert not (tmp_path / name).exists()
    resumed = output_of([*command, name], tmp_path, rows)

    assert undisturbed == resumed
    assert_nothing_is_left(tmp_path, name)


@pytest.mark.parametrize(
    ("seed", "kind"),
    [*((seed, signal.SIGKILL) for seed in range(3)), *((seed, signal.SIGINT) for seed in range(3))],
)
def test_killed_over_the_network(
    seed: int, kind: signal.Signals, server: Server, tmp_path: Path
) -> None:
    """SIGKILL or ctrl-C while files are fetched."""
    dice = random.Random(seed)
    hosts = [*(f"h{number}" for number in range(200)), "gone", "broken", "closed", "cut"]
    (tmp_path / "urls.txt").write_bytes(rows_of(dice, hosts) + b"http://held.example/last\n")
    name = f"out.{dice.choice(FORMATS)}"
    command = [*VERGER, *server.options, "urls.txt", "--output"]
    server.release()
    undisturbed = output_of([*command, f"whole-{name}"], tmp_path)
    server.hold()
    for last in (*[False] * (KILLS - 1), True):
        with running([*command, name], tmp_path) as process:
            sleep(dice.uniform(0.1, 1.2))
            wait_for_blocks(process, tmp_path, name, at_least=last)
            end(process, kind)
        assert not (tmp_path / name).exists()
    server.release()
    resumed = output_of([*command, name], tmp_path)

    assert undisturbed == resumed
    assert_nothing_is_left(tmp_path, name)


def rows_of(dice: random.Random, hosts: list[str]) -> bytes:
    """Return rows of which no two are the same, some of them rubbish."""
    paths = ("private", "public", "")
    rows = [f"http://{dice.choice(hosts)}.example/{dice.choice(paths)}/{n}" for n in range(ROWS)]
    for number in dice.sample(range(ROWS), 40):
        rows[number] = f"rubbish {number}"
    return "".join(f"{row}\n" for row in rows).encode()


@contextmanager
def running(command: list[str], folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def feed(process: "subprocess.Popen[bytes]", rows: bytes) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(rows)
        process.stdin.flush()


def wait_for_blocks(
    process: "subprocess.Popen[bytes]", folder: Path, name: str, *, at_least: bool
) -> None:
    """Wait, where that is asked for, until the journal holds a block that the next run skips.

    As long as the run lives: how long that takes says nothing.
    """
    blocks = folder / f"{name}.verger-journal" / "blocks"
    while at_least and process.poll() is None and not (blocks.exists() and blocks.stat().st_size):
        sleep(0.01)


def end(process: "subprocess.Popen[bytes]", kind: signal.Signals) -> None:
    """End a run that cannot have ended yet, and look at how it did."""
    assert process.poll() is None, process.communicate()[1].decode()
    process.send_signal(kind)
    code = process.wait()

    # Before Python listens to it, SIGINT ends a process as the system does.
    assert code in ((130, -signal.SIGINT) if kind == signal.SIGINT else (-kind,))


def output_of(command: list[str], folder: Path, rows: bytes = b"") -> bytes:
    """Run to the end, and return what was written."""
    done = subprocess.run(
        command, cwd=folder, env=environment(), input=rows, capture_output=True, check=False
    )
    # some rows are rubbish, which nobody can answer
    assert (2, b"", b"") == (done.returncode, done.stdout, done.stderr)
    return (folder / command[-1]).read_bytes()


def assert_nothing_is_left(folder: Path, name: str) -> None:
    """Besides the outputs and the input there is nothing."""
    assert {name, f"whole-{name}"} == {path.name for path in folder.iterdir()} - {"urls.txt"}
