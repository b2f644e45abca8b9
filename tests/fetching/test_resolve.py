"""Where requests go: names, tables, foreign resolvers, and `connect_to`."""

import asyncio
import threading

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from fetching.exchange import run
from patience import LONG
from verger.errors import InvalidOption
from verger.fetching import resolve
from verger.fetching.resolve import Destinations, read_connect_to, routed
from verger.fetching.transport import HopFailed


def test_system() -> None:
    """The system's resolver knows this machine."""

    async def work() -> set[str]:
        return set(await Destinations().addresses("localhost"))

    found = run(work())

    assert found
    assert found <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "no such host", "1.2.3.4.5"])
def test_no_name(host: str) -> None:
    """What is not a name fails as `dns`, whatever the resolver raises."""

    async def work() -> None:
        await Destinations().addresses(host)

    with pytest.raises(HopFailed) as raised:
        run(work())

    assert "dns" == raised.value.failure


def test_lookups_that_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops waiting is free at once, and what was queued is never looked up."""
    hung: list[str] = []
    gate, full = threading.Event(), threading.Event()

    def hang(host: str) -> list[str]:
        hung.append(host)
        if len(hung) == resolve.LOOKUP_THREADS:
            full.set()
        gate.wait(LONG)
        return []

    monkeypatch.setattr(resolve, "look_up", hang)

    async def work() -> int:
        resolver = Destinations()
        count = resolve.LOOKUP_THREADS * 3
        lookups = [asyncio.create_task(resolver.addresses(f"h{number}")) for number in range(count)]
        await asyncio.to_thread(full.wait, LONG)
        _, pending = await asyncio.wait(lookups, timeout=0.2)
        for lookup in pending:
            lookup.cancel()
        await asyncio.gather(*lookups, return_exceptions=True)
        gate.set()
        return len(pending)

    assert resolve.LOOKUP_THREADS * 3 == run(work())
    assert resolve.LOOKUP_THREADS == len(hung)


class Failing(AbstractResolver):
    """Knows no name, and says so by an exception."""

    async def resolve(self, *_: object, **__: object) -> list[ResolveResult]:
        raise OSError(None, "domain name not found")

    async def close(self) -> None:
        pass


class Empty(Failing):
    """Knows no name, and says so by saying nothing."""

    async def resolve(self, *_: object, **__: object) -> list[ResolveResult]:
        return []


@pytest.mark.parametrize("setting", [Failing(), Empty(), {}])
def test_no_address(setting: object) -> None:
    """However a resolver says that there is no address, the hop fails as `dns`."""

    async def work() -> None:
        await Destinations(resolver=setting).addresses("example.com")  # type: ignore[arg-type]

    with pytest.raises(HopFailed, match=r"no address for `example\.com`") as raised:
        run(work())

    assert "dns" == raised.value.failure


@pytest.mark.parametrize(
    ("entry", "host", "port", "target"),
    [
        ("a.example:80:b.example:8080", "a.example", 80, ("b.example", 8080)),
        ("a.example:80:b.example:8080", "A.EXAMPLE", 80, ("b.example", 8080)),
        ("a.example:80:b.example:8080", "a.example", 443, ("a.example", 443)),
        ("a.example::b.example:", "a.example", 443, ("b.example", 443)),
        (":80:b.example:", "x.example", 80, ("b.example", 80)),
        (":80:b.example:", "x.example", 81, ("x.example", 81)),
        ("::127.0.0.1:8080", "x.example", 443, ("127.0.0.1", 8080)),
        (":::8080", "x.example", 443, ("x.example", 8080)),
        ("[::1]:80:[fd00::1]:8080", "::1", 80, ("fd00::1", 8080)),
        (":::", "x.example", 443, ("x.example", 443)),
    ],
)
def test_route(entry: str, host: str, port: int, target: tuple[str, int]) -> None:
    """An entry applies to the host and port it names, and changes what it says."""
    assert target == routed([read_connect_to(entry)], host, port)


def test_first_route_applies() -> None:
    """Of several entries the first that fits applies, be it the wider one."""
    wide_first = [*map(read_connect_to, ("::1.1.1.1:", "a.example:80:2.2.2.2:"))]
    narrow_first = [*map(read_connect_to, ("a.example:80:2.2.2.2:", "::1.1.1.1:"))]

    assert ("1.1.1.1", 80) == routed(wide_first, "a.example", 80)
    assert ("2.2.2.2", 80) == routed(narrow_first, "a.example", 80)
    assert ("1.1.1.1", 81) == routed(narrow_first, "a.example", 81)


@pytest.mark.parametrize(
    ("entry", "host", "to_host"),
    [
        ("B\u00dcCHER.example:80:b:2", "xn--bcher-kva.example", "b"),
        ("0x7f.1:80:[0::1]:2", "127.0.0.1", "::1"),
        ("[0:0::1]:80:[fe80::1%eth0]:2", "::1", "fe80::1%eth0"),
    ],
)
def test_route_of_a_host_in_another_spelling(entry: str, host: str, to_host: str) -> None:
    """An entry names hosts as people write them, requests as URLs have them."""
    assert (to_host, 2) == routed([read_connect_to(entry)], host, 80)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("", "is not HOST1:PORT1:HOST2:PORT2"),
        ("a:1:b", "is not HOST1:PORT1:HOST2:PORT2"),
        ("a:1:b:2:3", "is not HOST1:PORT1:HOST2:PORT2"),
        ("a:x:b:2", "is not HOST1:PORT1:HOST2:PORT2"),
        ("::1:80:b:2", "is not HOST1:PORT1:HOST2:PORT2"),
        ("a:1:b:65536", "names port 65536"),
        ("a:0:b:1", "names port 0"),
        ("[a]:1:b:1", "which is not an IPv6 address"),
        ("a:1:[::x]:1", "which is not an IPv6 address"),
        ("a/b:1:c:1", "names `a/b`, which is not a host"),
        ("a:1:u@b:1", "names `u@b`, which is not a host"),
        ("a\uff0fb:1:c:1", "which is not a host"),
    ],
)
def test_route_that_is_none(entry: str, message: str) -> None:
    """What is not an entry is told so, with what to write instead."""
    with pytest.raises(InvalidOption, match=message) as raised:
        read_connect_to(entry)

    assert isinstance(raised.value, ValueError)
    assert raised.value.hint
