"""Content codings: what is undone, what is broken, and what it costs.

In: bodies made by `zlib`, whole, in parts, cut and spoilt. Out: bytes within the limit, in memory
and time that a server cannot choose.
"""

import gzip
import tracemalloc
import zlib
from dataclasses import replace

import brotli
import pytest
from backports import zstd
from hypothesis import given, strategies as st

from verger.fetching import decode
from verger.fetching.decode import (
    BROKEN_OFF,
    STEP,
    Decoded,
    _said,
    decoded,
    file_in,
    is_encoded,
    without_codings,
)

FILE = b"User-agent: *\nDisallow: /private\n"
LIMIT = 513_024
EMPTY_MEMBER = gzip.compress(b"")
UNDECLARED = "the body is gzip although no coding was declared"


def raw_deflate(body: bytes) -> bytes:
    coder = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return coder.compress(body) + coder.flush()


CODERS = {"gzip": gzip.compress, "deflate": zlib.compress, "raw": raw_deflate}
CODINGS = {"gzip": "gzip", "deflate": "deflate", "raw": "deflate"}


def undone(body: bytes, coding: str = "", *, limit: int = LIMIT, is_whole: bool = True) -> Decoded:
    """Return what is decoded; as a problem that not all of it is there, unless that is known."""
    told = decoded(body, _said([("Content-Encoding", coding)])["content-encoding"], limit=limit)
    if not is_whole:
        return replace(told, is_cut=not told.problem)
    is_cut = told.is_cut and len(told.data) < limit
    return replace(told, is_cut=False, problem=BROKEN_OFF["complete"]) if is_cut else told


# What is undone


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("", FILE),
        ("identity", FILE),
        (" Identity ", FILE),
        ("gzip", gzip.compress(FILE, mtime=0)),
        ("GZIP", gzip.compress(FILE, mtime=0)),
        ("x-gzip", gzip.compress(FILE, mtime=0)),
        ("deflate", zlib.compress(FILE)),
        ("Deflate", raw_deflate(FILE)),
        ("deflate", zlib.compress(FILE, 0)),
        ("deflate", zlib.compress(FILE, 9)),
        ("deflate", zlib.compress(FILE, wbits=9)),
    ],
)
def test_codings(coding: str, body: bytes) -> None:
    """What was asked for, in any case, under its old name too, with or without zlib's header."""
    assert undone(body, coding) == Decoded(FILE)


@pytest.mark.parametrize("coding", ["", "identity", "gzip", "deflate", "br", "nonsense"])
def test_empty_body(coding: str) -> None:
    """Nothing is an empty file, whatever it is said to be coded in."""
    assert undone(b"", coding) == Decoded(b"")


@pytest.mark.parametrize(
    "coding",
    [
        "none",
        "utf-8",
        "aws-chunked",
        "binary",
        "text/plain",
        "*",
        "identity,",
        "identity, identity",
    ],
)
def test_names_that_are_no_coding(coding: str) -> None:
    """They change nothing, and are noted, but for `identity`."""
    known = coding.replace(" ", "") in ("identity,", "identity,identity")
    note = "" if known else f"`{coding}` is not a content coding"

    assert undone(FILE, coding) == Decoded(FILE, note=note)
    assert undone(gzip.compress(FILE), f"gzip, {coding}") == Decoded(FILE, note=note)
    assert undone(gzip.compress(FILE), f"{coding}, gzip") == Decoded(FILE, note=note)


def test_a_long_name_that_is_no_coding() -> None:
    """The note has its beginning; what is gzip all the same is undone."""
    told = undone(gzip.compress(FILE), "x" * 500)

    assert told == Decoded(FILE, note=f"`{'x' * 40}` is not a content coding; {UNDECLARED}")


@pytest.mark.parametrize("coding", ["compress", "x-compress", "exi", "dcb", "gzip, pack200-gzip"])
def test_registered_codings_that_nobody_asks_for(coding: str) -> None:
    """The body is broken: what it says is not known."""
    name = coding.rpartition(" ")[2]

    assert undone(FILE, coding) == Decoded(
        b"", problem=f"content coding `{name}` was not requested"
    )


MORE_CODERS = {
    "br": brotli.compress,
    "zstd": zstd.compress,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
}


@pytest.mark.parametrize(
    "coding", ["br", "BR", "zstd", "gzip, br", "br, gzip", "zstd, zstd", "br, identity, deflate"]
)
def test_codings_that_need_a_package(coding: str) -> None:
    """They are undone in the reverse order of the list (RFC 9110 section 8.4)."""
    body = FILE
    for name in coding.lower().split(", "):
        body = MORE_CODERS.get(name, bytes)(body)

    assert undone(body, coding) == Decoded(FILE)


def test_a_fourth_coding() -> None:
    """Nobody codes a file so often."""
    told = undone(FILE, "gzip, gzip, gzip, gzip")

    assert told == Decoded(b"", problem="more than 3 content codings")


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_without_the_package(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body is broken, as with any other coding that cannot be decoded."""
    monkeypatch.setattr(decode, {"br": "_brotli", "zstd": "_zstd"}[name], lambda: None)

    assert undone(MORE_CODERS[name](FILE), name) == Decoded(
        b"", problem=f"content coding `{name}` was not requested"
    )


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_bombs_of_other_codings(name: str) -> None:
    """A few bytes that stand for many give the limit, in little memory."""
    body = MORE_CODERS[name](bytes(64 << 20))
    tracemalloc.start()
    told = undone(body, name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (len(told.data), told.is_cut, told.problem) == (LIMIT, True, "")
    assert peak < 4 * LIMIT


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_other_codings_that_break(name: str) -> None:
    """Cut off, spoilt, or with a window that takes too much memory."""
    body = MORE_CODERS[name](bytes(range(256)) * 300 + FILE * 99)

    assert undone(body[:-5], name).problem == "the encoded body is incomplete"
    assert undone(body[:-5], name, is_whole=False).is_cut
    assert undone(FILE, name).problem.startswith("broken content coding: ")


def test_a_window_that_is_too_large() -> None:
    """RFC 9659: a server may ask for 8 MiB of memory, and no more."""
    options = {zstd.CompressionParameter.window_log: 27}
    body = zstd.compress(bytes(64 << 20), options=options)

    assert "too much memory" in undone(body, "zstd").problem


def test_frames() -> None:
    """Zstandard may have several frames, which are one file together (RFC 8878 section 3)."""
    assert undone(zstd.compress(FILE) * 3, "zstd") == Decoded(FILE * 3)


def test_undeclared_gzip() -> None:
    """A file that is gzip and does not say so is undone, and noted."""
    assert undone(gzip.compress(FILE)) == Decoded(FILE, note=UNDECLARED)
    assert undone(gzip.compress(FILE), "identity") == Decoded(FILE, note=UNDECLARED)


@pytest.mark.parametrize("coding", ["gzip", "deflate", " GZIP "])
def test_gzip_once_more_than_declared(coding: str) -> None:
    """The note says that a coding was declared."""
    inner = gzip.compress(FILE)
    body = zlib.compress(inner) if coding == "deflate" else gzip.compress(inner)

    told = undone(body, coding)

    assert told == Decoded(FILE, note="the body is gzip once more than was declared")


@pytest.mark.parametrize("body", [b"\x1f\x8b\x00 not gzip", b"\x1f\x8b\n" + FILE])
def test_undeclared_and_no_gzip(body: bytes) -> None:
    """Two bytes alone make no gzip: the file is what was sent."""
    assert undone(body) == Decoded(body)


def test_undeclared_gzip_that_breaks_off() -> None:
    """Gzip that began well and ends early is broken, declared or not, wherever it ends."""
    body = gzip.compress(bytes(range(256)) * 9)
    for size in range(2, len(body)):
        told = undone(body[:size])

        assert (told.problem, told.note) == ("the encoded body is incomplete", UNDECLARED), size


def test_undeclared_deflate_is_no_coding() -> None:
    """Deflate has no mark of its own: undeclared, it is the file."""
    assert undone(zlib.compress(FILE)) == Decoded(zlib.compress(FILE))


# Members and what follows


@pytest.mark.parametrize("members", [1, 2, 3, 700])
def test_members(members: int) -> None:
    """Gzip may have many members, which are one file together (RFC 1952 section 2.2)."""
    body = gzip.compress(FILE) * members

    assert undone(body, "gzip") == Decoded(FILE * members)


@pytest.mark.parametrize("garbage", [b"\x00", b"\x00" * 40_000, b"\n<html>", b"\x1f\x00"])
@pytest.mark.parametrize("kind", CODERS)
def test_trailing_garbage(kind: str, garbage: bytes) -> None:
    """What follows the end of the coding is left alone, as browsers leave it."""
    assert undone(CODERS[kind](FILE) + garbage, CODINGS[kind]) == Decoded(FILE)


@pytest.mark.parametrize("limit", [1, len(FILE), 10 * len(FILE)])
def test_second_member_that_is_broken(limit: int) -> None:
    """What looks like another member has to be one, unless the limit ends before it."""
    told = undone(gzip.compress(FILE) + b"\x1f\x8bnonsense", "gzip", limit=limit)

    assert told.data == FILE[:limit]
    assert (bool(told.problem), told.is_cut) == (limit > 1, limit == 1)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_member_that_breaks_off_early(coding: str, size: int) -> None:
    """The rest of a file may be in the next member, of which only the first octets are there."""
    packed = gzip.compress(FILE) if coding == "gzip" else zstd.compress(FILE)

    assert undone(packed + packed[:size], coding).problem


def test_member_at_the_border_of_a_step() -> None:
    """Members are told apart wherever the steps fall."""
    for padding in range(STEP - 60, STEP + 10):
        first = gzip.compress(b"#" * padding, compresslevel=0)
        body = first + gzip.compress(FILE)

        assert undone(body, "gzip").data == b"#" * padding + FILE


def calls_of(monkeypatch: pytest.MonkeyPatch, members: int) -> int:
    """Return how many bytes are handed to zlib for so many empty members."""
    handed = 0
    make = zlib.decompressobj

    class Counting:
        def __init__(self, wbits: int) -> None:
            self._coder = make(wbits)

        def decompress(self, size: memoryview, most: int) -> bytes:
            nonlocal handed
            handed += len(size)
            return self._coder.decompress(size, most)

        def __getattr__(self, name: str) -> object:
            return getattr(self._coder, name)

    monkeypatch.setattr("verger.fetching.decode.zlib.decompressobj", Counting)
    told = undone(EMPTY_MEMBER * members, "gzip")
    monkeypatch.undo()

    assert told == Decoded(b"")
    return handed


def test_empty_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of empty members cost in proportion: each looks at one step, never at the rest."""
    members = LIMIT // len(EMPTY_MEMBER)

    assert members > 20_000
    assert calls_of(monkeypatch, members) <= members * STEP
    assert calls_of(monkeypatch, 2 * members) <= 2.1 * calls_of(monkeypatch, members)


# What is broken


@pytest.mark.parametrize("kind", CODERS)
def test_every_beginning(kind: str) -> None:
    """A coded body that ends early is broken; cut by the limit of the transport, it is cut."""
    body = CODERS[kind](FILE)
    for end in range(1, len(body)):
        broken = undone(body[:end], CODINGS[kind])
        cut = undone(body[:end], CODINGS[kind], is_whole=False)

        assert broken.problem
        assert FILE.startswith(broken.data)
        assert (cut.data, cut.is_cut, cut.problem) == (broken.data, True, "")


@pytest.mark.parametrize("body", [FILE, b"\x00" * 100, b"\xff" * 100, b"\x1f\x8b\x08"])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_not_what_it_says(body: bytes, coding: str) -> None:
    """A file that is not coded as it says is broken, not read as it stands."""
    told = undone(body, coding)

    assert told.data == b""
    assert told.problem


def test_wrong_checksum() -> None:
    """Gzip knows whether it was spoilt on the way."""
    body = bytearray(gzip.compress(FILE))
    body[-5] ^= 1

    assert undone(bytes(body), "gzip").problem == "broken content coding: incorrect data check"


# Limits


@pytest.mark.parametrize("kind", ["plain", *CODERS])
@pytest.mark.parametrize("size", [1, 999, 1_000, 1_001, 5_000])
def test_limit(size: int, kind: str) -> None:
    """As many bytes as the limit allows are the file; one more, and it is cut."""
    body = bytes(n % 251 for n in range(size))
    sent = CODERS[kind](body) if kind in CODERS else body
    told = undone(sent, CODINGS.get(kind, ""), limit=1_000)

    assert told == Decoded(body[:1_000], is_cut=size > 1_000)


def test_limit_between_members() -> None:
    """A limit that is full at the end of a member is not exceeded before the next brings more."""
    full = gzip.compress(b"#" * 1_000)

    assert undone(full + EMPTY_MEMBER, "gzip", limit=1_000) == Decoded(b"#" * 1_000)
    assert undone(full * 2, "gzip", limit=1_000) == Decoded(b"#" * 1_000, is_cut=True)


@pytest.mark.parametrize("kind", CODERS)
def test_bomb(kind: str) -> None:
    """A body of half a megabyte that means half a gigabyte takes the limit's memory, twice."""
    coder = zlib.compressobj(9, zlib.DEFLATED, {"gzip": 31, "deflate": 15, "raw": -15}[kind])
    mib = b"\x00" * (1 << 20)
    bomb = b"".join(coder.compress(mib) for _ in range(64)) + coder.flush()
    tracemalloc.start()
    try:
        told = undone(bomb, CODINGS[kind])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert told == Decoded(b"\x00" * LIMIT, is_cut=True)
    assert peak < 3 * LIMIT


def test_bomb_that_is_undeclared() -> None:
    """A body without a declared coding is limited as well."""
    assert undone(gzip.compress(b"\x00" * (8 << 20))) == Decoded(
        b"\x00" * LIMIT, is_cut=True, note=UNDECLARED
    )


# Properties


@given(
    st.binary(max_size=400),
    st.sampled_from(["", "identity", "gzip", "deflate", "x-gzip", "br"]),
    st.integers(1, 300),
    st.booleans(),
)
def test_any_body(body: bytes, coding: str, limit: int, is_whole: bool) -> None:
    """Any bytes in any coding: an answer within the limit, and broken or not."""
    told = undone(body, coding, limit=limit, is_whole=is_whole)

    assert len(told.data) <= limit
    assert not (told.is_cut and told.problem)


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=5),
    st.sampled_from(list(CODERS)),
    st.integers(1, 2_000),
)
def test_there_and_back(parts: list[bytes], kind: str, limit: int) -> None:
    """Whatever is coded comes back, as far as the limit goes."""
    whole = b"".join(parts)
    sent = b"".join(map(gzip.compress, parts)) if kind == "gzip" else CODERS[kind](whole)

    assert undone(sent, CODINGS[kind], limit=limit) == Decoded(
        whole[:limit], is_cut=len(whole) > limit
    )


# Kept by programs that may have undone a coding

SMALL = b"User-agent: *\nDisallow: /\n"
"""Brotli copies it: nothing but the first bytes tells the coded file from it."""


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        *(("br", brotli.compress(body, quality=5)) for body in (SMALL, 9 * FILE)),
        *(("br", brotli.compress(body, quality=11)) for body in (SMALL, 9 * FILE)),
        *(("deflate", raw_deflate(body)) for body in (SMALL, 9 * FILE)),
    ],
)
def test_every_piece_of_a_coded_file_is_coded(coding: str, body: bytes) -> None:
    """Wherever it breaks off, and so it is broken, and no file without rules."""
    for end in range(1, len(body) + 1):
        assert is_encoded(body[:end], coding), end

        told = without_codings([("Content-Encoding", coding)], body[:end])
        found = file_in(200, told, body[:end], "complete", limit=LIMIT, enough=LIMIT)
        assert (found.problem == "") is (end == len(body)), end


@pytest.mark.parametrize("coding", ["br", "deflate"])
@pytest.mark.parametrize(
    "text",
    [
        *(SMALL, FILE, b"#\n" + SMALL, b"# \n# robots.txt\n" + FILE, b"# *\n" + SMALL, b"\n\n"),
        *(b"<!DOCTYPE html>\n<p>Not found</p>\n", b'{"message": "no route"}', 40 * FILE),
    ],
)
def test_a_file_is_not_coded(coding: str, text: bytes) -> None:
    assert not is_encoded(text, coding)


@pytest.mark.parametrize("length", [21, 46, 200, 256, 257])
@pytest.mark.parametrize("coding", ["gzip", "br", "deflate", "zstd"])
def test_a_coded_file_of_some_length_is_not_empty(coding: str, length: int) -> None:
    """Whoever undid the coding lost it: the connection broke behind the head."""
    fields = [("Content-Encoding", coding), ("Content-Length", str(length))]
    told = without_codings(fields, b"", is_decoded=True)

    assert file_in(200, told, b"", "complete", limit=LIMIT, enough=LIMIT).problem


def test_a_coded_file_is_not_many_times_as_long_as_it_is() -> None:
    told = [("Content-Encoding", "gzip"), ("Content-Length", "300")]
    told = [*without_codings(told, SMALL, is_decoded=True)]

    assert file_in(200, told, SMALL, "complete", limit=LIMIT, enough=LIMIT).problem
