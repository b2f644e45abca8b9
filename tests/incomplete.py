"""The doors through which a file enters, for what is incomplete. No test lives here.

In: the cases of `conformance/incomplete/doors.toml`. Out: for each door the reason that it gives
for the site, or `unanswered`. Spark's door stands with the tests of Spark.
"""

import csv
import gzip
import http.client
import io
import json
import tomllib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

import verger
from bulk.scan.archives import record, response
from client.fetching_by_hand import serving
from support import CHECKOUT
from verger import snapshots
from verger.bulk import Snapshot, decide_table
from verger.errors import RobotsError
from verger.fetching.decode import zstd_module
from verger.fetching.transport import HopFailed, Reply, Request
from verger.options import DialectName

TABLE = tomllib.loads((CHECKOUT / "conformance/incomplete/doors.toml").read_text("utf-8"))
DOORS: list[str] = TABLE["doors"]
KINDS: list[str] = TABLE["kinds"]

FILE = b"User-agent: *\nDisallow: /private\n"
PACKED = gzip.compress(FILE, mtime=0)
LAST_LINE = b"Allow: /private"
FIRST_HALF_MIB = FILE.ljust(512_000 - len(LAST_LINE), b"#")[:-1] + b"\n" + LAST_LINE
OCTETS = {
    "file": FILE,
    "first 500 KiB": FIRST_HALF_MIB,
    "half": FILE[:20],
    "packed": PACKED,
    "half packed": PACKED[: len(PACKED) // 2],
    "almost packed": PACKED[:-4],
    "word": b"nan",
    "none": b"",
    "null": None,
}
SITE = "https://example.com"
AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
NOW = 1_772_366_400
UNANSWERED = "unanswered"


@dataclass(frozen=True)
class Row:
    """One time that the file was fetched, and what was kept of it."""

    time: int
    status: int
    body: bytes | None
    length: int | None = None
    is_cut: bool = False


@dataclass(frozen=True)
class Case:
    """A case of the table."""

    id: str
    kind: str
    given: Mapping[str, Any]
    doors: Sequence[str]
    expect: str
    differs: Mapping[str, str]
    opens: bool = False

    def expected(self, door: str) -> str:
        """Return the reason that a door gives."""
        return self.differs.get(door, self.expect)

    @property
    def rows(self) -> list[Row]:
        """What was fetched, in order of time."""
        status, body = self.given.get("status", 200), OCTETS[self.given["body"]]
        length = len(FILE) if self.given.get("length") else None
        last = Row(NOW, status, body, length, bool(self.given.get("cut")))
        return [Row(NOW - ago, 503, None) for ago in self.given.get("after", ())] + [last]

    @property
    def holder(self) -> str:
        """What is wrong with what holds it."""
        return str(self.given.get("holder", ""))

    @property
    def dialect(self) -> DialectName:
        """How the file is read."""
        return cast(DialectName, self.given.get("dialect", "rfc9309"))


CASES = [Case(**{"differs": {}} | each) for each in TABLE["case"]]


def reason_of(question: Callable[[], tuple[bool | None, str]]) -> str:
    """Return the reason of an answer; what has none, or is refused, is unanswered."""
    try:
        allowed, reason = question()
    except RobotsError:
        return UNANSWERED
    opens = ("UNREACHABLE_FOR_LONG",)
    assert allowed is (True if reason in opens else None if reason == "NOT_IN_SNAPSHOT" else False)
    return UNANSWERED if reason == "NOT_IN_SNAPSHOT" else reason


def asked(snapshot: Snapshot) -> tuple[bool | None, str]:
    row = pa.table(decide_table([f"{SITE}/private"], snapshot, "ExampleBot")).to_pylist()[0]
    return row["allowed"], row["reason"]


def by_path(case: Case, path: Path) -> str:
    return reason_of(lambda: asked(snapshots.open(path, dialect=case.dialect)))


# Fetched


def fields_of(case: Case, row: Row) -> list[tuple[str, str]]:
    """Return the header fields about a body."""
    lengths = [] if row.length is None else [("Content-Length", str(row.length))]
    lengths += [("Content-Length", "3")] if case.given.get("length") == "twice" else []
    chunks = case.given.get("chunks")
    coding = {"twice": "chunked, chunked"}.get(chunks, "chunked")
    packed = [("Content-Encoding", "gzip")] if case.given.get("coding") else []
    return lengths + packed + ([("Transfer-Encoding", coding)] if chunks else [])


def sent(case: Case, row: Row) -> bytes:
    """Return the body as it goes over the wire."""
    body, chunks = row.body or b"", case.given.get("chunks")
    if not chunks:
        return body
    framed = b"%x\r\n%s\r\n" % (len(body), body) + (b"" if chunks == "open" else b"0\r\n\r\n")
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(framed), framed) if chunks == "twice" else framed


def wire(case: Case, row: Row) -> bytes:
    """Return a whole response; one without a length ends with its connection."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields_of(case, row))
    head = f"HTTP/1.1 {row.status} Said\r\nConnection: close\r\n{lines}\r\n"
    return head.encode() + sent(case, row)


class Clock:
    now = float(NOW)

    def __call__(self) -> float:
        return self.now


class Silent:
    """A transport that must not be asked."""

    async def send(self, request: Request) -> Reply:
        raise HopFailed("dns", f"{request.url} was requested again")

    async def close(self) -> None:
        """Do nothing."""


def fetched(case: Case, **options: Any) -> tuple[str, str]:
    """Return the origin and the reason of a client that asks at the time of each row."""
    clock = Clock()
    with serving() as site, verger.Client(AGENT, clock=clock, **options) as client:
        for row in case.rows:
            clock.now = row.time
            site.answers = {"/robots.txt": wire(case, row)}
            found = client.decide(f"{site.origin}/private")
        return site.origin, reason_of(lambda: (found.allowed, found.reason))


def live(case: Case, _folder: Path) -> str:
    return fetched(case)[1]


def cache(case: Case, folder: Path) -> str:
    """A second client, and a snapshot, have what the first one stored."""
    store = folder / "files.sqlite3"
    origin, _ = fetched(case, store=store)
    with verger.Client(AGENT, clock=Clock(), store=store, transport=Silent()) as client:
        again = client.decide(f"{origin}/private")
    stored = pa.table(decide_table([f"{origin}/private"], snapshots.open(store), "ExampleBot"))
    row = stored.to_pylist()[0]
    assert (row["allowed"], row["reason"]) == (again.allowed, again.reason)
    return reason_of(lambda: (again.allowed, again.reason))


def site_of(case: Case, _folder: Path) -> str:
    """The caller has fetched it; a response that breaks off is an exception of the client."""
    site = None
    for row in case.rows:
        got: dict[str, Any] = {
            "status": row.status,
            "headers": fields_of(case, row),
            "body": row.body or b"",
            "truncated": row.is_cut,
            "dialect": case.dialect,
        }
        if case.holder:
            got = {"failure": http.client.IncompleteRead(b"")}
        site = verger.site_of(SITE, user_agent=AGENT, time=row.time, before=site, **got)
    assert site is not None
    found = site.decide(f"{SITE}/private")
    return reason_of(lambda: (found.allowed, found.reason))


# Kept in tables


def columns_of(case: Case) -> dict[str, list[Any]]:
    """Return the columns of a table; those that say something of bodies only if they do."""
    rows = case.rows
    columns: dict[str, list[Any]] = {
        "origin": [SITE] * len(rows),
        "time": [float(row.time) for row in rows],
        "status": [row.status for row in rows],
        "body": [row.body for row in rows],
    }
    if any(row.length is not None for row in rows):
        columns["content_length"] = [row.length for row in rows]
    if any(row.is_cut for row in rows):
        columns["truncated"] = [row.is_cut for row in rows]
    if case.given.get("coding"):
        columns["content_encoding"] = ["gzip"] * len(rows)
    return columns


def texts_of(case: Case) -> list[dict[str, Any]]:
    """Return the rows of a table of text."""
    columns = columns_of(case)
    columns["body"] = [body if body is None else body.decode("latin-1") for body in columns["body"]]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def arrow_of(case: Case) -> pa.Table:
    columns = columns_of(case)
    kind = pa.string() if case.given["body"] == "word" else pa.binary()
    arrays = {
        name: pa.array(each, kind if name == "body" else None) for name, each in columns.items()
    }
    table = pa.table(arrays)
    return table.append_column("body", table.column("body")) if case.holder == "twice" else table


def table(case: Case, folder: Path) -> str:
    """In memory, and in a file of Parquet."""
    path, made = folder / "t.parquet", arrow_of(case)
    pq.write_table(made, path)
    if case.holder == "torn":
        path.write_bytes(path.read_bytes()[:-30])
        return by_path(case, path)
    found = by_path(case, path)
    assert found == reason_of(lambda: asked(Snapshot.from_table(made, dialect=case.dialect)))
    return found


def csv_file(case: Case, folder: Path) -> str:
    rows, out = texts_of(case), io.StringIO()
    names = [*rows[0]] + ["body"] * (case.holder == "twice")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    for row in rows:
        cells = [row[name] for name in names]
        writer.writerow(cells + ["x"] * (case.holder == "more") or cells)
    text = out.getvalue()
    if case.holder == "fewer":
        text = text.replace('"status",', '"status","note",', 1)
    path = folder / "t.csv"
    path.write_text(text[:-6] if case.holder == "torn" else text, newline="")
    return by_path(case, path)


def json_lines(case: Case, folder: Path) -> str:
    lines = [json.dumps(row) for row in texts_of(case)]
    if case.holder == "twice":
        lines = [line[:-1] + ', "body": "Allow: /"}' for line in lines]
    path, text = folder / "t.jsonl", "\n".join(lines)
    path.write_text(text[:-6] if case.holder == "torn" else text)
    return by_path(case, path)


def folder_of_files(case: Case, folder: Path) -> str:
    (folder / "sites").mkdir()
    (folder / "sites" / "example.com").write_bytes(case.rows[-1].body or b"")
    return by_path(case, folder / "sites")


# Kept in archives


def records_of(case: Case) -> list[bytes]:
    """Return the records of an archive, of which the last but one may be torn."""
    made = []
    for row in case.rows:
        fields = {"WARC-Date": datetime.fromtimestamp(row.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        if row.is_cut:
            fields["WARC-Truncated"] = "length"
        block = response(sent(case, row), f"{row.status} Said", fields_of(case, row))
        made.append(record(block, target=f"{SITE}/robots.txt", fields=fields))
    other = record(response(b"User-agent: *\nAllow: /\n"), target="https://b.example/robots.txt")
    match case.holder:
        case "torn":
            made[-1] = made[-1][:-20]
        case "twice":
            second = b"WARC-Target-URI: https://c.example/robots.txt\r\nWARC-Date"
            made[-1] = made[-1].replace(b"WARC-Date", second, 1)
        case "mixed":
            made = [record(response(FILE + other), target=f"{SITE}/robots.txt")]
    return [b"".join([*made, other])] if case.holder == "torn" else [*made, other]


def archive(case: Case, folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return by_path(case, path)


def warc(case: Case, folder: Path) -> str:
    """Plain, and in gzip members."""
    records = records_of(case)
    packed = archive(case, folder, "a.warc.gz", b"".join(map(gzip.compress, records)))
    assert packed == archive(case, folder, "a.warc", b"".join(records))
    return packed


def zst(case: Case, folder: Path) -> str:
    frames = map(zstd_module().compress, records_of(case))
    return archive(case, folder, "a.warc.zst", b"".join(frames))


def wacz(case: Case, folder: Path) -> str:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        whole.writestr("archive/a.warc.gz", b"".join(map(gzip.compress, records_of(case))))
    return archive(case, folder, "a.wacz", out.getvalue())


RUN: dict[str, Callable[[Case, Path], str]] = {
    "live": live,
    "cache": cache,
    "site_of": site_of,
    "table": table,
    "csv": csv_file,
    "jsonl": json_lines,
    "folder": folder_of_files,
    "warc": warc,
    "wacz": wacz,
    "zst": zst,
}
"""What runs each door here."""
