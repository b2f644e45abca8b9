"""Faults of contents: codings, bombs, sizes, and files that are something else."""

import base64
import gzip
import zlib
from collections.abc import Iterator
from functools import cache

from .messages import floods
from .stage import RULES, Peer, Scene, Stage, always, chunk, head, response, says, served, staged

LIMIT = 512_000
MEGABYTE = 1_000_000


# --- codings


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


PACKED = gzip.compress(RULES, mtime=0)
TWICE = gzip.compress(PACKED, mtime=0)
MEMBERS = gzip.compress(RULES[:14], mtime=0) + gzip.compress(RULES[14:], mtime=0)
BAD_CHECKSUM = PACKED[:-8] + bytes(byte ^ 255 for byte in PACKED[-8:-4]) + PACKED[-4:]
LONG_PACKED = gzip.compress(b"".join(b"# %d\n" % (n * n) for n in range(2_000)) + RULES, mtime=0)
BROKEN = (
    LONG_PACKED[:2_000]
    + bytes(byte ^ 255 for byte in LONG_PACKED[2_000:2_010])
    + (LONG_PACKED[2_010:])
)
BROTLI = base64.b64decode("iw+AVXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2Nsb3NlZAoD")
BROTLI_BOMB = base64.b64decode(
    "z///f/gnAOKxQCD3/p/////wTwDEYQGA7v0/////4Z8AiMMiAN37//z//8c/ARCHBQC69/8="
)
ZSTD = base64.b64decode("KLUv/SAgAQEAVXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2Nsb3NlZAo=")


def coded(name: str, coding: str, body: bytes) -> None:
    says(name, response(body, f"Content-Encoding: {coding}"))


coded("gzip", "gzip", PACKED)
coded("x-gzip", "x-gzip", PACKED)
coded("gzip-upper-case", "GZIP", PACKED)
coded("gzip-members", "gzip", MEMBERS)
coded("gzip-empty-body", "gzip", b"")
coded("gzip-trailing-garbage", "gzip", PACKED + bytes(100))
coded("gzip-truncated", "gzip", PACKED[:-12])
coded("gzip-bad-checksum", "gzip", BAD_CHECKSUM)
coded("gzip-broken-inside", "gzip", BROKEN)
coded("gzip-declared-for-text", "gzip", RULES)
coded("gzip-twice-declared-once", "gzip", TWICE)
coded("gzip-thrice-declared-once", "gzip", gzip.compress(TWICE))
coded("gzip-twice-declared-twice", "gzip, gzip", TWICE)
coded("deflate", "deflate", zlib.compress(RULES))
coded("deflate-raw", "deflate", raw_deflate(RULES))
coded("deflate-truncated", "deflate", zlib.compress(RULES)[:-6])
coded("identity", "identity", RULES)
coded("coding-empty", "", RULES)
coded("brotli", "br", BROTLI)
coded("brotli-bomb", "br", BROTLI_BOMB)
coded("zstd", "zstd", ZSTD)
coded("coding-unknown", "rot13", RULES)
says("gzip-undeclared", response(PACKED))
says(
    "gzip-chunked",
    head("Content-Encoding: gzip", "Transfer-Encoding: chunked", "Connection: close"),
    chunk(PACKED[:15]),
    chunk(PACKED[15:]),
    b"0\r\n\r\n",
)

# --- bombs


@cache
def bomb(wbits: int, first: bytes = RULES, megabytes: int = 100) -> bytes:
    """Return a small stream that unpacks to something, and then to zeros behind a `#`."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    parts = [packer.compress(first + b"#")]
    parts += [packer.compress(bytes(MEGABYTE)) for _ in range(megabytes)]
    return b"".join([*parts, packer.flush()])


GZIP = 16 + zlib.MAX_WBITS


def bombs(name: str, wbits: int, *fields: str) -> None:
    """Register a server whose bomb is made before anybody asks for it."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        return Scene(await stage.listen(always(response(bomb(wbits), *fields))))


bombs("gzip-bomb", GZIP, "Content-Encoding: gzip")
bombs("gzip-bomb-undeclared", GZIP)
bombs("deflate-bomb", zlib.MAX_WBITS, "Content-Encoding: deflate")


EMPTY_MEMBER = gzip.compress(b"", mtime=0)

floods(
    "gzip-empty-members",
    EMPTY_MEMBER,
    head("Content-Encoding: gzip", "Connection: close"),
    PACKED,
)

# --- files that are something else

PAGE = b"<!DOCTYPE html>\n<title>Error</title>\n<p>Sorry: this page is not here.</p>\n"
REFRESH = b'<meta http-equiv="refresh" content="0; url=/rules.txt">\n'
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


says("html-error-page", response(PAGE, kind="text/html"))
says("html-with-rules", response(PAGE + RULES + b"</html>\n", kind="text/html; charset=utf-8"))
says("meta-refresh", response(REFRESH, kind="text/html"))
says("soft-404", response(b"404: not found\n"))
says("rules-as-html", response(kind="text/html"))
says("rules-as-bytes", response(kind="application/octet-stream"))
says("rules-without-type", response(kind=None))
says("image", response(PNG, kind="image/png"))
says("utf-16-little-endian", response(b"\xff\xfe" + RULES.decode().encode("utf-16-le")))
says("utf-16-big-endian", response(b"\xfe\xff" + RULES.decode().encode("utf-16-be")))
says("utf-8-bom", response(b"\xef\xbb\xbf" + RULES))
says("nuls", response(bytes(MEGABYTE)))
says("nuls-between-lines", response(b"\0\0\0\n".join(RULES.splitlines(keepends=True))))
says("no-utf-8", response(b"\xff\xfe\xfd: \xc3\n".join(RULES.splitlines(keepends=True))))
says("carriage-returns", response(RULES.replace(b"\n", b"\r")))

# --- sizes

AGENT = b"User-agent: *\n"
RULE = b"Disallow: /closed"
COMMENT = b"#" * 99 + b"\n"


def padded(size: int) -> bytes:
    """Return a start-group line and comments, so many bytes in all."""
    lines = AGENT + COMMENT * (size // len(COMMENT) + 1)
    return lines[: size - 1] + b"\n"


AT_LIMIT = padded(LIMIT - len(RULE)) + RULE
CUT = padded(LIMIT - len(RULE) + 3) + RULE + b"\n"

says("body-at-limit", response(AT_LIMIT))
says("body-one-over-limit", response(AT_LIMIT + b"\n"))
says("body-cut-in-rule", response(CUT))
coded("body-cut-in-rule-gzip", "gzip", gzip.compress(CUT, mtime=0))


def comments(size: int) -> Iterator[bytes]:
    """Yield so many bytes of comment."""
    block = COMMENT * 500
    for _ in range(size // len(block)):
        yield block


@served("body-100-mb")
async def body_100_mb(peer: Peer) -> None:
    await peer.request()
    await peer.send(head(f"Content-Length: {len(RULES) + 10**8}"), RULES)
    for block in comments(10**8):
        await peer.send(block)


floods("body-endless", COMMENT, head("Content-Type: text/plain", "Connection: close"), RULES)
floods(
    "body-endless-chunks",
    chunk(COMMENT * 100),
    head("Content-Type: text/plain", "Transfer-Encoding: chunked"),
    chunk(RULES),
)
