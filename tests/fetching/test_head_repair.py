"""Heads of responses that servers write carelessly, by themselves and over a connection."""

import pytest
from hypothesis import given, strategies as st

from fetching.exchange import exchange
from fetching.servers import ROBOTS, answer
from verger.fetching.head_repair import END, NAME, is_interim, mended

SIZE = b"Content-Length: %d\r\n" % len(ROBOTS)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(ROBOTS), ROBOTS)


def head(*fields: bytes, status: bytes = b"HTTP/1.1 200 OK\r\n") -> bytes:
    """Return the head of a response."""
    return status + b"".join(fields) + b"\r\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b", b"HTTP/1.1 200 OK\r\nA: b"),
        (b"HTTP/1.1 200 OK\nA: b", b"HTTP/1.1 200 OK\r\nA: b"),
        (b"http/1.1 \t 200  OK", b"HTTP/1.1 200 OK"),
        (b"HTTP/1.1\t200\tOK", b"HTTP/1.1 200 OK"),
        (b"HTTP/1.7 200", b"HTTP/1.1 200 "),
        (b"HTTP/1.0 200", b"HTTP/1.0 200 "),
        (b"http/1.1 200OK", b"http/1.1 200OK"),
        (b"http/1.1 1000 OK", b"http/1.1 1000 OK"),
        (b"HTTP/2 200 http/1.1  103", b"HTTP/2 200 http/1.1  103"),
        (b"HTTP/2 200", b"HTTP/2 200"),
        (b"SSH-2.0-OpenSSH_9.2", b"SSH-2.0-OpenSSH_9.2"),
        (b"HTTP/1.1 200 \r\n A: b\r\nC: d", b"HTTP/1.1 200 \r\nC: d"),
        (b"HTTP/1.1 200 \r\nA \t: b", b"HTTP/1.1 200 \r\nA: b"),
        (b"HTTP/1.1 200 \r\nA B: c\r\n d: e\r\nF: g", b"HTTP/1.1 200 \r\nF: g"),
        (b"HTTP/1.1 200 \r\n: b\r\nno colon\r\nC: d", b"HTTP/1.1 200 \r\nC: d"),
        (b"HTTP/1.1 200 \r\nA: b\r\n  c\r\n\td", b"HTTP/1.1 200 \r\nA: b c d"),
        (b"HTTP/1.1 200 \r\nA: b\rC: d\0e", b"HTTP/1.1 200 \r\nA: b C: d e"),
        (b"HTTP/1.1 200 \r\nA: \xe9:\x01", b"HTTP/1.1 200 \r\nA: \xe9:\x01"),
    ],
)
def test_lines(given: bytes, expected: bytes) -> None:
    """Lines become what the RFC lets a recipient read in them; the rest stays as it is."""
    assert expected + b"\r\n\r\n" == mended(given)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (b"Content-Length: 5\r\ncontent-length: 5", b"Content-Length:5"),
        (b"Content-Length: 5, 5", b"Content-Length:5"),
        (b"Content-Length: ,5\r\nContent-Length:", b"Content-Length: 5"),
        (b"Content-Length: 5\r\nContent-Length: 6", b"Content-Length: 5,6"),
        (b"Content-Length: +5", b"Content-Length: +5"),
        (b"Content-Length:", b"Content-Length:"),
        (b"Content-Length: 5\r\nTransfer-Encoding: Chunked", b"Transfer-Encoding: chunked"),
        (b"Content-Length: 5\r\nTransfer-Encoding:", b"Content-Length: 5"),
        (b"Transfer-Encoding: chunked, Identity", b"Transfer-Encoding: chunked"),
        (b"Transfer-Encoding: a\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: a,chunked"),
        (b"Transfer-Encoding: identity\r\nContent-Length: 5", b"Content-Length: 5"),
        (b"Transfer-Encoding: \x0bchunked", b"Transfer-Encoding: \x0bchunked"),
        (b"Content-Length: 5\x0b, 5", b"Content-Length: 5\x0b,5"),
        (b"Transfer-Encoding: foo\r\nContent-Length: 5", b"Transfer-Encoding: foo"),
    ],
)
def test_lengths(fields: bytes, expected: bytes) -> None:
    """One length is left where the RFC says which."""
    found = mended(b"HTTP/1.1 200 OK\r\n" + fields)

    assert expected.replace(b" ", b"") == found.split(b"\r\n", 1)[1].strip().replace(b" ", b"")


WORDS = (
    *(b"HTTP/1.1 200 OK\r\n", b"http/1.1", b"103", b"Content-Length", b"Transfer-Encoding"),
    *(b"chunked", b"identity", b"gzip", b"5", b"33", b"X", b"\xe9", b"\x0b", b"\0", b":", b","),
    *(b" ", b"\t", b"\r", b"\n", b"Content-Length: 33\r\n", b"Transfer-Encoding: chunked\r\n"),
)


@given(st.lists(st.sampled_from(WORDS), max_size=16).map(b"".join))
def test_what_parsers_could_read_in_two_ways_is_gone(words: bytes) -> None:
    """Whatever a server sends, each line is a field, and one at most is about the length."""
    _, *lines = mended(END.split(words)[0]).removesuffix(b"\r\n\r\n").split(b"\r\n")
    names = [line.partition(b":")[0].lower() for line in lines]
    told = [
        name
        for name, line in zip(names, lines, strict=True)
        if name in (b"content-length", b"transfer-encoding") and line.partition(b":")[2].strip()
    ]

    assert all(NAME.fullmatch(name) for name in names)
    assert not any(mark in line for line in lines for mark in (b"\r", b"\n", b"\0"))
    assert len(told) < 2


def test_interim() -> None:
    """Another head follows those of 1xx, but for a change of protocols."""
    assert [True, True, False, False, False] == [
        is_interim(b"HTTP/1.1 %s\r\n\r\n" % status)
        for status in (b"103 X", b"103", b"101 X", b"200 X", b"x")
    ]
    assert not is_interim(b"HTTP/2.0 200 OK\r\nVia: http/1.1 103 x")


@pytest.mark.parametrize("size", [3, 1_000])
@pytest.mark.parametrize(
    "response",
    [
        head(SIZE, SIZE) + ROBOTS,
        head(b"Content-Length : %d, %d\r\n" % (len(ROBOTS), len(ROBOTS))) + ROBOTS,
        head(SIZE, CHUNKED) + CHUNKS,
        head(b"A B: c\r\n", b": d\r\n", b"e\r\n", SIZE) + ROBOTS,
        head(SIZE, status=b"\r\nhttp/1.1   200 OK\r\n") + ROBOTS,
        head(SIZE, status=b"\r\n\r\n\nhttp/1.1   200 OK\r\n") + ROBOTS,
        head(b"Transfer-Encoding: chunked, identity\r\n") + CHUNKS,
        head(b"Via: http/1.1 103 x\r\n", SIZE, status=b"HTTP/2.0 200 OK\r\n") + ROBOTS,
        head(b"A: b\rc\r\n", SIZE).replace(b"\r\n", b"\n") + ROBOTS,
        b"HTTP/1.1 103 Early\r\nA B: c\r\n\r\n" + head(b"A B: c\r\n", SIZE) + ROBOTS,
    ],
)
def test_response(response: bytes, size: int) -> None:
    """What is mended is read, in whatever pieces it comes."""
    pieces = [response[at : at + size] for at in range(0, len(response), size)]
    result, _ = exchange(answer(*pieces))

    assert (ROBOTS, "complete") == result.body


@pytest.mark.parametrize(
    "response",
    [
        head(SIZE, b"Content-Length: 5\r\n") + ROBOTS,
        head(b"Content-Length: +5\r\n") + ROBOTS,
        head(SIZE, status=b"HTTP/1 200 OK\r\n") + ROBOTS,
        head(SIZE, status=b"ICY 200 OK\r\n") + ROBOTS,
        head(SIZE).replace(b"\r\n", b"\r") + ROBOTS,
        ROBOTS,
    ],
)
def test_no_response(response: bytes) -> None:
    """What the RFC has a recipient refuse stays refused, and so does what is no HTTP."""
    result, _ = exchange(answer(response))

    assert "invalid-response" == result.failure
