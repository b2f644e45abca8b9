"""A store on a Redis or Valkey server, shared by the machines of a fleet.

In and out: see `verger.cache.store.Store`. All calls of one event loop that arrive while the server
answers go into the next round. There are three kinds of keys after a prefix, all of which expire:
`entry:` and an origin, for its record; `body:` and a digest, for a body that many entries may
share, kept a day longer than the last of them; `claim:` and an origin, for who is fetching it.

Data that the server lost or evicted counts as absent. One command holds the keys of many origins,
which a Redis Cluster refuses: use a single server, or a replicated one.
"""

import asyncio
import os
import re
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from verger.access.entry import Entry
from verger.cache.codec import DamagedRecord, StoredDraft, StoredRecord
from verger.cache.jobs import AnyJob, Claim, Load, Release, Remove, Save, settle
from verger.cache.queued import QueuedStore
from verger.errors import CacheError, MissingExtra
from verger.options import expect_seconds
from verger.plain import printable

if TYPE_CHECKING:
    from redis.asyncio import Redis

__all__ = ["RedisStore"]

TTL = 45 * 86_400
"""Seconds. A copy may replace an unreachable file for 30 days (RFC 9309 section 2.3.1.4), and each
attempt to fetch the file in this time renews the entry."""

BODY_GRACE = 86_400
"""Seconds that a body outlives the last entry that refers to it."""

LEAST_PATIENCE = 0.2
"""The minimum seconds that the server is given, even after a long wait in the queue."""

KEYS_AT_ONCE = 500
BODIES_AT_ONCE = 64
BYTES_AT_ONCE = 8 << 20

HOLDER = """
    local function holder(key)
        local is_claim = redis.call('TYPE', key).ok == 'string' and redis.call('PTTL', key) > 0
        return is_claim and redis.call('GET', key)
    end
"""
"""A key of another type, or without an end, is no claim of verger: it would stay for ever."""

CLAIM = (
    HOLDER
    + """
    local mine = {}
    for index, key in ipairs(KEYS) do
        local found = holder(key)
        mine[index] = (not found or found == ARGV[1]) and 1 or 0
        if mine[index] == 1 then
            redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
        end
    end
    return mine
"""
)
RELEASE = (
    HOLDER
    + """
    for _, key in ipairs(KEYS) do
        if holder(key) == ARGV[1] then
            redis.call('DEL', key)
        end
    end
    return 0
"""
)

T = TypeVar("T")
J = TypeVar("J", bound=AnyJob)


@dataclass(slots=True)
class _Line:
    """The connection of one event loop, and the jobs that wait for it."""

    client: "Redis"
    jobs: list[AnyJob] = field(default_factory=list)
    round: asyncio.Task[None] | None = None


class RedisStore(QueuedStore):
    """A `Store` on a server, for any event loop.

    server:    a URL such as `redis://user:password@host:6379/0`; or a `redis.asyncio.Redis`,
               which works only in the first loop that uses it, and which its owner closes.
    ttl:       seconds until an entry expires, counted from its last save.
    patience:  the maximum seconds that a call waits for the server.
    """

    def __init__(
        self,
        server: "str | Redis",
        *,
        prefix: str = "verger:",
        ttl: float = TTL,
        patience: float = 5.0,
    ) -> None:
        expect_seconds("ttl", ttl, error=CacheError)
        expect_seconds("patience", patience, above_zero=False, error=CacheError)
        super().__init__()
        self._url, self._client, self._name = _checked_server(server)
        self._prefix = prefix
        self._ttl = max(1, round(ttl))
        self._patience = patience
        self._lines: dict[asyncio.AbstractEventLoop, _Line] = {}
        self._pid = os.getpid()

    def __repr__(self) -> str:
        return f"RedisStore({self._name!r}, prefix={self._prefix!r})"

    async def look(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Mapping[str, Entry], frozenset[str]]:
        """Return the stored entries, and claim the origins without one."""
        found = dict(await self.load(origins))
        missing = [origin for origin in origins if origin not in found]
        claimed = await self.claim(missing, holder=holder, seconds=seconds)
        # A previous holder may have saved the entry since it was looked up, and released the claim.
        saved = await self.load(claimed)
        await self.release(list(saved), holder=holder)
        return {**found, **saved}, claimed - saved.keys()

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; only the origins are held in memory."""
        start = len(self._prefix) + len("entry:")
        async with self._bounded():
            origins = sorted({key[start:] for key in await self._keys(self._line(), "entry:")})
        for part in _parts(origins, BODIES_AT_ONCE):
            found = await self.load(part)
            for origin in part:
                if origin in found:
                    yield found[origin]

    async def close(self) -> None:
        """Finish the calls of this event loop and close its connections."""
        self._forget_lines_of_others()
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is None:
            return
        if line.round is not None:
            await asyncio.wait({line.round})
        if self._client is None:
            await line.client.aclose()

    # Rounds

    def _put(self, job: J) -> J:
        line = self._line()
        line.jobs.append(job)
        if line.round is None:
            line.round = asyncio.get_running_loop().create_task(self._work(line))
        return job

    def _line(self) -> _Line:
        """Return the line of this event loop, since connections work only in their own loop."""
        self._forget_lines_of_others()
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            line = self._lines[loop] = _Line(self._new_client())
        return line

    def _new_client(self) -> "Redis":
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        if self._url is not None:
            return Redis.from_url(
                self._url,
                decode_responses=False,
                socket_timeout=self._patience,
                socket_connect_timeout=self._patience,
                retry=Retry(NoBackoff(), 1),  # for a connection that the server has closed
            )
        if self._client is None or self._lines:
            why = "the client of this cache belongs to another event loop or process"
            raise CacheError(why, "give `RedisStore` the server's URL instead of a client")
        return self._client

    def _forget_lines_of_others(self) -> None:
        if self._pid != os.getpid():
            # Never released: closing them here would disturb the event loop of the parent.
            _inherited.append((self._lines, self._client))
            self._lines, self._client, self._pid = {}, None, os.getpid()
        elif self._url is not None:
            for loop in [loop for loop in self._lines if loop.is_closed()]:
                del self._lines[loop]

    async def _work(self, line: _Line) -> None:
        """Process waiting jobs, round after round, until none is left."""
        jobs: Sequence[AnyJob] = ()
        try:
            while line.jobs:
                jobs, line.jobs = line.jobs, []
                await self._work_round(line, jobs)
        finally:
            line.round = None
            for job in (*jobs, *line.jobs):  # those that remain when the loop ends
                job.future.cancel()

    async def _work_round(self, line: _Line, jobs: Sequence[AnyJob]) -> None:
        for job in jobs:
            if isinstance(job, Save):
                job.encode()
        sound = [job for job in jobs if job.error is None and not job.future.cancelled()]
        await self._attempt(line, [job for job in sound if isinstance(job, Load)], self._load)
        for release in sound:
            if isinstance(release, Release):
                await self._attempt(line, [release], self._release)
        alike: dict[tuple[str, float], list[Claim]] = {}
        for job in sound:
            if isinstance(job, Claim):
                alike.setdefault((job.holder, job.seconds), []).append(job)
        for claims in alike.values():
            await self._attempt(line, claims, self._claim)
        await self._attempt(line, [job for job in sound if isinstance(job, Save)], self._save)
        for removal in sound:
            if isinstance(removal, Remove):
                await self._attempt(line, [removal], self._remove)
        settle(jobs)

    async def _attempt(
        self,
        line: _Line,
        jobs: Sequence[J],
        answer: Callable[[_Line, Sequence[J]], Awaitable[None]],
    ) -> None:
        """Answer jobs, or set their errors."""
        if not jobs:
            return
        try:
            async with self._bounded(jobs[0].asked_at):
                await answer(line, jobs)
        except CacheError as error:
            for job in jobs:
                job.error = CacheError(error.message, error.hint)
                job.error.__cause__ = error.__cause__

    @asynccontextmanager
    async def _bounded(self, asked_at: float | None = None) -> AsyncIterator[None]:
        """Turn every failure into `CacheError`, within the time limit."""
        from redis.exceptions import RedisError

        now = asyncio.get_running_loop().time()
        left = self._patience if asked_at is None else asked_at + self._patience - now
        try:
            async with asyncio.timeout(max(left, LEAST_PATIENCE)):
                yield
        except TimeoutError as error:
            why = f"the cache at `{self._name}` did not answer within {self._patience:g} seconds"
            raise CacheError(why, "check that the server is running and reachable") from error
        except Exception as error:  # a caller that got anything else would wait, or work uncached
            kind = "" if isinstance(error, RedisError | OSError) else f"{type(error).__name__}: "
            why = f"the cache at `{self._name}` cannot be used: {kind}{error}"
            raise CacheError(why, "check that the server is running, and its log") from error

    # Answers

    async def _load(self, line: _Line, jobs: Sequence[Load]) -> None:
        origins = list({origin for job in jobs for origin in job.origins if origin.isascii()})
        found: dict[str, Entry] = {}
        for part in _parts(origins, KEYS_AT_ONCE):
            records = await self._get(line, [self._key("entry", origin) for origin in part])
            drafts = [
                draft
                for origin, record in zip(part, records, strict=True)
                if record is not None and (draft := await self._draft(line, origin, record))
            ]
            for some in _parts(drafts, BODIES_AT_ONCE):
                found.update(await self._complete(line, some))
        for job in jobs:
            job.answer = {key: found[key] for key in job.origins if key in found}

    async def _draft(self, line: _Line, origin: str, record: bytes) -> StoredDraft | None:
        try:
            return StoredDraft(origin, record)
        except DamagedRecord as why:
            await self._take_out(line, origin, (), why)
            return None

    async def _complete(self, line: _Line, drafts: Sequence[StoredDraft]) -> dict[str, Entry]:
        """Return the entries whose bodies are all present; the server may have evicted some."""
        found: dict[str, Entry] = {}
        digests = list({digest for draft in drafts for digest in _bodies_of(draft)})
        contents = await self._get(line, [self._key("body", d.hex()) for d in digests])
        bodies = {d: body for d, body in zip(digests, contents, strict=True) if body is not None}
        for draft in drafts:
            if not bodies.keys() >= set(_bodies_of(draft)):
                continue
            last = bodies[draft.last_body] if draft.last_body else None
            copy = bodies[draft.copy_body] if draft.copy_body else None
            try:
                found[draft.origin] = draft.entry(last, copy)
            except DamagedRecord as why:
                await self._take_out(line, draft.origin, _bodies_of(draft), why)
        return found

    async def _take_out(
        self, line: _Line, origin: str, bodies: Sequence[bytes], why: DamagedRecord
    ) -> None:
        """Report a damaged entry and remove it with its bodies, which others will save again."""
        self._problems.tell(origin, where=f"`{self._name}`", why=why)
        keys = [self._key("entry", origin), *(self._key("body", d.hex()) for d in bodies)]
        await self._unlink(line, keys)

    async def _get(self, line: _Line, keys: Sequence[str]) -> Sequence[bytes | None]:
        if not keys:
            return ()
        return cast("list[bytes | None]", await line.client.mget(keys))

    async def _save(self, line: _Line, jobs: Sequence[Save]) -> None:
        records = {record.origin: record for job in jobs for record in job.records}
        for part in _by_bytes(list(records.values())):
            await self._save_some(line, part)
        for job in jobs:
            job.answer = None

    async def _save_some(self, line: _Line, records: Sequence[StoredRecord]) -> None:
        """Save records, bodies first so that no entry lacks one; known bodies are not sent."""
        bodies = {digest: body for r in records for digest, body in r.bodies.items()}
        ttl = self._ttl + BODY_GRACE
        pipe = line.client.pipeline(transaction=False)
        for digest in bodies:
            pipe.execute_command("STRLEN", self._key("body", digest.hex()))
            pipe.execute_command("EXPIRE", self._key("body", digest.hex()), ttl)
        # For a key of another type, its length is an error.
        lengths = (await pipe.execute(raise_on_error=False))[::2]
        pipe = line.client.pipeline(transaction=False)
        for (digest, body), length in zip(bodies.items(), lengths, strict=True):
            if length != len(body):
                pipe.execute_command("SET", self._key("body", digest.hex()), body, "EX", ttl)
        for record in records:
            key = self._key("entry", record.origin)
            pipe.execute_command("SET", key, record.data, "EX", self._ttl)
        claims = [self._key("claim", record.origin) for record in records]
        pipe.execute_command("DEL", *claims)
        await pipe.execute()

    async def _claim(self, line: _Line, jobs: Sequence[Claim]) -> None:
        origins = list({origin: None for job in jobs for origin in job.origins})
        holder, milliseconds = jobs[0].holder, max(1, round(jobs[0].seconds * 1_000))
        script = line.client.register_script(CLAIM)
        got: set[str] = set()
        for part in _parts(origins, KEYS_AT_ONCE):
            keys = [self._key("claim", origin) for origin in part]
            mine = await script(keys=keys, args=[holder, milliseconds])
            got.update(origin for origin, is_mine in zip(part, mine, strict=True) if is_mine)
        for job in jobs:
            job.answer = frozenset(got.intersection(job.origins))

    async def _release(self, line: _Line, jobs: Sequence[Release]) -> None:
        script = line.client.register_script(RELEASE)
        for job in jobs:
            for part in _parts(list(job.origins), KEYS_AT_ONCE):
                keys = [self._key("claim", origin) for origin in part]
                await script(keys=keys, args=[job.holder])
            job.answer = None

    async def _remove(self, line: _Line, jobs: Sequence[Remove]) -> None:
        for job in jobs:
            if job.origins is None:
                job.answer = await self._unlink(line, await self._keys(line, "entry:"))
                await self._unlink(line, await self._keys(line, "body:"))
            else:
                keys = [self._key("entry", origin) for origin in job.origins]
                job.answer = await self._unlink(line, keys)

    async def _unlink(self, line: _Line, keys: Collection[str]) -> int:
        gone = 0
        for part in _parts(list(keys), KEYS_AT_ONCE):
            gone += await line.client.unlink(*part)
        return gone

    async def _keys(self, line: _Line, kind: str) -> set[str]:
        """Return all keys of one kind."""
        pattern = GLOB.sub(r"\\\g<0>", self._prefix + kind) + "*"
        keys = set()
        async for key in line.client.scan_iter(match=pattern, count=1_000):
            keys.add(key.decode("utf-8", "replace"))
        return keys

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}{kind}:{name}"


GLOB = re.compile(r"[\\*?\[\]^]")
DATABASE = re.compile("/?[0-9]*")
"""The path in the URL of a server, whose database redis-py takes for 0 if it is anything else."""

_inherited: list[object] = []
"""Connections of the parent process."""


TEXTS = frozenset(("username", "password", "client_name", "lib_name", "lib_version", "protocol"))
"""Options of a connection that may be text; those of TLS begin with `ssl_`."""

URL_HINT = "pass a URL such as `redis://localhost:6379/0`"


def _checked_server(server: "str | Redis") -> "tuple[str | None, Redis | None, str]":
    """Return a URL or a client, and the name for messages, which contains no password."""
    with MissingExtra.unless_installed("redis", "`RedisStore`"):
        import redis
        from redis.asyncio import Redis
    # In older versions, pipeline errors have a placeholder instead of the server's message.
    MissingExtra.expect("redis", "`RedisStore`", redis, least="7.1")
    if isinstance(server, str):
        return server, None, _named(_options_in(server))
    if not isinstance(server, Redis):
        why = f"`{server!r:.60}` is not a `redis.asyncio.Redis`"
        raise CacheError(why, URL_HINT)
    options = server.connection_pool.connection_kwargs
    if options.get("decode_responses"):
        why = "the client of `RedisStore` decodes responses, which damages bodies"
        raise CacheError(why, "create it with `decode_responses=False`")
    return None, server, _named(options)


def _options_in(url: str) -> Mapping[str, object]:
    """Return the options of a connection as its URL gives them.

    redis-py takes any name, and text for what cannot be text; its connections fail with it, or
    damage bodies. Raises CacheError.
    """
    from redis.asyncio.connection import URL_QUERY_ARGUMENT_PARSERS, parse_url

    try:
        parts = urlsplit(url)
        options = parse_url(url)
        is_place = parts.path if parts.scheme == "unix" else DATABASE.fullmatch(parts.path)
        if not is_place or "@" in parts.query:  # a password that was not escaped
            raise ValueError
    except ValueError:  # its message may contain a part of the password
        raise CacheError("this is not the URL of a Redis server", URL_HINT) from None
    known = (*URL_QUERY_ARGUMENT_PARSERS, *TEXTS)
    for name in parse_qs(parts.query):
        if name not in known and not name.startswith("ssl_"):
            why = f"`{name}` is not an option of the URL of a Redis server"
            raise CacheError(printable(why), "correct its name, or leave it out")
    _expect_connection(url)
    return options


def _expect_connection(url: str) -> None:
    """Raise CacheError unless the options of a URL fit together; nothing is connected."""
    from redis.asyncio.connection import ConnectionPool

    try:
        pool: Any = ConnectionPool.from_url(url)
        tls = getattr(pool.make_connection(), "ssl_context", None)
        if tls is not None:
            tls.get()  # reads the certificates
    except Exception as error:
        why = f"an option in the URL of the Redis server cannot be used: {error}"
        raise CacheError(why, "correct it, or leave it out") from error


def _named(options: Mapping[str, object]) -> str:
    address = (
        options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
    )
    return f"{address}/{options.get('db', 0) or 0}"


def _bodies_of(draft: StoredDraft) -> Sequence[bytes]:
    return [digest for digest in (draft.last_body, draft.copy_body) if digest is not None]


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _by_bytes(records: Sequence[StoredRecord]) -> Iterator[Sequence[StoredRecord]]:
    """Yield records in parts, each of which is sent at once."""
    part: list[StoredRecord] = []
    data = 0
    for record in records:
        part.append(record)
        data += len(record.data) + sum(map(len, record.bodies.values()))
        if data > BYTES_AT_ONCE or len(part) == KEYS_AT_ONCE:
            yield part
            part, data = [], 0
    if part:
        yield part


def __dir__() -> list[str]:
    from verger.later import public_names

    return public_names(globals())
