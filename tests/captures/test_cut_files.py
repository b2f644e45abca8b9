"""Files of which the first 500 KiB were kept: whole for who reads no more, and for nobody else.

In: such a file in a cache, its export, and what `verger scan`, a history and a later table make of
one. Out: the rules in RFC 9309, and a broken body in `googlebot-cpp`, which reads files whole.
`conformance/incomplete/doors.toml` has the doors through which it comes first.
"""

import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger
from cache.samples import filled
from cli.conftest import Run, folder, run
from incomplete import FILE, FIRST_HALF_MIB, LAST_LINE, SITE, asked
from support import NAMES
from verger import Site, snapshots
from verger.access.entry import Entry, policy_of
from verger.access.observation import Observation, entry_observed
from verger.access.result import AccessResult
from verger.bulk import Snapshot, decide_table
from verger.bulk.audit import history_of
from verger.bulk.scan import Scanner, scan
from verger.dialects import GOOGLEBOT_CPP, RFC9309
from verger.errors import UnusableInput
from verger.fetching.transport import Reply
from verger.options import DialectName
from verger.testing import MemoryTransport

__all__ = ["folder", "run"]

PRIVATE = f"{SITE}/private"
DAY = 86_400
LOG = (
    '192.0.2.9 - - [05/Jan/2026:10:00:01 +0000] "GET /private HTTP/1.1" 200 5 "-" '
    '"ExampleBot/1.0 (+https://example.com/bot)"\n'
)

READ: Mapping[DialectName, str] = {
    "rfc9309": "MOST_SPECIFIC_RULE",
    "googlebot-cpp": "BROKEN_BODY",
}
KEPT = FIRST_HALF_MIB.replace(LAST_LINE, b"#" * len(LAST_LINE))
"""What is read of it: the line in which it ends may be half of one."""
CUT = AccessResult(f"{SITE}/robots.txt", 1_772_366_400.0, status=200, body=KEPT, truncated=True)
FAILED = AccessResult(CUT.url, CUT.fetched_at + 60, status=503)
ENTRIES = {
    "last": Entry(SITE, CUT),
    "copy": Entry(SITE, FAILED, CUT, unreachable_since=FAILED.fetched_at, failures=1),
    "copy, for long": Entry(
        *(SITE, FAILED, CUT, FAILED.fetched_at - 5 * 86_400, 9),
        unreachable_for=5 * 86_400,
    ),
}

dialects = pytest.mark.parametrize(("dialect", "reason"), READ.items())


def stored(run: Run, folder: Path, entry: Entry) -> tuple[Path, Path]:
    """Return a cache with one entry, and its export."""
    filled(folder / "cache.sqlite3", [entry])
    run("cache", "export", "--cache", "cache.sqlite3", "--output", "cache.parquet")
    return folder / "cache.sqlite3", folder / "cache.parquet"


@dialects
@pytest.mark.parametrize("which", ENTRIES)
def test_a_cache_and_its_export_say_the_same(
    run: Run, folder: Path, which: str, dialect: DialectName, reason: str
) -> None:
    """Of the file that was fetched last, and of a copy, which binds while a server fails."""
    is_lost = reason == "BROKEN_BODY" and which != "last"
    expected = (False, "SERVER_ERROR" if is_lost else reason)
    for path in stored(run, folder, ENTRIES[which]):
        assert asked(snapshots.open(path, dialect=dialect)) == expected, path
    assert asked(Snapshot.from_entries([ENTRIES[which]], dialect=dialect)) == expected
    table = pq.read_table(folder / "cache.parquet")
    assert asked(Snapshot.from_table(table, dialect=dialect)) == expected


@dialects
def test_check_reads_a_cache_in_each_dialect_by_itself(
    run: Run, folder: Path, dialect: DialectName, reason: str
) -> None:
    """Several dialects in one run answer as each alone."""
    stored(run, folder, ENTRIES["last"])
    question = ("check", "--snapshot", "cache.sqlite3", "--agent", "ExampleBot", "--format=jsonl")
    alone = run(*question, f"--dialect={dialect}", f"{SITE}/private").out
    assert f'"reason": "{reason}"' in alone
    both = run(*question, *(f"--dialect={each}" for each in READ), f"{SITE}/private").out
    assert set(both.splitlines()) > set(alone.splitlines())


def test_what_is_enough_is_the_parsing_limit() -> None:
    """A file that was cut behind what any dialect reads is whole in each."""
    longer = replace(CUT, body=FILE.ljust(4 * 512_000, b"#"))
    for dialect in (RFC9309, GOOGLEBOT_CPP):
        assert policy_of(Entry(SITE, longer), dialect).effect == "rules"
    assert policy_of(Entry(SITE, CUT), GOOGLEBOT_CPP, is_own=True).effect == "rules"


@dialects
def test_a_scan_and_a_history_know_it(tmp_path: Path, dialect: DialectName, reason: str) -> None:
    """No row of facts, and no version, comes of what is not a whole file."""
    path, is_whole = tmp_path / "files.parquet", reason != "BROKEN_BODY"
    row = {"origin": SITE, "time": 7, "status": 200, "body": FIRST_HALF_MIB, "truncated": "length"}
    pq.write_table(pa.Table.from_pylist([row]), path)

    scan(path, tmp_path / "scan.parquet", scanner=Scanner(dialect=dialect, crawlers=["*"]))
    (told,) = pq.read_table(tmp_path / "scan.parquet").to_pylist()
    assert (told["access"] == "successful", told["rules"] is not None) == (is_whole, is_whole)

    if not is_whole:
        with pytest.raises(UnusableInput):
            history_of(path, dialect=dialect)
        return
    (version,) = history_of(path, dialect=dialect)
    assert version.body == KEPT


def rows_of(*rows: Mapping[str, Any]) -> pa.Table:
    """Return rows of the site, a day apart."""
    whole = [{"origin": SITE, "time": DAY * at, **row} for at, row in enumerate(rows)]
    kinds = [("origin", pa.string()), ("time", pa.int64()), ("status", pa.int64())]
    return pa.Table.from_pylist(
        whole, pa.schema([*kinds, ("body", pa.binary()), ("truncated", pa.string())])
    )


@dialects
@pytest.mark.usefixtures("folder")
def test_no_period_behind_such_a_file_opens(run: Run, dialect: DialectName, reason: str) -> None:
    """As no copy would let Google's steps do, after half a day; the kernel and `check` agree."""
    cut = {"status": 200, "body": FIRST_HALF_MIB, "truncated": "length"}
    table = rows_of(cut, *[{"status": 503}] * 5)
    pq.write_table(table, "files.parquet")
    kernel = asked(Snapshot.from_table(table, dialect=dialect))
    assert kernel == (False, reason if reason == "MOST_SPECIFIC_RULE" else "SERVER_ERROR")
    told = run("check", "--snapshot=files.parquet", "--agent=A", f"--dialect={dialect}", PRIVATE)
    assert told.code == 1


ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "cut": {"status": 200, "body": FILE[:20], "truncated": "length"},
    "not kept": {"status": 200},
    "a part": {"status": 206, "body": FILE},
    "half a gzip": {"status": 200, "body": gzip.compress(FILE)[:30]},
    "redirects": {"status": 301},
    "not modified": {"status": 304},
    "no status": {"status": 0},
    "nothing": {},
}


@pytest.mark.parametrize("name", [each for each in NAMES if each != "yandex"])
@pytest.mark.parametrize("kind", ANSWERS)
def test_what_says_nothing_of_the_rules_opens_nothing(name: DialectName, kind: str) -> None:
    """However long it is all that was kept: it shows no error of the site, in any dialect."""
    allowed, reason = asked(Snapshot.from_table(rows_of(*[ANSWERS[kind]] * 40), dialect=name))
    assert allowed is not True
    assert reason in ("BROKEN_BODY", "UNDEFINED_STATUS")
    entry = entry_observed(
        SITE,
        [Observation(DAY * at, ANSWERS[kind].get("status"), None, None) for at in range(40)],
        now=DAY * 40.0,
    )
    assert policy_of(entry, verger.DIALECTS[name]).effect not in ("allow_all", "rules")


def test_a_client_that_reads_more_leaves_the_copy_of_others(tmp_path: Path) -> None:
    """Its failures are not stored over what others may use."""
    now, replies = [1.8e9], [Reply(200, [], FILE.ljust(600_000, b"#"))]
    web = MemoryTransport({SITE: lambda _: replies[-1]})
    store = tmp_path / "cache.sqlite3"

    def ask(name: DialectName) -> Site:
        with verger.Client(
            *("ExampleBot/1.0 (+https://example.com/bot)",),
            dialect=name,
            store=store,
            transport=web,
            clock=lambda: now[0],
        ) as client:
            return client.refresh(SITE)

    assert ask("google").allowed(PRIVATE) is False
    replies.append(Reply(503, [], b""))
    for _ in range(2):
        now[0] += 50_000
        assert ask("googlebot-cpp").allowed(PRIVATE) is False
        found = ask("google")
        assert found.allowed(PRIVATE) is False
        assert found.entry is not None
        assert found.entry.copy is not None


@dialects
@pytest.mark.usefixtures("folder")
def test_what_is_imported_stays_cut(run: Run, dialect: DialectName, reason: str) -> None:
    """In the archive of a watch, and in what is exported from it."""
    row = {"status": 200, "body": FIRST_HALF_MIB, "truncated": "length"}
    pq.write_table(rows_of(row), "files.parquet")
    assert run("history", SITE, "--archive=a.db", "--import=files.parquet").code == 0
    words = ("--agent=A", f"--dialect={dialect}", PRIVATE)
    assert run("history", "--archive=a.db", "--at=2026-01-01", *words).code == 1
    for output in ("out.parquet", "out.warc"):
        assert run("history", "--archive=a.db", SITE, f"--export={output}").code == 0
        assert asked(snapshots.open(output, dialect=dialect)) == (False, reason)


@dialects
def test_a_folder_and_a_mapping_keep_it(tmp_path: Path, dialect: DialectName, reason: str) -> None:
    """Of a packed file that unpacks to more than is kept."""
    del reason
    long = FILE.ljust(1_700_000, b"#") + b"\nDisallow: /end\n"
    (tmp_path / "example.com").write_bytes(gzip.compress(long))
    for snapshot in (
        snapshots.open(tmp_path, dialect=dialect),
        Snapshot({SITE: gzip.compress(long)}, dialect=dialect),
    ):
        assert asked(snapshot)[0] is False
        is_open = pa.table(decide_table([f"{SITE}/end"], snapshot, "A"))["allowed"].to_pylist()
        assert is_open == [dialect == "rfc9309"]


FORMS = {
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(range(9)),
    "xz": b"\xfd7zXZ\0\0\4",
    "bzip2": b"BZh91AY&SY",
    "a pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
    "a message": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + FILE,
    "zeros": bytes(64),
    "gzip": gzip.compress(FILE)[:-9],
}


@pytest.mark.parametrize("form", FORMS)
def test_files_in_other_forms_open_nothing(run: Run, folder: Path, form: str) -> None:
    """By whatever command they are read: in a folder of sites, of versions, alone, and on stdin."""
    for place in ("sites/example.com", "versions/2026-01-01.txt", "robots.txt", "old.txt"):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_bytes(FILE if place == "old.txt" else FORMS[form])
    (folder / "urls.txt").write_text(f"{PRIVATE}\n")
    (folder / "access.log").write_text(LOG)

    agent = "--agent=ExampleBot"
    assert run("check", "--snapshot=sites", agent, PRIVATE).code == 1
    assert run("filter", "--snapshot=sites", agent, "urls.txt", "--quiet").out == ""
    alone = [
        ("check", "--robots=robots.txt", agent, PRIVATE),
        ("diff", "old.txt", "robots.txt"),
        ("agents", "robots.txt"),
    ]
    for words in (
        *(alone if form != "zeros" else ()),  # of which a note says that they are no text
        ("audit", "access.log", "--history=versions"),
        ("history", SITE, "--archive=a.db", "--import=versions"),
    ):
        assert run(*words).code == 2, words
    if form != "zeros":
        assert run("check", "--robots=-", agent, PRIVATE, stdin=FORMS[form]).code == 2
