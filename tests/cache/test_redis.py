"""The store on a server: what it leaves there, and what happens when the server does not answer."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NoReturn

import pytest
import redis
from redis.asyncio import Redis

from cache.conftest import Server, started_redis
from cache.samples import entry, every, full, loaded, run, until
from patience import BRIEF, LONG
from programs import printed
from verger.cache.codec import encode
from verger.cache.opening import store_at
from verger.cache.redis import BODY_GRACE, TTL, RedisStore
from verger.errors import CacheError, MissingExtra

A = "https://a.example"


@asynccontextmanager
async def opened(
    server: Server, prefix: str, **options: float
) -> AsyncIterator[tuple[RedisStore, Redis]]:
    """A store, and a client to look behind it."""
    store = RedisStore(server.url, prefix=prefix, **{"patience": LONG, **options})
    client = Redis.from_url(server.url)
    try:
        yield store, client
    finally:
        await store.close()
        await client.aclose()


async def keys_of(client: Redis, prefix: str) -> dict[str, float]:
    """Return the keys behind a prefix, and the seconds they live."""
    keys = [key async for key in client.scan_iter() if key.startswith(prefix.encode())]
    return {key.decode()[len(prefix) :]: await client.pttl(key) / 1_000 for key in keys}


def test_everything_expires(redis_server: Server, prefix: str) -> None:
    """Every key has an end: bodies a day after the entries, claims with their seconds."""

    async def steps() -> dict[str, float]:
        async with opened(redis_server, prefix) as (store, client):
            await store.save([entry("a", body=b"body"), full("b")])
            await store.claim(["https://c.example"], holder="one", seconds=3_600)
            return await keys_of(client, prefix)

    lives = run(steps())
    kinds = {"entry": TTL, "body": TTL + BODY_GRACE, "claim": 3_600}

    assert 5 == len(lives)
    for key, seconds in lives.items():
        longest = kinds[key.partition(":")[0]]
        assert longest / 2 < seconds <= longest


def test_bodies_are_renewed(redis_server: Server, prefix: str) -> None:
    """A body lives on with each entry that names it, and is kept once for all of them."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await store.save([entry("a", body=b"shared")])
            (body,) = (key for key in await keys_of(client, prefix) if key.startswith("body:"))
            await client.expire(prefix + body, 60)
            await store.save([entry("b", body=b"shared")])
            lives = await keys_of(client, prefix)
            return len(lives), lives[body] > TTL

    assert (3, True) == run(steps())


def test_entry_that_expires(redis_server: Server, prefix: str) -> None:
    """An entry that nobody saves anew is gone after its time to live."""

    async def steps() -> None:
        async with opened(redis_server, prefix, ttl=1) as (store, _):
            await store.save([entry("a")])

            async def is_gone() -> bool:
                return not await store.load([A])

            await until(is_gone)

    run(steps())


def test_evicted_body(redis_server: Server, prefix: str) -> None:
    """An entry whose body the server evicted is absent, and that is not damage."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await store.save([entry("a", body=b"evicted"), entry("b", body=b"kept")])
            await client.delete(
                f"{prefix}body:{encode(entry('a', body=b'evicted')).last_body.hex()}"
            )
            found = await loaded(store, entry("a"), entry("b"))
            await store.save([entry("a", body=b"evicted")])
            again = await loaded(store, entry("a"))
            return found, again, store.problems

    expected = ([None, entry("b", body=b"kept")], [entry("a", body=b"evicted")], 0)
    assert expected == run(steps())


@pytest.mark.parametrize("kind", ["entry", "body"])
def test_damaged(redis_server: Server, prefix: str, kind: str) -> None:
    """A damaged record or body is absent and counted, taken out, and can be saved again."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await store.save([entry("a")])
            for key in await keys_of(client, prefix):
                if key.startswith(kind):
                    await client.setrange(prefix + key, 3, b"\x00")
            found = await loaded(store, entry("a"))
            await store.save([entry("a")])
            return found, await loaded(store, entry("a")), store.problems

    assert ([None], [entry("a")], 1) == run(steps())


def test_prefixes_are_apart(redis_server: Server) -> None:
    """Stores behind different prefixes share a server and nothing else, patterns or not."""

    async def steps() -> object:
        async with (
            opened(redis_server, "x?*:") as (store, _),
            opened(redis_server, "xyz:") as (
                other,
                _,
            ),
        ):
            await store.save([entry("a")])
            await other.save([entry("b")])
            await other.claim([A], holder="one", seconds=3_600)
            got = await store.claim([A], holder="two", seconds=3_600)
            return got, await store.remove(), await every(other), await other.remove()

    assert ({A}, 1, [entry("b")], 1) == run(steps())


def test_keys_of_another_type(redis_server: Server, prefix: str) -> None:
    """A key that somebody else made under our name is an error, or absent, never an answer."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await client.rpush(f"{prefix}entry:{A}", "x")
            await client.set(f"{prefix}entry:https://b.example", "")
            return await loaded(store, entry("a"), entry("b"))

    assert [None, None] == run(steps())


@pytest.mark.parametrize("kind", ["entry", "body", "claim"])
def test_keys_of_another_type_are_replaced(redis_server: Server, prefix: str, kind: str) -> None:
    """When its origin is fetched, so that it is not fetched for every question."""
    record = encode(entry("a"))
    assert record.last_body is not None
    names = {"entry": A, "body": record.last_body.hex(), "claim": A}

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await client.rpush(f"{prefix}{kind}:{names[kind]}", "x")
            claimed = await store.claim([A], holder="one", seconds=3_600)
            others = await store.claim([A], holder="two", seconds=3_600)
            await store.save([entry("a")])
            lives = await keys_of(client, prefix)
            return claimed, others, await loaded(store, entry("a")), min(lives.values()) > 0

    assert ({A}, frozenset(), [entry("a")], True) == run(steps())


def test_claim_of_another_type_is_released(redis_server: Server, prefix: str) -> None:
    """It belongs to nobody, and fails no call."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await client.rpush(f"{prefix}claim:{A}", "x")
            await store.release([A], holder="one")
            return await store.claim([A], holder="two", seconds=3_600)

    assert {A} == run(steps())


def test_claim_without_an_end(redis_server: Server, prefix: str) -> None:
    """Nobody of verger made it, and it would keep an origin from being fetched for ever."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await client.set(f"{prefix}claim:{A}", "someone")
            return await store.claim([A], holder="one", seconds=3_600)

    assert {A} == run(steps())


def test_body_that_was_cut(redis_server: Server, prefix: str) -> None:
    """A save writes it again, without waiting for a load that finds the damage."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            await store.save([entry("a", body=b"whole")])
            (body,) = [key for key in await keys_of(client, prefix) if key.startswith("body:")]
            await client.set(prefix + body, b"who")
            await store.save([entry("a", body=b"whole")])
            return await loaded(store, entry("a")), store.problems

    assert ([entry("a", body=b"whole")], 0) == run(steps())


def test_scripts_that_the_server_forgot(redis_server: Server, prefix: str) -> None:
    """Claims go on after the server has lost its scripts."""

    async def steps() -> object:
        async with opened(redis_server, prefix) as (store, client):
            first = await store.claim([A], holder="one", seconds=3_600)
            await client.script_flush()
            return first, await store.claim([A], holder="two", seconds=3_600)

    assert ({A}, frozenset()) == run(steps())


# Servers that do not answer


def test_server_gone_and_back(prefix: str) -> None:
    """A server that ends is reported by every call, and nobody waits for ever."""
    with started_redis() as server:

        async def steps() -> list[str]:
            store = RedisStore(server.url, prefix=prefix, patience=LONG)
            await store.save([entry("a")])
            server.process.kill()
            server.process.wait()
            calls = (
                store.load([A]),
                store.save([entry("b")]),
                store.claim([A], holder="one", seconds=3_600),
                store.release([A], holder="one"),
                store.remove(),
                every(store),
            )
            errors = await asyncio.gather(*calls, return_exceptions=True)
            await store.close()
            return errors

        errors = run(steps())

    assert [CacheError] * 6 == [type(error) for error in errors]
    assert all("127.0.0.1" in error.message and error.hint for error in errors)


@pytest.mark.timeout(LONG)  # one after another the calls would wait for twice as long
def test_server_that_hangs(prefix: str) -> None:
    """A server that is silent is given up after the patience, and used when it answers again."""
    with started_redis() as server:

        async def steps() -> object:
            async with opened(server, prefix, patience=BRIEF) as (store, _):
                await until(partial(answers, store))
                server.process.send_signal(signal.SIGSTOP)
                errors = await asyncio.gather(
                    *(store.load([A]) for _ in range(int(LONG))),
                    store.claim([A], holder="one", seconds=3_600),
                    return_exceptions=True,
                )
                server.process.send_signal(signal.SIGCONT)
                await until(partial(answers, store))
                return errors

        errors = run(steps())

    assert {CacheError} == {type(error) for error in errors}
    assert "did not answer within 0.5 seconds" in errors[0].message


async def answers(store: RedisStore) -> bool:
    """Whether a store answers within its patience, which a busy machine may take up."""
    try:
        return not await store.load([A])
    except CacheError:
        return False


def test_no_server() -> None:
    """A port where nobody listens is reported, without the password of the URL."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"redis://user:secret@127.0.0.1:{taken.getsockname()[1]}/3"
        store = RedisStore(url, patience=2)

        async def steps() -> None:
            try:
                await store.load([A])
            finally:
                await store.close()

        with pytest.raises(CacheError, match=r"`127\.0\.0\.1:\d+/3` cannot be used") as caught:
            run(steps())

    assert "secret" not in f"{caught.value} {store!r}"


def test_server_that_is_full(prefix: str) -> None:
    """A server without room for more refuses to save, and what was saved stays."""
    with started_redis() as server:

        async def steps() -> object:
            async with opened(server, prefix) as (store, client):
                await store.save([entry("a")])
                await client.config_set("maxmemory", "1")
                with pytest.raises(CacheError, match="memory"):
                    await store.save([entry("b", body=b"x" * 1_000)])
                return await every(store)

        assert [entry("a")] == run(steps())


# Clients, loops and processes


def test_client_of_the_caller(redis_server: Server, prefix: str) -> None:
    """A client that was given is used as it is and left open; another loop is refused."""
    client = Redis.from_url(redis_server.url)
    store = RedisStore(client, prefix=prefix)

    async def on_another_loop() -> None:
        with pytest.raises(CacheError, match="belongs to another event loop"):
            await store.load([A])

    async def steps() -> object:
        await store.save([entry("a")])
        await asyncio.to_thread(run, on_another_loop())
        await store.close()
        alive = await client.ping()
        await client.aclose()
        return alive

    assert run(steps())


def test_client_that_decodes(redis_server: Server) -> None:
    """A client that decodes responses cannot carry bodies."""
    with pytest.raises(CacheError, match="hint: create it with `decode_responses=False`"):
        RedisStore(Redis.from_url(redis_server.url, decode_responses=True))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://localhost",
        "localhost:6379",
        "redis://x:port",
        "redis://x/name",
        "redis://x/0/1",
        "redis://x?db=name",
        "redis://[::1",
        "unix://",
    ],
)
def test_no_url(url: str) -> None:
    """A text that is not a URL of a server is refused at once."""
    with pytest.raises(CacheError, match="hint: pass a URL such as"):
        RedisStore(url)


@pytest.mark.parametrize(
    "options",
    [
        "nonsense=1",
        "decode_responses=true",
        "encoding=utf-16",
        "retry=3",
        "retry_on_error=1",
        "connection_class=x",
        "parser_class=x",
        "credential_provider=x",
        "redis_connect_func=x",
        "socket_keepalive=1&socket_keepalive_options=1",
        "timeout=3",
        "protocol=7",
        "max_connections=-1",
        "ssl_ca_certs=/none",
    ],
)
def test_options_that_a_url_cannot_have(options: str) -> None:
    """What redis-py would take as text and fail with later is refused at once."""
    with pytest.raises(CacheError, match="option") as raised:
        RedisStore(f"redis://:secret@localhost/0?{options}")

    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("option", ["ssl_cert_reqs=x", "ssl_ca_certs=/none", "ssl_ciphers=x"])
def test_options_of_tls(option: str) -> None:
    """Certificates are read when a store is created, not when it is first asked."""
    with pytest.raises(CacheError, match="option"):
        RedisStore(f"rediss://localhost?{option}")


def test_options_of_a_url(redis_server: Server, prefix: str) -> None:
    """Those that a URL can have reach the connection."""
    options = (
        "protocol=3&client_name=crawler&socket_timeout=99&max_connections=2&retry_on_timeout=1"
    )

    async def steps() -> object:
        store = RedisStore(f"{redis_server.url}?{options}", prefix=prefix, patience=LONG)
        await store.save([entry("a")])
        client = Redis.from_url(redis_server.url)
        names = [each["name"] for each in await client.client_list()]
        await client.aclose()
        found = await loaded(store, entry("a"))
        await store.close()
        return "crawler" in names, found

    assert (True, [entry("a")]) == run(steps())


@pytest.mark.parametrize("server", [5, None, redis.Redis()])
def test_no_server_at_all(server: Any) -> None:
    """A client of another kind would fail at its first call."""
    with pytest.raises(CacheError, match="hint: pass a URL"):
        RedisStore(server)


def test_client_that_fails_in_its_own_way(redis_server: Server, prefix: str) -> None:
    """Whatever a client raises is an error of the store, which says what it was."""

    class Broken(Redis):
        async def mget(self, *_: object, **__: object) -> NoReturn:
            raise LookupError("the codec is gone")

    async def steps() -> None:
        client = Broken.from_url(redis_server.url)
        try:
            await RedisStore(client, prefix=prefix).load([A])
        finally:
            await client.aclose()

    with pytest.raises(CacheError, match="LookupError: the codec is gone"):
        run(steps())


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without redis-py the error names the extra."""
    for name in [name for name in sys.modules if name.split(".")[0] == "redis"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "verger.cache.redis")

    with pytest.raises(MissingExtra, match=r"verger\[redis\]"):
        store_at("redis://localhost")
    assert repr(store_at("robots.sqlite3"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")
def test_fork(redis_server: Server, prefix: str) -> None:
    """After a fork parent and child each have a connection of their own."""
    told = printed(
        """
        import asyncio, os, sys
        from cache.samples import entry, loaded, run
        from verger.cache.redis import RedisStore

        store = RedisStore(sys.argv[1], prefix=sys.argv[2], patience=300)

        async def many(name, fork=False):
            for n in range(30):
                await store.save([entry(f"{name}{n}")])
                if fork and n == 15 and os.fork() == 0:
                    try:
                        run(many("child"))
                        os._exit(0)
                    finally:
                        os._exit(1)
                assert await loaded(store, entry(f"{name}{n}")) == [entry(f"{name}{n}")]
            if fork:
                print(os.wait()[1])
                print(await store.remove())
            await store.close()

        run(many("parent", fork=True))
        """,
        redis_server.url,
        prefix,
    )

    assert "0\n60\n" == told
