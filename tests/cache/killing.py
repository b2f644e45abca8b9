"""Ten processes write to one file and are killed at random, again and again.

    python -m cache.killing PATH SEED KILLS

In: the file, and the seed of where the axe falls. Out: on stdout, as JSON, what each origin's
last acknowledged save was. Each process writes the acknowledged saves to a file of its own, which
is read after the process is gone; a pipe would be full where the axe is slow. The modules are
loaded before the first process is made, so that most of the time goes into writing. No test lives
here.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from cache.samples import result
from patience import LONG, until
from verger.access.entry import Entry
from verger.cache.sqlite import SqliteStore

AT_ONCE = 10
ORIGINS_A_WRITER = 12
DISTINCT_BODIES = 40
WORK = 200
"""Bytes of acknowledgements between two kills: some saves."""


def main() -> None:
    path, seed, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    axe = random.Random(seed)
    acknowledged: dict[str, int] = {}
    writers = [start(path, number) for number in range(AT_ONCE)]
    for number in range(AT_ONCE, AT_ONCE + kills):
        write_on(writers)
        time.sleep(axe.uniform(0.0, 0.06))
        pid, file = writers.pop(axe.randrange(len(writers)))
        end(pid, file, acknowledged)
        if number < kills:
            writers.append(start(path, number))
        if not writers:
            break
    print(json.dumps(acknowledged))


def start(path: Path, number: int) -> tuple[int, IO[bytes]]:
    """Start a writer; return its process, and the file that it acknowledges to."""
    file = TemporaryFile(buffering=0)  # noqa: SIM115 # `end` closes it
    pid = os.fork()
    if pid == 0:
        asyncio.run(write(path, number, file.fileno()))
    return pid, file


def write_on(writers: list[tuple[int, IO[bytes]]]) -> None:
    """Wait until the writers have saved some more, however slow the machine is."""
    enough = saved(writers) + WORK
    until(lambda: saved(writers) > enough)


def saved(writers: list[tuple[int, IO[bytes]]]) -> int:
    """Return how much writers have acknowledged, in bytes."""
    return sum(os.fstat(file.fileno()).st_size for _, file in writers)


def end(pid: int, file: IO[bytes], acknowledged: dict[str, int]) -> None:
    """Kill a writer, and take down what it had acknowledged."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with file:
        file.seek(0)
        for line in file:
            if line.endswith(b"\n"):  # the last may be cut by the axe
                origin, generation = line.split()
                acknowledged[origin.decode()] = int(generation)


async def write(path: Path, number: int, file: int) -> None:
    """Save entries for ever: own origins, bodies that others have too, ever higher times."""
    store = SqliteStore(path, patience=LONG)
    choice = random.Random(number)
    origins = [f"https://w{number}-{n}.example" for n in range(ORIGINS_A_WRITER)]
    shared = [f"https://shared{n}.example" for n in range(20)]
    generation = 0
    while True:
        generation += 1
        some = choice.sample(origins, choice.randint(1, 6))
        await store.claim([*some, choice.choice(shared)], holder=f"{number}", seconds=1)
        entries = [any_entry(origin, generation, choice) for origin in some]
        await store.save([*entries, any_entry(choice.choice(shared), generation, choice)])
        os.write(file, "".join(f"{origin} {generation}\n" for origin in some).encode())
        if generation % 10 == 0:
            await store.remove([choice.choice(shared)])
        found = await store.load(some)
        assert set(found) == set(some)


def any_entry(origin: str, generation: int, choice: random.Random) -> Entry:
    """Return an entry whose time is its generation, with one of the bodies there are, or two."""
    body = b"%d" % choice.randrange(DISTINCT_BODIES) * choice.choice((1, 500, 20_000))
    last = result(origin, fetched_at=generation, body=body)
    if choice.random() < 0.7:
        return Entry(origin, last)
    return Entry(origin, result(origin, fetched_at=generation, status=503, body=b""), last)


if __name__ == "__main__":
    main()
