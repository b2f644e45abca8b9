"""Observations as a WARC archive (WARC 1.1): a response for each time at which a server answered.

In: an archive's observations. Out: a file with a `response` record for the first and the last time
of each, in a gzip member of its own where the name ends in `.gz`. The record is of the URL that was
asked first, with the status and the decoded body that came in the end, and the header fields that
were kept. An attempt without a status is no response, and is left out.
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

OF_THE_WIRE = ("content-length", "content-encoding", "transfer-encoding")
"""Header fields of a body as it was sent, which is kept decoded."""


def write_warc(seen: Iterable[Seen], output: str) -> int:
    """Write observations; return how many records that are. Raises UnusableOutput."""
    pack = partial(gzip.compress, mtime=0) if is_packed(output) else bytes
    number = 0
    with writing(output) as file:
        for each in seen:
            for at in times_of(each) if each.result.status is not None else ():
                file.write(pack(_record(each.origin, each.result, at)))
                number += 1
    return number


def times_of(seen: Seen) -> Iterator[float]:
    """Yield the first and the last time of an observation, which may be one."""
    return iter(dict.fromkeys((seen.first, seen.last)))


def _record(origin: str, result: AccessResult, at: float) -> bytes:
    block = _response(result)
    moment = (EPOCH + timedelta(microseconds=int(at * 1e6))).isoformat()  # as in the table
    fields = {
        "WARC-Type": "response",
        "WARC-Target-URI": f"{origin}/robots.txt",
        "WARC-Date": f"{moment}Z",
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{origin} {at!r}')}>",
        "WARC-Payload-Digest": f"sha1:{b32encode(sha1(result.body).digest()).decode()}",
        **({"WARC-Truncated": "length"} if result.truncated else {}),
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    return b"WARC/1.1\r\n%b\r\n%b\r\n\r\n" % (_lines(fields.items()), block)


def _response(result: AccessResult) -> bytes:
    assert result.status is not None, "a server answered"
    known = {status.value: status.phrase for status in HTTPStatus}
    kept = [each for each in result.headers.items() if each[0].lower() not in OF_THE_WIRE]
    head = _lines([*kept, ("Content-Length", str(len(result.body)))])
    status = f"HTTP/1.1 {result.status} {known.get(result.status, '')}"
    return b"%b\r\n%b\r\n%b" % (status.encode(), head, result.body)


def _lines(fields: Iterable[tuple[str, str]]) -> bytes:
    text = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in fields)
    return text.encode("utf-8", "surrogateescape")
