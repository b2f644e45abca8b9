"""The cases of `observed`: rows of one origin, and what a crawler may fetch after them.

In: `conformance/access/observations.toml`. Out: the rows as observations, as tables, as entries of
a cache and its export; and what each dialect permits. No test lives here.
"""

import asyncio
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any, NamedTuple

import verger
from access.results import FAILED
from cache.samples import filled
from reference.access import ACCESS_SWITCHES, Event, judged, kind_of, period
from support import CHECKOUT
from verger.access.entry import Entry
from verger.access.observation import Observation, entry_observed
from verger.cache.export import export_parquet
from verger.cache.opening import existing_store

PATHS = range(7)
"""File n closes `/n` and nothing else; no file closes `/0`."""
TOKEN = "ExampleBot"
ROWS_FILE = CHECKOUT / "conformance" / "access" / "observations.toml"


class Row(NamedTuple):
    """What is known of one attempt."""

    time: int | None = None
    status: int | None = None
    failure: str | None = None
    body: bytes | None = None

    def seen(self) -> Observation:
        """Return the row as the access rules take it."""
        failure = FAILED[self.failure] if self.failure else None
        return Observation(self.time, self.status, failure, self.body)


class Case(NamedTuple):
    """Some rows of one origin, and the answer of each dialect."""

    id: str
    number: int
    row_numbers: list[int]
    rows: list[Row]
    answers: dict[str, dict[str, Any]]

    def __str__(self) -> str:
        return self.id

    @property
    def origin(self) -> str:
        """An origin of its own, so that many cases fit into one table."""
        return f"https://case{self.number}.example"

    def urls(self) -> list[str]:
        """Return the URLs to ask about."""
        return [f"{self.origin}/{path}" for path in PATHS]

    def permitted(self, dialect: str) -> list[bool]:
        """Return for each of these URLs whether the crawler may fetch it."""
        answer = self.answers.get(dialect, self.answers["rfc9309"])
        match answer["outcome"]:
            case "allow_all":
                return [True] * len(PATHS)
            case "disallow_all" | "defer":
                return [False] * len(PATHS)
        file = self.rows[answer["row"] - 1].body
        return [not file or path != answer["row"] for path in PATHS]


def body_of(number: int) -> bytes:
    """Return the file of a row."""
    return b"User-agent: *\nDisallow: /%d\n" % number


def _row(number: int, given: dict[str, Any]) -> Row:
    known = dict(given)
    if "body" in known:
        known["body"] = {"": b"", "file": body_of(number)}[known["body"]]
    return Row(**known)


def _case(number: int, case: dict[str, Any]) -> Case:
    rows = [_row(int(row), given) for row, given in case["observed"].items()]
    answers = {"rfc9309": case["expect"]} | case.get("differs", {})
    return Case(case["id"], number, list(map(int, case["observed"])), rows, answers)


CASES = [
    _case(number, case)
    for number, case in enumerate(tomllib.loads(ROWS_FILE.read_text("utf-8"))["case"])
]

NO_STATUS = "observed/a status that HTTP has no room for"
"""What is on no wire and in no store."""
STORED = [case for case in CASES if case.id != NO_STATUS]


def entries_of(cases: Iterable[Case]) -> list[Entry]:
    """Return what a store keeps of the origins of some cases."""
    return [entry_after(case) for case in cases]


def entry_after(case: Case) -> Entry:
    """Return what is known after the rows of a case."""
    return entry_observed(case.origin, [row.seen() for row in case.rows], now=time())


def exported(folder: Path, cases: Iterable[Case]) -> Path:
    """Fill a cache with what is known after some cases, and return what is exported from it."""
    store, path = folder / "files.sqlite3", folder / "files.parquet"
    filled(store, entries_of(cases))

    async def export() -> None:
        async with existing_store(store) as entries:
            await export_parquet(entries, path)

    asyncio.run(export())
    return path


def allowed_by(file: bytes | None) -> list[bool]:
    """Return which paths a file opens; none where no file says what may be fetched."""
    if file is None:
        return [False] * len(PATHS)
    agent = verger.parse(file).agent(TOKEN)
    return [agent.allowed(f"/{path}") for path in PATHS]


def columns_of(cases: Sequence[Case]) -> dict[str, list[Any]]:
    """Return the rows of cases as columns of one table, in the order in which they stand."""
    rows = [(case.origin, row) for case in cases for row in case.rows]
    columns: dict[str, list[Any]] = {"origin": [origin for origin, _ in rows]}
    for name in ("time", "status", "failure", "body"):
        columns[name] = [getattr(row, name) for _, row in rows]
    return columns


def reference_outcome(case: Case, dialect: str) -> str:
    """Return what the reference says of the last row, after what the rows before it left."""
    ordered = sorted(case.rows, key=lambda row: (row.time is not None, row.time or 0))
    event, copy, failed = Event(), False, list[float | None]()
    for row in ordered:
        event = _event(row)
        if kind_of(event) in ("trouble", "error", "429"):
            failed.append(row.time)
            event = replace(event, unreachable_for=period(failed, time()), copy=copy)
        else:
            copy, failed = kind_of(event) in ("file", "empty"), []
    return judged(event, ACCESS_SWITCHES[dialect])


def _event(row: Row) -> Event:
    status = 200 if row.status is None and row.body is not None else row.status
    is_success = status is not None and 200 <= status < 300
    is_lost = is_success and row.body is None and status != 204
    return Event(status, "broken-body" if is_lost else row.failure, empty=not row.body)
