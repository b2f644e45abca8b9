"""Torn archives: half a record is never read as one, and gives no site the rules of another.

In: an archive of a few records, cut, joined and patched at every place, as programs that are killed
leave it and disks damage it: plain, in gzip members, in frames of Zstandard, and in WACZ. Out: only
records whose bytes are all there, one after another; each other one is skipped and counted. The
oracle is a comparison of bytes: it parses nothing.
"""

import gzip
import hashlib
import zipfile
from base64 import b32encode
from collections.abc import Callable, Iterator
from io import BytesIO
from random import Random

import pytest

from bulk.scan.archives import record, response, url
from verger.bulk.scan import ScanReport, read_warc
from verger.errors import InvalidTable
from verger.fetching.decode import zstd_module

zstd = zstd_module()

FILES = [
    b"User-agent: *\nDisallow: /a\nDisallow: /b\n",
    b"User-agent: *\nAllow: /\n",
    b"User-agent: *\nDisallow: /c\n",
]


def sealed(number: int) -> bytes:
    """Return a record with its digest, as most programs write it."""
    block = response(FILES[number], fields=[("Content-Type", "text/plain")])
    digest = "sha1:" + b32encode(hashlib.sha1(block).digest()).decode()
    return record(block, target=url(number), fields={"WARC-Block-Digest": digest})


SEALED = [sealed(number) for number in range(len(FILES))]
EXPECTED = {url(number): data for number, data in enumerate(FILES)}
BARE = [record(response(data), target=url(number)) for number, data in enumerate(FILES)]
"""Without a digest."""


def read(data: bytes) -> tuple[dict[str, bytes | None], int]:
    """Return the bodies by their URLs, and how many places were skipped; none of no archive.

    A block that is no response is told, and says nothing about its site.
    """
    report = ScanReport()
    try:
        rows = [row for batch in read_warc(BytesIO(data), report) for row in batch.to_pylist()]
    except InvalidTable:
        return {}, 1
    responses = [row for row in rows if row["status"] is not None]
    found = {row["url"]: row["body"] for row in responses}
    assert all(found[row["url"]] == row["body"] for row in responses)
    return found, report.skipped + len(rows) - len(responses)


def whole_in(data: bytes, records: list[bytes]) -> dict[str, bytes]:
    """Return the files of the records whose bytes are all there."""
    return {url(number): FILES[number] for number, each in enumerate(records) if each in data}


def is_sound(data: bytes, records: list[bytes]) -> bool:
    """Whether no site has anything but its own file, and what is lost is told."""
    found, skipped = read(data)
    return found.items() <= EXPECTED.items() and (
        skipped > 0 or found.keys() >= whole_in(data, records).keys()
    )


@pytest.mark.parametrize("records", [SEALED, BARE], ids=["sealed", "bare"])
@pytest.mark.parametrize("torn", range(3))
def test_every_cut_point_of_a_plain_archive(torn: int, records: list[bytes]) -> None:
    """Half a record, with the next ones behind it: these are read, and it is told, once."""
    before, behind = b"".join(records[:torn]), b"".join(records[torn + 1 :])
    for cut in range(1, len(records[torn])):
        data = before + records[torn][:cut] + behind
        expected = {site: file for site, file in EXPECTED.items() if site != url(torn)}

        assert (cut, expected, 1) == (cut, *read(data))


@pytest.mark.parametrize("records", [SEALED, BARE], ids=["sealed", "bare"])
def test_every_beginning_that_is_lost(records: list[bytes]) -> None:
    """The second half of a record is none."""
    line_ends = 5  # one of the file, and two of the record
    for cut in range(1, len(records[1]) - line_ends):
        data = records[0] + records[1][cut:] + records[2]

        assert (cut, {url(0): FILES[0], url(2): FILES[2]}, 1) == (cut, *read(data))


def spans(size: int, number: int) -> Iterator[tuple[int, int]]:
    """Yield spans of an archive, of all lengths."""
    random = Random(size)
    for _ in range(number):
        begin, end = sorted((random.randrange(size), random.randrange(size + 1)))
        yield begin, end


def test_spans_that_are_lost_or_come_in_between() -> None:
    """What is read stands there whole, whatever was taken out or put in."""
    plain, random = b"".join(SEALED), Random(1)
    for begin, end in spans(len(plain), 3_000):
        place = random.randrange(len(plain))

        if not (is_in_header(begin) and is_in_header(end)):
            assert is_sound(plain[:begin] + plain[end:], SEALED), (begin, end)
        if not (is_in_header(place) and (is_in_header(begin) or is_in_header(end))):
            put = plain[:place] + plain[begin:end] + plain[place:]
            assert is_sound(put, SEALED), (begin, end, place)
        assert is_sound(plain[:begin] + bytes(end - begin) + plain[end:], SEALED), (begin, end)


def is_in_header(place: int) -> bool:
    """Whether a place is in a header: two halves of headers are one, and nobody knows better."""
    behind = b"".join(SEALED)[place:]
    head, version = behind.find(b"\r\n\r\nHTTP"), behind.find(b"WARC/1.0")
    return 0 <= head and (version < 0 or head < version)


PACKED_LATER: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zst": zstd.compress,
}


@pytest.mark.parametrize("pack", PACKED_LATER.values(), ids=PACKED_LATER)
def test_spans_of_the_length_of_a_record(pack: Callable[[bytes], bytes]) -> None:
    """What is left fits together as if it were one: only the digest knows that it is two halves.

    A checksum of what was packed later knows nothing of it.
    """
    same = [sealed(0), sealed(0).replace(url(0).encode(), url(1).encode())]
    plain = b"".join(same)
    size, head = len(same[0]), same[0].index(b"\r\n\r\n")
    other = plain.replace(b"Disallow: /a", b"Allow: /#ab", 1)
    assert len(same[1]) == size

    for begin in range(head, size):
        found, skipped = read(pack(other[:begin] + other[begin + size :] + SEALED[2]))
        assert FILES[2] == found.pop(url(2)), begin
        assert not found or found == {url(0): FILES[0]}, begin
        assert found or skipped


@pytest.mark.parametrize("pack", PACKED_LATER.values(), ids=PACKED_LATER)
def test_a_long_record_is_compared_to_its_end(pack: Callable[[bytes], bytes]) -> None:
    """What is not kept in memory, too."""
    block = response(FILES[0] + b"#" * (3 << 20) + b"\n")
    digest = hashlib.sha256(block).hexdigest()
    whole = record(block, target=url(0), fields={"WARC-Block-Digest": f"sha256:{digest}"})
    end = len(whole) - 99

    assert {url(0), url(2)} == read(pack(whole + SEALED[2]))[0].keys()
    for at in (whole.index(b"Disallow: /b"), end):
        torn = whole[:at] + bytes(9) + whole[at + 9 :]
        assert ({url(2): FILES[2]}, 1) == read(pack(torn + SEALED[2]))


# Packed


def members(records: list[bytes]) -> bytes:
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def frames(records: list[bytes]) -> bytes:
    checked = {zstd.CompressionParameter.checksum_flag: 1}
    return b"".join(zstd.compress(each, options=checked) for each in records)


def wacz_of(data: bytes, name: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        whole.writestr(f"archive/{name}", data)
    return out.getvalue()


FORMS: dict[str, Callable[[list[bytes]], bytes]] = {
    "members": members,
    "one member": lambda records: members([b"".join(records)]),
    "frames": frames,
    "one frame": lambda records: frames([b"".join(records)]),
    "wacz": lambda records: wacz_of(members(records), "a.warc.gz"),
    "wacz with frames": lambda records: wacz_of(frames(records), "a.warc.zst"),
}


@pytest.mark.parametrize("form", FORMS)
def test_packed_archives_that_are_cut(form: str) -> None:
    """At every place: what was packed whole is read, and what was not is told."""
    data = FORMS[form](SEALED)
    assert (EXPECTED, 0) == read(data)

    for cut in range(1, len(data)):
        found, skipped = read(data[:cut])
        assert found.items() <= EXPECTED.items(), cut
        assert skipped > 0 or "wacz" not in form, cut
        assert skipped > 0 or cut in ends_in(FORMS[form]), cut


def ends_in(form: Callable[[list[bytes]], bytes]) -> set[int]:
    """Return where an archive of fewer records ends."""
    return {len(form(SEALED[:number])) for number in range(1, 3)}


@pytest.mark.parametrize("form", FORMS)
def test_packed_archives_that_are_damaged(form: str) -> None:
    """Spans lost, put in, and bits that flipped: what is read was packed so."""
    data = FORMS[form](SEALED)
    for begin, end in spans(len(data), 500):
        flipped = bytearray(data)
        flipped[begin] ^= 1 << end % 8
        for damaged in (
            data[:begin] + data[end:],
            data[:end] + data[begin:end] + data[end:],
            bytes(flipped),
        ):
            found, _ = read(damaged)
            assert found.items() <= EXPECTED.items(), (begin, end)


@pytest.mark.parametrize("form", FORMS)
def test_torn_archives_that_were_packed_later(form: str) -> None:
    """A packed archive may hold half a record, as the plain one did."""
    torn, rest = SEALED[0], SEALED[1] + SEALED[2]
    for cut in range(1, len(torn), 7):
        found, skipped = read(FORMS[form]([torn[:cut] + rest]))

        assert {url(1): FILES[1], url(2): FILES[2]} == found, cut
        assert skipped == 1, cut


# What a record is


def test_a_record_in_a_file_of_a_site_is_not_read() -> None:
    """A site could write one, with rules for another site; its own file is then not read either."""
    inner = record(response(b"User-agent: *\nAllow: /\n"), target=url(2))
    evil = record(response(b"User-agent: *\n\n" + inner), target=url(1))
    found, skipped = read(BARE[0] + evil)

    assert (found, skipped) == ({url(0): FILES[0]}, 1)


ODD = {
    "a second type": (b"WARC-Type: response\r\n", b"WARC-Type: response\r\nwarc-type: request\r\n"),
    "a second target": (
        b"WARC-Date",
        b"WARC-Target-URI: https://b.example/robots.txt\r\nWARC-Date",
    ),
    "a second length": (b"Content-Length", b"Content-Length: 3\r\nContent-Length"),
    "a second address": (
        b"WARC-Date",
        b"WARC-IP-Address: 192.0.2.1\r\nWARC-IP-Address: 192.0.2.2\r\nWARC-Date",
    ),
    "a second payload": (
        b"WARC-Date",
        b"WARC-Payload-Digest: sha1:A\r\nwarc-payload-digest: sha1:B\r\nWARC-Date",
    ),
    "no length": (b"Content-Length", b"Content-Lxngth"),
    "no date": (b"WARC-Date", b"WARC-Dote"),
    "no id": (b"WARC-Record-ID", b"WARC-Ricord-ID"),
    "no type": (b"WARC-Type", b"WARC-Tipe"),
    "one line end": (b"/b\n\r\n\r\n", b"/b\n\r\n"),
    "no line end": (b"/b\n\r\n\r\n", b"/b\n"),
    "a second version": (b"WARC-Date", b"WARC/1.0\r\nWARC-Date"),
    "a version in a line": (b"WARC-Date: ", b"WARC-Date: WARC/1.1\r\n"),
    "another digest": (b"sha1:", b"md5:0123456789abcdef0123456789abcdef\r\nX: "),
    "a digest in other letters": (b"sha1:", b"SHA-1:" + b"A" * 32 + b"\r\nX: "),
    "a digest without its end": (b"sha1:", b"SHA-256:" + b"A" * 52 + b"\r\nX: "),
    "a time that is torn": (b"T12:", b"T1"),
    "no such time": (b"WARC-Date: 2026-", b"WARC-Date: 2026-13-"),
    "half a type": (b"WARC-Date", b"Content-Type: appt\r\nWARC-Date"),
    "a segment": (b"WARC-Date", b"WARC-Segment-Number: 1\r\nWARC-Date"),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_record_that_is_not_as_it_must_be(odd: str) -> None:
    """It is skipped, and told; the others are read."""
    before, behind = ODD[odd]
    changed = SEALED[0].replace(before, behind, 1)
    assert changed != SEALED[0]

    found, skipped = read(changed + SEALED[1] + SEALED[2])
    assert {url(1): FILES[1], url(2): FILES[2]} == found
    assert skipped == (2 if "version" in odd else 1)  # that it is in two parts is told of each


FINE = {
    "fields of others twice": (
        b"WARC-Date",
        b"WARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\nWARC-Date",
    ),
    "a digest that nobody knows": (b"sha1:", b"xxh3:"),
    "a digest in base 64": (
        b"sha1:",
        b"sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\r\nX: ",
    ),
    "more line ends": (b"/b\n\r\n\r\n", b"/b\n\r\n\r\n\r\n\n"),
    "bare line feeds": (b"/b\n\r\n\r\n", b"/b\n\n\n"),
    "a digest in hexadecimal": (
        SEALED[0].partition(b"sha1:")[2].partition(b"\r\n")[0],
        hashlib.sha1(SEALED[0].split(b"\r\n\r\n", 1)[1][:-4]).hexdigest().encode(),
    ),
}


@pytest.mark.parametrize("fine", FINE)
def test_a_record_may_be_odd(fine: str) -> None:
    before, behind = FINE[fine]
    changed = SEALED[0].replace(before, behind, 1)
    assert changed != SEALED[0]

    assert (dict(zip(map(url, range(2)), FILES, strict=False)), 0) == read(changed + SEALED[1])
