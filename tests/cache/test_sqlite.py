"""The store in a file: its size, its layout, and everything that can be wrong with a file."""

import asyncio
import gc
import logging
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from cache.samples import LARGE, entry, every, filled, full, listed, loaded, run
from patience import LONG
from programs import printed
from verger.access.entry import Entry
from verger.cache import sqlite_file
from verger.cache.codec import entries_in
from verger.cache.sqlite import SqliteStore, default_path
from verger.errors import CacheError, NewerSchema, ReadOnlyStore

MIB = 1 << 20
A = "https://a.example"


def asked(path: Path, query: str) -> list[tuple[object, ...]]:
    """Ask a closed file something, and leave it closed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(query).fetchall()


ORPHANS = """
    SELECT count(*) FROM body WHERE digest NOT IN (
        SELECT last_body FROM entry WHERE last_body IS NOT NULL
        UNION SELECT copy_body FROM entry WHERE copy_body IS NOT NULL)
"""


# Size


def test_equal_bodies_are_kept_once(path: Path) -> None:
    """A thousand origins with the same file need the room of one, and the last takes it along."""
    saved = [entry(f"h{n}", body=LARGE) for n in range(1_000)]
    filled(path, saved)

    assert [(1,)] == asked(path, "SELECT count(*) FROM body")
    assert path.stat().st_size < 2 * MIB

    async def steps() -> list[int]:
        store = SqliteStore(path)
        counts = []
        for some in (saved[1:], saved[:1]):
            await store.remove([one.origin for one in some])
            await store.close()
            counts += asked(path, "SELECT count(*) FROM body")[0]
        return counts

    assert [1, 0] == run(steps())


def test_bodies_go_with_their_entries(path: Path) -> None:
    """A body that no entry names any more is gone, however the last one went."""
    filled(path, [entry(f"h{n}", body=b"%d" % n) for n in range(50)])
    filled(path, [entry(f"h{n}", body=b"new") for n in range(25)])
    filled(path, [entry(f"h{n}", status=404, body=b"") for n in range(10)])

    assert [(26,)] == asked(path, "SELECT count(*) FROM body")
    assert [(0,)] == asked(path, ORPHANS)


def test_oldest_make_room(path: Path) -> None:
    """The file stays below its bound; the entries saved last are there, the oldest are not."""
    now = [1_000.0]

    async def steps() -> tuple[list[Entry], Entry]:
        store = SqliteStore(path, max_bytes=4 * MIB, clock=lambda: now[0])
        for n in range(60):
            now[0] += 1
            await store.save([entry(f"h{n:03}-{m}", body=bytes([n, m]) * 10_000) for m in range(8)])
            await store.save([entry("always", body=b"refreshed %d" % n)])
        found = await every(store)
        await store.close()
        return found

    found = run(steps())
    names = [one.origin for one in found]

    assert path.stat().st_size <= 4 * MIB * 17 // 16
    assert len(found) > 100
    assert "https://always.example" in names
    assert {f"https://h059-{m}.example" for m in range(8)} <= set(names)
    assert "https://h000-0.example" not in names
    assert [(0,)] == asked(path, ORPHANS)


def test_entry_that_is_too_large(path: Path) -> None:
    """An entry larger than the file may be is not kept, nor is anything wrong afterwards."""
    huge, small = entry("huge", body=LARGE * 6), entry("small")

    async def steps() -> list[Entry]:
        store = SqliteStore(path, max_bytes=2 * MIB)
        await store.save([huge])
        await store.save([small])
        found = await every(store)
        await store.close()
        return found

    assert [small] == run(steps())


def test_smaller_bound(path: Path) -> None:
    """A file that was allowed more shrinks to a smaller bound as it is used."""
    filled(path, [entry(f"h{n}", body=b"%d" % n * 20_000) for n in range(200)])
    before = path.stat().st_size
    filled(path, [entry("new")], max_bytes=2 * MIB)

    assert before > 8 * MIB
    assert path.stat().st_size <= 2 * MIB * 17 // 16


def test_removed_room_is_given_back(path: Path) -> None:
    """Removing everything makes the file small."""
    filled(path, [entry(f"h{n}", body=b"%d" % n * 9_000) for n in range(300)])

    async def steps() -> int:
        store = SqliteStore(path)
        removed = await store.remove()
        await store.close()
        return removed

    assert 300 == run(steps())
    assert path.stat().st_size < 100_000


def test_claims_are_swept(path: Path) -> None:
    """Claims that nobody gave up do not stay in the file."""
    now = [1_000.0]

    async def steps() -> None:
        store = SqliteStore(path, clock=lambda: now[0])
        await store.claim([f"https://h{n}.example" for n in range(500)], holder="x", seconds=10)
        await store.close()
        now[0] = 1_011.0
        await store.claim(["https://a.example"], holder="x", seconds=10)
        await store.close()

    run(steps())
    assert [(b"https://a.example",)] == asked(path, "SELECT CAST(origin AS BLOB) FROM claim")


def test_claim_ends_on_time(path: Path) -> None:
    """A claim holds until its seconds are over, and no longer."""
    now = [100.0]

    async def steps() -> object:
        store = SqliteStore(path, clock=lambda: now[0])
        await store.claim(["https://a.example"], holder="one", seconds=10)
        now[0] = 109.9
        before = await store.claim(["https://a.example"], holder="two", seconds=10)
        now[0] = 110.0
        after = await store.claim(["https://a.example"], holder="two", seconds=10)
        await store.close()
        return before, after

    assert (frozenset(), {"https://a.example"}) == run(steps())


def test_clock_put_back(path: Path) -> None:
    """A claim that would end in a far future was made by a wrong clock, and holds nobody up."""
    now = [1e9]

    async def steps() -> object:
        store = SqliteStore(path, clock=lambda: now[0])
        await store.claim(["https://a.example"], holder="one", seconds=10)
        now[0] = 1e9 - 86_400
        got = await store.claim(["https://a.example"], holder="two", seconds=10)
        await store.close()
        return got

    assert {"https://a.example"} == run(steps())


def test_bound_too_small(path: Path) -> None:
    """A bound in which not even an empty file fits is refused."""
    with pytest.raises(CacheError, match="hint: pass a whole number from 1,048,576 to "):
        SqliteStore(path, max_bytes=1_000)


# Calls that wait for each other


def opened_with(
    monkeypatch: pytest.MonkeyPatch, set_up: Callable[[sqlite3.Connection], object]
) -> None:
    """Let stores set up each connection further."""

    def opened(path: Path) -> sqlite3.Connection:
        connection = sqlite_file.open_file(path)
        set_up(connection)
        return connection

    monkeypatch.setattr("verger.cache.sqlite.open_file", opened)


def test_waiting_calls_share_a_transaction(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a crawl asks at once is answered in a few transactions, and each call has its answer."""
    statements: list[str] = []
    opened_with(monkeypatch, lambda file: file.set_trace_callback(statements.append))
    filled(path, [entry("here")])
    wanted = [entry(f"h{n}") for n in range(100)]

    async def steps() -> None:
        store = SqliteStore(path, patience=LONG)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            found = asyncio.create_task(loaded(store, entry("here")))
            calls = [asyncio.create_task(store.save([one])) for one in wanted]
            await asyncio.sleep(0)  # now each has asked
            statements.clear()
            other.execute("COMMIT")
        await asyncio.gather(*calls)
        assert [entry("here")] == await found
        assert wanted == await loaded(store, *wanted)
        await store.close()

    run(steps())
    # The first call may be taken alone, and what is loaded last is.
    assert statements.count("COMMIT") <= 4


def test_waiting_calls_of_one_kind_share_a_statement(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where many look and claim at once, SQLite is asked once for all that are in a row."""
    statements: list[str] = []
    opened_with(monkeypatch, lambda file: file.set_trace_callback(statements.append))
    saved = [entry(f"h{n}") for n in range(60)]
    filled(path, saved[::2])

    async def steps() -> None:
        store = SqliteStore(path, patience=LONG)
        looks = (store.load([one.origin]) for one in saved)
        claims = (store.claim([one.origin], holder="one", seconds=LONG) for one in saved[1::2])
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            first = store.save([entry("first")])
            calls = [asyncio.create_task(each) for each in (first, *looks, *claims)]
            await asyncio.sleep(0)  # now each has asked
            statements.clear()
            other.execute("COMMIT")
        _, *answers = await asyncio.gather(*calls)
        assert [{one.origin: one} for one in saved[::2]] == answers[:60:2]
        assert [{}] * 30 == answers[1:60:2]
        assert [{one.origin} for one in saved[1::2]] == answers[60:]
        await store.close()

    run(steps())
    # Up to 64 calls share a transaction, and the first of them may be taken alone.
    kinds = [each.split()[0] for each in statements if "json_each" in each]
    assert kinds.count("SELECT") <= 2
    assert kinds.count("INSERT") <= 2


def test_waiting_calls_take_effect_in_their_order(path: Path) -> None:
    """Of several saves of an origin the last counts, and a release undoes the claim before it."""
    filled(path, [])
    saves = [entry("saved", body=b"%d" % n) for n in range(5)]

    async def steps() -> frozenset[str]:
        store = SqliteStore(path, patience=LONG)
        wanted = (
            store.save([entry("first")]),  # which may be taken alone
            store.release(["https://other.example"], holder="one"),
            *(store.save([one]) for one in saves),
            store.claim([A], holder="one", seconds=3_600),
            store.release([A], holder="one"),
        )
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            calls = [asyncio.create_task(each) for each in wanted]
            await asyncio.sleep(0)  # now each has asked
            other.execute("COMMIT")
        await asyncio.gather(*calls)
        assert saves[-1:] == await loaded(store, saves[0])
        claimed = await store.claim([A], holder="two", seconds=3_600)
        await store.close()
        return claimed

    assert run(steps()) == {A}
    assert asked(path, "SELECT count(*) FROM body") == [(2,)]


def test_waiting_claims_are_granted_one_after_another(path: Path) -> None:
    """A holder that is refused and asks again in the same moment is granted the second claim."""
    wanted = [("one", LONG), ("two", LONG), ("one", 0.0), ("two", LONG), ("one", LONG)]

    async def steps() -> list[bool]:
        store = SqliteStore(path, clock=lambda: 1_700_000_000.0)
        claims = (store.claim([A], holder=holder, seconds=seconds) for holder, seconds in wanted)
        granted = await asyncio.gather(*claims)
        await store.close()
        return [bool(each) for each in granted]

    assert run(steps()) == [True, False, True, True, False]


def test_calls_fail_for_themselves(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that SQLite refuses is not stored; what is saved at the same time is."""
    narrow = len(LARGE) // 2
    opened_with(monkeypatch, lambda file: file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, narrow))
    wanted = [entry("a"), entry("b", body=LARGE), entry("c")]

    async def steps() -> list[object]:
        store = SqliteStore(path)
        saves = (store.save([one]) for one in wanted)
        failures = await asyncio.gather(*saves, return_exceptions=True)
        assert [wanted[0], None, wanted[2]] == await loaded(store, *wanted)
        await store.close()
        return failures

    first, second, third = run(steps())
    assert isinstance(second, CacheError)
    assert first is third is None


# Files and folders


def test_files_are_private(tmp_path: Path) -> None:
    """What is made is for its owner alone: folders, file, and those beside it."""
    path = tmp_path / "a" / "b" / "store.sqlite3"

    async def steps() -> set[str]:
        store = SqliteStore(path)
        await store.save([entry("a")])
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
        await store.close()
        return modes

    assert {0o600} == set(run(steps()).values())
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.parent.stat().st_mode)


def test_odd_names(tmp_path: Path) -> None:
    """A name may hold what means something in a URI."""
    path = tmp_path / "a?mode=ro#%20 \u00e4" / "store&.db"
    filled(path, [entry("a")])

    assert path.is_file()
    assert [entry("a")] == listed(path)


def test_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that changes its folder goes on with the same file."""
    monkeypatch.chdir(tmp_path)
    store = SqliteStore("store.sqlite3")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    async def steps() -> None:
        await store.save([entry("a")])
        await store.close()

    run(steps())
    assert (tmp_path / "store.sqlite3").is_file()


def test_default_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's cache folder is where XDG says; a relative one counts as none."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    named = default_path()
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    ignored = default_path()
    monkeypatch.delenv("XDG_CACHE_HOME")

    assert tmp_path / "xdg/verger/robots.sqlite3" == named
    assert tmp_path / "home/.cache/verger/robots.sqlite3" == ignored == default_path()


def test_file_removed_while_open(path: Path) -> None:
    """When somebody removes the file of an open store, a new one takes its place."""
    old, new = entry("old"), entry("new")

    async def steps() -> list[Entry | None]:
        store = SqliteStore(path)
        await store.save([old])
        for one in path.parent.iterdir():
            one.unlink()
        found = await loaded(store, old)
        await store.save([new])
        await store.close()
        return found

    assert [None] == run(steps())
    assert [new] == listed(path)


# Layouts


def test_file_that_was_written_before(path: Path) -> None:
    """A file that earlier code wrote is read, field by field, and written."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(Path(__file__).with_name("layout-1.sql").read_text())
    # It did not count for how long a file has been unreachable.
    uncounted = replace(full("b"), unreachable_for=0.0)
    saved = [entry("a"), uncounted, entry("c", status=404, body=b"")]

    assert saved == listed(path)
    filled(path, [entry("d")])
    assert [*saved, entry("d")] == listed(path)
    assert [("ok",)] == asked(path, "PRAGMA integrity_check")


def test_newer_layout(path: Path) -> None:
    """A file of a later verger is named, with the way out, and not touched."""
    filled(path, [entry("a")])
    asked(path, "PRAGMA user_version = 99")
    before = path.read_bytes()

    with pytest.raises(NewerSchema) as caught:
        listed(path)
    with pytest.raises(NewerSchema):
        filled(path, [entry("b")])

    newest = sqlite_file.CACHE.version
    assert (
        f"`{path}` was written by a later verger: its layout is version 99, "
        f"this one reads up to version {newest}\n"
        "hint: upgrade verger, or name another file for the cache"
    ) == str(caught.value)
    assert before == path.read_bytes()
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("version", [0, 1, 99])
def test_database_of_another_program(path: Path, version: int) -> None:
    """A database that is not verger's is refused, and not touched."""
    asked(path, "CREATE TABLE precious (a)")
    asked(path, f"PRAGMA user_version = {version}")
    before = path.read_bytes()

    with pytest.raises(CacheError, match="another program"):
        filled(path, [entry("a")])

    assert before == path.read_bytes()


# Damage


def broken_bytes(path: Path, content: bytes, damaged: bytes) -> None:
    """Change some bytes of a closed file where they stand, once."""
    data = path.read_bytes()
    assert 1 == data.count(content)
    path.write_bytes(data.replace(content, damaged))


def test_damage_is_told_in_visible_characters(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What a stranger wrote into a store does not act on the terminal that shows the log."""
    with caplog.at_level(logging.WARNING, logger="verger.cache"):
        entries_in([("http://a.example/\x1b]0;x\x07\r\n\x9b", b"", ())], where=f"{path}\x1b")

    assert len(caplog.messages) == 1
    assert all(message.isprintable() for message in caplog.messages)


@pytest.mark.parametrize("key", ["CAST('http://x' AS BLOB)", "x''", "''"])
def test_keys_that_are_no_origins(path: Path, key: str, caplog: pytest.LogCaptureFixture) -> None:
    """A row that nothing can ask for is counted as damage, and repeats no other."""
    filled(path, [entry(f"h{n}") for n in range(5)])
    asked(path, f"UPDATE entry SET origin = {key} WHERE origin LIKE '%h3%'")

    assert ["h0", "h1", "h2", "h4"] == [each.origin[8:10] for each in listed(path, damaged=1)]
    assert 1 == caplog.text.count("is damaged and is not used")


def test_damaged_body(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A body that is not what was saved is absent and told, until a save brings it again."""
    shared = b"User-agent: precious\n" + b"#" * 100
    one, two, sound = (entry(name, body=shared) for name in ("one", "two", "sound"))
    sound = entry("sound")
    filled(path, [one, two, sound])
    broken_bytes(path, b"precious", b"previous")

    async def steps() -> object:
        store = SqliteStore(path)
        first = await loaded(store, one, two, sound)
        problems = store.problems
        await store.save([two])
        second = await every(store)
        await store.close()
        return first, problems, second

    with caplog.at_level(logging.WARNING, logger="verger.cache"):
        found = run(steps())

    assert ([None, None, sound], 2, [one, sound, two]) == found
    assert "https://one.example" in caplog.messages[0]
    assert str(path) in caplog.messages[0]
    assert [(0,)] == asked(path, ORPHANS)


def test_damaged_record(path: Path) -> None:
    """A record with another status than was saved is absent: nobody decides by it."""
    damaged, sound = entry("damaged", status=418), entry("sound")
    filled(path, [damaged, sound])
    broken_bytes(path, b'"status":418', b'"status":200')

    async def steps() -> object:
        store = SqliteStore(path)
        first = await every(store)
        problems = store.problems
        await store.save([damaged])
        second = await every(store)
        await store.close()
        return first, problems, second

    assert ([sound], 1, [damaged, sound]) == run(steps())


def test_rows_of_other_types(path: Path) -> None:
    """Rows that no verger wrote, of any type, are absent."""
    filled(path, [entry("sound")])
    for origin, record, body in (
        ("'https://null.example'", "x''", "NULL"),
        ("'https://text.example'", "'text'", "'text'"),
        ("'https://number.example'", "7", "7"),
        ("x'ff00'", "x'00'", "NULL"),
        ("CAST(x'ff' AS TEXT)", "x'00'", "x'00'"),
        ("8", "x'00'", "x'00'"),
    ):
        values = f"{origin}, 0, {record}, {body}, {body}"
        names = "origin, saved_at, record, last_body, copy_body"
        asked(path, f"INSERT INTO entry ({names}) VALUES ({values})")

    async def steps() -> object:
        store = SqliteStore(path)
        found = await every(store)
        more = await store.load([f"https://{name}.example" for name in ("null", "text", "number")])
        await store.close()
        return found, dict(more)

    assert ([entry("sound")], {}) == run(steps())


def spoil_header(data: bytes) -> bytes:
    return b"Not a database\x00" + data[15:]


def spoil_pages(data: bytes) -> bytes:
    return data[:4_096] + b"\xa5" * (len(data) - 4_096)


SPOILED = {
    "another header": spoil_header,
    "random bytes": lambda data: bytes((n * 7 + n // 251) % 256 for n in range(len(data))),
    "a text": lambda _: b"User-agent: *\nDisallow: /\n" * 500,
    "one byte": lambda _: b"x",
    "all pages but the first": spoil_pages,
    "cut after the first page": lambda data: data[:4_096],
    "cut within a page": lambda data: data[: len(data) // 2 + 100],
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED.keys())
def test_damaged_file(path: Path, spoil: object) -> None:
    """A file that is not a whole database is reported, never believed, and never removed."""
    saved = [entry(f"h{n:03}", body=b"%d" % n * 500) for n in range(100)]
    filled(path, saved)
    path.write_bytes(spoil(path.read_bytes()))
    size = path.stat().st_size

    async def use(store: SqliteStore) -> None:
        for one in await every(store):
            assert one in saved
        await store.save([entry(f"n{n}", body=b"%d" % n) for n in range(300)])

    async def steps() -> None:
        store = SqliteStore(path, patience=1)
        with pytest.raises(CacheError, match=r"damaged|another program") as caught:
            await use(store)
        await store.close()
        assert str(path) in caught.value.message
        assert caught.value.hint

    run(steps())
    assert path.stat().st_size >= size


def test_empty_file(path: Path) -> None:
    """A file without bytes, as `touch` or a disk that was full leaves it, becomes a store."""
    path.touch()
    filled(path, [entry("a")])

    assert [entry("a")] == listed(path)


@pytest.mark.slow
def test_flipped_bits(path: Path) -> None:
    """Whatever byte is damaged: entries are as they were saved, absent, or refused."""
    saved = {one.origin: one for one in (entry(f"h{n}", body=b"%d" % n * 900) for n in range(8))}
    filled(path, list(saved.values()))
    data = path.read_bytes()

    async def read() -> list[Entry]:
        store = SqliteStore(path, patience=0.2)
        try:
            found = list((await store.load(list(saved))).values())
            return found + await every(store)
        except CacheError:
            return []
        finally:
            await store.close()

    logging.getLogger("verger.cache").setLevel(logging.ERROR)
    outcomes = set()
    for at in range(0, len(data), 173):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        found = run(read())
        outcomes.add(len(found))
        assert all(one == saved[one.origin] for one in found), at
    logging.getLogger("verger.cache").setLevel(logging.NOTSET)

    assert {0, 16} < outcomes


# Locks, disks and permissions

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


def test_locked(path: Path) -> None:
    """While another program locks the file, writing fails after the patience; reading works."""
    saved = entry("a")
    filled(path, [saved])

    async def steps(holder: subprocess.Popen[bytes]) -> object:
        store = SqliteStore(path, patience=0.5)
        with pytest.raises(CacheError, match=r"locked by another program for 0\.5 seconds"):
            await store.save([entry("b")])
        found = await loaded(store, saved)
        holder.communicate()
        await store.save([entry("b")])
        await store.close()
        return found

    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert b"locked\n" == holder.stdout.readline()
        found = run(steps(holder))

    assert [saved] == found
    assert [saved, entry("b")] == listed(path)


def test_an_error_that_nobody_waits_for(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A call that is cancelled, and fails afterwards, tells nobody: it is no bug."""
    filled(path, [entry("a")])

    async def steps() -> None:
        store = SqliteStore(path, patience=0)
        saving = asyncio.create_task(store.save([entry("b")]))
        await asyncio.sleep(0)  # it has begun; what became of it, the loop cannot know yet
        saving.cancel()
        await asyncio.wait([saving])
        assert saving.cancelled()
        with pytest.raises(CacheError):  # its turn comes after the other has failed
            await store.save([entry("c")])
        await store.close()

    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        run(steps())
    gc.collect()

    assert [] == caplog.messages


def test_lock_that_ends_in_time(path: Path) -> None:
    """A lock that ends before the patience does is waited for."""
    filled(path, [entry("a")])
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert b"locked\n" == holder.stdout.readline()

        async def steps() -> None:
            store = SqliteStore(path, patience=LONG)
            saving = asyncio.create_task(store.save([entry("b")]))
            await asyncio.sleep(0.3)
            assert not saving.done()
            holder.communicate()
            await saving
            await store.close()

        run(steps())

    assert [entry("a"), entry("b")] == listed(path)


FULL = """
    import resource, sys
    sys.dont_write_bytecode = True  # or half of it would be kept
    from cache.samples import entry, every, run
    from verger.cache.sqlite import SqliteStore
    from verger.errors import CacheError

    async def steps():
        store = SqliteStore(sys.argv[1])
        saved = entry("first")
        await store.save([saved])
        await store.close()
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
        acknowledged = {saved.origin: saved}
        refused = 0
        for n in range(300):
            one = entry(f"h{n}", body=b"%d" % n * 2_000)
            try:
                await store.save([one])
                acknowledged[one.origin] = one
            except CacheError as error:
                refused += 1
                assert sys.argv[1] in error.message and error.hint, error
        assert refused, "the disk was never full"
        found = {one.origin: one for one in await every(store)}
        assert found == acknowledged, set(found) ^ set(acknowledged)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        await store.save([entry("last")])
        await store.close()
        print("kept", len(acknowledged) > 1)

    run(steps())
"""


def test_disk_full(path: Path) -> None:
    """Without room a save fails, what was acknowledged stays, and with room it goes on."""
    assert "kept True\n" == printed(FULL, path)
    assert entry("last") in listed(path)
    assert [("ok",)] == asked(path, "PRAGMA integrity_check")


READ_ONLY = """
    import os, sys
    from cache.samples import entry, every, run
    from verger.cache.sqlite import SqliteStore
    from verger.errors import CacheError
    import asyncio, json, encodings.idna

    if os.getuid() == 0:  # whom permissions do not hold back
        os.setgid(65534), os.setuid(65534)

    async def steps():
        store = SqliteStore(sys.argv[1], patience=0.5)
        try:
            await store.save([entry("b")])
        except CacheError as error:
            print(error.message.replace(sys.argv[1], "FILE"))
            print(error.hint)
        try:
            print(*[one.origin for one in await every(store)])
            origins = ["https://a.example", "https://b.example"]
            claimed = await store.claim(origins, holder="x", seconds=9)
            await store.release(origins, holder="x")
            print("claimed", *sorted(claimed), end=", released\\n")
        except CacheError:
            print("unreadable")
        await store.close()

    run(steps())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize("what", ["file", "folder", "both", "missing"])
def test_read_only(open_folder: Path, what: str) -> None:
    """Where nothing may be written, saving says so, and what is there can be read."""
    path = open_folder / "store.sqlite3"
    if what != "missing":
        filled(path, [entry("a")])
        path.chmod(0o444 if what in ("file", "both") else 0o666)
    open_folder.chmod(0o777 if what == "file" else 0o555)

    told = printed(READ_ONLY, path).splitlines()

    assert told[0].startswith("the cache `FILE` ")
    assert told[2] == ("unreadable" if what == "missing" else "https://a.example")
    if what != "missing":
        assert told[3] == "claimed https://a.example https://b.example, released"
        open_folder.chmod(0o755)
        assert [entry("a")] == listed(path)


def seen(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return what lies in a folder, and when it was written."""
    return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.iterdir()}


def test_opened_to_read(path: Path) -> None:
    """A store that is opened to be read writes nothing, into the file or beside it."""
    filled(path, [entry("a"), entry("b")])
    before = seen(path.parent)

    async def steps() -> object:
        store = SqliteStore(path, read_only=True)
        found = [one.origin for one in await every(store)]
        for refused in (store.save([entry("c")]), store.remove(), store.remove([A])):
            with pytest.raises(ReadOnlyStore, match="is read-only"):
                await refused
        claimed = await store.claim([A], holder="x", seconds=9)
        await store.release([A], holder="x")
        await store.close()
        return found, claimed

    assert (["https://a.example", "https://b.example"], {A}) == run(steps())
    assert before == seen(path.parent)


@pytest.mark.parametrize("name", ["the file", "a link"])
def test_read_while_others_write(path: Path, name: str) -> None:
    """Who only reads sees what others have written since, with a write-ahead log or without."""
    read = path
    if name == "a link":  # beside which SQLite keeps nothing
        read = path.with_name("link")
        read.symlink_to(path)

    async def steps() -> list[list[str]]:
        reader, writer = SqliteStore(read, read_only=True), SqliteStore(path)
        await writer.save([entry("a")])
        found = [[one.origin for one in await every(reader)]]
        await writer.save([entry("b")])
        found.append([one.origin for one in await every(reader)])
        await writer.close()
        found.append([one.origin for one in await every(reader)])
        await writer.remove([A])
        await writer.close()
        found.append([one.origin for one in await every(reader)])
        await reader.close()
        return found

    b = "https://b.example"
    assert [[A], [A, b], [A, b], [b]] == run(steps())


def test_no_folder_on_the_way_out_of_one(tmp_path: Path) -> None:
    """A folder is made to hold the file, and none for the sake of the `..` behind it."""

    async def steps() -> None:
        store = SqliteStore(tmp_path / "no" / ".." / "c.sqlite")
        with pytest.raises(CacheError, match="No such file or directory"):
            await store.save([entry("a")])
        await store.close()

    run(steps())
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("data", [b"", b"S", b"SQLite format 3\0", b"x" * 5_000])
def test_nothing_to_read(path: Path, data: bytes) -> None:
    """A file that is not a store is left as it is by who only reads."""
    path.write_bytes(data)
    before = seen(path.parent)

    async def steps() -> None:
        store = SqliteStore(path, read_only=True)
        with pytest.raises(CacheError):
            await store.load([A])
        await store.close()

    run(steps())
    assert before == seen(path.parent)


def test_nothing_there_to_read(path: Path) -> None:
    """A store that is not there is not made by who only reads."""

    async def steps() -> None:
        store = SqliteStore(path, read_only=True)
        with pytest.raises(CacheError, match="cannot be used"):
            await store.load([A])
        await store.close()

    run(steps())
    assert {} == seen(path.parent)


def test_path_is_a_folder(tmp_path: Path) -> None:
    """A folder in the place of the file is reported."""
    with pytest.raises(CacheError, match="cannot be opened"):
        listed(tmp_path)


def test_folder_is_a_file(tmp_path: Path) -> None:
    """A file in the place of the folder is reported."""
    (tmp_path / "file").touch()

    with pytest.raises(CacheError, match=r"cannot be used: (Not a directory|File exists)"):
        listed(tmp_path / "file" / "store.sqlite3")
