"""Counting: tables of `verger scan` become the numbers of a report.

In: tables. Out: a `Summary`. The tables are read three times, a few columns and some ten thousand
rows at once: for the days, for the captures that count, and for the numbers. Memory grows with the
numbers of the report, not with the rows, except for one bit per row.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from verger.access.observation import KINDS
from verger.bulk.report.changing import changes_of
from verger.bulk.report.choosing import chosen
from verger.bulk.report.repeats import Repeats
from verger.bulk.report.snapshots import By, Calendar, count_days, days_of
from verger.bulk.report.sources import ReportInput
from verger.bulk.report.summary import (
    NAMINGS,
    NO_STATUS,
    OTHERS,
    STANDINGS,
    AnswerCounts,
    Contents,
    CrawlerCounts,
    FieldUse,
    FindingUse,
    Naming,
    Signal,
    Sites,
    SizeBin,
    Standing,
    Summary,
)

if TYPE_CHECKING:
    import pyarrow as pa

POSTURES = ("all", "some", "none", "unknown", "default")
SIGNALS = ("search", "ai_input", "ai_train")

SMALLEST = 64
"""Files with fewer bytes, except empty ones, are counted as one size."""

CODES = 2_000
"""The most codes of findings that are counted; verger has some dozens."""

OTHER = "(other)"


def summary_of(sources: Sequence[ReportInput], folder: Path, *, by: By = "auto") -> Summary:
    """Return the numbers; `folder` is for temporary files.

    Raises `InvalidTable` if a table cannot be read to its end.
    """
    changes = changes_of([source for source in sources if source.is_of_changes], folder)
    sources = [source for source in sources if not source.is_of_changes]
    times = CaptureTimes()
    for source in sources:
        for batch in source.batches(["origin", "time"]):
            times.add(batch)
    calendar = Calendar(times.days, by)
    choice = chosen(sources, calendar, folder)
    rows = sum(source.rows for source in sources)
    with Repeats(folder, rows) as repeats:
        tally = CaptureCount(calendar, repeats, sources)
        start = 0
        for source in sources:
            for batch in source.batches(_columns(source)):
                number = batch.num_rows
                tally.add(batch.filter(choice.mask(start, number)), source)
                start += number
        contents = tally.contents()
    return Summary(
        tables=len(sources),
        captures=rows,
        strays=times.strays,
        undated=times.undated,
        first=times.first,
        last=times.last,
        snapshots=tally.sites(),
        crawlers=tally.crawlers(),
        answers=tally.answers(),
        contents=contents,
        dialects=sorted({source.dialect for source in sources if source.dialect}),
        versions=sorted({source.version for source in sources if source.version}),
        changes=changes,
    )


def _columns(source: ReportInput) -> list[str]:
    return [
        "origin",
        "time",
        "status",
        "access",
        "bytes",
        "digest",
        "truncated",
        "fields",
        "findings",
        "sitemaps",
        "content_signals",
        "posture",
        *(f"crawlers.{token}.posture" for token in source.crawlers),
    ]


class CaptureTimes:
    """The times and origins of all captures, whether they count or not."""

    def __init__(self) -> None:
        self.days: Counter[int] = Counter()
        self.strays = 0
        self.undated = 0
        self.first: datetime | None = None
        self.last: datetime | None = None

    def add(self, batch: "pa.RecordBatch") -> None:
        """Count captures."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known_before = self.days.total()
        count_days(batch["time"], self.days)
        self.undated += batch.num_rows - (self.days.total() - known_before)
        self.strays += batch["origin"].null_count
        days = days_of(batch["time"])
        believed = batch["time"].filter(pc.is_in(days, pa.array(list(self.days), pa.int32())))
        if len(believed):
            # in microseconds, which datetime has; a time zone may need files of the system
            ends = pc.min_max(believed.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))
            first, last = _time(ends["min"].as_py()), _time(ends["max"].as_py())
            self.first = min(self.first or first, first)
            self.last = max(self.last or last, last)


def _time(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)


class CaptureCount:
    """The numbers of the captures that count."""

    def __init__(
        self, calendar: Calendar, repeats: Repeats, sources: Sequence[ReportInput]
    ) -> None:
        self._calendar = calendar
        self._repeats = repeats
        self._answers: Counter[tuple[int | None, str]] = Counter()
        self._sites: Counter[tuple[int, str]] = Counter()
        self._crawlers: dict[str, Counter[tuple[int, int, int]]] = {
            token: Counter()
            for token in (OTHERS, *(token for source in sources for token in source.crawlers))
        }
        self._files = FileNumbers(sources)

    def add(self, batch: "pa.RecordBatch", source: ReportInput) -> None:
        """Count captures of a source."""
        import pyarrow.compute as pc

        snapshots = self._calendar.of(batch["time"])
        access = _access(batch)
        for (snapshot, kind), number in _counted(snapshots, access).items():
            self._sites[snapshot, kind or OTHER] += number
        self._count_crawlers(batch, source, snapshots)

        is_latest = pc.equal(snapshots, len(self._calendar.snapshots) - 1)
        latest = batch.filter(is_latest)
        access = _access(latest)
        for (status, kind), number in _counted(_status(latest), access).items():
            self._answers[status, kind or OTHER] += number
        files = latest.filter(pc.equal(access, "successful"))
        self._files.add(files, source)
        self._repeats.add(files)

    def _count_crawlers(
        self, batch: "pa.RecordBatch", source: ReportInput, snapshots: "pa.Array"
    ) -> None:
        """Count what crawlers may fetch, by snapshot, kind of access, and both postures."""
        import pyarrow.compute as pc

        redirect = KINDS.index("redirect")  # nothing is known of it, as of an unknown word
        access = pc.index_in(_access(batch), _words(KINDS)).fill_null(redirect)
        default = POSTURES.index("default")
        site = pc.index_in(batch["posture"].cast("string"), _words(POSTURES)).fill_null(default)
        place = pc.add(pc.multiply(snapshots.cast("int64"), len(KINDS)), access)
        place = pc.add(pc.multiply(place, len(POSTURES)), site)
        place = pc.multiply(place, len(POSTURES))
        crawlers = {OTHERS: pc.add(place, default)}
        for token in source.crawlers:
            posture = pc.struct_field(batch["crawlers"], [token, "posture"]).cast("string")
            named = pc.index_in(posture, _words(POSTURES)).fill_null(default)
            crawlers[token] = pc.add(place, named)
        for token, places in crawlers.items():
            counts = self._crawlers[token]
            for each in pc.value_counts(places).to_pylist():
                packed, named = divmod(each["values"], len(POSTURES))
                snapshot, both = divmod(packed, len(KINDS) * len(POSTURES))
                counts[snapshot, both, named] += each["counts"]

    # The results

    def sites(self) -> list[Sites]:
        """Return how many sites each snapshot has."""
        counted = []
        for number, snapshot in enumerate(self._calendar.snapshots):
            by_access = {kind: n for (of, kind), n in self._sites.items() if of == number}
            files = by_access.get("successful", 0)
            counted.append(Sites(snapshot, sum(by_access.values()), files))
        return counted

    def answers(self) -> list[AnswerCounts]:
        """Return the sites of the latest snapshot by how they answered."""
        found = [AnswerCounts(status, kind, n) for (status, kind), n in self._answers.items()]
        return sorted(found, key=lambda each: (-each.sites, each.access, each.status or 0))

    def crawlers(self) -> list[CrawlerCounts]:
        """Return the crawlers, by the share of sites that are closed to them."""
        number = len(self._calendar.snapshots)
        found = [_crawler(token, counts, number) for token, counts in self._crawlers.items()]
        return sorted(found, key=_closed_first)

    def contents(self) -> Contents:
        """Return the numbers of the files of the latest snapshot."""
        files = self._files
        different, repeated = self._repeats.found()
        return Contents(
            files=files.number,
            size=files.size,
            truncated=files.truncated,
            different=different,
            sizes=files.sizes(),
            fields=files.field_uses(),
            signals=files.signals(),
            findings=files.finding_uses(),
            repeated=repeated,
        )


def _crawler(token: str, counts: "Counter[tuple[int, int, int]]", snapshots: int) -> CrawlerCounts:
    standings: list[Counter[Standing]] = [Counter() for _ in range(snapshots)]
    namings: Counter[Naming] = Counter()
    for (snapshot, both, named), number in counts.items():
        access, site = KINDS[both // len(POSTURES)], POSTURES[both % len(POSTURES)]
        own = POSTURES[named]
        if (standing := _standing(access, site if own == "default" else own)) is not None:
            standings[snapshot][standing] += number
        is_latest_file = snapshot == snapshots - 1 and access == "successful"
        if token != OTHERS and is_latest_file and (naming := NAMING_OF.get(own)):
            namings[naming] += number
    return CrawlerCounts(
        token,
        tuple({each: found[each] for each in STANDINGS} for found in standings),
        {each: namings[each] for each in NAMINGS if token != OTHERS},
    )


NAMING_OF: dict[str, Naming] = {
    "all": "open",
    "some": "partly",
    "none": "closed",
    "default": "default",
}


def _standing(access: str, posture: str) -> Standing | None:
    """Return what may be fetched; None if it is unknown, as after a redirect, or if the scan says
    `unknown`."""
    if access == "redirect":
        return None
    is_read = access == "successful"
    match posture:
        case "all":
            return "open" if is_read else "open without a file"
        case "some":
            return "partly"
        case "none":
            return "closed" if is_read else "closed without a file"
    return None


def _closed_first(crawler: CrawlerCounts) -> tuple[bool, float, float, str]:
    latest = crawler.standings[-1]
    sites = max(sum(latest.values()), 1)
    closed = latest["closed"] + latest["closed without a file"]
    return (
        crawler.token != OTHERS,
        -closed / sites,
        -latest["partly"] / sites,
        crawler.token.lower(),
    )


class FileNumbers:
    """The numbers of files that were read."""

    def __init__(self, sources: Sequence[ReportInput]) -> None:
        self.number = 0
        self.size = 0
        self.truncated = 0
        self._sizes: Counter[int] = Counter()
        self._fields = Counter({name: 0 for source in sources for name in source.fields})
        self._lines: Counter[str] = Counter()
        self._signals: dict[str, Counter[bool]] = {name: Counter() for name in SIGNALS}
        self._findings: Counter[str] = Counter()
        self._times: Counter[str] = Counter()

    def add(self, files: "pa.RecordBatch", source: ReportInput) -> None:
        """Count files."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self.number += files.num_rows
        data = files["bytes"].cast(pa.int64()).fill_null(0)
        self.size += pc.sum(data).as_py() or 0
        self.truncated += pc.sum(files["truncated"]).as_py() or 0
        for each in pc.value_counts(_size_bins(data)).to_pylist():
            self._sizes[each["values"]] += each["counts"]
        for name in source.fields:
            lines = pc.struct_field(files["fields"], [name])
            self._fields[name] += pc.sum(pc.greater(lines, 0)).as_py() or 0
            self._lines[name] += pc.sum(lines).as_py() or 0
        for name, counts in self._signals.items():
            said = pc.struct_field(files["content_signals"], [name])
            counts[True] += (yes := pc.sum(said).as_py() or 0)
            counts[False] += pc.count(said).as_py() - yes
        self._add_findings(files)

    def _add_findings(self, files: "pa.RecordBatch") -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.list_flatten(files["findings"])
        codes = pc.struct_field(found, ["code"]).cast(pa.string())
        times = pc.struct_field(found, ["count"]).cast(pa.int64())
        table = pa.table({"code": codes, "times": times})
        grouped = table.group_by("code").aggregate([("times", "count"), ("times", "sum")])
        for each in grouped.to_pylist():
            code = each["code"] or OTHER
            if code not in self._findings and len(self._findings) >= CODES:
                code = OTHER
            self._findings[code] += each["times_count"]
            self._times[code] += each["times_sum"] or 0

    def sizes(self) -> list[SizeBin]:
        """Return the bins from the smallest to the largest that has a file, empty ones too."""
        if not self._sizes:
            return []
        bins = [0, 1, *(SMALLEST << power for power in range(64))]
        last = max(self._sizes)
        return [
            SizeBin(bins[number], bins[number + 1], self._sizes[number])
            for number in range(last + 1)
        ]

    def field_uses(self) -> list[FieldUse]:
        """Return the fields, by the number of files that use them."""
        found = [
            FieldUse(name.replace("_", "-"), files, self._lines[name])
            for name, files in self._fields.items()
        ]
        return sorted(found, key=lambda each: (-each.files, -each.lines, each.name))

    def signals(self) -> list[Signal]:
        """Return the counts of content signals."""
        return [
            Signal(name.replace("_", "-"), said[True], said[False], self.number - said.total())
            for name, said in self._signals.items()
        ]

    def finding_uses(self) -> list[FindingUse]:
        """Return the findings, by the number of files that have them."""
        found = [FindingUse(code, n, self._times[code]) for code, n in self._findings.items()]
        return sorted(found, key=lambda each: (-each.files, -each.times, each.code))


def _size_bins(data: "pa.Array") -> "pa.Array":
    """Return 0 for empty files, 1 below 64 bytes, then one more for each doubling."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # 64 to 127 bytes, shifted by five, are 2 to 3: their logarithm is 1
    shifted = pc.max_element_wise(pc.shift_right(data, 5), 1)
    powers = pc.add(pc.floor(pc.log2(shifted)).cast(pa.int64()), 1)
    return pc.if_else(pc.greater(data, 0), powers, 0)


def _access(batch: "pa.RecordBatch") -> "pa.Array":
    """Return the kinds of access; null for unknown words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = batch["access"].cast(pa.string())
    return pc.take(_words(KINDS), pc.index_in(words, _words(KINDS)))


def _status(batch: "pa.RecordBatch") -> "pa.Array":
    """Return the statuses; `NO_STATUS` for numbers that are not one (RFC 9110 section 15)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    status = batch["status"].cast(pa.int64())
    is_status = pc.and_(pc.greater_equal(status, 100), pc.less(status, 1000))
    return pc.if_else(is_status, status, NO_STATUS)


def _counted(first: "pa.Array", second: "pa.Array") -> "Counter[tuple[int, str | None]]":
    """Return the count of each pair of values."""
    import pyarrow as pa

    table = pa.table({"first": first, "second": second})
    grouped = table.group_by(["first", "second"]).aggregate([([], "count_all")])
    return Counter(
        {(each["first"], each["second"]): each["count_all"] for each in grouped.to_pylist()}
    )


def _words(words: Sequence[str]) -> "pa.Array":
    import pyarrow as pa

    return pa.array(words, pa.string())
