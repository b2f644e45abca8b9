"""The numbers of a report are those that plain Python counts."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from property_settings import examples
from verger.bulk import report
from verger.bulk.report.summary import Summary

from .scans import (
    FIELDS,
    NOON,
    TOKENS,
    Capture,
    redirect,
    unavailable,
    unreachable,
    write,
    write_many,
)

POSTURES = ("all", "some", "none")
WORDS = {"all": "open", "some": "partly", "none": "closed"}


# By hand


def summarised(folder: Path, *captures: Capture, by: report.By = "auto") -> Summary:
    return report.summarise([write(folder / "scan.parquet", captures)], by=by)


def standing(summary: Summary, token: str, snapshot: int = -1) -> dict[str, int]:
    """Return what is not zero."""
    (found,) = [each for each in summary.crawlers if each.token == token]
    return {name: number for name, number in found.standings[snapshot].items() if number}


CHOICES = {
    "last successful": (
        [Capture(posture="all"), Capture(posture="none", time=NOON + timedelta(hours=1))],
        {"closed": 1},
    ),
    "successful, though a failure came later": (
        [Capture(posture="all"), unreachable("https://example.com", time=NOON + timedelta(1))],
        {"open": 1},
    ),
    "unavailable after a file": (
        [Capture(posture="none"), unavailable("https://example.com", time=NOON + timedelta(1))],
        {"open without a file": 1},
    ),
    "successful after it was unavailable": (
        [unavailable("https://example.com"), Capture(posture="none", time=NOON + timedelta(1))],
        {"closed": 1},
    ),
    "last that is not a redirect": (
        [
            unreachable("https://example.com"),
            unavailable("https://example.com", time=NOON + timedelta(hours=1)),
            redirect("https://example.com", time=NOON + timedelta(hours=2)),
        ],
        {"open without a file": 1},
    ),
    "no judgement behind a redirect": ([redirect("https://example.com")], {}),
    "later row of equal times": ([Capture(posture="all"), Capture(posture="some")], {"partly": 1}),
    "unreachable": ([unreachable("https://example.com")], {"closed without a file": 1}),
}


@pytest.mark.parametrize(("captures", "expected"), CHOICES.values(), ids=CHOICES)
def test_one_capture_counts_for_an_origin(
    captures: list[Capture], expected: dict[str, int], tmp_path: Path
) -> None:
    """Several captures of an origin in a snapshot count once."""
    summary = summarised(tmp_path, *captures)

    assert expected == standing(summary, "*")
    assert (1, len(captures)) == (summary.latest.sites, summary.captures)


def test_default_takes_the_posture_of_the_site(tmp_path: Path) -> None:
    """A crawler that no group names has the site's posture; one that is named has its own."""
    summary = summarised(tmp_path, Capture(posture="none", crawlers={"GPTBot": "all"}))
    namings = {each.token: each.namings for each in summary.crawlers}

    assert {"open": 1} == standing(summary, "GPTBot")
    assert {"closed": 1} == standing(summary, "Googlebot")
    assert (1, 0) == (namings["GPTBot"]["open"], namings["GPTBot"]["default"])
    assert (0, 1) == (namings["Googlebot"]["open"], namings["Googlebot"]["default"])


def at(*days: str) -> list[Capture]:
    return [Capture(time=datetime.fromisoformat(f"{day}T12:00:00+00:00")) for day in days]


SNAPSHOTS = {
    "days close together": (
        at("2026-03-30", "2026-03-31", "2026-04-03"),
        "auto",
        ["2026-03-30 to 2026-04-03"],
    ),
    "cut by a gap": (
        at("2026-03-01", "2026-03-02", "2026-03-07"),
        "auto",
        ["2026-03-01 to 2026-03-02", "2026-03-07"],
    ),
    "captures all the time": (
        at(*(f"2026-0{month}-{day:02}" for month in (3, 4) for day in range(1, 31))),
        "auto",
        ["2026-03", "2026-04"],
    ),
    "by day": (at("2026-03-01", "2026-03-02"), "day", ["2026-03-01", "2026-03-02"]),
    "by month": (at("2026-03-31", "2026-04-01"), "month", ["2026-03", "2026-04"]),
    "by year": (at("2025-12-31", "2026-01-01", "2026-09-01"), "year", ["2025", "2026"]),
    "no time": ([Capture(time=None)], "auto", ["no time known"]),
    "some time": ([Capture(time=None), *at("2026-03-01")], "auto", ["2026-03-01"]),
    "no believable time": (at("1970-01-01", "2300-01-01"), "auto", ["no time known"]),
}


@pytest.mark.parametrize(("captures", "by", "expected"), SNAPSHOTS.values(), ids=SNAPSHOTS)
def test_snapshots(
    captures: list[Capture], by: report.By, expected: list[str], tmp_path: Path
) -> None:
    """Captures are parted by time as they lie, or as they are asked for."""
    summary = summarised(tmp_path, *captures, by=by)

    assert expected == [each.label for each in summary.snapshots]


def test_words_that_no_scan_writes(tmp_path: Path) -> None:
    """Access, posture and status of another hand are counted apart, and judged as unknown."""
    odd = Capture("https://odd.example", access="lost", posture="perhaps", status=70_000)
    summary = summarised(tmp_path, odd, Capture("https://b.example", posture="perhaps"))
    answers = {(each.status, each.access): each.sites for each in summary.answers}

    assert {(-1, "(other)"): 1, (200, "successful"): 1} == answers
    assert {} == standing(summary, "*")
    assert (2, 1) == (summary.latest.sites, summary.latest.files)


def test_crawlers_of_each_table_count(tmp_path: Path) -> None:
    """Tables may list different crawlers: each is counted where it is listed."""
    one = write(tmp_path / "one.parquet", [Capture("https://a.example")], tokens=("A", "B"))
    two = write(tmp_path / "two.parquet", [Capture("https://b.example")], tokens=("B", "C"))
    summary = report.summarise([one, two])
    sites = {each.token: sum(each.standings[-1].values()) for each in summary.crawlers}

    assert {"*": 2, "A": 1, "B": 2, "C": 1} == sites


def test_sizes(tmp_path: Path) -> None:
    """Bins are 0, 1 to 63, and from there each twice as wide; those between have a place."""
    sizes = [0, 1, 63, 64, 127, 128, 511, 512, 1 << 20]
    captures = [Capture(f"https://{size}.example", body=b"x" * size) for size in sizes]
    bins = summarised(tmp_path, *captures).sizes

    assert [0, 1, 64, 128, 256, 512, 1024] == [each.least for each in bins[:7]]
    assert (1 << 20, 2 << 20) == (bins[-1].least, bins[-1].less)
    assert [1, 2, 2, 1, 1, 1, *[0] * 10, 1] == [each.files for each in bins]


# By plain Python

ORIGINS = tuple(f"https://{name}.example" for name in "abcdef")
BODIES = (b"", b"x", b"y" * 64, b"z" * 1000)
TIMES = (None, *(NOON + timedelta(days=day) for day in (0, 1, 2, 9, 10, 40)))


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    """Draw a capture of one of a few origins."""
    origin = draw(st.sampled_from([*ORIGINS, None]))
    time = draw(st.sampled_from(TIMES))
    access = draw(
        st.sampled_from(["successful", "successful", "redirect", "unavailable", "unreachable"])
    )
    if access != "successful":
        make = {"redirect": redirect, "unavailable": unavailable, "unreachable": unreachable}
        return make[access](origin, time=time)
    postures = st.sampled_from(POSTURES)
    return Capture(
        origin,
        time,
        body=draw(st.sampled_from(BODIES)),
        posture=draw(postures),
        crawlers=draw(st.dictionaries(st.sampled_from(TOKENS), postures)),
        fields=draw(st.dictionaries(st.sampled_from(FIELDS), st.integers(0, 3))),
        findings=draw(
            st.lists(
                st.tuples(st.sampled_from(["late", "odd"]), st.integers(1, 9)),
                unique_by=lambda finding: finding[0],
            )
        ),
        signals=draw(
            st.dictionaries(st.sampled_from(["search", "ai_train"]), st.sampled_from([True, False]))
        ),
        truncated=draw(st.booleans()),
    )


def runs(rows: Sequence[Capture]) -> list[set[datetime | None]]:
    """Return the times of each snapshot; the times above lie in three runs."""
    known = {row.time for row in rows if row.time is not None}
    parts = [{TIMES[1], TIMES[2], TIMES[3]}, {TIMES[4], TIMES[5]}, {TIMES[6]}]
    found: list[set[datetime | None]] = [{*part} & known for part in parts if part & known]
    return found or [{None}]


def counting(rows: Sequence[Capture], times: set[datetime | None]) -> list[Capture]:
    """Return the captures that count in a snapshot."""
    best: dict[str, tuple[int, datetime, Capture]] = {}
    for row in rows:
        if row.origin is None or row.time not in times:
            continue
        rank = {"redirect": 0, "successful": 2, "unavailable": 2}.get(row.access, 1)
        time = row.time or datetime.min.replace(tzinfo=UTC)
        if row.origin not in best or (rank, time) >= best[row.origin][:2]:
            best[row.origin] = (rank, time, row)
    return [row for _, _, row in best.values()]


def standing_of(row: Capture, token: str) -> str | None:
    if row.access == "redirect" or row.posture is None:
        return None
    posture = row.crawlers.get(token, row.posture)
    without = "" if row.access == "successful" or posture == "some" else " without a file"
    return WORDS[posture] + without


@pytest.mark.slow
@examples(40)
@given(st.lists(captures(), max_size=30), st.integers(0, 30))
def test_numbers_are_those_of_plain_python(rows: list[Capture], cut: int) -> None:
    """However captures lie in tables, each number is the right one."""
    with TemporaryDirectory() as name:
        halves = [
            write(Path(name) / f"{number}.parquet", half)
            for number, half in enumerate((rows[:cut], rows[cut:]))
        ]
        summary = report.summarise(halves)

    snapshots = [counting(rows, times) for times in runs(rows)]
    latest = snapshots[-1]
    files = [row for row in latest if row.access == "successful"]
    contents = summary.contents

    assert len(rows) == summary.captures
    assert sum(row.origin is None for row in rows) == summary.strays
    assert sum(row.time is None for row in rows) == summary.undated
    assert [len(each) for each in snapshots] == [each.sites for each in summary.snapshots]
    for token in ("*", *TOKENS):
        found = [standing(summary, token, number) for number in range(len(snapshots))]
        expected = [Counter(standing_of(row, token) for row in each) for each in snapshots]
        for each in expected:
            del each[None]

        assert expected == found
    for crawler in summary.crawlers:
        if crawler.token != "*":
            words = {**WORDS, None: "default"}
            named = Counter(words[row.crawlers.get(crawler.token)] for row in files)

            assert named == Counter(crawler.namings)
    assert Counter((row.status, row.access) for row in latest) == {
        (each.status, each.access): each.sites for each in summary.answers
    }
    assert len(files) == contents.files
    assert sum(len(row.body or b"") for row in files) == contents.size
    assert sum(row.truncated for row in files) == contents.truncated
    for use in summary.fields:
        lines = [row.fields.get(use.name.replace("-", "_"), 0) for row in files]

        assert (sum(map(bool, lines)), sum(lines)) == (use.files, use.times)
    for signal in summary.signals:
        said = Counter(row.signals.get(signal.name.replace("-", "_")) for row in files)

        assert (said[True], said[False], said[None]) == (signal.yes, signal.no, signal.unsaid)
    codes = Counter(code for row in files for code, _ in row.findings)
    times = Counter[str]()
    for row in files:
        times.update(dict(row.findings))

    assert codes == {each.name: each.files for each in summary.findings}
    assert times == {each.name: each.times for each in summary.findings}
    digests = Counter(row.digest for row in files)

    assert len(digests) == contents.different
    assert {digest.hex(): number for digest, number in digests.items() if number > 1} == {
        each.digest: each.files for each in summary.repeated
    }
    for each in summary.repeated:
        origins = [row.origin for row in files if row.digest.hex() == each.digest]

        assert (min(origins), max(origins)) == (each.first, each.last)


@pytest.mark.slow
def test_more_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into memory waits on disk, and counts all the same."""
    monkeypatch.setattr("verger.bulk.report.counting.MEMORY", "60MB")
    summary = report.summarise([write_many(tmp_path / "many.parquet", 400_000)])

    assert (400_000, 400_000) == (summary.latest.sites, summary.contents.different)
