"""The versions of a file: where they lie, since when they hold, and what is the fault of whom."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger
from bulk.scan.archives import record, response
from verger.access import entry as binding
from verger.bulk.audit import AuditResult, UnusableInput, Version, history_of
from verger.errors import InvalidOption

from .lines import CLOSED, NOON, audited, combined

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
OPEN = b"User-agent: *\nDisallow:\n"


def at(*times: datetime, versions: Sequence[Version], grace: timedelta) -> AuditResult:
    """Return the audit of a request for `/private` at each time."""
    return audited(b"".join(combined(time=time) for time in times), versions, grace=grace)


# Judging


FIRST = [Version("first", CLOSED, NOON)]
CHANGING = [
    Version("open", OPEN),
    Version("closed", CLOSED, NOON),
    Version("open again", OPEN, NOON + 2 * HOUR),
]


@pytest.mark.parametrize(
    ("versions", "after", "grace", "expected"),
    [
        (FIRST, -SECOND, 0, "unknown"),
        (FIRST, timedelta(0), 0, "closed"),
        (FIRST, timedelta(0), 1, "unknown"),
        (FIRST, HOUR - SECOND, 1, "unknown"),
        (FIRST, HOUR, 1, "closed"),
        (CHANGING, -SECOND, 0, "open"),
        (CHANGING, timedelta(0), 0, "closed"),
        (CHANGING, timedelta(0), 1, "excused"),
        (CHANGING, HOUR - SECOND, 1, "excused"),
        (CHANGING, HOUR, 1, "closed"),
        (CHANGING, 2 * HOUR, 1, "open"),
    ],
)
def test_one_request(
    versions: Sequence[Version], after: timedelta, grace: int, expected: str
) -> None:
    """A version holds from its second on until the next; the grace goes back from the request.

    Before the first, and while a copy may be of the one before it, nobody knows.
    """
    crawler = at(NOON + after, versions=versions, grace=grace * HOUR).crawlers[0]
    counts = {
        "unknown": crawler.unknown,
        "excused": crawler.excused,
        "closed": crawler.closed.count,
    }
    wanted = {} if expected == "open" else {expected: 1}

    assert {"unknown": 0, "excused": 0, "closed": 0} | wanted == counts


def test_versions_that_name_a_crawler_bind_it() -> None:
    """AdsBot-Google is bound by the groups that name it, in the versions that have one."""
    versions = [
        Version("all", b"User-agent: *\nDisallow: /\n"),
        Version("named", b"User-agent: AdsBot-Google\nDisallow: /\n", NOON + HOUR),
    ]
    times = (NOON, NOON + 2 * HOUR)
    log = b"".join(combined(agent="AdsBot-Google", time=time) for time in times)
    (crawler,) = audited(log, versions).crawlers

    assert times == (crawler.unbound.first, crawler.closed.first)


def test_rules_belong_to_their_version() -> None:
    """The same line of two versions is two rules."""
    versions = [Version("a", CLOSED, NOON), Version("b", b"# b\n" + CLOSED, NOON + HOUR)]
    result = at(NOON, NOON + HOUR, NOON + HOUR, versions=versions, grace=timedelta(0))
    found = [(rule.version.name, rule.line, rule.requests.count) for rule in result.rules]

    assert [("b", 3, 2), ("a", 2, 1)] == found


def test_requests_without_a_time() -> None:
    """Where the version hangs on the time, they are set apart."""
    line = b'{"path": "/private", "user_agent": "ExampleBot"}\n'
    versions = [Version("a", CLOSED, NOON)]

    assert (1, 0) == (audited(line, versions).log.undated, audited(line).log.undated)


@pytest.mark.parametrize(
    "versions", [[], "robots.txt", ["robots.txt"], Version("r", b""), [Version("r", "")]]
)
def test_no_version(versions: Any) -> None:
    """Without a version nothing is known, which must not look like nothing closed."""
    with pytest.raises(InvalidOption, match="`versions`"):
        audited(combined(), versions)


# Files


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("2026-01-05.txt", datetime(2026, 1, 5, tzinfo=UTC)),
        ("robots-2026-01-05.txt", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026-01-05T10:30:15Z.txt", datetime(2026, 1, 5, 10, 30, 15, tzinfo=UTC)),
        ("2026-01-05t10:30:15z.txt", datetime(2026, 1, 5, 10, 30, 15, tzinfo=UTC)),
        ("2026-01-05T10-30-15.txt", datetime(2026, 1, 5, 10, 30, 15, tzinfo=UTC)),
        ("2026-01-05T10:30:00+01:00.txt", datetime(2026, 1, 5, 9, 30, tzinfo=UTC)),
        ("2026-01-05 1030 robots.txt", datetime(2026, 1, 5, 10, 30, tzinfo=UTC)),
        ("20260105103015.txt", datetime(2026, 1, 5, 10, 30, 15, tzinfo=UTC)),
        ("example.com_20260105", datetime(2026, 1, 5, tzinfo=UTC)),
    ],
)
def test_dates_in_names(tmp_path: Path, name: str, since: datetime) -> None:
    """A date, or a time of ISO 8601, anywhere in the name; UTC where there is no zone."""
    (tmp_path / name).write_bytes(CLOSED)

    assert [Version(str(tmp_path / name), CLOSED, since)] == history_of([tmp_path])


@pytest.mark.parametrize("name", ["robots.txt", "v1.txt", "2026-1-5.txt", "2026-02-30.txt"])
def test_names_without_a_date(tmp_path: Path, name: str) -> None:
    """A file that cannot be placed is not passed over."""
    (tmp_path / "2026-01-05.txt").write_bytes(CLOSED)
    (tmp_path / name).write_bytes(CLOSED)

    with pytest.raises(UnusableInput, match=name) as raised:
        history_of([tmp_path])
    assert raised.value.hint


def test_what_changes_nothing_is_left_out(tmp_path: Path) -> None:
    """A copy of every day is one version until it differs; hidden files and folders are none."""
    for day, data in enumerate((CLOSED, CLOSED, OPEN, CLOSED), start=1):
        (tmp_path / f"2026-01-0{day}.txt").write_bytes(data)
    (tmp_path / ".index").touch()
    (tmp_path / "old").mkdir()
    days = [version.since.day for version in history_of([tmp_path]) if version.since]

    assert [1, 3, 4] == days


def test_file_that_is_too_long(tmp_path: Path) -> None:
    """A file that nobody would publish is refused before it fills the memory."""
    path = tmp_path / "2026-01-05.txt"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)

    with pytest.raises(UnusableInput, match="67,108,864 bytes and is not") as refused:
        history_of([path])
    assert refused.value.hint == "pass a robots.txt file, a folder of them, or a Parquet file"


def test_histories_that_are_none(tmp_path: Path) -> None:
    """No version, two of one time, a path that is not there."""
    with pytest.raises(UnusableInput, match="no version"):
        history_of([tmp_path])
    (tmp_path / "2026-01-05.txt").write_bytes(CLOSED)
    (tmp_path / "20260105.txt").write_bytes(OPEN)
    with pytest.raises(UnusableInput, match="same time"):
        history_of([tmp_path])
    with pytest.raises(UnusableInput, match="no such file or folder"):
        history_of([tmp_path / "2026-01-06.txt"])


# Parquet


def table(path: Path, **columns: list[object]) -> Path:
    """Write a table."""
    pq.write_table(pa.table(columns), path)
    return path


def test_table(tmp_path: Path) -> None:
    """A row is a version; 404 closed nothing, 503 and no response changed nothing."""
    path = table(
        tmp_path / "history.parquet",
        url=["https://example.com/robots.txt"] * 6,
        time=[NOON + hours * HOUR for hours in (5, 0, 1, 2, 3, 4)],
        status=[200, 200, 503, None, 404, 301],
        body=[CLOSED, CLOSED, b"down", None, b"<html>", None],
    )
    found = [(version.since, version.body) for version in history_of([path])]

    assert [(NOON, CLOSED), (NOON + 3 * HOUR, b""), (NOON + 5 * HOUR, CLOSED)] == found


def test_a_dialect_has_a_name(tmp_path: Path) -> None:
    """What a status means is asked of a dialect, by name as everywhere."""
    path = table(
        tmp_path / "h.parquet", time=[NOON, NOON + HOUR], status=[200, 503], body=[CLOSED, None]
    )
    found = {name: history_of([path], dialect=name) for name in ("google", "yandex")}

    assert [CLOSED] == [version.body for version in found["google"]]
    assert [CLOSED, b""] == [version.body for version in found["yandex"]]


def test_row_without_a_time(tmp_path: Path) -> None:
    """It comes before all times: what it says was always in force."""
    path = table(tmp_path / "h.parquet", time=[NOON, None], body=[OPEN, CLOSED])

    assert [Version(f"{path}:2", CLOSED), Version(f"{path}:1", OPEN, NOON)] == history_of([path])


def test_table_of_texts(tmp_path: Path) -> None:
    """Times as text, bodies as text, and no status are fine."""
    path = table(tmp_path / "h.parquet", time=["2026-01-05T13:00:00+01:00"], body=[CLOSED.decode()])

    assert [Version(f"{path}:1", CLOSED, NOON)] == history_of([path])


def test_table_of_several_sites(tmp_path: Path) -> None:
    """One history is of one file; hosts choose it."""
    path = table(
        tmp_path / "h.parquet",
        origin=["https://example.com", "https://other.example"],
        time=[NOON, NOON],
        body=[CLOSED, OPEN],
    )

    assert [CLOSED] == [version.body for version in history_of([path], hosts=["Example.com"])]
    with pytest.raises(verger.InvalidOption, match="`a b` is not a host"):
        history_of([path], hosts=["a b"])
    with pytest.raises(UnusableInput, match=r"other\.example") as raised:
        history_of([path])
    assert "--host" in str(raised.value.hint)


@pytest.mark.parametrize("place", ["A.Example", "a.example:443", "https://a.example", "a.example"])
def test_spellings_of_a_site(place: str, tmp_path: Path) -> None:
    """A bare host means its https origin, in any spelling, as in every table of files."""
    path = table(
        tmp_path / "h.parquet",
        host=[place, "https://a.example/robots.txt"],
        time=[NOON, NOON + HOUR],
        body=[OPEN, CLOSED],
    )

    for hosts in ([], ["a.example"], ["A.EXAMPLE"]):
        assert [OPEN, CLOSED] == [version.body for version in history_of([path], hosts=hosts)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("h.csv", 'time,body\n20260105120000,"User-agent: *"\n'),
        ("h.jsonl", '{"time": "2026-01-05T12:00:00Z", "body": "User-agent: *"}\n'),
    ],
)
def test_a_table_of_one_site_needs_no_origin(name: str, text: str, tmp_path: Path) -> None:
    """As text as well as in Parquet; a row that names one where others do not is refused."""
    path = tmp_path / name
    path.write_text(text)

    assert [b"User-agent: *"] == [version.body for version in history_of([path])]

    path = tmp_path / "h.jsonl"
    path.write_text('{"time": 1, "body": "x"}\n{"time": 2, "body": "y", "origin": "a.example"}\n')
    with pytest.raises(UnusableInput, match=r"line 2 of .* names a site"):
        history_of([path])


@pytest.mark.parametrize("place", [None, "", "//b.example/", "a b"])
def test_row_without_a_site(place: str | None, tmp_path: Path) -> None:
    """Nobody is accused by a file of nobody."""
    path = table(
        tmp_path / "h.parquet",
        origin=["https://b.example", place],
        time=[NOON, NOON],
        body=[OPEN, CLOSED],
    )

    with pytest.raises(UnusableInput, match=r"row 2 of .* names no site"):
        history_of([path], hosts=["b.example"])


def fetched(host: str, time: datetime, body: bytes) -> bytes:
    """Return a record of an archive."""
    fields = {"WARC-Date": f"{time:%Y-%m-%dT%H:%M:%SZ}"}
    return record(response(body), target=f"https://{host}/robots.txt", fields=fields)


def test_archive(tmp_path: Path) -> None:
    """An archive is a history, whatever day its name says: each record has its time."""
    records = [fetched("a.example", NOON + HOUR, CLOSED), fetched("a.example", NOON, OPEN)]
    path = tmp_path / "2026-01-01.warc"
    path.write_bytes(b"".join(records))
    found = history_of([tmp_path])

    assert [(OPEN, NOON), (CLOSED, NOON + HOUR)] == [(each.body, each.since) for each in found]
    path.write_bytes(b"".join([*records, fetched("b.example", NOON, OPEN)]))
    assert found == history_of([path], hosts=["a.example"])
    with pytest.raises(UnusableInput, match=r"holds the files of .*b\.example"):
        history_of([path])


def test_an_archive_that_is_cut_off(tmp_path: Path) -> None:
    """What is missing may be the version that was in force."""
    path = tmp_path / "h.warc"
    path.write_bytes(fetched("a.example", NOON, CLOSED) + fetched("a.example", NOON, OPEN)[:-9])

    with pytest.raises(UnusableInput, match="cannot be read"):
        history_of([path])


def test_a_body_that_broke_off_in_an_archive(tmp_path: Path) -> None:
    """What is incomplete opens nothing: the version before stays in force."""
    short = response(OPEN, fields=[("Content-Length", "99")])
    time = {"WARC-Date": f"{NOON + HOUR:%Y-%m-%dT%H:%M:%SZ}"}
    broken = record(short, target="https://a.example/robots.txt", fields=time)
    path = tmp_path / "h.warc"
    path.write_bytes(fetched("a.example", NOON, CLOSED) + broken)

    assert [(CLOSED, NOON)] == [(each.body, each.since) for each in history_of([path])]


@pytest.mark.parametrize("status", [401, 403])
def test_restricted_access(status: int, tmp_path: Path) -> None:
    """In the drafts of 1994 and 1996 such a status closes the site; later it opens it."""
    path = table(
        tmp_path / "h.parquet", time=[NOON, NOON + HOUR], status=[200, status], body=[OPEN, None]
    )

    for dialect, last in (("koster-1996", binding.CLOSED), ("rfc9309", b"")):
        assert [OPEN, last] == [each.body for each in history_of([path], dialect=dialect)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"time": [NOON]}, "no column `body`"),
        ({"time": [True], "body": [b""]}, "holds `bool`, not times"),
        ({"time": ["noon"], "body": [b""]}, "the column `time` of .*: `noon` is not a time"),
    ],
)
def test_tables_that_are_none(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    """What is missing is named."""
    with pytest.raises(UnusableInput, match=message):
        history_of([table(tmp_path / "h.parquet", **columns)])


def test_file_that_is_no_table(tmp_path: Path) -> None:
    """A name does not make one."""
    (tmp_path / "h.parquet").write_bytes(b"no")

    with pytest.raises(UnusableInput, match="is not a Parquet file"):
        history_of([tmp_path])


def test_success_without_a_body_changes_nothing(tmp_path: Path) -> None:
    """Nobody knows what the file said: the version before stays in force."""
    path = tmp_path / "h.parquet"
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3)]
    table = {"time": days, "status": [200, 200, 200], "body": [b"a", None, b""]}
    pq.write_table(pa.table(table), path)

    assert [b"a", b""] == [version.body for version in history_of([path])]


@pytest.mark.parametrize(("column", "values"), [("status", ["200"]), ("body", [1]), ("url", [1])])
def test_columns_of_other_types(column: str, values: list[object], tmp_path: Path) -> None:
    """What could only be misread is refused, with the name of the column."""
    path = tmp_path / "h.parquet"
    table = {"time": [datetime(2026, 1, 1, tzinfo=UTC)], "body": [b""], column: values}
    pq.write_table(pa.table(table), path)

    with pytest.raises(UnusableInput, match=f"the column `{column}` of `.*` holds"):
        history_of([path])
