"""The transport on a session of requests: the same answers as verger's own, with what the session
adds, and with the rules for redirects."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter

import verger
from client.fetching_by_hand import (
    AGENT,
    FAULTS,
    ROBOTS,
    RULES,
    Site,
    redirect,
    response,
    serving,
)
from client.test_own_response import NOW, meaning
from fetching.exchange import given_up, outcome, request, run
from fetching.servers import answer, serve, stall_after
from patience import limits
from verger.fetching.requests_session import SessionTransport
from verger.integrations.requests import Disallowed, RobotsAdapter


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as made:
        made.trust_env = False
        yield made


def found(site: Site, transport: SessionTransport | None = None, fault: str = "") -> verger.Site:
    settings: dict[str, Any] = {"limits": limits(fault), "transport": transport}
    with verger.Client(AGENT, clock=lambda: NOW, **settings) as client:
        return client.site(site.origin)


@pytest.mark.parametrize("fault", FAULTS)
def test_equals_the_transport_of_verger(site: Site, session: requests.Session, fault: str) -> None:
    site.answers = FAULTS[fault]
    ours = found(site, SessionTransport(session, limits=limits(fault)), fault)

    assert meaning(ours) == meaning(found(site, fault=fault))


TORN = (
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 200 OK\r\nServer: x\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Le",
    b"HTTP/1.1 404",
    b"HTTP/1.1 404 Not Found\r\nContent-Ty",
    b"HTTP/1.1 301 Moved\r\nLocation: /ro",
    b"HTTP/1.1 200 OK\r\nContent-Length : 300\r\n\r\nUser-agent: *\nDisallow:\n",
    b"HTTP/1.1 200 OK\r\nno field\r\nContent-Length: 300\r\n\r\nUser-agent: *\nDisallow:\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nUser-agent: *\n\r\n0\r\n\r\n",
)


@pytest.mark.parametrize("sent", TORN)
def test_a_torn_head_opens_nothing(session: requests.Session, sent: bytes) -> None:
    """http.client takes the end of the connection for that of the head."""

    async def work() -> verger.Site:
        async with serve(answer(sent)) as server:
            transport = SessionTransport(session)
            async with verger.AsyncClient(AGENT, transport=transport) as client:
                return await client.site(f"http://127.0.0.1:{server.port}/")

    assert run(work()).access.effect == "disallow_all"


# What the session adds


def heads(session: requests.Session, target: str, **options: Any) -> list[str]:
    """Return the heads of the requests of a fetch that a redirect leads on."""

    async def work() -> list[str]:
        async with serve(answer(response(200, RULES))) as last:
            moved = redirect(target.replace("PORT", str(last.port)))
            async with serve(answer(moved)) as first:
                transport = SessionTransport(session, **options)
                async with verger.AsyncClient(AGENT, transport=transport) as client:
                    await client.site(f"http://127.0.0.1:{first.port}/")
        return [head.decode() for head in (*first.heads, *last.heads)]

    return run(work())


def test_credentials_are_sent_to_the_origin_that_was_asked_about(
    session: requests.Session,
) -> None:
    """Fields, cookies and login of the session go to no origin that only a redirect names."""
    session.headers["X-Key"] = "secret"
    session.cookies.set("id", "secret")
    session.auth = ("user", "secret")
    first, last = heads(session, "http://127.0.0.1:PORT/robots.txt")

    assert "X-Key: secret" in first
    assert "Cookie: id=secret" in first
    assert "Authorization: Basic" in first
    assert f"User-Agent: {AGENT}" in first
    assert "secret" not in last
    assert "Authorization" not in last


def test_a_login_of_its_own(session: requests.Session) -> None:
    first, last = heads(session, "http://127.0.0.1:PORT/robots.txt", auth=("user", "secret"))

    assert "Authorization: Basic" in first
    assert "Authorization" not in last


def test_a_redirect_to_a_private_address_is_not_requested(session: requests.Session) -> None:
    assert len(heads(session, "http://127.0.0.2:PORT/robots.txt")) == 1


def test_a_redirect_through_a_proxy_is_judged_by_its_name(session: requests.Session) -> None:
    """The proxy makes the connection, so the session sends what leads to a public name."""

    async def work() -> list[bytes]:
        async with serve(answer(redirect("http://public.example/r"))) as proxy:
            session.proxies = {"http": f"http://127.0.0.1:{proxy.port}"}
            transport = SessionTransport(session)
            for url in ("http://public.example/r", "http://localhost/r", "http://10.0.0.1/r"):
                await outcome(transport, request(url, named=False))
            await transport.close()
        return proxy.heads

    assert [head.partition(b"\r\n")[0] for head in run(work())] == [
        b"GET http://public.example/r HTTP/1.1"
    ]


def test_hooks_of_the_session_see_no_robots_txt(site: Site, session: requests.Session) -> None:
    """A hook that raises for a status would hide it."""
    session.hooks["response"] = [lambda got, **_: got.raise_for_status()]
    site.answers = FAULTS["404"]

    assert found(site, SessionTransport(session)).access.reason == "UNAVAILABLE"


def test_a_session_may_guard_itself(site: Site, session: requests.Session) -> None:
    """One session fetches pages, as its guard allows, and the robots.txt that the guard reads."""
    site.answers = {ROBOTS: response(200, RULES), "/a": response(200, b"a page")}
    with verger.Client(AGENT, transport=SessionTransport(session)) as robots:
        session.mount("http://", RobotsAdapter(robots))

        assert session.get(f"{site.origin}/a").text == "a page"
        with pytest.raises(Disallowed):
            session.get(f"{site.origin}/private")


def test_an_adapter_of_the_session_sends(site: Site, session: requests.Session) -> None:
    class Counting(HTTPAdapter):
        sent: list[str | None] = []  # noqa: RUF012

        def send(self, request: requests.PreparedRequest, *a: Any, **k: Any) -> Any:
            self.sent.append(request.url)
            return super().send(request, *a, **k)

    session.mount("http://", Counting())
    site.answers = FAULTS["rules"]
    found(site, SessionTransport(session))

    assert Counting.sent == [f"{site.origin}{ROBOTS}"]


# Limits


def test_a_body_is_read_up_to_the_limit(session: requests.Session) -> None:
    async def work() -> tuple[bytes, str]:
        async with serve(answer(response(200, b"x" * 900_000))) as server:
            sent = request(f"http://127.0.0.1:{server.port}/robots.txt", body_limit=70_000)
            transport = SessionTransport(session)
            got = await outcome(transport, sent)
            await transport.close()
        return got.body

    assert run(work()) == (b"x" * 70_000, "limit")


def test_headers_are_limited(session: requests.Session) -> None:
    async def work() -> str:
        fields = {f"X_{number}": "x" * 900 for number in range(20)}
        async with serve(answer(response(404, **fields))) as server:
            small = verger.FetchLimits(header_bytes=9_000)
            transport = SessionTransport(session, limits=small)
            got = await outcome(transport, request(f"http://127.0.0.1:{server.port}/robots.txt"))
            await transport.close()
        return got.failure

    assert run(work()) == "invalid-response"


def test_giving_up_closes_the_connection(session: requests.Session) -> None:
    """The thread that reads a body does not go on when nobody waits for it."""

    async def work() -> bool:
        beginning = response(200, RULES, Content_Length="9999")
        async with serve(stall_after(beginning)) as server:
            url = f"http://127.0.0.1:{server.port}/robots.txt"
            return await given_up(SessionTransport(session), url, server)

    assert run(work())


# Misuse


def test_what_is_not_a_session_is_refused() -> None:
    for wrong in (None, requests, asyncio):
        with pytest.raises(verger.InvalidOption) as refused:
            SessionTransport(wrong)  # type: ignore[arg-type]
        assert refused.value.hint


def test_no_connections_are_refused(session: requests.Session) -> None:
    with pytest.raises(verger.InvalidOption):
        SessionTransport(session, connections=0)
