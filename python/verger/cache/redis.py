"""A store on a Redis or Valkey server, shared by the machines of a fleet.

In and out: see `verger.cache.store.Store`. A call is one pipeline or one script, with a connection
of its own. There are four kinds of keys after a prefix, all of which expire: `entry:` and an
origin, for its record; `body:` and a digest, for a body that many entries may share, kept a day
longer than the last of them; `claim:` and an origin, for who is fetching it; `turn:` and a name,
for its last turn.

Data that the server lost or evicted counts as absent. One command holds the keys of many origins,
which a Redis Cluster refuses: use a single server, or a replicated one.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from verger._core import _CLOCKS_APART
from verger.access.entry import Entry
from verger.cache.codec import checked_origin, digests_in, encode_all, entries_in
from verger.errors import CacheError, MissingExtra
from verger.loop_thread import PerLoop
from verger.options import expect_seconds
from verger.untrusted_text import printable

with MissingExtra.unless_installed("redis", "`RedisStore`"):
    import redis
    from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
    from redis.asyncio.connection import URL_QUERY_ARGUMENT_PARSERS, parse_url
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

__all__ = ["RedisStore"]

TTL = 45 * 86_400
"""Seconds. A copy may replace an unreachable file for 30 days (RFC 9309 section 2.3.1.4), and each
attempt to fetch the file in this time renews the entry."""

BODY_GRACE = 86_400
"""Seconds that a body outlives the last entry that refers to it."""

ORIGINS_AT_ONCE = 64
KEYS_AT_ONCE = 500

CONNECTIONS = 16
"""Connections of one event loop; the calls of many tasks take turns."""

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

LEASE = """
    local time = redis.call('TIME')
    local now = time[1] + time[2] / 1000000
    local at = now + ARGV[2]
    local found = redis.call('GET', KEYS[1])
    local last, taken = string.match(found or '', '^(%S+) (%S+)$')
    if last and tonumber(taken) <= now + ARGV[4] then
        at = math.max(at, tonumber(last) + ARGV[1])
    end
    if at - now <= tonumber(ARGV[3]) then
        local kept = math.ceil((at - now + ARGV[5]) * 1000)
        redis.call('SET', KEYS[1], string.format('%.6f %.6f', at, now), 'PX', kept)
    end
    return string.format('%.6f', at - now)
"""
"""A turn that was taken in the future of this clock was taken before the clock was set back."""

LONGEST = 1e9
REMEMBERED = 3_600.0
"""Seconds for which the last turn of a name is remembered at least."""

T = TypeVar("T")


class RedisStore:
    """A `Store` on a server, for any event loop.

    server:    a URL such as `redis://user:password@host:6379/0`; or a `redis.asyncio.Redis`,
               which works only in the first loop that uses it, and which its owner closes.
    ttl:       seconds until an entry expires, counted from its last save.
    patience:  the maximum seconds that a call waits for the server.
    """

    answers_in_time = True

    def __init__(
        self,
        server: str | Redis,
        *,
        prefix: str = "verger:",
        ttl: float = TTL,
        patience: float = 5.0,
    ) -> None:
        expect_seconds("ttl", ttl, error=CacheError)
        expect_seconds("patience", patience, above_zero=False, error=CacheError)
        self.problems = 0
        """How many damaged entries were found, and treated as absent."""
        self._url, self._client, self._name = _checked_server(server)
        self._prefix = prefix
        self._ttl = max(1, round(ttl))
        self._patience = patience
        self._clients = PerLoop(self._new_client)
        self._home: tuple[int, asyncio.AbstractEventLoop] | None = None
        """The process and the loop of a client that was given."""

    def __repr__(self) -> str:
        return f"RedisStore({self._name!r}, prefix={self._prefix!r})"

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        found: dict[str, Entry] = {}
        asked = [origin for origin in dict.fromkeys(origins) if origin.isascii()]
        for part in _parts(asked, ORIGINS_AT_ONCE):
            async with self._server() as server:
                found.update(await self._load(server, part))
        return found

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins."""
        for records in _parts(encode_all(entries), ORIGINS_AT_ONCE):
            bodies = {digest: body for record in records for digest, body in record.bodies.items()}
            async with self._server() as server:
                pipe = server.pipeline(transaction=True)
                for digest, body in bodies.items():
                    pipe.set(self._key("body", digest.hex()), body, ex=self._ttl + BODY_GRACE)
                for record in records:
                    pipe.set(self._key("entry", record.origin), record.data, ex=self._ttl)
                pipe.delete(*(self._key("claim", record.origin) for record in records))
                await pipe.execute()

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed."""
        wanted = [checked_origin(origin) for origin in origins]
        if not wanted:
            return frozenset()
        keys = [self._key("claim", origin) for origin in wanted]
        milliseconds = max(1, round(seconds * 1_000))
        async with self._server() as server:
            granted = await server.register_script(CLAIM)(keys, [holder, milliseconds])
        return frozenset(name for name, is_mine in zip(wanted, granted, strict=True) if is_mine)

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        if origins:
            keys = [self._key("claim", origin) for origin in origins]
            async with self._server() as server:
                await server.register_script(RELEASE)(keys, [holder])

    async def lease(
        self, name: str, *, delay: float, wait: float = 0.0, longest: float = inf
    ) -> float:
        """Take the next turn of a name, by the server's clock; return the seconds until then."""
        numbers = [delay, wait, min(longest, LONGEST), _CLOCKS_APART, max(delay, REMEMBERED)]
        async with self._server() as server:
            taken = await server.register_script(LEASE)([self._key("turn", name)], numbers)
        return float(taken)

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        if origins is not None:
            return await self._unlink([self._key("entry", origin) for origin in origins])
        number = await self._unlink(await self._keys("entry:"))
        await self._unlink(await self._keys("body:"))
        return number

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; only the origins are held in memory."""
        start = len(self._prefix) + len("entry:")
        origins = sorted(key[start:] for key in await self._keys("entry:"))
        for part in _parts(origins, ORIGINS_AT_ONCE):
            found = await self.load(part)
            for origin in part:
                if origin in found:
                    yield found[origin]

    async def close(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop()
        if client is not None and client is self._client:
            self._home = None  # whoever gave it may use it in another loop
        elif client is not None:
            await client.aclose()

    # Connections

    @asynccontextmanager
    async def _server(self) -> AsyncIterator[Redis]:
        """Yield a client; turn every failure into `CacheError`, within the time limit."""
        try:
            async with asyncio.timeout(self._patience):
                yield self._clients.get()
        except CacheError:
            raise
        except (TimeoutError, redis.TimeoutError) as error:
            why = f"the cache at `{self._name}` did not answer within {self._patience:g} seconds"
            raise CacheError(why, "check that the server is running and reachable") from error
        except Exception as error:  # a caller that got anything else would wait, or work uncached
            is_usual = isinstance(error, redis.RedisError | OSError)
            kind = "" if is_usual else f"{type(error).__name__}: "
            why = f"the cache at `{self._name}` cannot be used: {kind}{error}"
            raise CacheError(why, "check that the server is running, and its log") from error

    def _new_client(self) -> Redis:
        """Return the client of this event loop, since connections work only in their own loop."""
        if self._url is not None:
            once_more = Retry(NoBackoff(), 1)  # for a connection that the server has closed
            # The patience ends what takes long. With a time limit of its own, a connection would
            # write by `asyncio.wait_for`, which may swallow that in Python 3.11 (bpo-37658).
            unlimited = {"timeout": None, "socket_timeout": None, "socket_connect_timeout": None}
            pool = BlockingConnectionPool.from_url(
                self._url, max_connections=CONNECTIONS, retry=once_more, **unlimited
            )
            return Redis.from_pool(pool)
        here = (os.getpid(), asyncio.get_running_loop())
        self._home = self._home or here
        if self._client is None or self._home != here:
            why = "the client of this cache belongs to another event loop or process"
            raise CacheError(why, "give `RedisStore` the server's URL instead of a client")
        return self._client

    # Keys

    async def _load(self, server: Redis, origins: Sequence[str]) -> dict[str, Entry]:
        """Return the entries whose bodies are all present; the server may have evicted some."""
        records = await server.mget([self._key("entry", origin) for origin in origins])
        stored = {
            origin: (record, digests_in(origin, record))
            for origin, record in zip(origins, records, strict=True)
            if record is not None
        }
        digests = list({digest for _, named in stored.values() for digest in named})
        keys = [self._key("body", digest) for digest in digests]
        contents = dict(zip(digests, await server.mget(keys) if keys else (), strict=True))
        rows = [
            (origin, record, [contents[digest] for digest in named])
            for origin, (record, named) in stored.items()
        ]
        complete = [row for row in rows if None not in row[2]]
        entries, damaged = entries_in(complete, where=self._name)
        self.problems += damaged
        return entries

    async def _unlink(self, keys: Collection[str]) -> int:
        gone = 0
        for part in _parts(list(keys), KEYS_AT_ONCE):
            async with self._server() as server:
                gone += await server.unlink(*part)
        return gone

    async def _keys(self, kind: str) -> set[str]:
        """Return all keys of one kind."""
        pattern = GLOB.sub(r"\\\g<0>", self._prefix + kind) + "*"
        async with self._server() as server:
            found = [key async for key in server.scan_iter(match=pattern, count=1_000)]
        return {key.decode("utf-8", "replace") for key in found}

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}{kind}:{name}"


GLOB = re.compile(r"[\\*?\[\]^]")
DATABASE = re.compile("/?[0-9]*")
"""The path in the URL of a server, whose database redis-py takes for 0 if it is anything else."""

TEXTS = frozenset(("username", "password", "client_name", "lib_name", "lib_version", "protocol"))
"""Options of a connection that may be text; those of TLS begin with `ssl_`."""

URL_HINT = "pass a URL such as `redis://localhost:6379/0`"


def _checked_server(server: str | Redis) -> tuple[str | None, Redis | None, str]:
    """Return a URL or a client, and the name for messages, which contains no password."""
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


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
