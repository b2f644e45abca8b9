"""What callers get wrong is an error that says what and what now, before anything is fetched."""

import asyncio
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verger
from programs import printed
from verger.cache.redis import RedisStore
from verger.cache.sqlite import SqliteStore
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.ftp import FtpTransport
from verger.testing import MemoryTransport

BOT = "ExampleBot/1.0 (+https://example.com/bot)"


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: verger.FetchLimits(total=0),
        lambda: verger.FetchLimits(total=-1),
        lambda: verger.FetchLimits(idle=math.nan),
        lambda: verger.FetchLimits(total="3"),  # type: ignore[arg-type]
        lambda: verger.FetchLimits(body_bytes=-1),
        lambda: verger.FetchLimits(body_bytes=0),
        lambda: verger.FetchLimits(body_bytes=1_000),
        lambda: verger.FetchLimits(body_bytes=511_999),
        lambda: verger.RFC9309.replace(parse_limit=0),
        lambda: verger.RFC9309.replace(parse_limit=1_000),
        lambda: verger.YANDEX.replace(parse_limit=511_999),
        lambda: verger.GOOGLEBOT_CPP.replace(parse_limit=1_000),
        lambda: verger.Pacer(default_delay=-1),
        lambda: verger.Pacer(default_delay=math.nan),
        lambda: verger.Pacer(most_delay=math.inf),
        lambda: verger.Pacer(most_origins=0),
        lambda: verger.Pacer().reserve("https://example.com/", None, now=math.nan),
        lambda: verger.Pacer().next_at("https://example.com/", None, now=math.inf),
        lambda: verger.Client(BOT, store=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, transport=5),  # type: ignore[arg-type]
        lambda: verger.Client(5),  # type: ignore[arg-type]
        lambda: verger.Client(b"X"),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, token=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, token=b"X"),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, token=[5]),  # type: ignore[list-item]
        lambda: verger.Client(BOT, limits=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, headers=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, headers={"X": 5}),  # type: ignore[dict-item]
        lambda: verger.Client(BOT, headers={5: "X"}),  # type: ignore[dict-item]
        lambda: verger.Client(BOT, origin_headers=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, origin_headers={"https://a.example": 5}),  # type: ignore[dict-item]
        lambda: verger.Client(BOT, origin_headers={"https://a.example": {"X": 5}}),  # type: ignore[dict-item]
        lambda: verger.Client(BOT, origin_headers={"https://a.example": {"Host": "b"}}),
        lambda: verger.Client(BOT, facts=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, overrides=[]),  # type: ignore[arg-type]
    ],
)
def test_misuse(misuse: Callable[[], object]) -> None:
    """The error has a hint."""
    with pytest.raises(verger.RobotsError) as caught:
        misuse()

    assert caught.value.hint


def test_limits_that_every_crawler_needs() -> None:
    """500 KiB and more are fine, and less where a test says so (RFC 9309 section 2.5)."""
    small = verger.RFC9309.replace(parse_limit=9, small_limits=True)

    assert verger.FetchLimits(body_bytes=512_000).body_bytes == 512_000
    assert verger.FetchLimits(body_bytes=9, small_limits=True).body_bytes == 9
    assert verger.RFC9309.replace(parse_limit=512_000) == verger.RFC9309
    assert verger.RFC9309.replace(parse_limit=None).parse_limit is None
    assert small.replace(tie="disallow").parse_limit == 9
    assert pickle.loads(pickle.dumps(small)) == small


def test_limits_of_a_transport() -> None:
    """A client without limits of its own keeps those of its transport."""
    limits = verger.FetchLimits(total=4, body_bytes=600_000)
    transport = AiohttpTransport(limits=limits)

    assert verger.AsyncClient(BOT, transport=transport).limits == limits
    own = verger.FetchLimits(total=5)
    assert verger.AsyncClient(BOT, transport=transport, limits=own).limits == own
    assert verger.AsyncClient(BOT, transport=MemoryTransport({})).limits == verger.FetchLimits()


@pytest.mark.parametrize("option", ["overrides", "facts", "origin_headers"])
def test_a_host_is_not_an_origin(option: str) -> None:
    """The hint writes it as one; nothing is said of paths, which could not be meant."""
    with pytest.raises(verger.InvalidTarget) as caught:
        verger.Client(BOT, **{option: {"a.example": "allow"}})  # type: ignore[arg-type]

    assert f"`a.example` in `{option}` is not an origin" == caught.value.message
    assert "pass `https://a.example`, with its scheme" == caught.value.hint


def test_two_overrides_of_one_origin() -> None:
    """Either could be meant, and one of them may be the permission."""
    several = {"https://a.example/open": "allow", "https://A.example:443/": "disallow"}
    with pytest.raises(verger.InvalidOption, match="names an origin twice") as caught:
        verger.Client(BOT, overrides=several)  # type: ignore[arg-type]

    assert caught.value.hint


@pytest.mark.parametrize("kind", [verger.Client, verger.AsyncClient])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"trust_env": True}, '`trust_env`: pass `proxy="env"`'),
        ({"cache": "kept.sqlite3"}, "`cache`: pass `store='kept.sqlite3'`"),
        ({"colour": "blue"}, "unexpected keyword argument `colour`"),
    ],
)
def test_an_option_of_another_library(kind: type, option: dict[str, Any], said: str) -> None:
    """It is refused as Python does, and what is meant is named."""
    with pytest.raises(TypeError) as caught:
        kind(BOT, **option)

    assert str(caught.value).endswith(said)


@pytest.mark.parametrize("kind", [verger.Client, verger.AsyncClient])
def test_a_file_that_is_not_a_cache(kind: type, tmp_path: Path) -> None:
    """It is refused at once: it would never be used, and everything fetched again and again."""
    (tmp_path / "shop.txt").write_text("User-agent: *\nDisallow: /basket\n")
    (tmp_path / "empty").write_bytes(b"")

    with pytest.raises(verger.CacheError, match=r"shop\.txt` is not a cache\nhint: name another"):
        kind(BOT, store=tmp_path / "shop.txt")
    with pytest.raises(verger.CacheError, match="is a folder, not a cache"):
        kind(BOT, store=str(tmp_path))
    for name in ("empty", "new"):  # as an interrupted first use leaves it, and none
        kind(BOT, store=tmp_path / name)


WRONG = [-1, math.nan, math.inf, -math.inf, True, "5", None, 2**70, 10**5_000, [], 1.5]
"""What no count and no size is."""


def numbers(*allowed: object) -> list[object]:
    """Return what is wrong and not allowed, with no two alike."""
    return [value for value in WRONG if (type(value), value) not in [(type(a), a) for a in allowed]]


@pytest.mark.parametrize("value", [0, *numbers()], ids=range(len(WRONG) + 1))
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (verger.Client, "connections"),
        (verger.AsyncClient, "connections"),
        (AiohttpTransport, "connections"),
        (FtpTransport, "connections"),
        (verger.FetchLimits, "header_bytes"),
        (verger.Pacer, "most_origins"),
        (SqliteStore, "max_bytes"),
    ],
)
def test_count(make: Callable[..., object], name: str, value: object) -> None:
    """What is not a whole number, or bounds nothing, is refused at once, by name."""
    words = (BOT,) if make in (verger.Client, verger.AsyncClient) else ()
    with pytest.raises(verger.RobotsError, match=f"`{name}` is ") as caught:
        make(*words, **{name: value})

    assert caught.value.hint


@pytest.mark.parametrize(
    ("make", "name", "wrong"),
    [
        (verger.Client, "connections_per_address", [0, *numbers(None)]),
        (AiohttpTransport, "connections_per_address", [0, *numbers(None)]),
        (verger.Client, "memory_bytes", numbers()),
        (verger.Client, "least_fresh", numbers(math.inf, 1.5, 2**70, 10**5_000)),
        (verger.FetchLimits, "total", [0, *numbers(1.5)]),
        (verger.FetchLimits, "idle", [0, *numbers(1.5)]),
        (verger.FetchLimits, "body_bytes", numbers(None)),
        (verger.Pacer, "default_delay", numbers(1.5)),
        (verger.Pacer, "most_delay", numbers(1.5)),
        (SqliteStore, "patience", numbers(1.5)),
        (RedisStore, "patience", numbers(1.5)),
        (RedisStore, "ttl", [0, *numbers(1.5)]),
    ],
)
def test_number(make: Callable[..., object], name: str, wrong: list[object]) -> None:
    """Each number that a caller passes has bounds, and an error of its own kind beyond them."""
    words: tuple[str, ...] = ()
    if make is verger.Client:
        words = (BOT,)
    elif make is RedisStore:
        words = ("redis://localhost",)
    for value in wrong:
        with pytest.raises(verger.RobotsError, match=f"`{name}` is "):
            make(*words, **{name: value})


def test_no_connection_is_told_at_once() -> None:
    """A client that may open none says so when it is made, and no later."""
    with pytest.raises(verger.InvalidOption, match="`connections` is `0`"):
        verger.Client(BOT, connections=0)


def test_without_processes_that_begin_as_copies() -> None:
    """On a system without fork, where nothing can be registered for it, clients are what they are
    elsewhere.
    """
    program = """
import asyncio, concurrent.futures.thread, logging, os, random  # which register for themselves
del os.register_at_fork
from verger.testing import client
with client({"https://example.com": b"User-agent: *\\nDisallow: /a"}) as web:
    print(web.allowed("https://example.com/a"))
"""

    assert "False\n" == printed(program)


@pytest.mark.parametrize("option", ["connect_to", "private"])
@pytest.mark.parametrize("kind", [verger.Client, verger.AsyncClient])
def test_one_text_is_not_a_list(kind: Callable[..., object], option: str) -> None:
    """It would be read letter by letter."""
    with pytest.raises(TypeError, match=f"`{option}` must be a sequence of .*, not one str"):
        kind(BOT, **{option: "10.0.0.0/8"})


def test_prefetch_of_one_text() -> None:
    """A text is not a list of URLs."""

    async def steps() -> None:
        async with verger.AsyncClient(BOT, transport=MemoryTransport({})) as client:
            await client.prefetch("https://example.com/")

    with pytest.raises(TypeError, match="`urls` must be a sequence of URLs, not one str"):
        asyncio.run(steps())
