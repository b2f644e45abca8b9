"""The archive: intervals, vantages, and what damage leaves."""

import asyncio
import random
import sqlite3
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from verger import RFC9309
from verger.access.entry import entry_after, policy_of
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore
from verger.errors import CacheError, NewerSchema, UnusableInput
from verger.watch.archive import Archive, Vantage, entry_at
from verger.watch.exchange import export

ORIGIN = "https://a.example"


def result(at: float, body: bytes = b"a", status: int = 200) -> AccessResult:
    return AccessResult(f"{ORIGIN}/robots.txt", at, status=status, body=body)


def filled(path: Path, *results: AccessResult) -> Archive:
    archive = Archive(str(path))
    with archive.transaction():
        for each in results:
            archive.add(ORIGIN, 0, each)
    return archive


def intervals(archive: Archive) -> list[tuple[float, float, int, bytes]]:
    seen = archive.observations(ORIGIN)
    return [(each.first, each.last, each.times, each.result.body) for each in seen]


def test_the_same_again_is_the_same_observation(tmp_path: Path) -> None:
    """It becomes longer; what comes back later is another one."""
    results = [result(at, body) for at, body in ((1, b"a"), (2, b"a"), (3, b"b"), (4, b"a"))]

    assert [(1, 2, 2, b"a"), (3, 3, 1, b"b"), (4, 4, 1, b"a")] == intervals(
        filled(tmp_path / "a.db", *results)
    )


def test_what_was_seen_before_is_put_in_its_place(tmp_path: Path) -> None:
    """An earlier observation, one within another, and one that is known already."""
    later = [result(10), result(20), result(5), result(15, b"b"), result(12), result(10)]

    # the last is known: nobody says that it is another time
    assert [(5, 12, 2, b"a"), (15, 15, 1, b"b"), (20, 20, 2, b"a")] == intervals(
        filled(tmp_path / "a.db", *later)
    )


def test_another_observation_within_one_parts_it(tmp_path: Path) -> None:
    """What is observed next is not joined across it, whatever a clock said."""
    jumped = [result(10), result(20), result(15, b"b"), result(12, b"c"), result(13, b"a")]

    assert [
        *((10, 10, 1, b"a"), (12, 12, 1, b"c"), (13, 13, 1, b"a")),
        *((15, 15, 1, b"b"), (20, 20, 1, b"a")),
    ] == intervals(filled(tmp_path / "a.db", *jumped))


@pytest.mark.parametrize("seed", range(50))
def test_the_past_from_others_is_the_same_in_any_order(tmp_path: Path, seed: int) -> None:
    """Each observation of others counts from its time on, whenever it was imported, and so do own
    ones beside them."""
    dice = random.Random(seed)
    times = [float(at) for at in dice.sample(range(30), 12)]
    others = [result(at, dice.choice((b"a", b"a", b"b")), dice.choice((200, 404))) for at in times]
    own = [result(at + 0.5, dice.choice((b"a", b"c"))) for at in sorted(times[:4])]
    archive = Archive(str(tmp_path / "a.db"))
    with archive.transaction():
        vantage = archive.vantage(Vantage("A/1"))
        new = [archive.add_from_others(ORIGIN, each) for each in (*others, *others)]
        for each in own:
            archive.add(ORIGIN, vantage, each)

    assert [True] * 12 + [False] * 12 == new
    for looked, told in ((Vantage(), others), (None, [*others, *own])):
        seen = archive.observations(ORIGIN, looked)
        assert len(told) == sum(each.times for each in seen)
        for then in (*others, told[-1]):  # of own ones, an archive keeps when they begin and end
            found = entry_at(seen, then.fetched_at)
            assert found is not None
            assert (then.status, then.body) == (found.last.status, found.last.body)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("own", [False, True], ids=["of others", "own"])
def test_failures_that_are_seldom_seen_are_no_period(tmp_path: Path, own: bool, seed: int) -> None:
    """Of what lies between two of them a week counts, however often they follow one another later:
    an interval would say that the file could not be fetched all the time."""
    dice = random.Random(seed)
    at, entry = 1e9, None
    archive = Archive(str(tmp_path / "a.db"))
    with archive.transaction():
        for _ in range(30):
            at += dice.choice((3_600, 86_400, 604_800, 604_801, 3_024_000))
            told = result(at, b"", dice.choice((503, 503, 503, 503, 503, 503, 502, 404)))
            entry = entry_after(entry, ORIGIN, told)
            archive.add(ORIGIN, 0, told) if own else archive.add_from_others(ORIGIN, told)
            found = entry_at(archive.observations(ORIGIN), at)

            assert found is not None
            assert entry.unreachable_for == found.unreachable_for
            assert policy_of(entry, RFC9309) == policy_of(found, RFC9309)
    assert len(archive.observations(ORIGIN)) < 30


def test_a_block_that_raises_writes_nothing(tmp_path: Path) -> None:
    """All of a transaction, or nothing."""
    archive = filled(tmp_path / "a.db", result(1))
    with suppress(ZeroDivisionError), archive.transaction():
        archive.add(ORIGIN, 0, result(2, b"b"))
        raise ZeroDivisionError

    assert len(intervals(archive)) == 1


def test_vantages_are_apart(tmp_path: Path) -> None:
    """What another user agent was served is another observation."""
    archive = Archive(str(tmp_path / "a.db"))
    looked = [Vantage("A/1"), Vantage("B/1", "http://proxy.example")]
    with archive.transaction():
        for at, each in enumerate(looked):
            archive.add(ORIGIN, archive.vantage(each), result(at))

    assert looked[::-1] == archive.vantages(ORIGIN)
    assert len(archive.observations(ORIGIN, looked[0])) == 1


def test_a_damaged_observation_is_counted_and_the_others_are_read(tmp_path: Path) -> None:
    """What can be read is read."""
    filled(tmp_path / "a.db", result(1), result(2, b"b"), result(3)).close()
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("UPDATE observation SET record = x'00' WHERE id = 2")
    archive = Archive(str(tmp_path / "a.db"), read_only=True)

    assert [1, 3] == [each.number for each in archive.observations(ORIGIN)]
    assert archive.damaged == 1


PAGE = 8_192


@pytest.mark.parametrize("octets", [b"\xff", b"\0", b"\x0d\0\0\0\1\0"])
def test_of_a_file_with_a_damaged_page_the_rest_is_exported(tmp_path: Path, octets: bytes) -> None:
    """Whichever page it is, but those that say what the file is; what is lost is counted."""
    bodies = [b"# %d\n" % n * 400 for n in range(60)]
    filled(tmp_path / "a.db", *(result(n, body) for n, body in enumerate(bodies))).close()
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole, rows = (tmp_path / "a.db").read_bytes(), []
    assert int.from_bytes(whole[16:18], "big") == PAGE
    damage = (octets * PAGE)[:PAGE]
    for at in range(PAGE, len(whole), PAGE):
        path = tmp_path / f"{at}.db"
        path.write_bytes(whole[:at] + damage + whole[at + PAGE :])
        try:
            archive = Archive(str(path), read_only=True)
        except CacheError:  # the names of the tables
            rows.append(0)
            continue
        number, _ = asyncio.run(export(archive, f"{path}.parquet"))
        told = pq.read_table(f"{path}.parquet").to_pylist()
        rows.append(number)

        assert number == len(told)
        assert all(bodies[int(row["fetched_at"].timestamp())] == row["body"] for row in told)
        assert len(told) + archive.damaged >= len(bodies), at
        archive.close()
    assert sorted(rows)[len(rows) // 2] >= 50  # a page has a few
    assert sum(number == 0 for number in rows) <= 4  # names of tables, and three roots


def test_news_and_states_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    """The rest is told, and a webhook waits for nothing that cannot be read."""
    archive = Archive(str(tmp_path / "a.db"))
    with archive.transaction():
        for text in ('{"a": 1}', '{"b": 2}'):
            archive.add_news(ORIGIN, text, ["http://hook.example"], 0.0)
        archive.put_state(ORIGIN, 0, {"name": "good"}, 0.0)
        archive.ask("UPDATE news SET record = CAST(x'7bff' AS TEXT) WHERE id = 1")
        archive.ask("""UPDATE site SET state = '{"name": "gone"}'""")

    assert [(2, ORIGIN, '{"b": 2}')] == archive.news()
    assert ['{"b": 2}'] == archive.latest(None, 9)
    assert (1, 0, 0.0, "") == archive.waiting("http://hook.example")
    assert {} == archive.state(ORIGIN, 0)
    assert ["note: 2 parts of the archive cannot be read"] == [*archive.notes()]


@pytest.mark.parametrize("content", [b"x" * 200, b"SQLite format 3\0" + b"x" * 200, b"short"])
def test_another_file_is_refused_and_not_changed(tmp_path: Path, content: bytes) -> None:
    """A file of somebody else."""
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(CacheError, match="archive"):
        Archive(str(path)).origins()

    assert content == path.read_bytes()


def test_a_cache_is_no_archive(tmp_path: Path) -> None:
    """Nor is an archive a cache."""
    import asyncio

    path = tmp_path / "c.db"

    async def ask(path: Path) -> None:
        store = SqliteStore(path)
        try:
            await store.load((ORIGIN,))
        finally:
            await store.close()

    asyncio.run(ask(path))
    with pytest.raises(CacheError, match="another program"):
        Archive(str(path))
    filled(tmp_path / "a.db", result(1)).close()
    with pytest.raises(CacheError, match="another program"):
        asyncio.run(ask(tmp_path / "a.db"))


def test_a_later_layout_is_left_alone(tmp_path: Path) -> None:
    """An archive of a later verger is not written to."""
    filled(tmp_path / "a.db", result(1)).close()
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("PRAGMA user_version = 9")

    with pytest.raises(NewerSchema, match="later verger"):
        Archive(str(tmp_path / "a.db"))


def test_to_read_it_must_be_there(tmp_path: Path) -> None:
    """Reading makes no file."""
    with pytest.raises(UnusableInput, match="no archive"):
        Archive(str(tmp_path / "a.db"), read_only=True)

    assert not list(tmp_path.iterdir())
