"""What observations of an origin mean: the same to every reader.

In: the cases of `conformance/access/observations.toml`, in all eight dialects. Each goes through
the access rules themselves and the reference, and through each kind of reader in the form that it
reads: a client, which meets row after row over time, a table in each format, a store, a
folder.
"""

import asyncio
import contextlib
import csv
import io
import json
import math
import random
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from time import time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger
from access.observed import (
    CASES,
    NO_STATUS,
    PATHS,
    STORED,
    TOKEN,
    Case,
    Row,
    allowed_by,
    body_of,
    columns_of,
    entries_of,
    entry_after,
    exported,
    reference_outcome as referred,
)
from access.results import COPY, FAILED, NOW
from cache.samples import filled
from reference.access import DAY
from support import NAMES
from verger.access.entry import Entry, binding_body, policy_of
from verger.access.observation import (
    place_in_time,
    place_without_order,
    result_observed,
)
from verger.access.policy import AccessPolicy, policy_after, turning_points
from verger.access.result import AccessResult
from verger.access.table import access_table, kind_of
from verger.bulk import Snapshot, decide_table
from verger.bulk.audit.history import history_of
from verger.bulk.audit.logs import UnusableInput
from verger.bulk.filter import filter_urls
from verger.bulk.scan import Scanner, scan
from verger.cli.app import main
from verger.errors import InvalidTable
from verger.fetching.transport import HopFailed, Reply, Request

Answers = dict[str, list[bool]]
"""Whether each URL of a case may be fetched, by the case."""

FORMATS = ("parquet", "floats", "renamed", "csv", "jsonl")
"""Forms of tables; `floats` is Parquet with the numbers of pandas, whose null is NaN, and `renamed`
with other usual names, and with hosts in place of origins."""

in_every_dialect = pytest.mark.parametrize("dialect", NAMES)
in_every_format = pytest.mark.parametrize("format", FORMATS)
of_cases = pytest.mark.parametrize("case", CASES, ids=str)


def cases_in(format: str) -> list[Case]:
    """Return the cases that a table can tell; in CSV no body is null, but an empty one is."""

    def is_null_in_csv(row: Row) -> bool:
        is_success = row.status is not None and 200 <= row.status < 300 and not row.failure
        return (is_success and row.body is None) or (not row.status and row.body == b"")

    if format != "csv":
        return list(CASES)
    return [case for case in CASES if not any(map(is_null_in_csv, case.rows))]


def expected(cases: Iterable[Case], dialect: str) -> Answers:
    return {case.id: case.permitted(dialect) for case in cases}


@of_cases
def test_policy(case: Case) -> None:
    """The access rules say what the case says, and name the row whose file binds."""
    said = {}
    for name in NAMES:
        entry = entry_after(case)
        policy = policy_of(entry, verger.DIALECTS[name])
        said[name] = allowed_by(binding_body(entry, policy))

    assert {name: case.permitted(name) for name in NAMES} == said


@of_cases
def test_reference_agrees(case: Case) -> None:
    """The reference gives the same outcomes, so that a wrong row cannot hide a wrong rule."""
    outcomes = {name: case.answers.get(name, case.answers["rfc9309"])["outcome"] for name in NAMES}

    assert outcomes == {name: referred(case, name) for name in NAMES}


def test_cases_are_well_formed() -> None:
    """Ids are unique, dialects are named only where they differ, and a file that binds is there."""
    assert len(CASES) == len({case.id for case in CASES}) > 50
    for case in CASES:
        answers = dict(case.answers)
        assert answers.pop("rfc9309") not in answers.values(), case.id
        assert set(answers) <= set(NAMES), case.id
        assert list(range(1, len(case.rows) + 1)) == case.row_numbers, case.id
        for answer in case.answers.values():
            assert ("row" in answer) == (answer["outcome"] in ("parse", "use_cached")), case.id


def test_nothing_is_said_of_a_file_that_nobody_saw() -> None:
    """The reasons tell a body that nobody kept from a request that nobody answered."""
    reasons = {
        case.id: policy_of(
            entry_after(case),
            verger.DIALECTS["rfc9309"],
        ).reason
        for case in CASES
        if case.id in ("observed/success whose body nobody kept", "observed/nothing")
    }

    assert {
        "observed/success whose body nobody kept": "BROKEN_BODY",
        "observed/nothing": "UNDEFINED_STATUS",
    } == reasons


def test_rows_of_one_time_without_order() -> None:
    """Where rows have no order, whatever that was, the same one counts: that with the greater
    status, failure and body, after what is not known."""
    rows = [
        Row(),
        Row(None, None, None, b"b"),
        Row(None, 200, None, b"a"),
        Row(None, 200, None, b"b"),
        Row(None, 200, "timeout", b"a"),
        Row(None, 503, None, None),
        Row(0, None, None, b"a"),
        Row(0, 200, "dns", None),
        Row(1, None, None, None),
    ]
    seen = [row.seen() for row in rows]

    for _ in range(100):
        mixed = random.sample(seen, len(seen))
        assert seen == sorted(mixed, key=place_without_order)
    assert sorted(seen, key=place_in_time) == seen


# A client


class Rows:
    """A web whose one site answers as its rows say, one after another."""

    def __init__(self, case: Case) -> None:
        self._rows = sorted(case.rows, key=lambda row: place_in_time(row.seen()))
        self._first = next((row.time for row in self._rows if row.time is not None), 0)
        self.now = float(self._first)

    async def send(self, request: Request) -> Reply:
        """Answer, and let it be later."""
        assert request.url.endswith("/robots.txt")
        row = self._rows.pop(0)
        self.now = float(self._first if row.time is None else row.time)
        return reply_of(row)

    async def close(self) -> None:
        """Do nothing."""


def reply_of(row: Row) -> Reply:
    status = 200 if row.status is None and row.body is not None else row.status
    if row.failure is not None and row.failure != "broken-body":
        raise HopFailed(FAILED[row.failure], row.failure)
    if status is None:
        raise HopFailed("timeout", "nobody knows what became of it")
    is_lost = row.body is None and 200 <= status < 300 and status != 204
    is_broken = is_lost or row.failure == "broken-body"
    return Reply(status, [], row.body or b"", ended="broken" if is_broken else "complete")


def client_answers(case: Case, dialect: str) -> list[bool]:
    web = Rows(case)

    async def ask() -> list[bool]:
        clock = lambda: web.now  # noqa: E731
        async with verger.AsyncClient(
            f"{TOKEN}/1.0", dialect=dialect, transport=web, clock=clock
        ) as client:
            for _ in case.rows:
                site = await client.refresh(case.origin)
            return [site.allowed(url) for url in case.urls()]

    return asyncio.run(ask())


MET = [
    case
    for case in CASES
    if case.id != NO_STATUS
    and not any(row.failure == "too-many-redirects" for row in case.rows)
    # whose clock does not run as those of readers do
    and not any((row.time or 0) > time() for row in case.rows)
]


@pytest.mark.parametrize("case", MET, ids=str)
def test_client(case: Case) -> None:
    """A client that meets row after row permits the same."""
    assert {name: case.permitted(name) for name in NAMES} == {
        name: client_answers(case, name) for name in NAMES
    }


# Filter


@in_every_dialect
@in_every_format
def test_filter_of_a_table(format: str, dialect: str, tmp_path: Path) -> None:
    """`filter --snapshot` permits the same after the rows of a table."""
    cases = cases_in(format)
    path = written(tmp_path, cases, format)

    assert expected(cases, dialect) == filtered(path, cases, dialect)


@in_every_format
def test_check_of_a_table(format: str, tmp_path: Path) -> None:
    """So does `check --snapshot`, in all dialects at once."""
    cases = cases_in(format)
    path = written(tmp_path, cases, format)

    assert {name: expected(cases, name) for name in NAMES} == checked(path, cases)


@in_every_dialect
def test_filter_of_a_store(dialect: str, tmp_path: Path) -> None:
    """So it does after the entries of a cache."""
    path = tmp_path / "files.sqlite3"
    filled(path, entries_of(STORED))

    assert expected(STORED, dialect) == filtered(path, STORED, dialect)


@in_every_dialect
def test_filter_of_an_exported_store(dialect: str, tmp_path: Path) -> None:
    """So it does after what was exported from a cache, which holds failures and copies."""
    path = exported(tmp_path, STORED)

    assert expected(STORED, dialect) == filtered(path, STORED, dialect)


@pytest.mark.parametrize("case", STORED, ids=str)
def test_history_of_an_exported_store(case: Case, tmp_path: Path) -> None:
    """`audit --history` has the file that binds at last."""
    path = exported(tmp_path, [case])
    for name in NAMES:
        permitted = case.permitted(name)

        assert not any(permitted) or permitted == history_answers(path, name)


def test_reasons_of_an_exported_store(tmp_path: Path) -> None:
    """It tells the same reasons, statuses and failures as the cache."""
    path = exported(tmp_path, STORED)
    urls = [f"{case.origin}/1" for case in STORED]
    for dialect in NAMES:
        of_store, of_export = (
            printed(
                *("check", "--snapshot", str(snapshot), "--agent", TOKEN, "--dialect", dialect),
                *("--format", "jsonl", "--quiet", *urls),
            )
            for snapshot in (tmp_path / "files.sqlite3", path)
        )

        assert [meant(each) for each in of_store[1]] == [meant(each) for each in of_export[1]]


def meant(row: dict[str, Any]) -> list[object]:
    """Return what a row says of the answer and of what became of the fetch."""
    told = [row["access"][name] for name in ("effect", "reason", "copy", "status", "failure")]
    return [row["allowed"], row["reason"], row["line"], *told]


def test_check_of_a_store(tmp_path: Path) -> None:
    """So does `check --snapshot` after them."""
    path = tmp_path / "files.sqlite3"
    filled(path, entries_of(STORED))

    assert {name: expected(STORED, name) for name in NAMES} == checked(path, STORED)


@in_every_dialect
def test_filter_of_a_folder(dialect: str, tmp_path: Path) -> None:
    """So it does after files, each of which is a body without a status."""
    cases = in_folder(tmp_path)

    assert 2 == len(cases)
    assert expected(cases, dialect) == filtered(tmp_path, cases, dialect)


def test_check_of_a_folder(tmp_path: Path) -> None:
    """So does `check --snapshot` after them."""
    cases = in_folder(tmp_path)

    assert {name: expected(cases, name) for name in NAMES} == checked(tmp_path, cases)


def in_folder(folder: Path) -> list[Case]:
    """Lay files down that are a body without a status, and return their cases."""
    cases = [case for case in CASES if case.id.endswith("body without status")]
    for case in cases:
        (body,) = (row.body or b"" for row in case.rows)
        (folder / case.origin.removeprefix("https://")).write_bytes(body)
    return cases


def filtered(path: Path, cases: Iterable[Case], dialect: str) -> Answers:
    urls = path.with_name(f"{path.name}.urls")
    urls.write_text("".join(f"{url}\n" for case in cases for url in case.urls()))
    words = ("filter", str(urls), "--snapshot", str(path), "--agent", TOKEN)
    code, said = printed(*words, "--dialect", dialect, "--format", "jsonl")

    assert 0 == code
    return by_case(cases, (each["allowed"] for each in said))


def checked(path: Path, cases: Iterable[Case]) -> dict[str, Answers]:
    urls = [url for case in cases for url in case.urls()]
    words = ("check", "--snapshot", str(path), "--agent", TOKEN, "--dialect", "all")
    code, said = printed(*words, "--no-summary", "--format", "jsonl", *urls)

    assert code in (0, 1)
    return {
        name: by_case(cases, (each["allowed"] for each in said if each["dialect"] == name))
        for name in NAMES
    }


def printed(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """Run a command that prints objects, and return its exit code and these."""
    out = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(out, encoding="utf-8")):
        code = main(words)
        sys.stdout.flush()
        return code, [json.loads(line) for line in out.getvalue().splitlines()]


# Bulk


@in_every_dialect
def test_snapshot_of_a_table(dialect: str) -> None:
    """A snapshot permits the same, whatever form its columns of numbers and times have, and
    whatever they are called."""
    for table in (arrow(CASES), with_floats(CASES), renamed(CASES)):
        snapshot = Snapshot.from_table(table, dialect=dialect)

        assert expected(CASES, dialect) == decided(snapshot)


@in_every_dialect
def test_snapshot_of_an_exported_store(dialect: str, tmp_path: Path) -> None:
    """So does one of what was exported from a cache, however it arrives."""
    table = pq.read_table(exported(tmp_path, STORED))
    forms = table, table.to_reader(max_chunksize=7)

    for form in forms:
        snapshot = Snapshot.from_table(form, dialect=dialect)
        assert expected(STORED, dialect) == decided(snapshot, STORED)


@in_every_dialect
def test_an_export_of_an_earlier_version(dialect: str, tmp_path: Path) -> None:
    """It does not say for how long files have been unreachable: nothing is open after it that is
    not open after the rows, and what lasts up to a week is the same."""
    table = pq.read_table(exported(tmp_path, STORED)).drop_columns("unreachable_for")
    said = decided(Snapshot.from_table(table, dialect=dialect), STORED)
    filtered_path = written_as(tmp_path, table)

    assert said == filtered(filtered_path, STORED, dialect)
    for case in STORED:
        permitted = case.permitted(dialect)
        assert not any(now and not then for now, then in zip(said[case.id], permitted, strict=True))
        known = [row.time for row in case.rows if row.time is not None]
        if not known or max(known) - min(known) <= 7 * DAY:
            assert permitted == said[case.id]


@in_every_dialect
def test_snapshot_of_results(dialect: str) -> None:
    """So does one of access results, in order of their times, and one of a store's entries."""
    cases = [case for case in CASES if all(row.time is not None for row in case.rows)]
    results = [
        result_observed(f"{case.origin}/robots.txt", row.seen())
        for case in cases
        for row in case.rows
    ]
    entries = entries_of(CASES)
    of_results = Snapshot.from_results(results, dialect=dialect)
    of_entries = Snapshot.from_entries(entries, dialect=dialect)

    assert expected(cases, dialect) == decided(of_results, cases)
    assert expected(CASES, dialect) == decided(of_entries, CASES)


@in_every_dialect
def test_snapshot_of_a_mapping(dialect: str) -> None:
    """So does one of results by origin, whose order stands for their times."""
    cases = [case for case in CASES if not any(row.time for row in case.rows)]
    known = {
        f"{case.origin}/{number}": result_observed(case.origin, row.seen())
        for case in cases
        for number, row in enumerate(case.rows)
    }

    assert expected(cases, dialect) == decided(Snapshot(known, dialect=dialect), cases)


@in_every_dialect
def test_kernel_folds_as_entries_do(dialect: str) -> None:
    """Which of several rows counts is written twice, for entries and for the kernel: they agree
    after any rows."""
    chance = random.Random(dialect)
    cases = [Case(str(n), n, [], _any_rows(chance), {}) for n in range(400)]
    known = verger.DIALECTS[dialect]
    meant = {
        case.id: allowed_by(binding_body(entry, policy_of(entry, known)))
        for case, entry in zip(cases, entries_of(cases), strict=True)
    }

    assert meant == decided(Snapshot.from_table(arrow(cases), dialect=dialect), cases)
    assert 3 < len(set(map(tuple, meant.values())))


def _any_rows(chance: random.Random) -> list[Row]:
    later = (0, 60, 43_260, 43_261, 8 * DAY, 15 * DAY, 22 * DAY, 29 * DAY, 32 * DAY)
    times = (None, 0, *(int(NOW) + seconds for seconds in later), 4_102_444_800)
    statuses = (None, 100, 200, 200, 200, 204, 206, 301, 304, 401, 404, 429, 500, 503, 1_000)
    failures = (None, None, None, *FAILED)
    return [
        Row(
            chance.choice(times),
            chance.choice(statuses),
            chance.choice(failures),
            chance.choice((None, b"", body_of(number))),
        )
        for number in range(1, chance.randint(2, len(PATHS)))
    ]


@pytest.mark.parametrize("name", ["url", "robots"])
def test_an_exported_store_is_read_as_a_whole(name: str, tmp_path: Path) -> None:
    """It is not read by other columns than its own, which would lose what entries know."""
    table = pq.read_table(exported(tmp_path, STORED))
    table = table.append_column("robots", table["body"])

    with pytest.raises(InvalidTable, match=f"not by its column `{name}`"):
        Snapshot.from_table(table, **{"origin" if name == "url" else "body": name})
    with pytest.raises(InvalidTable, match=f"not by its column `{name}`"):
        scan(
            *(written_as(tmp_path, table), tmp_path / "scan.parquet"),
            columns={"url" if name == "url" else "body": name},
        )


def test_an_exported_store_with_another_copy(tmp_path: Path) -> None:
    """What has the columns of an export, and not what they hold, is an error to every reader."""
    table = pq.read_table(exported(tmp_path, STORED))
    at = table.schema.get_field_index("copy")
    table = table.set_column(at, "copy", pa.array(["yes"] * len(table)))
    path = written_as(tmp_path, table)

    for read in (
        lambda: Snapshot.from_table(table),
        lambda: Scanner().scan(table),
        lambda: scan(path, tmp_path / "scan.parquet"),
        lambda: history_of(path),
        lambda: filter_urls([], snapshot=path, tokens=TOKEN),
    ):
        with pytest.raises(InvalidTable, match="`copy` holds `string`, not a file"):
            read()


class OneBatch:
    """A table in one piece, as some libraries offer it."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


def test_an_export_in_one_piece(tmp_path: Path) -> None:
    """It is read like one that comes as a stream."""
    batch = pq.read_table(exported(tmp_path, STORED)).combine_chunks().to_batches()[0]
    snapshot = Snapshot.from_table(OneBatch(batch))
    [of_piece], [of_stream] = (Scanner().scan(form).rows for form in (OneBatch(batch), batch))

    assert expected(STORED, "rfc9309") == decided(snapshot, STORED)
    assert of_piece.equals(of_stream)


@pytest.mark.parametrize("number", [1.5, 0.0, math.inf])
def test_numbers_are_not_failures(number: float, tmp_path: Path) -> None:
    """A column of floats may hold NaN, as pandas writes one without text, and no other number."""
    row = {"origin": ["https://a.example"], "time": [0], "body": [""], "failure": [number]}
    table = pa.table(row)
    captures = table.rename_columns(["url", "time", "body", "failure"])
    path = written_as(tmp_path, table)

    for read in (
        lambda: Snapshot.from_table(table),
        lambda: Scanner().scan(captures),
        lambda: scan(path, tmp_path / "scan.parquet"),
        lambda: history_of(path, hosts=["a.example"]),
        lambda: filter_urls([], snapshot=path, tokens=TOKEN),
    ):
        with pytest.raises(InvalidTable, match="is not a failure"):
            read()


def test_an_export_that_lacks_a_column(tmp_path: Path) -> None:
    """Without one of its columns, or with other names, an export is not read row by row, which
    would lose the copies: it is an error to every reader."""
    whole = pq.read_table(exported(tmp_path, STORED))
    upper = whole.rename_columns([name.upper() for name in whole.column_names])

    for table, lacks in ((whole.drop_columns("failure"), "failure"), (upper, "origin")):
        path, out = written_as(tmp_path, table), tmp_path / "scan.parquet"
        for read in (
            lambda table=table: Snapshot.from_table(table),
            lambda table=table: Scanner().scan(table),
            lambda path=path, out=out: scan(path, out),
            lambda path=path: history_of(path),
            lambda path=path: filter_urls([], snapshot=path, tokens=TOKEN),
        ):
            with pytest.raises(InvalidTable, match=f"an exported cache without `{lacks}`") as error:
                read()
            assert "export the cache again" in error.value.hint


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_as_text(form: str, tmp_path: Path) -> None:
    """As text an export would be read without its copies: it is an error to every reader."""
    rows = pq.read_table(exported(tmp_path, STORED)).to_pylist()
    path = tmp_path / f"again.{form}"
    with path.open("w", encoding="utf-8", newline="") as file:
        if form == "jsonl":
            # Members that are null are left out, as some programs do.
            some = [{name: value for name, value in row.items() if value} for row in rows]
            file.writelines(f"{json.dumps(row, default=str)}\n" for row in some)
        else:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    for read in (
        lambda: scan(path, tmp_path / "scan.parquet"),
        lambda: history_of(path),
        lambda: filter_urls([], snapshot=path, tokens=TOKEN),
    ):
        with pytest.raises(InvalidTable, match="an exported cache, which is read from Parquet"):
            read()


def written_as(folder: Path, table: pa.Table) -> Path:
    path = folder / "again.parquet"
    pq.write_table(table, path)
    return path


def test_failures_in_other_words(tmp_path: Path) -> None:
    """They are an error to every reader; a scan leaves lines of text out, and says so."""
    words = "slow", "Timeout", "", "dns "
    for number, word in enumerate(words):
        rows = {"origin": ["https://a.example", "https://b.example"], "time": [0, 1]}
        rows |= {"body": ["", ""], "failure": [None, word]}
        table = pa.table(rows)
        path, lines = tmp_path / f"{number}.parquet", tmp_path / f"{number}.jsonl"
        pq.write_table(table, path)
        lines.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()))
        captures = table.rename_columns(["url", "time", "body", "failure"])
        said = f"`{word}`.* is not a failure"

        for read in (
            lambda table=table: Snapshot.from_table(table),
            lambda captures=captures: Scanner().scan(captures),
            lambda path=path: scan(path, tmp_path / "scan.parquet"),
            *(
                lambda path=path: filter_urls([], snapshot=path, tokens=TOKEN)
                for path in (path, lines)
            ),
            *(lambda path=path: history_of(path, hosts=["b.example"]) for path in (path, lines)),
        ):
            with pytest.raises(InvalidTable, match=said):
                read()
        report = scan(lines, tmp_path / "scan.parquet")
        assert (1, 2) == (report.captures, report.skips[0].offset)


def decided(snapshot: Snapshot, cases: Iterable[Case] = CASES) -> Answers:
    urls = pa.array([url for case in cases for url in case.urls()])
    return by_case(cases, pa.table(decide_table(urls, snapshot, TOKEN))["allowed"].to_pylist())


@in_every_dialect
def test_scan(dialect: str) -> None:
    """A scan, which tells captures one by one, has the posture of each that stands alone."""
    cases = [case for case in CASES if len(case.rows) == 1]
    columns = columns_of(cases)
    captures = pa.record_batch(
        {
            "url": pa.array([f"{origin}/robots.txt" for origin in columns["origin"]]),
            "status": pa.array(columns["status"], pa.int32()),
            "failure": pa.array(columns["failure"], pa.string()),
            "body": pa.array(columns["body"], pa.binary()),
        }
    )
    names = ["robots_url", "Code", "Failure", "content"]
    scanner = Scanner(dialect=dialect, crawlers=["GPTBot"])
    expected = {case.id: posture_of(case.permitted(dialect)) for case in cases}

    for table in (captures, captures.rename_columns(names)):
        [rows] = scanner.scan(table).rows
        said = zip((case.id for case in cases), rows["posture"].to_pylist(), strict=True)
        assert expected == dict(said)


@in_every_dialect
def test_scan_of_an_exported_store(dialect: str, tmp_path: Path) -> None:
    """A scan of what was exported from a cache has the copy of each entry, and the last attempt,
    with the posture of each that stands alone; so has one of a table in memory."""
    path, out = exported(tmp_path, STORED), tmp_path / "scan.parquet"
    scanner = Scanner(dialect=dialect, crawlers=["GPTBot"])
    scan(path, out, scanner=scanner)
    of_file = pq.read_table(out)
    of_table = pa.Table.from_batches(scanner.scan(pq.read_table(path)).rows)
    known = [
        (entry.origin, micros(result.fetched_at), posture_alone(result, dialect))
        for entry in entries_of(STORED)
        for result in (entry.copy, entry.last)
        if result is not None
    ]

    for rows in (of_file, of_table):
        times = rows["time"].cast(pa.int64()).to_pylist()
        said = zip(rows["origin"].to_pylist(), times, rows["posture"].to_pylist(), strict=True)
        assert sorted(known) == sorted(said)


def micros(time: float) -> int:
    return int(time * 1_000_000)


def posture_alone(result: AccessResult, dialect: str) -> str:
    entry = Entry(verger.origin(result.url), result)
    return posture_of(allowed_by(binding_body(entry, policy_of(entry, verger.DIALECTS[dialect]))))


def posture_of(answers: list[bool]) -> str:
    return "all" if all(answers) else "some" if any(answers) else "none"


MOMENTS = list(product((0.0, 60.0, 43_200.0, 43_201.0, 2_592_000.0, 2_592_001.0), (None, COPY)))
SAMPLES: dict[tuple[str, int], list[AccessPolicy]] = {}


@in_every_dialect
def test_table_of_access(dialect: str) -> None:
    """The table that the kernels read is the policy, for every result and at every moment."""
    known = verger.DIALECTS[dialect]
    _, kinds = access_table(known)
    statuses = (None, *range(1_001))
    results = [AccessResult("", 0.0, status) for status in statuses]
    failed = [AccessResult("", 0.0, 200, each).for_others(0, 0) for each in FAILED.values()]

    for result in (*results, *failed):
        said = [policy_after(result, known, unreachable_for=s, copy=c) for s, c in MOMENTS]
        sample = SAMPLES.setdefault((dialect, kinds[kind_of(result)]), said)
        assert [(p.effect, p.reason) for p in sample] == [(p.effect, p.reason) for p in said]


@in_every_dialect
def test_turning_points(dialect: str) -> None:
    """Between two turning points the policy of no result changes."""
    known = verger.DIALECTS[dialect]
    points = [0.0, *turning_points(known), 1e10]
    for status, copy in product((None, 100, 206, 429, 500), (None, COPY)):
        result = AccessResult("", 0.0, status)
        for begin, end in pairwise(points):
            inside = (math.nextafter(begin, end), (begin + end) / 2, end)
            effects = {
                policy_after(result, known, unreachable_for=moment, copy=copy).effect
                for moment in inside
            }
            assert 1 == len(effects), (status, begin, end)


# Audit


@cache
def dated(number: int) -> datetime:
    return datetime.fromtimestamp(number, UTC)


@pytest.mark.parametrize(
    ("format", "case"),
    [(name, case) for name in FORMATS for case in cases_in(name)],
    ids=str,
)
def test_history(format: str, case: Case, tmp_path: Path) -> None:
    """`audit --history` has the file of the row that binds, and an empty one where everything is
    open. A row after which nobody may fetch is not a version: that before it stands."""
    path = written(tmp_path, [case], format)

    assert {name: version_left_by(case, name) for name in NAMES} == {
        name: history_answers(path, name) for name in NAMES
    }


def version_left_by(case: Case, dialect: str) -> list[bool]:
    """Return what is permitted after the last row, in order of time, that lets anyone fetch."""
    rows = sorted(case.rows, key=lambda row: place_in_time(row.seen()))
    starts = [case._replace(rows=rows[:number]) for number in range(1, len(rows) + 1)]
    known = verger.DIALECTS[dialect]
    permitted = [
        allowed_by(binding_body(entry, policy_of(entry, known))) for entry in entries_of(starts)
    ]
    return next(filter(any, reversed(permitted)), [False] * len(PATHS))


def history_answers(path: Path, dialect: str) -> list[bool]:
    try:
        versions = history_of([path], dialect=verger.DIALECTS[dialect])
    except UnusableInput:
        return [False] * len(PATHS)
    return allowed_by(versions[-1].body)


# What they have in common


def by_case(cases: Iterable[Case], said: Iterable[bool]) -> Answers:
    answers = iter(said)
    return {case.id: [next(answers) for _ in PATHS] for case in cases}


def written(folder: Path, cases: Iterable[Case], format: str) -> Path:
    """Write the rows of some cases as a table."""
    forms = {"parquet": arrow, "floats": with_floats, "renamed": renamed}
    path = folder / f"files.{'parquet' if format in forms else format}"
    rows = forms.get(format, arrow)(cases)
    if format in forms:
        pq.write_table(rows, path)
        return path
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        values = [as_text(row) for row in rows.to_pylist()]
        if format == "jsonl":
            file.writelines(f"{json.dumps(value)}\n" for value in values)
        else:
            table = csv.DictWriter(file, rows.column_names)
            table.writeheader()
            table.writerows(values)
    return path


def with_floats(cases: Iterable[Case]) -> pa.Table:
    rows = arrow(cases)
    for column, values in columns_of(list(cases)).items():
        if column in ("time", "status"):
            floats = pa.array(math.nan if value is None else float(value) for value in values)
            rows = rows.set_column(rows.schema.get_field_index(column), column, floats)
    return rows


def renamed(cases: Iterable[Case]) -> pa.Table:
    rows = arrow(cases)
    hosts = [origin.removeprefix("https://") for origin in rows["origin"].to_pylist()]
    table = rows.set_column(0, "origin", pa.array(hosts))
    return table.rename_columns(["Host", "fetched_at", "Status_Code", "FAILURE", "robots_txt"])


def as_text(row: dict[str, Any]) -> dict[str, object]:
    time, body = row["time"], row["body"]
    text = None if body is None else body.decode("utf-8", "surrogateescape")
    return row | {"time": time and time.isoformat(), "body": text}


def arrow(cases: Iterable[Case]) -> pa.Table:
    columns = columns_of(list(cases))
    times = [None if time is None else dated(time) for time in columns["time"]]
    return pa.table(
        {
            "origin": columns["origin"],
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "status": pa.array(columns["status"], pa.int32()),
            "failure": pa.array(columns["failure"], pa.string()),
            "body": pa.array(columns["body"], pa.binary()),
        }
    )


@pytest.mark.parametrize("form", ["parquet", "jsonl", "csv"])
def test_failures_as_pandas_writes_none(form: str, tmp_path: Path) -> None:
    """A column of floats, or NaN, holds no failure."""
    site, body = "https://a.example", "User-agent: *\nDisallow: /"
    table = pa.table({"origin": [site], "body": [body], "failure": [math.nan]})
    path, urls = tmp_path / f"s.{form}", tmp_path / "urls.txt"
    urls.write_text(f"{site}/\n")
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "jsonl":
        path.write_text(json.dumps({"origin": site, "body": body, "failure": math.nan}))
    else:
        path.write_text(f'origin,body,failure\n{site},"{body}",nan\n')
    found = filter_urls(urls, tokens="A", snapshot=path, output=tmp_path / "o.csv")
    rows = decide_table(pa.table({"url": [f"{site}/"]}), Snapshot.from_table(table), "A")

    assert {(False, "rules"): 1} == dict(found.tally.counts)
    assert ["MOST_SPECIFIC_RULE"] == pa.table(rows)["reason"].to_pylist()
