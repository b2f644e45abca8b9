"""Responses as servers send them: odd status lines, odd line ends, bodies in codings."""

import gzip
import zlib
from io import BytesIO
from typing import NamedTuple

import pytest

from bulk.scan.archives import record, response
from verger.bulk.scan import ScanReport, read_warc


class Response(NamedTuple):
    """What is known of a response in an archive."""

    status: int | None
    location: str | None = None
    body: bytes | None = None
    is_cut: bool = False
    problem: str = ""


def response_of(block: bytes) -> Response:
    """Return the response in a block, read as that of a record."""
    data, report = record(block), ScanReport()
    [batch] = read_warc(BytesIO(data), with_broken=True)
    list(read_warc(BytesIO(data), report))
    [row], problems = batch.to_pylist(), [skip.why for skip in report.skips]
    return Response(row["status"], row["location"], row["body"], report.cut > 0, "".join(problems))


FILE = b"User-agent: *\nDisallow: /\n"
PACKED = gzip.compress(FILE, mtime=0)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\nA: b\n\n",
        b"HTTP/1.1 200 OK\nA: b\r\n\r\n",
        b"HTTP/1.1 200\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 \r\n\r\n",
        b"http/1.0 200 ok\r\n\r\n",
        b"HTTP/2 200\r\na: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        b"HTTP/1.1 200 Gr\xfc\xdfe\r\n\r\n",
        b"\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_odd_heads_are_read(head: bytes) -> None:
    """Servers err; the file is what matters."""
    assert Response(200, body=FILE) == response_of(head + FILE)


@pytest.mark.parametrize(
    "block",
    [
        *(b"", FILE, b"HTTP/1.1 2x0 OK\r\n\r\n", b"ICY 200 OK\r\n\r\n"),
        *(b"HTTP/1.1 404 Not Found", b"HTTP/1.1 404 Not Found\r\n", b"HTTP/1.1 200 OK\r\nA: b"),
    ],
)
def test_what_is_no_response_has_no_status(block: bytes) -> None:
    """HTTP/0.9 among it: nobody can tell such a body from an accident; and half a header."""
    assert Response(None) == response_of(block)


def test_bodies_of_other_answers_are_none() -> None:
    """An error page is not a robots.txt file."""
    for status in ("404 Not Found", "503 Busy", "304 Not Modified"):
        assert response_of(response(b"<p>", status)).body is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"/a", "https://site-0.example/a"),
        (b" https://e.example/ ", "https://e.example/"),
        (b"/\xe9", "https://site-0.example/%E9"),
        (b"mailto:a@\xe9", "mailto:a@\\xe9"),
        (b"/a\r\n /b", "https://site-0.example/a%20/b"),
        (b"", ""),
    ],
)
def test_redirects_say_where_to(written: bytes, expected: str) -> None:
    """As URLs, or as written if they are none."""
    block = b"HTTP/1.1 301 Moved\r\nlocation:%s\r\n\r\n" % written

    assert Response(301, expected) == response_of(block)


RAW = zlib.compressobj(wbits=-15)
CHUNKED = b"5\r\nUser-\r\n14;x=y\r\nagent: *\nDisallow: /\r\n1\n\n\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ([("Content-Encoding", "gzip")], PACKED),
        ([("content-encoding", "X-GZIP")], PACKED),
        ([("Content-Encoding", "deflate")], zlib.compress(FILE)),
        ([("Content-Encoding", "deflate")], RAW.compress(FILE) + RAW.flush()),
        ([("Content-Encoding", "identity")], FILE),
        ([("Content-Encoding", "gzip")], FILE),
        ([], PACKED),
        ([("X-Crawler-Content-Encoding", "br")], FILE),
        ([("Transfer-Encoding", "chunked")], CHUNKED),
        ([("Transfer-Encoding", "chunked")], FILE),
        (
            [("Transfer-Encoding", "chunked")],
            b"0000000000000000%x\r\n%s\r\n000000000000000000\r\n\r\n" % (len(FILE), FILE),
        ),
        ([("Transfer-Encoding", "chunked"), ("Content-Length", str(len(FILE)))], FILE),
        (
            [("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")],
            b"%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED),
        ),
    ],
)
def test_codings_are_removed(fields: list[tuple[str, str]], body: bytes) -> None:
    """Whether the archive keeps what was sent, or decoded it and left the header as it was."""
    assert Response(200, body=FILE) == response_of(response(body, fields=fields))


def test_what_cannot_be_decoded_is_a_problem() -> None:
    """A broken coding, one that nobody asked for."""
    coded = [("Content-Encoding", "gzip")]
    half = response(gzip.compress(FILE * 50)[:36], fields=coded)

    assert "body is incomplete" in response_of(half).problem
    assert (
        "was not requested"
        in response_of(response(b"\0", fields=[("Content-Encoding", "compress")])).problem
    )


def test_bombs_are_cut() -> None:
    """A megabyte is more than any dialect reads."""
    bomb = response(gzip.compress(bytes(50 << 20)), fields=[("Content-Encoding", "gzip")])
    found = response_of(bomb)

    assert (True, 1 << 20) == (found.is_cut, len(found.body or b""))


@pytest.mark.parametrize("head", ["1", "1c", "1c\r", " 1c;x=y\r"])
def test_a_chunk_without_its_line_end_is_no_file(head: str) -> None:
    block = response(head.encode(), fields=[("Transfer-Encoding", "chunked")])

    assert response_of(block).problem


def test_joined_chunks_that_are_shorter_than_a_length_are_no_file() -> None:
    """Nothing else tells that the body broke off: who joined the chunks has seen their end."""
    fields = [("Transfer-Encoding", "chunked"), ("Content-Length", "400")]

    assert response_of(response(FILE, fields=fields)).problem


@pytest.mark.parametrize("length", ["", " ", "\r\n 39", "39,"])
def test_lengths_that_are_empty_or_folded(length: str) -> None:
    """A length that nobody can read is not one that fits."""
    assert response_of(response(FILE, fields=[("Content-Length", length)])).problem


@pytest.mark.parametrize("size", [1, 2, 10])
def test_the_first_octets_of_a_packed_body_are_no_text(size: int) -> None:
    block = response(PACKED[:size], fields=[("Content-Encoding", "gzip")])

    assert response_of(block).problem
