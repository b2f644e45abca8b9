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
import re
from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache, partial
from io import RawIOBase
from time import sleep
from typing import IO, Any

from obstore import exceptions
from obstore.store import HTTPStore, S3Store, from_url

from verger.errors import MissingExtra, UnusableInput, UnusableOutput
from verger.files.paths import ANONYMOUS, HDFS, scheme_of
from verger.files.workers import read_ahead
from verger.untrusted_text import is_unicode, quoted, uncapitalized, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from obstore import GetOptions, ObjectMeta
    from obstore.store import ClientConfig, RetryConfig

CHUNK = 1 << 18
"""Bytes that are received at once; what comes of less before a connection breaks may be lost."""

WAITING = 16
"""Chunks that are received before they are read."""

PART = 8 << 20
"""Bytes of a part of an upload: S3 takes 10,000 parts, and so 80 GB."""

PARTS = 4
"""Parts that are sent at the same time."""

STALLED = 30
"""Seconds without a byte, after which a connection is given up."""

TRIES, PAUSE = 6, 0.2
"""How often reading goes on without a byte in between, and seconds before the first time; each
pause is twice the one before."""

RETRIES: "RetryConfig" = {"max_retries": 8}
"""How often obstore repeats a request, which pauses longer each time: half a minute in all."""

FINAL = (
    *(exceptions.PermissionDeniedError, exceptions.UnauthenticatedError),
    *(exceptions.PreconditionError, exceptions.InvalidPathError),
    *(exceptions.UnknownConfigurationKeyError, exceptions.NotSupportedError),
    *(FileNotFoundError, ValueError),
)
"""Errors that another try does not mend."""

BROKEN = (exceptions.BaseError, OSError, RuntimeError)
"""Errors of obstore, and of hdfs-native, which has no classes of its own."""


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
        self._place = self._end = self._at = 0
        self._rest = memoryview(b"")
        self._chunks = self._ahead(0, 0)
        try:
            self._store, self._key = _located(address)
            whole = self._store.get(self._key)
        except BaseException as error:  # of a library that finds credentials, or a panic
            raise UnusableInput(*_told(self.name, _caught(error), "read")) from None
        self.size = whole.meta["size"]
        self.version = _version_of(whole.meta)
        self._end = self.size
        self._chunks = self._ahead(0, self.size, whole)

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
        some = self._bytes_at(self._at, wanted)
        view[: len(some)] = some
        self._at += len(some)
        return len(some)

    def close(self) -> None:
        self._chunks.close()
        super().close()

    def _bytes_at(self, at: int, wanted: int) -> memoryview:
        """Return bytes from a place on, not more than are wanted: from what comes anyhow, or what
        is fetched for it. Who reads on behind that reads to the end."""
        skipped = at - self._place
        if not 0 <= skipped <= len(self._rest) or at == self._end:
            end = self.size if at == self._end else min(at + max(wanted, CHUNK), self.size)
            self._chunks.close()
            self._chunks = self._ahead(at, end)
            self._rest, self._place, self._end = memoryview(b""), at, end
        self._rest = self._rest[at - self._place :] or next(self._chunks)
        self._place = at
        return self._rest[:wanted]

    def _ahead(self, *given: Any) -> Generator[memoryview, None, None]:
        return read_ahead(self._received(*given), waiting=WAITING, name="verger-receive")

    def _received(self, at: int, end: int, result: Any = None) -> Iterator[memoryview]:
        """Yield the bytes between two places, however many connections it takes."""
        tries = 0
        while at < end:
            try:
                stream, skipped = (result.stream(CHUNK), 0) if result else self._stream(at, end)
                for chunk in stream:
                    data = memoryview(chunk)[skipped : skipped + end - at]
                    skipped = max(0, skipped - len(chunk))
                    if data:
                        at, tries = at + len(data), 0
                        yield data
                tries += 1
            except FINAL as error:
                raise UnusableInput(*_told(self.name, error, "read")) from None
            except BROKEN as error:
                tries += 1
                if tries >= TRIES:
                    raise UnusableInput(*_told(self.name, error, "read", at)) from None
            result = None
            sleep(PAUSE * 2**tries if tries > 1 else 0)

    def _stream(self, at: int, end: int) -> tuple[Iterator[Any], int]:
        """Return the bytes from a place on, and how many come before them: all, from a server that
        knows no ranges."""
        options: GetOptions = {"range": (at, end)}
        if not self.version:
            raise exceptions.NotSupportedError("no version")
        if self.version.startswith('"'):  # RFC 9110 section 13.1.1: no weak tag matches
            options["if_match"] = self.version
        try:
            result, skipped = self._store.get(self._key, options=options), 0
        except (exceptions.NotSupportedError, exceptions.GenericError) as error:
            if isinstance(error, exceptions.GenericError) and "non-partial" not in str(error):
                raise
            result, skipped = self._store.get(self._key), at
        if (_version_of(result.meta), result.meta["size"]) != (self.version, self.size):
            raise exceptions.PreconditionError("it has another ETag, date or size")
        return result.stream(CHUNK), skipped


class Upload:
    """The place of an object that will be written. Raises UnusableOutput if it cannot be."""

    def __init__(self, address: str) -> None:
        self.name = without_secrets(address)
        try:
            if scheme_of(address) in WEB:
                raise exceptions.NotSupportedError("a web server")
            self._store, self._key = _located(address)
            self._put(_given_up(), 1)
        except InterruptedError:
            return
        except BaseException as error:  # of a library that finds credentials, or a panic
            raise UnusableOutput(*_told(self.name, _caught(error), "write")) from None

    def send(self, file: IO[bytes]) -> None:
        """Make a file the object, in parts; it is there when this returns. Raises
        UnusableOutput."""
        try:
            self._put(iter(partial(file.read, PART), b""), PART)
        except BROKEN as error:
            raise UnusableOutput(*_told(self.name, error, "write")) from None

    def _put(self, data: Any, size: int) -> None:
        self._store.put(self._key, data, use_multipart=True, chunk_size=size, max_concurrency=PARTS)


def _given_up() -> Iterator[bytes]:
    """Yield a part of an upload that is then given up: the server has said whether it may begin."""
    yield b"-"
    raise InterruptedError


# Where objects are


def _located(address: str) -> tuple[Any, str]:
    """Return the store of an object, and its name there. Raises what obstore raises, ValueError."""
    scheme = scheme_of(address)
    settings = tuple(sorted(each for each in os.environ.items() if each[0].startswith(SETTINGS)))
    where, _, key = address.partition("://")[2].partition("/")
    if scheme in WEB and not PLAIN.fullmatch(key):
        return _store(address, settings), ""  # whose name obstore would write in another way
    if not key or not (NAMED.fullmatch(where) or scheme == HDFS) or not is_unicode(key):
        raise ValueError("it names no object")
    return _store(f"{scheme}{where}", settings), key


WEB = ("https://", "http://")

NAMED = re.compile(r"[\w.~%@:-]+", re.ASCII)
"""A bucket, or the host of a URL."""

PLAIN = re.compile(r"(?:[\w~-][\w.~-]*/)*[\w~-][\w.~-]*", re.ASCII)
"""The path of a URL that is the same however it is escaped."""


SETTINGS = ("AWS_", "AZURE_", "GOOGLE_", "HADOOP_")
"""How variables of the environment begin that say how to reach objects."""


@lru_cache(maxsize=32)
def _store(where: str, _settings: tuple[tuple[str, str], ...]) -> Any:
    """Return a store, which keeps its connections; another one if the environment changes."""
    how: dict[str, Any] = {"client_options": _client(where), "retry_config": RETRIES}
    if where.startswith(WEB):
        return HTTPStore.from_url(where, **how)
    if where.startswith(HDFS):
        from verger.files.hadoop import HadoopStore

        return HadoopStore(where)
    if not where.startswith("s3"):
        return from_url(where, **how)
    if not all(SENT.fullmatch(os.environ.get(name, "")) for name in IN_REQUESTS):
        raise ValueError(UNSENT)
    is_anonymous = os.environ.get(ANONYMOUS[0], "").lower() == "true"
    if not is_anonymous and not _is_all_said():
        from boto3 import Session  # type: ignore[import-untyped]
        from obstore.auth.boto3 import Boto3CredentialProvider

        session = Session(region_name=os.environ.get("AWS_REGION"))
        how["credential_provider"] = Boto3CredentialProvider(session)
    return S3Store(where.partition("://")[2], **how)


IN_REQUESTS = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN")
SENT = re.compile("[!-~]*")
"""What obstore can send of these; it panics for others."""

UNSENT = "a setting cannot be sent"


def _is_all_said() -> bool:
    """Whether variables of the environment say all that boto3 could find: half a second less."""
    needed = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")
    others = {"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SECURITY_TOKEN"}
    return all(map(os.environ.get, needed)) and others.isdisjoint(os.environ)


def _client(url: str) -> "ClientConfig":
    """Return how to connect: without TLS only where the user has written so."""
    written = (url, *map(os.environ.get, ENDPOINTS))
    if not all(each is None or HTTP.fullmatch(each) for each in written[1:]):
        raise ValueError("an endpoint that is not a URL")  # for which obstore panics
    return {
        "allow_http": any(each and each.lower().startswith("http://") for each in written),
        "read_timeout": f"{STALLED}s",
        "timeout": "7days",
    }


ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT")
"""Variables of the environment that name another server than the provider's."""

HTTP = re.compile(r"https?://[!-.0-~][!-~]*", re.IGNORECASE)


def _caught(error: BaseException) -> Exception:
    """Return the error that is told of a panic of obstore, or of what Python catches. Raises any
    other."""
    if isinstance(error, Exception):
        return error
    if type(error).__module__ == "pyo3_runtime":
        return ValueError(UNSENT)
    raise error


def _version_of(meta: "ObjectMeta") -> str:
    """Return the ETag of an object, else when it was modified; empty if the server tells neither:
    obstore then takes the beginning of 1970."""
    modified = meta["last_modified"]
    return meta["e_tag"] or (str(modified) if modified.timestamp() else "")


# Errors


def _told(name: str, error: Exception, verb: str, at: int = 0) -> tuple[str, str]:
    """Return why something failed, perhaps from a byte on, and what to do; no word of an answer,
    which may quote keys."""
    text, place = str(error), f" from byte {at:,} on" if at else ""
    about = f"cannot {verb} {quoted(name)}{place}: "
    _, _, answer = text.partition("status code: ")
    short = answer.partition(":")[0] or text.partition("\n")[0].rpartition(" - ")[2]
    for kind, words, why, hint in TOLD:
        if isinstance(error, kind) and any(word in text for word in words):
            found = CREDENTIALS.get(scheme_of(name)[:2], "")
            return about + why.format(verb=verb, status=short), found if hint is None else hint
    return about + uncapitalized(without_secrets(short)), "is the address right, and the endpoint?"


CREDENTIALS = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket "
    "pass `--anonymous` (in Python set AWS_SKIP_SIGNATURE=true)",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; for "
    "a public bucket pass `--anonymous` (in Python set GOOGLE_SKIP_SIGNATURE=true)",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY; for a public container "
    "pass `--anonymous` (in Python set AZURE_SKIP_SIGNATURE=true)",
    "hd": "run `kinit`, or set HADOOP_USER_NAME",
    "ht": "the address may lack a signature, or have an old one",
}
"""What to set, by the beginning of the scheme."""
CREDENTIALS["ab"] = CREDENTIALS["az"]

TOLD: tuple[tuple[type[Exception], Sequence[str], str, str | None], ...] = (
    (
        Exception,
        ("NoSuchBucket", "ContainerNotFound", "The specified bucket"),
        "there is no such bucket",
        "check its name; AWS_ENDPOINT_URL names a server other than Amazon's",
    ),
    (
        Exception,
        ("redirect without LOCATION", "PermanentRedirect", "AuthorizationHeaderMalformed"),
        "the bucket is in another region",
        "set AWS_REGION to the region of the bucket",
    ),
    (
        Exception,
        (
            "session.get_credentials",
            "config profile",
            "169.254.169.254",
            "metadata.google",
            "Account must be",
            "Partial credentials",
            "open service account file",
        ),
        "no credentials were found",
        None,
    ),
    (
        Exception,
        (
            *("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "Invalid Access Key"),
            *("decode service account file", "reading pem file", "SAS query pair"),
        ),
        "the credentials are not accepted",
        None,
    ),
    (ValueError, ("names no object",), "it names no object", "write it as `s3://BUCKET/NAME`"),
    (
        Exception,
        ("Content-Length Header missing",),
        "the server does not say how large it is",
        "fetch it to a file first",
    ),
    (
        Exception,
        (
            "error sending request",
            "error trying to connect",
            "dns error",
            "os error",
            "lookup address",
        ),
        "the server cannot be reached",
        "check the network, the address, and the endpoint, such as AWS_ENDPOINT_URL",
    ),
    (
        Exception,
        ("AccessControlException",),
        "the server does not let you {verb} it",
        None,
    ),
    (
        ImportError,
        ("hdfs_native",),
        "HDFS needs packages that are not installed",
        MissingExtra.remedy("hdfs"),
    ),
    (
        Exception,
        ("No NameNode", "No fs.defaultFS"),
        "no name node is known by that name",
        "write it as `hdfs://HOST:PORT/NAME`, or set HADOOP_CONF_DIR",
    ),
    (
        ValueError,
        ("endpoint that is not",),
        "an endpoint in the environment is not a URL",
        f"write {', '.join(ENDPOINTS)} as `https://HOST`, or unset them",
    ),
    (
        ValueError,
        (UNSENT,),
        UNSENT,
        "look for spaces, line ends and wrong ports in AWS_ENDPOINT_URL, AWS_REGION, "
        "AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN",
    ),
    (
        exceptions.NotSupportedError,
        ("a web server",),
        "files of web servers are only read",
        "name a file, or an object in a bucket: `s3://BUCKET/NAME`",
    ),
    (
        FileNotFoundError,
        ("",),
        "there is no such object",
        "check the address; wildcards are not read",
    ),
    (
        exceptions.PreconditionError,
        ("",),
        "it changed while it was read",
        "run the command again",
    ),
    (
        exceptions.NotSupportedError,
        ("",),
        "the server names no version of it, by ETag or Last-Modified, so that parts may not fit",
        "fetch it to a file first",
    ),
    (
        Exception,
        ("status code: 410",),
        "it is gone, as the server says",
        "look for another copy of it, or take it off the list",
    ),
    (
        Exception,
        ("status code: 429", "SlowDown"),
        "the server takes no more requests for now ({status})",
        "wait for some minutes, and run the command again",
    ),
    (
        Exception,
        ("status code: 5",),
        "the server failed ({status})",
        "run the command again later; the address is not what is wrong",
    ),
    (exceptions.UnauthenticatedError, ("",), "the credentials are not accepted", None),
    (exceptions.PermissionDeniedError, ("",), "the server does not let you {verb} it", None),
)
"""The class of an error, what it contains, why that is, and what to do; None where credentials are
missing."""
