"""Objects: what lies in a bucket, or on a web server, as a file.

In: an address, such as `s3://bucket/key`. Out: a file that can be read at any place, and a stream
that becomes an object in one step. Reading is ahead of the reader by a few chunks, whatever the
size of the object; where a connection breaks, it goes on with the next byte, by a range. All bytes
are of one version of the object, by its ETag: when it changes meanwhile, reading ends with an
error. An upload is in parts, and completed at the end: a process that is killed leaves no object.

Credentials, regions and endpoints are found as the tools of each provider find them, in variables
of the environment and in their files; none is in a message. Imported within
`MissingExtra.unless_installed`.
"""

import os
from collections.abc import Generator, Iterator
from io import RawIOBase
from queue import Full, Queue
from threading import Thread
from time import sleep
from typing import Any

import obstore
from obstore import exceptions
from obstore.store import HTTPStore, S3Store, from_url

from verger.errors import UnusableInput, UnusableOutput
from verger.files.addresses import ANONYMOUS, scheme_of
from verger.files.workers import read_ahead
from verger.untrusted_text import quoted, uncapitalized, without_secrets

CHUNK = 1 << 20
"""Bytes that are received at once."""

WAITING = 4
"""Chunks that are received before they are read."""

SKIPPED = 1 << 20
"""A gap of so many bytes is read and dropped, instead of asking anew."""

PART = 8 << 20
"""Bytes of a part of an upload: S3 takes 10,000 parts, and so 80 GB."""

PARTS = 2
"""Parts that are sent at the same time."""

STALLED = 30
"""Seconds without a byte, after which a connection is given up."""

TRIES, PAUSE = 6, 0.2
"""How often reading goes on without a byte in between, and seconds before the first time; each
pause is twice the one before. Requests are repeated by obstore as well, for three minutes."""

FINAL = (
    *(exceptions.PermissionDeniedError, exceptions.UnauthenticatedError),
    *(exceptions.PreconditionError, exceptions.InvalidPathError),
    *(exceptions.UnknownConfigurationKeyError, exceptions.NotSupportedError),
    *(FileNotFoundError, ValueError),
)
"""Errors that another try does not mend."""



class CloudFile(RawIOBase):
    """An object, or a file of a web server, that can be read at any place.

    name:     its address, without a password or a signature.
    size:     how many bytes it has.
    version:  what changes when its content changes: its ETag, else when it was modified.
    Raises UnusableInput.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        self.name = without_secrets(address)
        self._chunks: Generator[memoryview, None, None] | None = None
        self._rest = memoryview(b"")
        self._place = self._at = 0
        self._end = 0
        try:
            self._store, self._key = _located(address)
            whole = obstore.get(self._store, self._key)
        except Exception as error:  # obstore's have no class of their own, and configs fail anyhow
            raise unreadable_object(self.name, error) from None
        self.size = whole.meta["size"]
        self._tag = _tag_of(whole.meta)
        self.version = str(self._tag or whole.meta["last_modified"])
        self._begin(0, self.size, whole)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        origin = (0, self._at, self.size)[whence]
        self._at = max(0, origin + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Read some bytes; fewer than there is room for where a chunk ends."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self.size - self._at)
        if wanted <= 0:
            return 0
        if not self._rest or self._place != self._at:
            self._go_to(self._at, wanted)
        some = self._rest[:wanted]
        view[: len(some)] = some
        self._take(len(some))
        self._at = self._place
        return len(some)

    def close(self) -> None:
        if self._chunks is not None:
            self._chunks.close()
        super().close()

    def _take(self, size: int) -> None:
        self._rest = self._rest[size:]
        self._place += size

    def _go_to(self, at: int, wanted: int) -> None:
        """Have bytes from a place on; what is asked for anywhere else is fetched by itself."""
        is_near = self._place <= at <= min(self._place + len(self._rest) + SKIPPED, self._end)
        if not is_near or self._chunks is None:
            goes_on = at == self._end
            self._begin(at, self.size if goes_on else min(at + max(wanted, CHUNK), self.size))
        while self._place + len(self._rest) <= at:
            self._take(len(self._rest))
            if (chunk := next(self._chunks or iter(()), None)) is None:
                self._begin(at, self.size)
                continue
            self._rest = chunk
        self._take(at - self._place)

    def _begin(self, at: int, end: int, result: Any = None) -> None:
        if self._chunks is not None:
            self._chunks.close()
        received = self._received(at, end, result)
        self._chunks = read_ahead(received, waiting=WAITING, name="verger-receive")
        self._rest, self._place, self._end = memoryview(b""), at, end

    def _received(self, at: int, end: int, result: Any) -> Iterator[memoryview]:
        """Yield the bytes between two places, however many connections it takes."""
        tries = 0
        while at < end:
            try:
                stream, skipped = (result.stream(CHUNK), 0) if result else self._stream(at, end)
                for chunk in stream:
                    data = memoryview(chunk)[skipped : skipped + end - at]
                    skipped = max(0, skipped - len(chunk))
                    at, tries = at + len(data), 0 if data else tries
                    yield data
                tries += 1
            except FINAL as error:
                raise unreadable_object(self.name, error) from None
            except exceptions.BaseError as error:
                tries += 1
                if tries >= TRIES:
                    raise unreadable_object(self.name, error, at) from None
            result = None
            sleep(PAUSE * 2**tries if tries > 1 else 0)

    def _stream(self, at: int, end: int) -> tuple[Iterator[Any], int]:
        """Return the bytes from a place on, and how many come before them: all, from a server that
        knows no ranges."""
        options: dict[str, Any] = {"range": (at, end)}
        # RFC 9110 section 13.1.1: no weak tag matches
        if self._tag is not None and not self._tag.startswith("W/"):
            options["if_match"] = self._tag
        try:
            result, skipped = obstore.get(self._store, self._key, options=options), 0
        except exceptions.NotSupportedError:
            result, skipped = obstore.get(self._store, self._key), at
        found = str(_tag_of(result.meta) or result.meta["last_modified"])
        if (found, result.meta["size"]) != (self.version, self.size):
            raise exceptions.PreconditionError("it has another ETag, date or size")
        return result.stream(CHUNK), skipped


class Upload(RawIOBase):
    """An object in the making: it is there once it is complete, and not before.

    Closing it gives up what was sent. Raises UnusableOutput, at once if it cannot be begun.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        self.name = without_secrets(address)
        self._pending = bytearray()
        self._parts: Queue[bytes | None] = Queue(PARTS)
        self._begun: Queue[Exception | None] = Queue()
        self._error: Exception | None = None
        self._thread = Thread(
            target=self._send, args=(address,), name="verger-send", daemon=True
        )
        self._thread.start()
        self._expect(self._begun.get())

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        """Take bytes; a full part is sent while the next one is filled."""
        self._pending += data
        while len(self._pending) >= PART:
            self._put(bytes(self._pending[:PART]))
            del self._pending[:PART]
        return len(data)

    def complete(self) -> None:
        """Send what is left, and wait until the object is there."""
        if self._pending:
            self._put(bytes(self._pending))
        self._put(b"")
        self._thread.join()
        self._expect(self._error)

    def close(self) -> None:
        if not self.closed:
            self._put(None)
            self._thread.join()
        super().close()

    def _put(self, part: bytes | None) -> None:
        """Hand a part over: the end if it is empty, the order to give up if there is none."""
        while self._thread.is_alive():
            try:
                self._parts.put(part, timeout=0.1)
            except Full:
                continue
            return
        if part is not None:
            self._expect(self._error)

    def _expect(self, error: Exception | None) -> None:
        if error is not None:
            raise unwritable_object(self.name, error) from None

    def _send(self, address: str) -> None:
        """Send parts until the end; in a thread of its own."""
        try:
            store, key = _located(address)
            obstore.put(
                store, key, self._given(), use_multipart=True, chunk_size=PART, max_concurrency=PARTS
            )
        except Exception as error:  # of obstore, or of a library that finds credentials
            self._error = error
            self._begun.put(error)

    def _given(self) -> Iterator[bytes]:
        self._begun.put(None)  # obstore asks for parts once the server has begun the upload
        while part := self._parts.get():
            yield part
        if part is None:
            raise InterruptedError  # obstore then tells the server to drop the parts


# Where objects are


def _located(address: str) -> tuple[Any, str]:
    """Return the store of an object, and its name there. Raises what obstore raises, ValueError."""
    scheme = scheme_of(address)
    if scheme in ("https://", "http://"):
        return HTTPStore.from_url(address, client_options=_client(address)), ""
    bucket, _, key = address.partition("://")[2].partition("/")
    if not bucket or not key:
        raise ValueError(f"it names no object: write `{scheme}BUCKET/NAME`")
    if scheme not in ("s3://", "s3a://"):
        return from_url(f"{scheme}{bucket}", client_options=_client("")), key
    if os.environ.get(ANONYMOUS[0], "").lower() == "true":
        return S3Store(bucket, client_options=_client("")), key
    from boto3 import Session
    from obstore.auth.boto3 import Boto3CredentialProvider

    found = Boto3CredentialProvider(Session(region_name=os.environ.get("AWS_REGION")))
    return S3Store(bucket, credential_provider=found, client_options=_client("")), key


def _client(url: str) -> dict[str, Any]:
    """Return how to connect: without TLS only where the user has written so."""
    written = (url, *map(os.environ.get, ENDPOINTS))
    return {
        "allow_http": any(each and each.lower().startswith("http://") for each in written),
        "read_timeout": f"{STALLED}s",
        "timeout": "7days",
    }


ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT")
"""Variables of the environment that name another server than the provider's."""


def _tag_of(meta: Any) -> str | None:
    tag: str | None = meta["e_tag"]
    return tag


# Errors


def unreadable_object(name: str, error: Exception, at: int = 0) -> UnusableInput:
    """Return the error for an object that cannot be read, perhaps from a byte on."""
    why, hint = _told(name, error, "read")
    place = f" from byte {at:,} on" if at else ""
    return UnusableInput(f"cannot read {quoted(name)}{place}: {why}", hint)


def unwritable_object(name: str, error: Exception) -> UnusableOutput:
    """Return the error for an object that cannot be written."""
    why, hint = _told(name, error, "write")
    return UnusableOutput(f"cannot write {quoted(name)}: {why}", hint)


def _told(name: str, error: Exception, verb: str) -> tuple[str, str]:
    """Return why something failed, and what to do; no word of an answer, which may quote keys."""
    text, found = str(error), CREDENTIALS.get(scheme_of(name)[:2], "")
    for words, why, hint in TOLD:
        if any(word in text for word in words):
            return why, hint or found
    match error:
        case FileNotFoundError():
            return "there is no such object", "check the address; wildcards are not read"
        case exceptions.PreconditionError():
            return "it changed while it was read", "run the command again"
        case exceptions.UnauthenticatedError():
            return "the credentials are not accepted", found
        case exceptions.PermissionDeniedError():
            return f"the server does not let you {verb} it", found
        case exceptions.NotSupportedError():
            return "the connection broke, and the server knows no ranges", "fetch it to a file first"
    _, _, answer = text.partition("status code: ")
    short = answer.partition(":")[0] or text.partition("\n")[0].rpartition(" - ")[2]
    return uncapitalized(without_secrets(short)), "is the address right, and the endpoint?"


CREDENTIALS = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket "
    "pass `--anonymous` (in Python set AWS_SKIP_SIGNATURE=true)",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; for "
    "a public bucket pass `--anonymous` (in Python set GOOGLE_SKIP_SIGNATURE=true)",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; for a public container "
    "pass `--anonymous` (in Python set AZURE_SKIP_SIGNATURE=true)",
    "ht": "the address may lack a signature, or have an old one",
}
"""What to set, by the beginning of the scheme."""
CREDENTIALS["ab"] = CREDENTIALS["az"]

TOLD = (
    (
        ("NoSuchBucket", "ContainerNotFound", "The specified bucket"),
        "there is no such bucket",
        "check its name; AWS_ENDPOINT_URL names a server other than Amazon's",
    ),
    (
        ("redirect without LOCATION", "PermanentRedirect", "AuthorizationHeaderMalformed"),
        "the bucket is in another region",
        "set AWS_REGION to the region of the bucket",
    ),
    (
        ("session.get_credentials", "169.254.169.254", "metadata.google", "Account must be"),
        "no credentials were found",
        None,
    ),
    (
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"),
        "the credentials are not accepted",
        None,
    ),
    (
        ("Content-Length Header missing",),
        "the server does not say how large it is",
        "fetch it to a file first",
    ),
    (
        ("error sending request", "error trying to connect", "dns error"),
        "the server cannot be reached",
        "check the network, and the endpoint, such as AWS_ENDPOINT_URL",
    ),
)
"""What an error contains, why that is, and what to do; None where credentials are missing."""
