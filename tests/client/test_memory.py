"""The memory of a client: a bound on bytes, and the longest unused leave first."""

import asyncio
import threading
from typing import Any

import pytest
from hypothesis import given, strategies as st

from client.stage import NOW, PAGE, Web, moved, run, stage
from verger.access.entry import Entry
from verger.access.policy import AccessPolicy
from verger.access.result import AccessResult
from verger.client.site import Site
from verger.lru_cache import LruCache

MIB = 1 << 20
POLICY = AccessPolicy("allow_all", "UNAVAILABLE", "")


def site(name: str, *, body: bytes = b"", copy: bytes | None = None, **more: Any) -> Site:
    url = f"{name}/robots.txt"
    last = AccessResult(url, NOW, body=body, **more)
    kept = None if copy is None else AccessResult(url, NOW, status=200, body=copy)
    return Site(name, POLICY, entry=Entry(name, last, kept), fresh_until=NOW)


LEAST = site("a").cost
"""What a site costs whose file is empty."""


def put(memory: LruCache[Site], site: Site) -> None:
    memory.put(site.origin, site, site.cost)


def names_in(memory: LruCache[Site], names: str) -> str:
    return "".join(name for name in names if memory.get(name))


def test_longest_unused_leave_first() -> None:
    """A site that was read stays; one that was not goes."""
    memory: LruCache[Site] = LruCache(3 * LEAST)
    for name in "abc":
        put(memory, site(name))
    memory.get("a")
    put(memory, site("d"))

    assert names_in(memory, "abcd") == "acd"


def test_replacing_costs_nothing() -> None:
    """A site that is put again takes the place of its former self."""
    memory: LruCache[Site] = LruCache(2 * (LEAST + 100))
    for size in (100, 10, 100, 50, 100):
        put(memory, site("a", body=b"x" * size))
    put(memory, site("b", body=b"x" * 100))

    assert names_in(memory, "ab") == "ab"


@pytest.mark.parametrize(
    "more",
    [
        {"body": b"x" * 10_000},
        {"copy": b"x" * 10_000},
        {"redirects": ("https://example.com/" + "x" * 10_000,)},
        {"headers": {"etag": "x" * 10_000}},
        {"detail": "x" * 10_000},
        {"notes": ("x" * 10_000,)},
    ],
    ids=lambda more: next(iter(more)),
)
def test_everything_a_server_says_counts(more: dict[str, Any]) -> None:
    """Bodies, copies, redirects and headers: no server can make the bound a lie."""
    memory: LruCache[Site] = LruCache(10_000)
    put(memory, site("a", **more))

    assert len(memory) == 0


def test_too_large_for_the_bound() -> None:
    """A site that does not fit pushes nobody out, but for its own former self."""
    memory: LruCache[Site] = LruCache(3 * LEAST)
    put(memory, site("a"))
    put(memory, site("b"))
    put(memory, site("a", body=b"x" * 10_000))

    assert names_in(memory, "ab") == "b"


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 5_000), st.booleans()), max_size=60
    )
)
def test_bound_always_holds(steps: list[tuple[str, int, bool]]) -> None:
    """Whatever is put, read and forgotten: the bytes kept are counted right, and few enough."""
    most = 12_000
    memory: LruCache[Site] = LruCache(most)
    model: dict[str, int] = {}
    for name, size, is_read in steps:
        if is_read:
            if memory.get(name):
                model[name] = model.pop(name)
            continue
        put(memory, site(name, body=b"x" * size))
        model.pop(name, None)
        model[name] = LEAST + size
        while sum(model.values()) > most:
            model.pop(next(iter(model)))

        assert len(memory) == len(model)

    kept = [name for name in model if memory.get(name)]
    assert list(model) == kept


def test_client_keeps_to_its_bound() -> None:
    """10 MiB of files go through a client that may keep one; what left is fetched again."""
    web = Web(default=b"User-agent: *\n" + b"Disallow: /a\n" * 8_000)
    on = stage(web=web, memory_bytes=MIB)
    urls = [f"https://{n}.example/" for n in range(100)]

    async def ask() -> tuple[int, int]:
        await on.client.prefetch(urls)
        kept = sum(on.client.known(url[:-1]) is not None for url in urls)
        await on.client.prefetch(urls)
        return kept, len(web.requests)

    kept, requests = run(ask())

    assert 3 <= kept <= 10
    assert 190 <= requests <= 197


def test_long_redirects_count() -> None:
    """Servers that lead through long URLs fill the memory no more than large files do."""
    web = Web()
    on = stage(web=web, memory_bytes=MIB)
    for n in range(100):
        web.sites[f"https://{n}.example"] = moved(f"https://{n}.example/{'x' * 60_000}")
    urls = [f"https://{n}.example/" for n in range(100)]
    run(on.client.prefetch(urls))

    assert sum(on.client.known(url[:-1]) is not None for url in urls) <= 17


@pytest.mark.parametrize("size", [0, 1_000])
def test_no_memory_at_all(size: int) -> None:
    """Without room every question is a fetch, still one for all who ask at once."""
    on = stage(memory_bytes=size)

    async def ask() -> int:
        await asyncio.gather(*(on.client.allowed(PAGE) for _ in range(10)))
        await on.client.allowed(PAGE)
        return len(on.web.requests)

    assert run(ask()) == 2


def test_read_by_many_threads_while_written() -> None:
    """Readers see a site whole or not at all, while sites come and go."""
    memory: LruCache[Site] = LruCache(20 * (LEAST + 2))
    names = [f"{n:02}" for n in range(40)]
    problems: list[object] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                for name in names:
                    found = memory.get(name)
                    if found is not None and found.origin != name:
                        problems.append(found)
        except Exception as error:  # what a test is about
            problems.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(300):
        for name in names:
            put(memory, site(name))
    done.set()
    for reader in readers:
        reader.join()

    assert problems == []
    assert len(memory) <= 20
