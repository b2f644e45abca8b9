"""Observations as a WARC archive (WARC 1.1): a response for each time at which a server answered.

In: an archive's observations. Out: a file with a `response` record for the first and the last time
of each, in a gzip member of its own where the name ends in `.gz`. The record is of the URL that was
asked first, with the status and the decoded body that came in the end, and the header fields that
were kept. What was no whole response is left out: an attempt without a status, a body that broke
off, or redirects that led nowhere would be read as a file.
"""

import gzip
from base64 import b32encode
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha1
from http import HTTPStatus
from uuid import NAMESPACE_URL, uuid5

from verger.access.result import AccessResult
from verger.files.formats import is_packed
from verger.files.writing import writing
from verger.watch.archive import Seen

EPOCH = datetime(1970, 1, 1)
LATEST = 253_402_300_799.0
"""The last second of the calendar: clocks that were wrong are beyond."""

PHRASES = {status.value: status.phrase for status in HTTPStatus}

OF_THE_WIRE = ("content-length", "content-encoding", "transfer-encoding")
"""Header fields of a body as it was sent, which is kept decoded."""


def write_warc(seen: Iterable[Seen], output: str) -> tuple[int, int]:
    """Write observations; return how many records that are, and how many are left out.

    Raises UnusableOutput.
    """
    pack = partial(gzip.compress, mtime=0) if is_packed(output) else bytes
    written = left_out = 0
    with writing(output) as file:
        for each in seen:
            for at in times_of(each):
                if is_whole(each.result):
                    file.write(pack(_record(each, at)))
                    written += 1
                else:
                    left_out += 1
    return written, left_out


def is_whole(result: AccessResult) -> bool:
    """Whether a server answered, and with all that it had to say."""
    return result.status is not None and result.failure is None


def times_of(seen: Seen) -> Iterator[float]:
    """Yield the first and the last time of an observation, which may be one."""
    return iter(dict.fromkeys((seen.first, seen.last)))


def _record(seen: Seen, at: float) -> bytes:
    result, block = seen.result, _response(seen.result)
    micros = int(min(max(at, 0.0), LATEST) * 1e6)  # as in the table, which has no other calendar
    moment = (EPOCH + timedelta(microseconds=micros)).isoformat()
    name = uuid5(NAMESPACE_URL, f"{seen.origin} {seen.number} {at!r}")
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": f"{seen.origin}/robots.txt",
        "WARC-Date": f"{moment}Z",
        "WARC-Record-ID": f"<urn:uuid:{name}>",
        "WARC-Payload-Digest": f"sha1:{b32encode(sha1(result.body).digest()).decode()}",
        **({"WARC-Truncated": "length"} if result.truncated else {}),
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    return b"WARC/1.1\r\n%b\r\n%b\r\n\r\n" % (_lines(fields.items()), block)


def _response(result: AccessResult) -> bytes:
    kept = [each for each in result.headers.items() if each[0].lower() not in OF_THE_WIRE]
    head = _lines([*kept, ("Content-Length", str(len(result.body)))])
    status = f"HTTP/1.1 {result.status} {PHRASES.get(result.status or 0, '')}"
    return b"%b\r\n%b\r\n%b" % (status.encode(), head, result.body)


def _lines(fields: Iterable[tuple[str, str]]) -> bytes:
    text = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in fields)
    return text.encode("utf-8", "surrogateescape")
