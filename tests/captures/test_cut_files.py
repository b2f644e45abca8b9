"""Files of which the first 500 KiB were kept: whole for who reads no more, and for nobody else.

In: such a file in a cache, its export, and what `verger scan`, a history and a later table make of
one. Out: the rules in RFC 9309, and a broken body in `googlebot-cpp`, which reads files whole.
`conformance/incomplete/doors.toml` has the doors through which it comes first.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cache.samples import filled
from cli.conftest import Run, folder, run
from incomplete import FILE, FIRST_HALF_MIB, LAST_LINE, SITE, asked
from verger import snapshots
from verger.access.entry import Entry, policy_of
from verger.access.result import AccessResult
from verger.bulk import Snapshot
from verger.bulk.audit import history_of
from verger.bulk.scan import Scanner, scan
from verger.dialects import GOOGLEBOT_CPP, RFC9309
from verger.errors import UnusableInput
from verger.options import DialectName

__all__ = ["folder", "run"]

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
    is_lost = reason == "BROKEN_BODY" and which == "copy"
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
