"""The address guard over real sockets: redirects reach no address that the caller did not name.

Traps listen at loopback addresses and write down who comes. That a fetch fails is not enough:
the listener must not be reached.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from patience import PATIENT
from verger.access.result import AccessResult
from verger.client import AsyncClient
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.transport import Transport

from .asking import CRAWLER
from .resolvers import Changing, Table
from .stage import Peer, Stage, always, head, redirect, response

LIMITS = PATIENT

SPELLINGS = (
    ("127.0.0.2", "127.0.0.2"),
    ("127.2", "127.0.0.2"),
    ("127.0.2", "127.0.0.2"),
    ("2130706434", "127.0.0.2"),
    ("0x7f000002", "127.0.0.2"),
    ("0x7f.0.0.2", "127.0.0.2"),
    ("0X7F.2", "127.0.0.2"),
    ("0177.0.0.2", "127.0.0.2"),
    ("017700000002", "127.0.0.2"),
    ("127.0.0.02", "127.0.0.2"),
    ("127.0.0.2.", "127.0.0.2"),
    ("%31%32%37.0.0.2", "127.0.0.2"),
    ("１２７.0.0.2", "127.0.0.2"),  # noqa: RUF001 - full-width digits are the point
    ("127。0。0。2", "127.0.0.2"),
    ("user@127.0.0.2", "127.0.0.2"),
    ("example.com@127.0.0.2", "127.0.0.2"),
    ("[::ffff:127.0.0.2]", "127.0.0.2"),
    ("[::ffff:7f00:2]", "127.0.0.2"),
    ("[0:0:0:0:0:ffff:7f00:0002]", "127.0.0.2"),
    ("[64:ff9b::127.0.0.2]", "127.0.0.2"),
    ("[2002:7f00:2::]", "127.0.0.2"),
    ("[::127.0.0.2]", "127.0.0.2"),
    ("[::1]", "::1"),
    ("[0:0:0:0:0:0:0:1]", "::1"),
    ("[::1%25lo]", "::1"),
    ("[::]", "::1"),
    ("inner.test", "127.0.0.2"),
    ("INNER.test", "127.0.0.2"),
    ("inner.test.", "127.0.0.2"),
    ("six.test", "::1"),
)
"""Hosts of redirects, and the trap that they mean."""

ASKED = "127.0.0.1"
NAMES = {
    "asked.test": [ASKED],
    "also.test": [ASKED],
    "inner.test": ["127.0.0.2"],
    "inner.test.": ["127.0.0.2"],
    "six.test": ["::1"],
}


@pytest.fixture(autouse=True)
def nobody_trapped_before(stage: Stage) -> None:
    """Forget who was trapped in another test."""
    stage.trap.visitors.clear()


@pytest.fixture
def make() -> Callable[..., Transport]:
    """The transport."""
    return AiohttpTransport


def listening(stage: Stage, handler: Callable[[Peer], object]) -> int:
    """Start a server; return its port."""
    origin = stage.run(stage.listen(handler))  # type: ignore[arg-type]
    return int(origin.rpartition(":")[2])


def leading(stage: Stage, location: str | bytes) -> int:
    """Start a server that redirects everything; return its port."""
    return listening(stage, always(redirect(location)))


def fetched(transport: Transport, *origins: str) -> list[AccessResult]:
    """Return what one client got from origins, asked one after another."""

    async def ask() -> list[AccessResult]:
        async with AsyncClient(CRAWLER, limits=LIMITS, transport=transport) as client:
            answers = [await client.decide(f"{origin}/page") for origin in origins]
            return [answer.result for answer in answers if answer.result]

    return asyncio.run(ask())


@pytest.mark.parametrize(("host", "trap"), SPELLINGS, ids=[host for host, _ in SPELLINGS])
def test_private_address_in_any_spelling(
    stage: Stage, make: Callable[..., Transport], host: str, trap: str
) -> None:
    """A redirect to a private address fails closed, and nobody connects there."""
    port = leading(stage, f"http://{host}:{stage.trap.port(trap)}/robots.txt")

    [result] = fetched(make(limits=LIMITS, resolver=Table(NAMES)), f"http://asked.test:{port}")

    assert [] == stage.trap.visitors
    assert "unreachable" == result.access
    assert result.failure in ("redirect-refused", "redirect-invalid", "dns")


def test_traps_are_set(stage: Stage) -> None:
    """The trap catches: a caller who names its address comes in."""
    origin = f"http://127.0.0.2:{stage.trap.port('127.0.0.2')}"

    [result] = fetched(AiohttpTransport(limits=LIMITS), origin)

    assert ["127.0.0.2"] == stage.trap.visitors
    assert 200 == result.status


def test_long_way_to_a_private_address(stage: Stage, make: Callable[..., Transport]) -> None:
    """The last hop of a chain is judged as the first is."""
    trap = f"http://127.0.0.2:{stage.trap.port('127.0.0.2')}/robots.txt"

    async def lead(peer: Peer) -> None:
        here = await peer.request()
        await peer.send(redirect(trap if len(here) > 13 else f"{here}x"))

    port = listening(stage, lead)

    [result] = fetched(make(limits=LIMITS), f"http://127.0.0.1:{port}")

    assert [] == stage.trap.visitors
    assert "redirect-refused" == result.failure


def test_known_address(stage: Stage, make: Callable[..., Transport]) -> None:
    """A redirect may lead to the address that the caller's origin has, by another name."""
    rules = leading_to_rules(stage)
    port = leading(stage, f"http://also.test:{rules}/robots.txt")

    [result] = fetched(make(limits=LIMITS, resolver=Table(NAMES)), f"http://asked.test:{port}")

    assert (200, None) == (result.status, result.failure)


def leading_to_rules(stage: Stage) -> int:
    return listening(stage, always(response()))


@pytest.mark.parametrize("private", ["127.0.0.2", "127.0.0.0/8", "inner.test"])
def test_private_by_name(stage: Stage, make: Callable[..., Transport], private: str) -> None:
    """What the caller calls private and permits may be reached."""
    port = leading(stage, f"http://inner.test:{stage.trap.port('127.0.0.2')}/robots.txt")
    transport = make(limits=LIMITS, resolver=Table(NAMES), private=[private])

    [result] = fetched(transport, f"http://asked.test:{port}")

    assert ["127.0.0.2"] == stage.trap.visitors
    assert 200 == result.status


@pytest.mark.parametrize("private", ["127.0.0.3", "10.0.0.0/8", "asked.test"])
def test_private_by_another_name(
    stage: Stage, make: Callable[..., Transport], private: str
) -> None:
    """A permission for one network or host is none for another."""
    port = leading(stage, f"http://inner.test:{stage.trap.port('127.0.0.2')}/robots.txt")
    transport = make(limits=LIMITS, resolver=Table(NAMES), private=[private])

    [result] = fetched(transport, f"http://asked.test:{port}")

    assert [] == stage.trap.visitors
    assert "redirect-refused" == result.failure


@pytest.mark.parametrize("honest", [1, 2, 3])
def test_answers_that_change(stage: Stage, make: Callable[..., Transport], honest: int) -> None:
    """A name that is harmless when asked first, and private a moment later, leads nowhere.

    What is judged is what is connected to: no second question lies between.
    """
    port = stage.trap.port("127.0.0.2")
    own = leading(stage, f"http://turncoat.test:{port}/robots.txt")

    def answer(host: str, times: int) -> list[str]:
        turned = host == "turncoat.test" and times > honest
        return ["127.0.0.2"] if turned else [ASKED]

    [result] = fetched(make(limits=LIMITS, resolver=Changing(answer)), f"http://asked.test:{own}")

    assert [] == stage.trap.visitors
    assert "successful" != result.access


def test_answers_that_change_within_a_chain(stage: Stage, make: Callable[..., Transport]) -> None:
    """Each hop to the same name is judged anew."""
    both = same_port(stage)

    def answer(host: str, times: int) -> list[str]:
        return ["127.0.0.2"] if host == "turncoat.test" and times > 1 else [ASKED]

    [result] = fetched(
        make(limits=LIMITS, resolver=Changing(answer)), f"http://asked.test:{both.port}"
    )

    assert 0 == both.trapped
    assert "redirect-refused" == result.failure


@dataclass
class Both:
    """One port at two addresses: a server that redirects, and a trap."""

    port: int
    trapped: int = 0


def same_port(stage: Stage) -> Both:
    """Let turncoat.test lead to itself at 127.0.0.1, and count who comes to 127.0.0.2."""

    async def lead(peer: Peer) -> None:
        here = await peer.request()
        await peer.send(redirect(f"http://turncoat.test:{both.port}{here}x"))

    async def fall(peer: Peer) -> None:
        both.trapped += 1
        await peer.request()
        await peer.send(response())

    while True:
        both = Both(listening(stage, lead))
        with contextlib.suppress(OSError):  # somebody else has this port at the other address
            stage.run(stage.listen(fall, address="127.0.0.2", port=both.port))
            return both


def test_kept_connection_is_no_way_round(stage: Stage, make: Callable[..., Transport]) -> None:
    """A connection that was opened for the caller's own question serves no redirect.

    The caller asks 127.0.0.2 by its name, and the server keeps the connection; a redirect of
    another site to the same origin is refused all the same.
    """
    requests = itertools.count(1)
    asked: list[int] = []

    async def serve(peer: Peer) -> None:
        while await peer.request():
            asked.append(next(requests))
            await peer.send(head("Content-Length: 0"))

    origin = stage.run(stage.listen(serve, address="127.0.0.2"))
    inner = origin.rpartition(":")[2]
    port = leading(stage, f"http://inner.test:{inner}/another.txt")
    transport = make(limits=LIMITS, resolver=Table(NAMES))

    named, led = fetched(transport, f"http://inner.test:{inner}", f"http://asked.test:{port}")

    assert [1] == asked
    assert "successful" == named.access
    assert "redirect-refused" == led.failure


def test_connect_to_is_judged(stage: Stage, make: Callable[..., Transport]) -> None:
    """Where a route of the caller's leads is what counts, not what the URL says."""
    route = f"harmless.test:80:127.0.0.2:{stage.trap.port('127.0.0.2')}"
    port = leading(stage, "http://harmless.test/robots.txt")
    transport = make(limits=LIMITS, resolver=Table(NAMES), connect_to=[route])

    [result] = fetched(transport, f"http://asked.test:{port}")

    assert [] == stage.trap.visitors
    assert "redirect-refused" == result.failure


def test_userinfo_is_not_sent_on(stage: Stage, make: Callable[..., Transport]) -> None:
    """A redirect with a password in it does not make the crawler send that password."""
    heads: list[bytes] = []

    async def serve(peer: Peer) -> None:
        text = await peer.reader.readuntil(b"\r\n\r\n")
        heads.append(text.lower())
        here = text.split()[1]
        target = f"http://user:secret@{peer.origin.removeprefix('http://')}/rules.txt"
        await peer.send(redirect(target) if here == b"/robots.txt" else response())

    port = listening(stage, serve)

    fetched(make(limits=LIMITS), f"http://127.0.0.1:{port}")

    assert 2 == len(heads)
    assert not any(b"authorization" in text or b"secret" in text for text in heads)


# Behind a proxy


@pytest.fixture
def proxy(stage: Stage) -> "Proxy":
    """A proxy that writes down what it is asked for, and redirects `asked.test` somewhere."""
    made = Proxy()
    made.port = listening(stage, made.serve)
    return made


class Proxy:
    """A proxy that answers everything itself."""

    def __init__(self) -> None:
        self.port = 0
        self.target = ""
        self.asked: list[str] = []

    async def serve(self, peer: Peer) -> None:
        url = (await peer.request()).replace(":80/", "/")  # the same URL
        self.asked.append(url)
        is_first = url.startswith("http://asked.test/")
        await peer.send(redirect(self.target) if is_first else response())


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2/robots.txt",
        "http://2130706434/robots.txt",
        "http://0177.0.0.2/robots.txt",
        "http://[::1]/robots.txt",
        "http://[::ffff:10.0.0.1]/robots.txt",
        "http://169.254.169.254/latest",
        "http://localhost/robots.txt",
        "http://LOCALHOST./robots.txt",
        "http://db.internal/robots.txt",
        "http://printer.local/robots.txt",
    ],
)
def test_proxy_is_not_asked_for_private_hosts(
    proxy: Proxy, make: Callable[..., Transport], target: str
) -> None:
    """Behind a proxy addresses and local names of redirects are refused before they are sent."""
    proxy.target = target

    [result] = fetched(
        make(limits=LIMITS, proxy=f"http://127.0.0.1:{proxy.port}"), "http://asked.test"
    )

    assert ["http://asked.test/robots.txt"] == proxy.asked
    assert "redirect-refused" == result.failure


def test_proxy_is_asked_for_public_names(proxy: Proxy, make: Callable[..., Transport]) -> None:
    """Behind a proxy a redirect to a public name is left to the proxy."""
    proxy.target = "http://public.example/rules.txt"

    [result] = fetched(
        make(limits=LIMITS, proxy=f"http://127.0.0.1:{proxy.port}"), "http://asked.test"
    )

    assert ["http://asked.test/robots.txt", "http://public.example/rules.txt"] == proxy.asked
    assert 200 == result.status
