"""Archives: every good record is read, whatever stands around it, and each damage is told once."""

import errno
import gzip
import shutil
import subprocess
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from warcio.archiveiterator import ArchiveIterator

from bulk.scan.archives import Archive, archive, body, packed, record, response, url
from verger import snapshots
from verger.bulk import decide_table
from verger.bulk.scan import ScanReport, read_warc
from verger.captures import archives
from verger.captures.batches import moment_of
from verger.errors import InvalidTable, UnusableOutput
from verger.fetching.decode import zstd_module
from verger.files.formats import format_by_name

SITES = 8
WHOLE = archive(SITES)
PLAIN = archive(SITES, packed=False)
BAD = 3
"""The site whose response is damaged; record 6 of the archive."""


def read(
    data: bytes, *, name: str | None = None
) -> tuple[list[tuple[str, bytes | None]], ScanReport]:
    """Return URL and body of every capture, and the report."""
    report = ScanReport()
    batches = list(read_warc(BytesIO(data), report, name=name))
    rows = [row for batch in batches for row in batch.to_pylist()]
    return [(row["url"], row["body"]) for row in rows], report


def sites(*numbers: int) -> list[tuple[str, bytes | None]]:
    return [(url(number), body(number)) for number in numbers]


ALL = sites(*range(SITES))
BUT_ONE = sites(*(number for number in range(SITES) if number != BAD))


@pytest.mark.parametrize("data", [WHOLE.data, PLAIN.data], ids=["packed", "plain"])
def test_it_reads_what_warcio_reads(data: bytes) -> None:
    """The same URLs, statuses, times and bodies, in the same order."""
    expected = [
        (
            found.rec_headers["WARC-Target-URI"],
            int(found.http_headers.get_statuscode()),
            found.content_stream().read(),
        )
        for found in ArchiveIterator(BytesIO(data))
        if found.rec_type == "response"
    ]
    batches = list(read_warc(BytesIO(data)))
    rows = [row for batch in batches for row in batch.to_pylist()]

    assert expected == [(row["url"], row["status"], row["body"]) for row in rows]
    assert {"2026-06-01T12:00:00+00:00"} == {row["time"].isoformat() for row in rows}


def test_it_reads_paths_and_files(tmp_path: Path) -> None:
    """A path names the file in the report; an open file has its own name."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(WHOLE.data[:-9])
    report = ScanReport()
    rows = sum(batch.num_rows for batch in read_warc(path, report))

    assert SITES == rows
    assert [str(path)] == [skip.file for skip in report.skips]
    with path.open("rb") as file:
        assert SITES == sum(batch.num_rows for batch in read_warc(file))


# Damage


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 0x10
    return bytes(changed)


def in_member(change: Callable[[bytes], bytes], *, of: int = 2 * BAD) -> bytes:
    return WHOLE.with_member(of, change(WHOLE.member(of)))


def zeroed(member: bytes) -> bytes:
    return member[:80] + bytes(60) + member[140:]


def resized(change: int) -> bytes:
    """Return the archive with a length that is off by so much in one record."""
    wrong = gzip.decompress(WHOLE.member(2 * BAD))
    begin, _, rest = wrong.partition(b"\r\n\r\n")
    lines = begin.split(b"\r\n")
    at = next(n for n, line in enumerate(lines) if line.lower().startswith(b"content-length"))
    lines[at] = b"Content-Length: %d" % (int(lines[at].split(b":")[1]) + change)
    return WHOLE.with_member(2 * BAD, gzip.compress(b"\r\n".join(lines) + b"\r\n\r\n" + rest))


DAMAGE = {
    "a bit in the middle of a member": (in_member(lambda m: flipped(m, len(m) // 2)), "broken"),
    "a bit of the checksum": (in_member(lambda m: flipped(m, -6)), "broken"),
    "a bit of the magic": (in_member(lambda m: flipped(m, 0)), "broken"),
    "zeros in a member": (in_member(zeroed), "broken"),
    "a member cut in its middle": (in_member(lambda m: m[: len(m) // 2]), "broken"),
    "nothing but zeros": (in_member(lambda m: bytes(len(m))), "broken"),
    "a length too large by one": (resized(5), "says more"),
    "a length too large by some records": (resized(1_500), "says more"),
    "a length beyond the end of the file": (resized(10**9), "says more"),
    "a length too small": (resized(-40), "says less"),
    "a header that is none": (
        in_member(lambda m: gzip.compress(gzip.decompress(m).replace(b"WARC/", b"XARC/", 1))),
        "no WARC record",
    ),
    "a header without end": (
        in_member(lambda m: gzip.compress(gzip.decompress(m)[:120])),
        "has no end",
    ),
    "a header without length": (
        in_member(
            lambda m: gzip.compress(
                gzip.decompress(m).replace(b"Content-Length", b"Content-Lxngth", 1)
            )
        ),
        "no Content-Length",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_one_damaged_record_is_skipped_and_nothing_else(name: str) -> None:
    """The record is told once, with its place and why; all others are read."""
    data, why = DAMAGE[name]
    rows, report = read(data)

    assert BUT_ONE == rows
    assert [WHOLE.begins[2 * BAD]] == [skip.offset for skip in report.skips]
    assert why in report.skips[0].why


BETWEEN = {
    "garbage": b"garbage" * 40,
    "zeros": bytes(500),
    "a member of something else": gzip.compress(b"something else"),
    "what looks like a member": b"\x1f\x8b\x08 but is none",
}


@pytest.mark.parametrize("name", BETWEEN)
@pytest.mark.parametrize("before", [0, 2 * BAD, 2 * BAD + 1, 2 * SITES])
def test_what_stands_between_records_is_skipped(name: str, before: int) -> None:
    """At the beginning, between responses and requests, and at the end."""
    place = [*WHOLE.begins, len(WHOLE.data)][before]
    data = WHOLE.data[:place] + BETWEEN[name] + WHOLE.data[place:]
    if not before:
        data = packed(record(b"", kind="warcinfo")) + data
    rows, report = read(data)

    assert ALL == rows
    assert 1 == report.skipped


def test_empty_members_are_nothing() -> None:
    """Neither a record nor damage, wherever they are."""
    empty = gzip.compress(b"")
    for place in WHOLE.begins:
        rows, report = read(WHOLE.data[:place] + empty + WHOLE.data[place:])

        assert (ALL, 0) == (rows, report.skipped)


@pytest.mark.parametrize("cut", [1, 8, 40, 200])
def test_a_cut_file_loses_its_last_record(cut: int) -> None:
    """The last member is not whole, and told; a request here, so that no response is lost."""
    rows, report = read(WHOLE.data[:-cut])

    assert ALL == rows
    assert ["the file ends within a gzip member"] == [skip.why for skip in report.skips]


def test_a_file_cut_within_a_response_loses_that_one() -> None:
    """Also where all of the response stands there but for the end of its checksum."""
    end = WHOLE.end(2 * SITES - 2)
    for cut in (1, 3, 8, 30):
        rows, report = read(WHOLE.data[: end - cut])

        assert ALL[:-1] == rows
        assert [WHOLE.begins[-2]] == [skip.offset for skip in report.skips]


@pytest.mark.parametrize("of", range(2 * SITES))
def test_damage_of_any_record_costs_no_other(of: int) -> None:
    """Of each response and each request in turn."""
    rows, report = read(in_member(lambda member: flipped(member, len(member) // 2), of=of))
    lost = of // 2 if of % 2 == 0 else None

    assert sites(*(number for number in range(SITES) if number != lost)) == rows
    assert [WHOLE.begins[of]] == [skip.offset for skip in report.skips]


def test_much_damage_is_told_place_by_place() -> None:
    """Every second response is broken."""
    data = WHOLE.data
    for of in range(0, 2 * SITES, 4):
        data = flipped(data, WHOLE.begins[of] + 90)
    rows, report = read(data)

    assert sites(1, 3, 5, 7) == rows
    assert [WHOLE.begins[of] for of in range(0, 2 * SITES, 4)] == [s.offset for s in report.skips]


PLAIN_DAMAGE = {
    "a broken version": lambda record: b"XARC" + record[4:],
    "a length too large": lambda record: record.replace(
        b"Content-Length: ", b"Content-Length: 9", 1
    ),
    "a length that is none": lambda record: record.replace(
        b"Content-Length: ", b"Content-Length: x", 1
    ),
    "a hole": lambda record: record[:20] + record[400:],
}


@pytest.mark.parametrize("name", PLAIN_DAMAGE)
def test_plain_archives_are_read_behind_damage(name: str) -> None:
    """The next line that begins a record is where reading goes on."""
    data = PLAIN.with_member(2 * BAD, PLAIN_DAMAGE[name](PLAIN.member(2 * BAD)))
    rows, report = read(data)

    assert BUT_ONE == rows
    assert [PLAIN.begins[2 * BAD]] == [skip.offset for skip in report.skips]


def test_a_plain_archive_that_is_cut() -> None:
    """The record at its end is told."""
    rows, report = read(PLAIN.data[: PLAIN.begins[-2] + 400])

    assert ALL[:-1] == rows
    assert 1 == report.skipped


# Forms


def many_in_one(plain: Archive) -> bytes:
    return gzip.compress(plain.data)


def pairs(plain: Archive) -> bytes:
    """Return members of one response and one request each."""
    both = (plain.member(n) + plain.member(n + 1) for n in range(0, 2 * SITES, 2))
    return packed(*both)


@pytest.mark.parametrize("form", [many_in_one, pairs])
def test_members_may_hold_many_records(form: Callable[[Archive], bytes]) -> None:
    """Some tools pack a whole file at once."""
    rows, report = read(form(PLAIN))

    assert (ALL, 0) == (rows, report.skipped)


FILLING = Random(0).randbytes(20_000).replace(b"\n", b"#")
"""What zlib cannot pack: some hundred records of it are more than is kept of a member."""


@pytest.mark.parametrize("filling", [b"", FILLING], ids=["short", "long"])
def test_a_late_member_may_hold_many_records(filling: bytes) -> None:
    """All of them are read, also those behind the bytes of a member that are kept."""
    bodies = [body(number) + filling for number in range(203)]
    records = [record(response(data), target=url(n)) for n, data in enumerate(bodies)]
    rows, report = read(packed(*records[:2], b"".join(records[2:202]), records[202]))

    assert [(url(number), data) for number, data in enumerate(bodies)] == rows
    assert 0 == report.skipped


@pytest.mark.parametrize("damaged", [2, 150], ids=["the first", "another"])
@pytest.mark.parametrize("filling", [b"", FILLING], ids=["short", "long"])
def test_damage_in_a_member_of_many_records_costs_one(filling: bytes, damaged: int) -> None:
    """It is told once; the records behind it are read, and so are the next members."""
    records = [record(response(filling), target=url(n)) for n in range(200)]
    records[damaged] = records[damaged].replace(b"WARC-Type", b"WARC-Tipe")
    rows, report = read(packed(*records[:2], b"".join(records[2:]), record(response(b""))))

    numbers = [number for number in range(200) if number != damaged]
    assert [url(n) for n in [*numbers, 0]] == [url for url, _ in rows]
    assert ["the record has no WARC-Type"] == [skip.why for skip in report.skips]


def test_a_file_packed_at_once_is_read_up_to_its_damage() -> None:
    """What stands behind it cannot be unpacked by anyone."""
    data = many_in_one(archive(200, packed=False))
    rows, report = read(data[: len(data) * 2 // 3])

    assert 100 < len(rows) < 200
    assert sites(*range(len(rows))) == rows
    assert report.skipped


def test_other_records_are_counted_or_passed_over() -> None:
    """Revisits have no body; pages are not robots.txt; resources are not responses."""
    data = packed(
        record(b"", kind="warcinfo"),
        record(response(b""), kind="revisit"),
        record(response(b"<p>"), target="https://site.example/page"),
        record(response(b"<p>"), target="https://site.example/a/robots.txt"),
        record(response(b"<p>"), target="https://site.example?/robots.txt"),
        record(response(b"<p>"), target="https://site.example#/robots.txt"),
        record(response(b"<p>"), target="https://site.example\\x/robots.txt"),
        record(response(b"<p>"), target="mailto:///robots.txt"),
        record(b"User-agent: *\n", kind="resource"),
        record(response(b"Disallow:\n"), target=f"<{url(1)}>"),
        record(response(b"Disallow:\n"), target=url(2)),
    )
    rows, report = read(data)

    assert [(url(1), b"Disallow:\n"), (url(2), b"Disallow:\n")] == rows
    assert (6, 0) == (report.others, report.skipped)


@pytest.mark.parametrize(
    ("status", "reason"),
    [("404 Not Found", "BROKEN_BODY"), ("200 OK", "RULE"), ("503 Busy", "ERROR")],
)
def test_a_revisit_of_a_missing_file_shows_that_there_is_one(
    status: str, reason: str, tmp_path: Path
) -> None:
    """Which one it does not say; of a file that is there, it says nothing new."""
    file = b"User-agent: *\nDisallow: /\n"
    first = record(response(file, status))
    later = {"WARC-Date": "2026-07-01T12:00:00Z"}
    (tmp_path / "a.warc").write_bytes(first + record(response(b""), kind="revisit", fields=later))
    answer = pa.table(
        decide_table([url(0).replace("robots.txt", "x")], snapshots.open(tmp_path / "a.warc"), "A")
    ).to_pylist()[0]

    assert answer["allowed"] is False
    assert reason in answer["reason"]


def test_the_page_of_a_missing_file_is_revisited_too(tmp_path: Path) -> None:
    """As archives do that store each page once: the file is still missing, until it is there."""
    gone, there = response(b"", "404 Not Found"), response(b"")
    records = [record(gone)]
    for month, (block, expected) in enumerate([(gone, True), (gone, True), (there, False)]):
        date = {"WARC-Date": f"2026-0{month + 7}-01T12:00:00Z"}
        records.append(record(block, kind="revisit", fields=date))
        (tmp_path / f"{month}.warc").write_bytes(b"".join(records))
        found = snapshots.open(tmp_path / f"{month}.warc")
        asked = [url(0).replace("robots.txt", "x")]
        answer = pa.table(decide_table(asked, found, "A")).to_pylist()[0]
        assert answer["allowed"] is expected


TIMES = [
    *("2026-06-01T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    *("2024-02-29T23:59:59Z", "2026-02-29T00:00:00Z", "2026-06-01T24:00:00Z"),
    *("2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z", "2026-06-01T12:00:00.123456789Z"),
    *("2026-06-01t12:00:00z", "2026-06-01T12:00:00+02:00", "2026-06-01", "20260601120000"),
    *("1780315200", "Mon, 01 Jun 2026 12:00:00 GMT", "2026-W23-1", "nan", "\N{DIGIT ONE}"),
]


@pytest.mark.parametrize("written", TIMES)
def test_a_time_means_what_it_means_in_tables(written: str) -> None:
    """The core reads the usual form alone, and all others as every reader does."""
    data = record(response(b""), fields={"WARC-Date": written})
    report = ScanReport()
    rows = [row for batch in read_warc(BytesIO(data), report) for row in batch.to_pylist()]
    expected = moment_of(written)

    assert ([] if expected is None else [expected]) == [row["time"] for row in rows]
    assert (["its WARC-Date is no time"] if expected is None else []) == [
        skip.why for skip in report.skips
    ]


def test_a_body_of_any_size_is_bounded() -> None:
    """The beginning is kept; what was left out is counted."""
    huge = b"Disallow: /\n" * 500_000
    rows, report = read(packed(record(response(huge)), record(response(b"a"), target=url(1))))

    kept = huge[: 1 << 20]
    end = 1 + kept.rfind(b"\n")  # the line in which it is cut may be half of one
    assert [(url(0), kept[:end] + b"#" * (len(kept) - end)), (url(1), b"a")] == rows
    assert (1, 0) == (report.cut, report.skipped)


@pytest.mark.parametrize(
    "data",
    [
        b"hello world\n" * 100,
        gzip.compress(b"hello", mtime=0),
        b"\x1f\x8b\x08",
        b"PAR1" + bytes(50),
    ],
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    """An error says so, instead of a table without rows."""
    with pytest.raises(InvalidTable, match="is not a WARC file"):
        read(data)


@pytest.mark.parametrize("place", [0, 2 * BAD], ids=["first", "later"])
@pytest.mark.parametrize("line", [b"x", b"X-Long: header\r\n"])
def test_a_header_of_any_size_takes_bounded_memory(line: bytes, place: int) -> None:
    """A member may hold a thousand times its size: it is never unpacked at once."""
    header = b"WARC/1.0\r\nWARC-Type: response\r\n" + line * ((32 << 20) // len(line))
    data = WHOLE.with_member(place, gzip.compress(header, mtime=0))
    assert len(data) < 200_000
    del header

    tracemalloc.start()
    found, report = read(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert sites(*(number for number in range(SITES) if 2 * number != place)) == found
    assert ["the header of the record has no end"] == [skip.why for skip in report.skips]
    assert peak < 12 << 20


# Other packings


zstd = zstd_module()


def frames(*records: bytes) -> bytes:
    """Return records as frames of Zstandard, as its command writes them where it is installed."""
    command = shutil.which("zstd")
    if command is None:
        return b"".join(map(zstd.compress, records))
    return b"".join(
        subprocess.run([command, "-qc"], input=data, capture_output=True, check=True).stdout
        for data in records
    )


def skipped(
    found: tuple[list[tuple[str, bytes | None]], ScanReport],
) -> tuple[list[tuple[str, bytes | None]], int]:
    rows, report = found
    return rows, report.skipped


def wacz(files: Mapping[str, bytes]) -> bytes:
    """Return a WACZ file, whose archives are stored, and its index deflated."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        for name, data in files.items():
            how = zipfile.ZIP_STORED if name.startswith("archive/") else zipfile.ZIP_DEFLATED
            whole.writestr(name, data, how)
    return out.getvalue()


def dictionary_of(samples: Sequence[bytes]) -> Any:
    return zstd.train_dict(samples, 4_096)


RECORDS = [
    record(response(b"User-agent: *\nDisallow: /%d\n" % n), target=url(n)) for n in range(50)
]
JOINED = b"".join(RECORDS)


def test_zstandard() -> None:
    """The rows are those of the plain archive: of a frame for each record, or for all."""
    rows, _ = read(JOINED)

    assert 50 == len(rows)
    assert (rows, 0) == skipped(read(frames(*RECORDS)))
    assert (rows, 0) == skipped(read(frames(JOINED)))


@pytest.mark.parametrize("is_packed", [True, False])
def test_zstandard_with_a_dictionary(*, is_packed: bool) -> None:
    """The first frame holds it, compressed or not."""
    dictionary = dictionary_of(RECORDS * 10)
    data = b"".join(zstd.compress(each, zstd_dict=dictionary) for each in RECORDS)
    held = zstd.compress(dictionary.dict_content) if is_packed else dictionary.dict_content
    head = b"\x5d\x2a\x4d\x18" + len(held).to_bytes(4, "little") + held

    assert (read(JOINED)[0], 0) == skipped(read(head + data))
    with pytest.raises(InvalidTable, match="needs the dictionary") as refused:
        read(data)
    assert "zstd -dc -D" in str(refused.value.hint)
    with pytest.raises(InvalidTable, match="its dictionary is cut off"):
        read(head[:200])


@pytest.mark.parametrize("number", [0x50, 0x5D, 0x5F])
def test_skippable_frames(number: int) -> None:
    """Some programs write one before each frame; only the first may be a dictionary."""
    mark = bytes([number]) + b"\x2a\x4d\x18\x04\0\0\0size"
    each = [frames(data) for data in RECORDS]
    rows, _ = read(JOINED)

    assert (rows, 0) == skipped(read(each[0] + mark + mark.join(each[1:]) + mark))
    if number != 0x5D:
        assert (rows, 0) == skipped(read(mark + mark.join(each)))


def test_zstandard_that_cannot_be_unpacked_at_all() -> None:
    """The error says what is wrong with it, not that records are missing."""
    dictionary = zstd.ZstdDict(JOINED[:4_096], is_raw=True)
    for data in (
        b"\x28\xb5\x2f\xfd\0" + b"\xff" * 90,
        b"".join(zstd.compress(each, zstd_dict=dictionary) for each in RECORDS[:3]),
    ):
        with pytest.raises(InvalidTable, match=r"cannot read .*: broken Zstandard"):
            read(data)


def test_damaged_zstandard() -> None:
    """A damaged frame costs its record, and so does one that is cut off."""
    rows, _ = read(JOINED)
    each = [frames(data) for data in RECORDS]
    each[7] = each[7][:20] + bytes(30) + each[7][50:]
    found, report = read(b"".join(each)[:-9])

    assert [row for n, row in enumerate(rows) if n not in (7, 49)] == found
    assert any("Zstandard frame" in skip.why for skip in report.skips)
    assert sum(map(len, each[:7])) in [skip.offset for skip in report.skips]


def test_memory_of_zstandard() -> None:
    """A frame may hold ten thousand times its size."""
    data = zstd.compress(JOINED + record(response(bytes(200 << 20))))
    tracemalloc.start()
    found, _ = read(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 51 == len(found)
    assert peak < 24 << 20


def test_wacz() -> None:
    """Each archive in it is read, whatever its packing; an index is not needed."""
    half = [packed(*RECORDS[:20]), frames(*RECORDS[20:30]), b"".join(RECORDS[30:])]
    names = ("a.warc.gz", "b.warc.zst", "c.warc")
    files = {f"archive/{name}": data for name, data in zip(names, half, strict=True)}
    rows, _ = read(JOINED)

    assert (rows, 0) == skipped(read(wacz(files)))
    assert (rows, 0) == skipped(read(wacz({"indexes/index.cdx.gz": b"?", **files})))


def test_names_in_wacz() -> None:
    """No name leads anywhere; each archive is read, in whatever case, but no zip in the zip."""
    data = packed(*RECORDS)
    names = ["archive/../../../a.warc.gz", "archive/A.WARC.GZ", "Archive/b.warc.gz"]
    rows, _ = read(JOINED)

    assert (rows * 3, 0) == skipped(read(wacz(dict.fromkeys(names, data))))
    with pytest.raises(InvalidTable, match=r"archive/b\.warc` is compressed with zip"):
        read(wacz({"archive/b.warc": wacz({"archive/a.warc.gz": data})}))


def test_place_in_wacz() -> None:
    """What is skipped in an archive has its name."""
    damaged = frames(*RECORDS) + b"\0garbage"
    _, report = read(wacz({"archive/a.warc.zst": damaged}), name="a.wacz")

    assert ["a.wacz/archive/a.warc.zst"] == [skip.file for skip in report.skips]


@pytest.mark.parametrize("packing", ["zstd", "zip"])
def test_absurdly_much(packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that would fill the disk is refused before; one that holds little never is."""
    monkeypatch.setattr(archives, "ALWAYS", 1 << 20)
    data = JOINED + record(response(bytes(8 << 20)))
    if packing == "zstd":
        bomb = zstd.compress(data)
    else:
        file = BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as whole:
            whole.writestr("archive/a.warc", data)
        bomb = file.getvalue()
    with pytest.raises(InvalidTable, match="more than 256 times its size") as refused:
        read(bomb)

    assert "unpack it" in (refused.value.hint or "")
    monkeypatch.undo()
    assert 51 == len(read(bomb)[0])


def test_wacz_that_cannot_be_read() -> None:
    """One without an archive, a cut one, and one whose archive is damaged are errors."""
    whole = wacz({"archive/a.warc.gz": packed(*RECORDS)})
    broken = bytearray(whole)
    broken[100] ^= 0xFF
    for data, why in (
        (wacz({"pages/pages.jsonl": b"{}"}), "it holds no `archive/"),
        (whole[:-30], "cannot read"),
        (whole + whole, "begins with something else"),
        (bytes(broken), "cannot read"),
    ):
        with pytest.raises(InvalidTable, match=why) as refused:
            read(data)
        assert refused.value.hint


@pytest.mark.parametrize(
    ("method", "name", "why"),
    [
        (zipfile.ZIP_STORED, "pages/pages.jsonl", "is not a WACZ file"),
        (zipfile.ZIP_LZMA, "archive/a.warc", "compressed in a way that is not read"),
        (zipfile.ZIP_STORED, "archive/encrypted.warc", "is encrypted, or compressed"),
    ],
)
def test_wacz_says_what_to_do(method: int, name: str, why: str) -> None:
    """A file that is whole is not taken for a damaged one: its hint is its own."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as whole:
        whole.writestr(name, b"WARC/1.0\r\n")
        whole.infolist()[0].flag_bits |= int("encrypted" in name)
    with pytest.raises(InvalidTable, match=why) as refused:
        list(read_warc(BytesIO(file.getvalue()), name="a.wacz"))

    assert "unpack" in (refused.value.hint or "")


def test_names_of_other_packings() -> None:
    """A name says that it is an archive."""
    names = ("a.warc.zst", "A.WARC.ZST", "a.wacz", "a.warc.gz")

    assert ["warc"] * 4 == [format_by_name(name) for name in names]


def test_an_empty_file_is_no_archive() -> None:
    """It may be what a failed download left."""
    with pytest.raises(InvalidTable, match="it is empty, or not a plain file"):
        read(b"")


# Work


class CountedFile(BytesIO):
    """A file that counts the bytes that are read from it."""

    work = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.work += len(data)
        return data


DENSE_DAMAGE = {
    "members without a record": gzip.compress(b"", mtime=0)[:12] * 20_000,
    "members of nothing": gzip.compress(b"", mtime=0) * 10_000,
    "half a member": gzip.compress(FILLING, mtime=0)[:9_000] * 90,
    "version lines": b"WARC/1.0\n" * 40_000,
    "lengths too large": b"WARC/1.0\nContent-Length: 999999999\n\n" * 9_000,
}
"""Archives that are damaged every few bytes."""


@pytest.mark.parametrize("name", DENSE_DAMAGE)
def test_a_damaged_archive_is_read_a_few_times_at_most(name: str) -> None:
    """However dense the damage is. (How much is looked at, the tests of the core count.)"""
    file = CountedFile(DENSE_DAMAGE[name])
    with pytest.raises(InvalidTable, match="is not a WARC file: it has no record"):
        list(read_warc(file))

    assert file.work < 4 * len(DENSE_DAMAGE[name])


class FailsWhenReadAgain(BytesIO):
    """A file whose disk fails after all of it was read once."""

    is_read = False

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_read:
            raise OSError(errno.EIO, "Input/output error")
        data = super().read(size)
        self.is_read = self.tell() == len(self.getvalue())
        return data


def test_an_archive_that_cannot_be_read_again_is_no_failure_of_temporary_files() -> None:
    """A member that is too long for memory is unpacked twice."""
    random = Random(1)
    many = (record(response(random.randbytes(20_000)), target=url(n)) for n in range(200))
    data = packed(b"".join(many))

    with pytest.raises(OSError, match="Input/output error") as raised:
        list(read_warc(FailsWhenReadAgain(data)))
    assert not isinstance(raised.value, UnusableOutput)
