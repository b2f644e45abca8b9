"""The archive of a watch: one SQLite file with all that was observed, and what was told of it.

In: results of fetches. Out: observations as intervals: the same result again makes an interval
longer. Bodies are stored once, under their digests. What is observed, what state a site is in, the
news of it and whom they still have to reach are written in one transaction, so that a process that
is killed at any moment has told what it has stored, and will not tell it again.

The layout, version 1: `body` holds each body; `vantage` from where was looked, `0` for what others
observed; `observation` the intervals; `site` the state of each site from each vantage; `news` what
was told; `target` who is told, with the last news that reached it; `outbox` the news that a webhook
has not taken yet.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from verger.access.entry import Entry, entry_after, is_failure
from verger.access.result import AccessResult
from verger.cache.codec import DamagedRecord, digest_of, encode, entry_of, facts_in
from verger.cache.sqlite_file import Layout, explained, is_damage, open_file, open_to_read
from verger.errors import CacheError, UnusableInput
from verger.untrusted_text import counted

LAYOUT = Layout(
    "archive",
    0x76726761,  # "vrga"
    1,
    (
        """CREATE TABLE body (
            digest BLOB NOT NULL UNIQUE,
            content BLOB NOT NULL
        )""",
        """CREATE TABLE vantage (
            id INTEGER PRIMARY KEY,
            user_agent TEXT NOT NULL,
            proxy TEXT NOT NULL,
            UNIQUE (user_agent, proxy)
        )""",
        "INSERT INTO vantage VALUES (0, '', '')",
        """CREATE TABLE observation (
            id INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            vantage INTEGER NOT NULL REFERENCES vantage,
            first REAL NOT NULL,  -- seconds since the epoch
            last REAL NOT NULL,
            times INTEGER NOT NULL,
            record BLOB NOT NULL,  -- the result, as when it was seen last
            body BLOB
        )""",
        "CREATE INDEX observation_by_time ON observation (origin, first)",
        """CREATE TABLE site (
            origin TEXT NOT NULL,
            vantage INTEGER NOT NULL,
            state TEXT NOT NULL,
            due REAL NOT NULL,
            sum INTEGER NOT NULL,  -- CRC-32 of the state
            PRIMARY KEY (origin, vantage)
        ) WITHOUT ROWID""",
        """CREATE TABLE news (
            id INTEGER PRIMARY KEY,
            origin TEXT NOT NULL,
            record TEXT NOT NULL,
            sum INTEGER NOT NULL  -- CRC-32 of the record
        )""",
        "CREATE INDEX news_by_origin ON news (origin)",
        """CREATE TABLE target (
            name TEXT PRIMARY KEY,
            told INTEGER NOT NULL,  -- the last news that reached it; not for webhooks
            ended REAL              -- when it asked for no more
        ) WITHOUT ROWID""",
        """CREATE TABLE outbox (
            target TEXT NOT NULL,
            news INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            due REAL NOT NULL,
            PRIMARY KEY (target, news)
        ) WITHOUT ROWID""",
    ),
    "`verger history --export` writes what can be read of it, if anything; then name another file",
)

PATIENCE = 10.0
"""Seconds that a transaction waits for another process."""

LEAST_ROW = 64
"""The fewest bytes that an observation takes in the file."""

WEEK = 7 * 86_400
"""Between two failures a week counts at most, as in `verger.access.entry`."""

COLUMNS = """
    SELECT observation.id, origin, first, last, times, record, content, user_agent, proxy
    FROM observation JOIN vantage ON vantage.id = vantage LEFT JOIN body ON digest = body
"""

OF_NO_VANTAGE = """
    SELECT id, origin, first, last, times, record, content, '', ''
    FROM observation LEFT JOIN body ON digest = body
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was observed of an origin, from a first time to a last one.

    number:      of the observation in its archive.
    first, last: seconds since the epoch.
    times:       how often it was observed.
    result:      the result of the fetch, as when it was seen last.
    user_agent:  the identification string that was sent; empty for what others observed.
    proxy:       the proxy that was asked, without its password; empty for none.
    """

    number: int
    origin: str
    first: float
    last: float
    times: int
    result: AccessResult
    user_agent: str = ""
    proxy: str = ""

    @property
    def looked(self) -> "Vantage":
        """From where it was observed."""
        return Vantage(self.user_agent, self.proxy)


class Vantage(NamedTuple):
    """From where a site is looked at: the identification string, and the proxy; both empty for
    others."""

    user_agent: str = ""
    proxy: str = ""


class Archive:
    """An archive, open until `close`.

    read_only:  whether to write nothing; then the file must be there.
    Raises UnusableInput if it is not; CacheError if it is not an archive, here and later.
    """

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._damage = set[tuple[str, object]]()
        self._is_counted = True
        if read_only and not self.path.is_file():
            why = f"no archive at `{path}`"
            raise UnusableInput(why, f"`verger watch ORIGIN --archive {path}` makes one")
        with self._explaining():
            opening = open_to_read if read_only else open_file
            self._db = opening(self.path, LAYOUT)
            self._db.text_factory = lambda text: text.decode("utf-8", "replace")
            self._db.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
            if not read_only:  # what was told must outlive the machine
                self._db.execute("PRAGMA synchronous = FULL")

    @property
    def damaged(self) -> int:
        """How many observations, states and news could not be read, and were left out."""
        return len(self._damage)

    def notes(self) -> Iterator[str]:
        """Yield what a person should know of it."""
        if self.damaged:
            most = "" if self._is_counted else "up to "
            yield f"note: {most}{counted(self.damaged, 'part')} of the archive cannot be read"

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, RuntimeError, CacheError) as error:  # of a loop of links
            raise explained(error, self.path, PATIENCE, LAYOUT) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything in the block, or nothing of it; others wait meanwhile."""
        with self._explaining():
            self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.rollback()
            raise
        with self._explaining():
            self._db.commit()

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._explaining():
            return self._db.execute(query, values).fetchall()

    # observations

    def vantage(self, looked: Vantage) -> int:
        """Return the number of a vantage, which is made if needed; within a transaction."""
        self.ask("INSERT OR IGNORE INTO vantage (user_agent, proxy) VALUES (?, ?)", *looked)
        [(found,)] = self.ask("SELECT id FROM vantage WHERE (user_agent, proxy) = (?, ?)", *looked)
        return int(found)

    def vantages(self, origin: str) -> list[Vantage]:
        """Return from where an origin was looked at, the latest first; `Vantage()` for others."""
        query = """SELECT user_agent, proxy FROM observation JOIN vantage ON vantage.id = vantage
            WHERE origin = ? GROUP BY vantage ORDER BY max(last) DESC"""
        return [Vantage(*row) for row in self.ask(query, origin)]

    def add(self, origin: str, vantage: int, result: AccessResult) -> Seen:
        """Store one more result, the latest or, as a clock may say, an earlier one; within a
        transaction.

        If the observation before it, or the one behind it, is the same, it becomes longer.
        """
        at = result.fetched_at
        own = f"{COLUMNS} WHERE (origin, vantage) = (?, ?) AND first"
        here = (origin, vantage, at)
        before = self._seen(f"{own} <= ? ORDER BY first DESC, observation.id DESC LIMIT 1", *here)
        after = self._seen(f"{own} > ? ORDER BY first LIMIT 1", *here)
        for around in (each for each in before if each.last >= at):
            if _is_same(around.result, result):
                return around  # it is known
            self._split(around)
            before, after = [], []  # what is beside it now is one of the two ends
        for same in (each for each in (*before, *after) if _is_joined(each, result)):
            record = encode(Entry(origin, result)).data if at > same.last else None
            self.ask(
                """UPDATE observation SET first = min(first, ?), last = max(last, ?),
                times = times + 1, record = coalesce(?, record) WHERE id = ?""",
                *(at, at, record, same.number),
            )
            return self.seen(same.number)
        return self.seen(self._insert(origin, vantage, result))

    def add_from_others(self, origin: str, result: AccessResult) -> bool:
        """Store what others observed, at any time; within a transaction. Return whether it is new.

        Each is stored by itself, for another one may come between any two of them.
        """
        query = f"{COLUMNS} WHERE (origin, vantage, first) = (?, 0, ?)"
        known = self._seen(query, origin, result.fetched_at)
        is_new = not any(_is_same(each.result, result) for each in known)
        if is_new:
            self._insert(origin, 0, result)
        return is_new

    def _insert(self, origin: str, vantage: int, result: AccessResult) -> int:
        stored, at = encode(Entry(origin, result)), result.fetched_at
        for digest, body in stored.bodies.items():
            self.ask("INSERT OR IGNORE INTO body VALUES (?, ?)", digest, body)
        [(number,)] = self.ask(
            """INSERT INTO observation (origin, vantage, first, last, times, record, body)
            VALUES (?, ?, ?, ?, 1, ?, ?) RETURNING id""",
            *(origin, vantage, at, at, stored.data, stored.last_body),
        )
        return int(number)

    def _split(self, around: Seen) -> None:
        """Make two observations of one in which something else was observed: its two ends."""
        if around.last > around.first:
            self.ask(
                """INSERT INTO observation (origin, vantage, first, last, times, record, body)
                SELECT origin, vantage, last, last, max(times - 1, 1), record, body
                FROM observation WHERE id = ?""",
                around.number,
            )
            query = "UPDATE observation SET last = first, times = 1 WHERE id = ?"
            self.ask(query, around.number)

    def seen(self, number: int) -> Seen:
        """Return an observation. Raises CacheError for one that is damaged."""
        found = self._seen(f"{COLUMNS} WHERE observation.id = ?", number)
        if not found:
            why = f"the archive `{self.path}` is damaged: observation {number} cannot be read"
            raise CacheError(why, LAYOUT.if_damaged)
        return found[0]

    def known(self, numbers: Iterable[int]) -> dict[int, Seen]:
        """Return observations by their numbers, but for those that cannot be read."""
        query = f"{COLUMNS} WHERE observation.id = ?"
        return {each.number: each for number in numbers for each in self._seen(query, number)}

    def observations(
        self, origin: str, looked: Vantage | None = None, *, until: float = float("inf")
    ) -> list[Seen]:
        """Return what was observed of an origin up to a time, by its first times.

        looked:  only from this vantage, and by others; None for all.
        """
        query = f"{COLUMNS} WHERE origin = ? AND first <= ? ORDER BY first, observation.id"
        found = (self._read(*row) for row in self.ask(query, origin, until))
        wanted = {Vantage(), looked}
        return [*_joined(each for each in found if not (each and looked) or each.looked in wanted)]

    def is_sound(self) -> bool:
        """Whether every page of the file is as SQLite left it, as far as SQLite can tell."""
        found: list[tuple[Any, ...]] = []
        with self._passing_over():
            found = self.ask("PRAGMA integrity_check(1)")
        return found == [("ok",)]

    def each(self) -> Iterator[Seen]:
        """Yield all observations by their numbers, without vantages, also of a file with damaged
        pages: each is read by itself, and those that cannot be read are counted."""
        named = self._numbers()
        room = 0 if self._is_counted else self.path.stat().st_size // LEAST_ROW
        for number in sorted({*named, *range(1, room + 1)}):
            seen: list[Seen] = []
            with self._passing_over(("observation", number)):
                seen = self._seen(f"{OF_NO_VANTAGE} WHERE id = ?", number)
            if number in named and not seen:
                self._damage.add(("observation", number))
            yield from seen

    def _numbers(self) -> set[int]:
        """Return the numbers of observations that the table or its index names: a page that was
        never written is missing in one of them."""
        named = set[int]()
        for by in ("NOT INDEXED", "INDEXED BY observation_by_time"):
            is_read = False
            with self._passing_over():
                named.update(number for (number,) in self.ask(f"SELECT id FROM observation {by}"))
                is_read = True
            self._is_counted &= is_read
        return named

    @contextmanager
    def _passing_over(self, *part: tuple[str, object]) -> Iterator[None]:
        """Leave out what is in a damaged page, and count it."""
        try:
            yield
        except CacheError as error:
            if not is_damage(error):
                raise
            self._damage.update(part)

    def origins(self) -> list[str]:
        """Return all origins, in order."""
        return [name for (name,) in self.ask("SELECT DISTINCT origin FROM observation ORDER BY 1")]

    def _seen(self, query: str, *values: object) -> list[Seen]:
        return [seen for row in self.ask(query, *values) if (seen := self._read(*row))]

    def _read(
        self, number: int, origin: str, first: float, last: float, times: int, *rest: Any
    ) -> Seen | None:
        record, body, user_agent, proxy = rest
        try:
            result = entry_of(origin, facts_in(origin, record), (body,)).last
        except DamagedRecord:
            self._damage.add(("observation", number))
            return None
        return Seen(number, origin, first, last, times, result, user_agent, proxy)

    # states, news, and whom they reach

    def state(self, origin: str, vantage: int) -> dict[str, Any]:
        """Return the stored state of a site, else that of what others observed; empty before."""
        query = """SELECT state, sum FROM site WHERE origin = ? AND vantage IN (?, 0)
            ORDER BY vantage DESC LIMIT 1"""
        for state, checksum in self.ask(query, origin, vantage):
            if _sum(state) == checksum:
                return dict[str, Any](json.loads(state))
            self._damage.add(("state", origin))
        return {}

    def put_state(self, origin: str, vantage: int, state: object, due: float) -> None:
        """Store the state of a site, and when it is due again; within a transaction."""
        text = json.dumps(state)
        row = (origin, vantage, text, due, _sum(text))
        self.ask("INSERT OR REPLACE INTO site VALUES (?, ?, ?, ?, ?)", *row)

    def due(self, origin: str, vantage: int) -> float:
        """Return when a site is due again, in seconds since the epoch; 0 before the first time."""
        query = "SELECT due FROM site WHERE (origin, vantage) = (?, ?)"
        return next((due for (due,) in self.ask(query, origin, vantage)), 0.0)

    def add_news(self, origin: str, record: str, webhooks: Iterable[str], now: float) -> None:
        """Store news, and that these webhooks have to take them; within a transaction."""
        query = "INSERT INTO news (origin, record, sum) VALUES (?, ?, ?) RETURNING id"
        [(number,)] = self.ask(query, origin, record, _sum(record))
        for url in webhooks:
            query = """INSERT INTO outbox SELECT ?, ?, 0, ?
                WHERE NOT EXISTS (SELECT 1 FROM target WHERE name = ? AND ended IS NOT NULL)"""
            self.ask(query, url, number, now, url)

    def news(self, *, after: int = 0) -> list[tuple[int, str, str]]:
        """Return news behind some number: their numbers, their origins, and what they say."""
        return self._news("WHERE id > ? ORDER BY id", after)

    def latest(self, origin: str | None, most: int) -> list[str]:
        """Return what the latest news of an origin say, or of all with None, the newest first."""
        query = "WHERE origin = coalesce(?, origin) ORDER BY id DESC LIMIT ?"
        return [record for *_, record in self._news(query, origin, most)]

    def waiting(self, target: str) -> tuple[int, int, float, str] | None:
        """Return the first news that a webhook has not taken: its number, how often it was tried,
        when it is due, and what it says, nothing if that cannot be read."""
        query = "SELECT news, tries, due FROM outbox WHERE target = ? ORDER BY news LIMIT 1"
        for number, tries, due in self.ask(query, target):
            news = self._news("WHERE id = ?", number)
            return number, tries, due, news[0][2] if news else ""
        return None

    def _news(self, query: str, *values: object) -> list[tuple[int, str, str]]:
        """Return news, but for those that cannot be read."""
        found = self.ask(f"SELECT id, origin, record, sum FROM news {query}", *values)
        readable = [(number, of, text) for number, of, text, sum in found if sum == _sum(text)]
        self._damage |= {("news", row[0]) for row in found} - {("news", row[0]) for row in readable}
        return readable

    def told(self, target: str) -> int:
        """Return the last news that reached a target, within a transaction; one that is new has
        missed nothing."""
        query = "INSERT OR IGNORE INTO target SELECT ?, coalesce(max(id), 0), NULL FROM news"
        self.ask(query, target)
        [(number,)] = self.ask("SELECT told FROM target WHERE name = ?", target)
        return int(number)

    def tell(self, target: str, number: int) -> None:
        """Store that all news up to a number have reached a target; within a transaction."""
        self.ask("UPDATE target SET told = ? WHERE name = ?", number, target)


def _sum(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def _joined(seen: Iterable[Seen | None]) -> Iterator[Seen]:
    """Yield observations; those of others in a row that are the same, as one, unless an own one
    reaches into it. None stands for one that cannot be read."""
    row, reach = None, float("-inf")
    for each in seen:
        is_own = each is not None and each.looked != Vantage()
        reach = max(reach, each.last) if each and is_own else reach
        if row and each and row.first > reach and _is_joined(row, each.result):
            row = replace(row, last=each.last, times=row.times + each.times, result=each.result)
            continue
        if row:
            yield row
        row = each
    if row:
        yield row


def entry_at(seen: Iterable[Seen], now: float) -> Entry | None:
    """Return the entry of an origin at a time, after what was observed until then; None if nothing
    was. Observations are in the order of their first times; one from elsewhere may lie within
    another."""
    ends = ((at, each) for each in seen for at in {each.first, each.last} if at <= now)
    moments = sorted(ends, key=itemgetter(0))
    if moments and moments[-1][1].last > now:
        moments.append((now, moments[-1][1]))
    entry: Entry | None = None
    before: Seen | None = None
    for at, each in moments:
        result, period = replace(each.result, fetched_at=at), None
        if entry and each is before:  # it was observed in between, too
            more = min(at - each.first, WEEK * max(each.times - 1, 1))
            period = entry.unreachable_for + more
        entry, before = entry_after(entry, each.origin, result, unreachable_for=period), each
    return entry


def _is_joined(seen: Seen, result: AccessResult) -> bool:
    """Whether a result makes an observation longer: not that of a failure a week or more ago, since
    an interval says that it failed all the time."""
    gap = max(result.fetched_at - seen.last, seen.first - result.fetched_at)
    return _is_same(seen.result, result) and (gap <= WEEK or not is_failure(result))


def _is_same(one: AccessResult, other: AccessResult) -> bool:
    return _essence(one) == _essence(other)


def _essence(of: AccessResult) -> tuple[object, ...]:
    """Return what makes two results the same observation."""
    return of.url, of.status, of.failure, of.redirects, of.truncated, digest_of(of.body)
