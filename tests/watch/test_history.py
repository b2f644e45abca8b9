"""History: what counted at any time is what was played then; what archives take and give."""

import asyncio
import io
import json
import random
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cli.conftest import validator
from verger import RFC9309
from verger.access.entry import entry_after, policy_of
from verger.access.result import AccessResult
from verger.bulk import report
from verger.bulk.audit.history import history_of
from verger.bulk.scan import scan
from verger.cli.app import main
from verger.client import AsyncClient
from verger.crawlers.registry import by_purpose
from verger.fetching.transport import Reply, Request
from verger.testing import MemoryTransport
from verger.watch.archive import Archive, Vantage, entry_at
from verger.watch.exchange import export, import_into, observed_in
from verger.watch.news import Interest
from verger.watch.watcher import Targets, Watcher

from .rounds import AGENT
from .watching import FILE, OTHER

HOSTS, TIMES, ASKED = 12, 60, 500
GAP = 400_000.0
"""Seconds between two checks, at most."""
SITE = "https://a.example"
BEGIN = 1_700_000_000.0

Told = tuple[float, int, bytes]
"""When, and status and body."""


def asked(*words: str) -> tuple[int, str, str]:
    """Run the command in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
        out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def timeline(dice: random.Random) -> list[Told]:
    """Return what a host serves at some times: versions that stay a while, and failures."""
    at, told = BEGIN, list[Told]()
    while len(told) < TIMES:
        status = dice.choice((200, 200, 200, 404, 503))
        body = f"User-agent: *\nDisallow: /{dice.randrange(5)}\n".encode() if status == 200 else b""
        for _ in range(dice.randint(1, 6)):
            at += dice.uniform(1_000, GAP)
            told.append((at, status, body))
    return told


async def observe(archive: Archive, hosts: dict[str, list[Told]]) -> None:
    """Watch hosts at the times at which they serve something."""
    now = [BEGIN]
    serving: dict[str, tuple[int, bytes]] = {}

    def reply(request: Request) -> Reply:
        status, body = serving[request.url.removesuffix("/robots.txt")]
        return Reply(status, [("Content-Type", "text/plain"), ("ETag", f'"{now[0]}"')], body)

    transport = MemoryTransport(dict.fromkeys(hosts, reply))
    async with AsyncClient(AGENT, transport=transport, clock=lambda: now[0]) as client:
        watcher = Watcher(archive, client, Vantage(AGENT), Interest(), Targets())
        moments = sorted((told[0], origin, told) for origin, of in hosts.items() for told in of)
        for at, origin, (_, status, body) in moments:
            now[0], serving[origin] = at, (status, body)
            await watcher.watch([origin])


@pytest.fixture(scope="module")
def observed(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, dict[str, list[Told]]]:
    """Return an archive, and what was played."""
    path = str(tmp_path_factory.mktemp("history") / "a.db")
    dice = random.Random(3)
    hosts = {f"https://{at}.example": timeline(dice) for at in range(HOSTS)}
    archive = Archive(path)
    asyncio.run(observe(archive, hosts))
    archive.close()
    return path, hosts


def entry_played(origin: str, told: Sequence[Told], until: float) -> Any:
    """Return the entry of an origin after all that was played until a time, one after another."""
    entry = None
    for at, status, body in told:
        if at <= until:
            result = AccessResult(f"{origin}/robots.txt", at, status=status, body=body)
            entry = entry_after(entry, origin, result)
    return entry


def test_what_counted_at_500_times_is_what_was_played(
    observed: tuple[str, dict[str, list[Told]]],
) -> None:
    """The file, its digest and what a failure means are those of the time."""
    path, hosts = observed
    dice = random.Random(5)
    archive = Archive(path, read_only=True)
    for _ in range(ASKED):
        origin, told = dice.choice(list(hosts.items()))
        at = dice.uniform(told[0][0], told[-1][0] + 500_000)
        expected = entry_played(origin, told, at)
        found = entry_at(archive.observations(origin), at)

        assert found is not None
        assert expected.last.status == found.last.status
        assert (expected.good and expected.good.body) == (found.good and found.good.body)
        assert expected.unreachable_since == found.unreachable_since
        # between two checks that failed, it failed
        assert 0 <= found.unreachable_for - expected.unreachable_for < GAP
        assert policy_of(expected, RFC9309) == policy_of(found, RFC9309)


def test_the_command_gives_the_file_that_counted(
    observed: tuple[str, dict[str, list[Told]]],
) -> None:
    """With its digest, its time and its header fields."""
    path, hosts = observed
    dice = random.Random(6)
    for _ in range(40):
        origin, told = dice.choice(list(hosts.items()))
        at = int(dice.uniform(told[0][0] + 1, told[-1][0]))
        entry = entry_played(origin, told, at)
        moment = datetime.fromtimestamp(at, UTC)
        words = (
            "history",
            origin,
            "--archive",
            path,
            "--at",
            moment.isoformat(),
            "--format",
            "json",
        )
        _, out, err = asked(*words, "--agent", "ExampleBot")
        given = json.loads(out)

        validator("history").validate(given)
        assert err == ""
        if entry.good is not None and policy_of(entry, RFC9309).effect == "rules":
            assert sha256(entry.good.body).hexdigest() == given["sha256"]
            assert entry.good.body.decode() == given["body"]
            assert "etag" in given["headers"]
        assert given["answers"][0]["access"]["status"] == entry.last.status


def told_at(words: Sequence[str], tmp_path: Path) -> tuple[int, str, str]:
    """Ask about a time at which a file counted that closes `/2` to training."""
    versions = tmp_path / "versions"
    versions.mkdir()
    (versions / "2026-01-05.txt").write_text("User-agent: GPTBot\nDisallow: /2\n")
    archive = ("a.example", "--archive", str(tmp_path / "h.db"))
    asked("history", *archive, "--import", str(versions))
    return asked("history", "https://a.example/2", *archive[1:], "--at", "2026-01-07", *words)


def test_the_file_goes_where_it_is_sent(tmp_path: Path) -> None:
    """What is known of it is told on stderr: when it was seen, and its digest."""
    file = tmp_path / "then.txt"
    code, out, err = told_at(["--output", str(file)], tmp_path)

    assert (0, "", "User-agent: GPTBot\nDisallow: /2\n") == (code, out, file.read_text())
    assert f"sha256   {sha256(file.read_bytes()).hexdigest()}\n" in err
    assert "seen     2026-01-05T00:00:00Z to 2026-01-05T00:00:00Z, 1 time" in err


def test_an_empty_file_has_its_own_proof(tmp_path: Path) -> None:
    """Not that of the failure behind it, which has no bytes either."""
    rows = ({"status": 200, "body": ""}, {"status": 503})
    lines = (
        json.dumps({"origin": "https://a.example", "time": f"2026-01-0{5 + day}T00:00:00Z", **row})
        for day, row in enumerate(rows)
    )
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n")
    archive = ("a.example", "--archive", str(tmp_path / "h.db"))
    asked("history", *archive, "--import", str(tmp_path / "t.jsonl"))
    _, out, _ = asked("history", *archive, "--at", "2026-01-06T01:00:00Z", "--format", "json")
    given = json.loads(out)

    assert (200, "", sha256(b"").hexdigest()) == (given["status"], given["body"], given["sha256"])


def test_crawlers_for_a_purpose_are_answered(tmp_path: Path) -> None:
    """Each has an answer by the file that counted."""
    code, out, _ = told_at(["--purpose", "training", "--format", "json"], tmp_path)
    answers = json.loads(out)["answers"]

    assert code == 1
    assert {each.token for each in by_purpose(["training"])} == {
        token for each in answers for token in each["tokens"]
    }
    assert ["GPTBot"] in [each["tokens"] for each in answers if not each["allowed"]]


def test_a_use_without_a_crawler_is_refused(tmp_path: Path) -> None:
    """Nobody would be answered."""
    code, out, err = told_at(["--use", "ai-train"], tmp_path)

    assert (2, "", True) == (code, out, "`--use` with `--at` needs a crawler" in err)


def test_the_table_has_a_line_for_each_version(observed: tuple[str, dict[str, list[Told]]]) -> None:
    """Each observation, with what it changed."""
    path, hosts = observed
    code, out, _ = asked("history", "https://0.example", "--archive", path, "--format", "json")
    rows = [json.loads(line) for line in out.splitlines()]
    told = hosts["https://0.example"]
    runs = [
        one
        for one, other in zip([None, *told], told, strict=False)
        if one is None or one[1:] != other[1:]
    ]

    for row in rows:
        validator("history").validate(row)
    assert (0, len(runs)) == (code, len(rows))
    assert sum(row["times"] for row in rows) == len(told)
    assert any(row["difference"] for row in rows)


def test_an_export_is_read_by_scan_report_and_audit(
    observed: tuple[str, dict[str, list[Told]]], tmp_path: Path
) -> None:
    """A row for the first time of each observation, and one for its last."""
    path, hosts = observed
    archive = Archive(path, read_only=True)
    table, scanned = str(tmp_path / "e.parquet"), str(tmp_path / "s.parquet")
    number, left_out = asyncio.run(export(archive, table, archive.origins()))
    seen = [each for origin in hosts for each in archive.observations(origin)]
    scan(table, scanned)
    versions = history_of(table, hosts=["0.example"])
    summary = report.summarise(scanned, by="month", carry=True)

    assert (number, left_out) == (sum(1 + (each.first != each.last) for each in seen), 0)
    assert number == pq.read_metadata(table).num_rows
    assert versions
    assert {HOSTS} == {each.sites for each in summary.snapshots}


def _facts(row: dict[str, object]) -> tuple[object, ...]:
    """Return what a scan tells of a row; a digest only of a file."""
    digest = row["digest"] if row["access"] == "successful" else None
    return row["origin"], row["time"], row["status"], row["access"], digest


@pytest.mark.parametrize("name", ["e.warc", "e.warc.gz"])
def test_responses_are_exported_as_warc(
    observed: tuple[str, dict[str, list[Told]]], tmp_path: Path, name: str
) -> None:
    """`scan` reads the same of them as of the table, but for attempts that failed."""
    archive = Archive(observed[0], read_only=True)
    table, warc = str(tmp_path / "e.parquet"), str(tmp_path / name)
    asyncio.run(export(archive, table))
    number, left_out = asyncio.run(export(archive, warc))
    rows: list[list[tuple[object, ...]]] = []
    for source in (table, warc):
        scan(source, f"{source}.scan.parquet")
        rows.append(
            sorted(map(_facts, pq.read_table(f"{source}.scan.parquet").to_pylist()), key=repr)
        )
    told, found = rows

    assert [row for row in told if row[2] is not None] == found
    assert left_out == len(told) - len(found)
    assert number == len(found) > HOSTS


INCOMPLETE = [
    AccessResult(f"{SITE}/robots.txt", BEGIN, status=200, failure="broken-body"),
    AccessResult(f"{SITE}/robots.txt", BEGIN, status=302, failure="too-many-redirects"),
    AccessResult(f"{SITE}/robots.txt", BEGIN, status=301, failure="redirect-refused"),
    AccessResult(f"{SITE}/robots.txt", BEGIN, failure="timeout"),
]


@pytest.mark.parametrize("result", INCOMPLETE, ids=[str(each.failure) for each in INCOMPLETE])
def test_what_was_no_whole_response_is_not_exported_as_one(
    tmp_path: Path, result: AccessResult
) -> None:
    """A body that broke off would be read as a file without rules, and the site be open."""
    archive = Archive(str(tmp_path / "a.db"))
    with archive.transaction():
        archive.add(SITE, 0, result)
    archive.close()
    warc = tmp_path / "e.warc"
    code, _, err = asked("history", f"--archive={tmp_path / 'a.db'}", f"--export={warc}")

    assert (code, warc.read_bytes()) == (0, b"")
    assert "left out: 1 attempt without a whole response" in err


def test_a_time_beyond_the_calendar_is_its_end(tmp_path: Path) -> None:
    """What a clock that was wrong has noted is exported all the same."""
    archive = Archive(str(tmp_path / "a.db"))
    with archive.transaction():
        archive.add(SITE, 0, AccessResult(f"{SITE}/robots.txt", 1e15, status=200, body=FILE))
    number, _ = asyncio.run(export(archive, str(tmp_path / "e.warc")))

    assert number == 1
    assert b"WARC-Date: 9999-12-31T23:59:59Z" in (tmp_path / "e.warc").read_bytes()


def test_diff_reads_both_exports(tmp_path: Path) -> None:
    """The same changes, in each form."""
    found = []
    for name, body in (("old", FILE), ("new", OTHER)):
        archive = Archive(str(tmp_path / f"{name}.db"))
        with archive.transaction():
            archive.add(SITE, 0, AccessResult(f"{SITE}/robots.txt", BEGIN, status=200, body=body))
        for ending in ("parquet", "warc", "warc.gz"):
            asyncio.run(export(archive, str(tmp_path / f"{name}.{ending}")))
    for ending in ("parquet", "warc", "warc.gz"):
        output = tmp_path / f"{ending}.jsonl"
        old, new = (str(tmp_path / f"{name}.{ending}") for name in ("old", "new"))
        assert asked("diff", old, new, "--output", str(output))[0] == 1
        found.append(output.read_bytes())

    assert found[0] == found[1] == found[2] != b""


def test_an_import_is_the_past(tmp_path: Path) -> None:
    """Files named by date are versions before the first check; importing twice changes nothing."""
    folder = tmp_path / "versions"
    folder.mkdir()
    for name, body in (("2025-01-01", FILE), ("2025-03-01", OTHER), ("2025-06-01", FILE)):
        (folder / f"{name}.txt").write_bytes(body)
    archive = Archive(str(tmp_path / "a.db"))
    for new in (3, 0):
        assert new == import_into(archive, observed_in(str(folder), SITE), SITE, Interest())

    assert [FILE, OTHER, FILE] == [
        each.result.body for each in archive.observations("https://a.example")
    ]
    assert archive.news() == []
    asyncio.run(observe(archive, {"https://a.example": [(BEGIN + 1e8, 200, OTHER)]}))
    [(_, _, news)] = archive.news()
    assert json.loads(news)["before"]["first"] == "2025-06-01T00:00:00Z"


def test_an_exported_archive_is_imported(
    observed: tuple[str, dict[str, list[Told]]], tmp_path: Path
) -> None:
    """What one archive gives, another takes: the same counted at the same times."""
    path, hosts = observed
    table = str(tmp_path / "e.parquet")
    archive = Archive(path, read_only=True)
    asyncio.run(export(archive, table, archive.origins()))
    other = Archive(str(tmp_path / "b.db"))
    import_into(other, observed_in(table, None), None, Interest())

    for origin, told in hosts.items():
        for at, status, _ in told[::7]:
            found = entry_at(other.observations(origin), at + 0.5)
            assert found is not None
            assert found.last.status == status


def test_a_series_of_changes_is_carried_forward(tmp_path: Path) -> None:
    """One host whose file is stored when it changes is a site in every snapshot."""
    lines = ["url,time,status,body"]
    lines += [
        f'a.example,2024-{month:02}-01T00:00:00Z,200,"User-agent: {month}"' for month in (1, 5, 9)
    ]
    lines += [
        f'b.example,2024-{month:02}-01T00:00:00Z,200,"User-agent: b"' for month in range(1, 13)
    ]
    (tmp_path / "series.csv").write_text("\n".join([*lines, ""]))
    scan(str(tmp_path / "series.csv"), str(tmp_path / "s.parquet"))
    plain = report.summarise(str(tmp_path / "s.parquet"))
    carried = report.summarise(str(tmp_path / "s.parquet"), carry=True)

    assert (12, 1) == (len(plain.snapshots), plain.latest.sites)
    assert {2} == {each.sites for each in carried.snapshots}


@pytest.mark.parametrize("ending", ["html", "svg", "json"])
def test_a_picture(
    observed: tuple[str, dict[str, list[Told]]], tmp_path: Path, ending: str
) -> None:
    """What crawlers for each purpose could fetch, over time."""
    path, _ = observed
    picture = tmp_path / f"c.{ending}"
    code, _, err = asked(
        "history", "0.example", "--archive", path, "--chart", str(picture), "--quiet"
    )
    text = picture.read_text()

    assert (0, "") == (code, err)
    assert ("vega" in text) if ending != "svg" else "<svg" in text
    if ending == "json":
        whats = {row["what"] for row in json.loads(text)["data"]["values"]}
        assert {"partly", "failing", "gone"} <= whats


def test_a_table_without_times_is_refused(tmp_path: Path) -> None:
    """Nobody knows when it was observed."""
    (tmp_path / "seen.csv").write_text("origin,body,status\nhttps://a.example,x,200\n")
    words = ("--archive", str(tmp_path / "a.db"), "--import", str(tmp_path / "seen.csv"))
    code, _, told = asked("history", "a.example", *words)

    assert code == 2
    assert "time" in told
    assert not (tmp_path / "a.db").exists()
