"""The store in a file, used by many processes that fork, end early and are killed."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cache.samples import listed
from patience import LONG
from programs import printed
from verger.cache.codec import digest_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")


@pytest.mark.slow
def test_killed_writers(path: Path) -> None:
    """After a hundred kills the file is whole, and nothing acknowledged is lost."""
    command = [sys.executable, "-m", "cache.killing", str(path), "9309", "100"]
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    ended = subprocess.run(
        command,
        capture_output=True,
        check=True,
        timeout=2 * LONG,
        env=os.environ | {"PYTHONPATH": folders},
    )
    acknowledged = json.loads(ended.stdout)
    found = {one.origin: one.last.fetched_at for one in listed(path)}
    lost = {
        origin: (generation, found.get(origin))
        for origin, generation in acknowledged.items()
        if not found.get(origin, 0) >= generation
    }
    with closing(sqlite3.connect(path)) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchall()
        bodies = connection.execute("SELECT digest, content FROM body").fetchall()
        named = connection.execute(
            "SELECT last_body FROM entry WHERE last_body IS NOT NULL "
            "UNION SELECT copy_body FROM entry WHERE copy_body IS NOT NULL"
        ).fetchall()

    assert b"" == ended.stderr
    assert len(acknowledged) > 200
    assert {} == lost
    assert [("ok",)] == whole
    assert {digest for (digest,) in named} == {digest for digest, _ in bodies}
    assert all(digest == digest_of(content) for digest, content in bodies)


HAMMER = """
    import sys
    from cache.samples import entry, run
    from verger.cache.sqlite import SqliteStore

    async def steps():
        store, number = SqliteStore(sys.argv[1], patience=300), sys.argv[2]
        got = 0
        for n in range(40):
            got += len(await store.claim([f"https://c{n}.example"], holder=number, seconds=600))
            await store.save([entry(f"p{number}-{n}", body=b"%d" % (n % 9))])
        await store.close()
        print(got)

    run(steps())
"""


def test_ten_processes(path: Path) -> None:
    """Ten processes that start on no file at once all get their turn, and claim without overlap."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(10) as threads:
        got = list(threads.map(lambda number: int(printed(HAMMER, path, number)), range(10)))

    assert 40 == sum(got)
    assert 400 == len(listed(path))


FORK = """
    import asyncio, gc, os, sys
    from cache.samples import entry, every, loaded, run
    from verger.cache.sqlite import SqliteStore

    path = sys.argv[1]
    store = SqliteStore(path)
    before, parents, childs, late = (entry(n) for n in ("before", "parents", "childs", "late"))

    def open_files():
        folder = "/proc/self/fd"
        names = [f"{folder}/{number}" for number in os.listdir(folder)]
        return [name for name in names if os.path.realpath(name).startswith(path)]

    async def save(*entries):
        await store.save(entries)
        assert await loaded(store, *entries) == list(entries)

    async def parent():
        await save(before)

    run(parent())
    to_child, from_parent = os.pipe()
    to_parent, from_child = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(from_parent)
        if os.path.isdir("/proc/self/fd"):
            assert [] == open_files(), open_files()
        run(save(childs))
        os.write(from_child, b"1")
        os.read(to_child, 1)  # the parent has closed its store meanwhile
        gc.collect()
        run(save(late))
        assert [before, childs, late, parents] == run(every(store))
        sys.exit(0)  # with the store open
    os.close(from_child)
    assert b"1" == os.read(to_parent, 1)
    run(save(parents))
    run(store.close())
    os.write(from_parent, b"1")
    assert os.waitpid(pid, 0)[1] == 0
    assert [before, childs, late, parents] == run(every(store))
    print("done")
"""


def test_fork(path: Path) -> None:
    """After a fork parent and child both go on with the same store, whoever closes first."""
    assert "done\n" == printed(FORK, path)
    assert 4 == len(listed(path))


FORK_WHILE_BUSY = """
    import asyncio, os, sys
    from cache.samples import entry, every, run
    from verger.cache.sqlite import SqliteStore

    store = SqliteStore(sys.argv[1])

    async def many(prefix):
        for n in range(20):
            some = (store.save([entry(f"{prefix}-{n}-{m}", body=b"%d" % m)]) for m in range(10))
            saving = asyncio.gather(*some)
            await asyncio.sleep(0)
            if prefix == "parent" and n % 5 == 0:
                children.append(os.fork())
                if children[-1] == 0:
                    work_in_child(f"child{n}")
            await saving

    def work_in_child(prefix):
        # on a loop of its own: the one of the parent shares its files with the parent
        try:
            run(many(prefix))
            run(store.close())
            os._exit(0)
        finally:
            os._exit(1)

    children = []
    run(many("parent"))
    assert [0] * 4 == [os.waitpid(pid, 0)[1] for pid in children]
    run(store.close())
    print(len(run(every(store))))
"""


def test_fork_while_busy(path: Path) -> None:
    """A fork in the middle of saves leaves parent and children with whole transactions."""
    assert "1000\n" == printed(FORK_WHILE_BUSY, path)
    assert 1_000 == len(listed(path))


LEFT_OPEN = """
    import asyncio, sys, threading
    from cache.samples import entry
    from verger.cache.sqlite import SqliteStore

    async def steps():
        await store.save([entry(f"h{n}") for n in range(100)])

    store = SqliteStore(sys.argv[1])
    asyncio.run(steps())
    other = SqliteStore(sys.argv[1])
    asyncio.run(other.load(["https://h1.example"]))
    del other
    print("ends", flush=True)
    {ending}
"""


@pytest.mark.parametrize("ending", ["pass", "sys.exit()", "import os; os._exit(0)"])
def test_left_open(path: Path, ending: str) -> None:
    """A store that nobody closes neither keeps the interpreter from ending nor loses anything.

    An interpreter that ends in order closes the file as well, and leaves nothing beside it.
    """
    assert "ends\n" == printed(LEFT_OPEN.replace("{ending}", ending), path)
    assert "_exit" in ending or [path] == list(path.parent.iterdir())
    assert 100 == len(listed(path))


def test_thread_ends_with_its_store(path: Path) -> None:
    """A store that is let go of leaves no thread behind."""
    told = printed(
        """
        import asyncio, gc, sys, threading
        from patience import until
        from verger.cache.sqlite import SqliteStore

        for n in range(5):
            asyncio.run(SqliteStore(sys.argv[1]).load(["https://a.example"]))
        gc.collect()
        until(lambda: threading.active_count() == 1)
        print("all ended")
        """,
        path,
    )

    assert "all ended\n" == told


def test_closed_loop(path: Path) -> None:
    """An event loop that ends while its answer is under way disturbs no other."""
    told = printed(
        """
        import asyncio, sys
        from cache.samples import entry, every, run
        from verger.cache.sqlite import SqliteStore

        store = SqliteStore(sys.argv[1])

        async def leave():
            for n in range(50):
                asyncio.ensure_future(store.save([entry(f"h{n}")]))
            await asyncio.sleep(0)

        async def stay():
            await store.save([entry("last")])
            found = await every(store)
            await store.close()
            return found

        for _ in range(5):
            asyncio.run(leave())
        print(entry("last") in run(stay()))
        """,
        path,
    )

    assert "True\n" == told
