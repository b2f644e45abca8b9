"""What is requests' own: prepared requests, bytes, mounts, proxies, streams, threads, fork."""

import os
from collections.abc import Iterator

import pytest
import requests
from requests.adapters import HTTPAdapter

import verger
from faults.stage import response
from integrations.clients import USER_AGENT
from integrations.sites import Web
from patience import PATIENT
from verger.integrations.requests import Disallowed, InvalidTarget, RobotsAdapter


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with verger.Client(USER_AGENT, limits=PATIENT) as robots, requests.Session() as opened:
        opened.mount("http://", RobotsAdapter(robots))
        yield opened


def test_prepared_url(session: requests.Session, web: Web) -> None:
    """A URL that was set behind requests' back is judged as it is sent."""
    site = web.site()
    request = session.prepare_request(requests.Request("GET", f"{site.origin}/open"))

    for path in ("/open/../closed", "/open/%2e%2e/closed", "/%63losed"):
        request.url = site.origin + path
        with pytest.raises(Disallowed) as raised:
            session.send(request)
        assert request is raised.value.request

    assert [] == site.paths


def test_bytes(session: requests.Session, web: Web) -> None:
    """requests takes URLs as bytes."""
    site = web.site()

    with pytest.raises(Disallowed):
        session.get(f"{site.origin}/closed".encode())
    assert session.get(f"{site.origin}/open".encode()).ok


def test_params(session: requests.Session, web: Web) -> None:
    """Parameters are part of what is judged."""
    site = web.site(robots=b"User-agent: *\nDisallow: /*?key=\n")

    with pytest.raises(Disallowed):
        session.get(f"{site.origin}/a", params={"key": "1"})

    assert [] == site.paths


def test_a_session_without_a_name(web: Web) -> None:
    """urllib3 sends its own then, and so the guard asks for that."""
    site = web.site(robots=b"User-agent: python-urllib3\nDisallow: /\n")
    with verger.Client(USER_AGENT, limits=PATIENT) as robots, requests.Session() as session:
        session.mount("http://", RobotsAdapter(robots, token="request"))
        assert 200 == session.get(f"{site.origin}/a").status_code
        del session.headers["User-Agent"]
        with pytest.raises(Disallowed):
            session.get(f"{site.origin}/b")

    assert ["/a"] == site.paths


def test_mount_opts_out(session: requests.Session, web: Web) -> None:
    """requests' own way: a plain adapter for a site."""
    site, other = web.site(), web.site()
    session.mount(site.origin, HTTPAdapter())

    assert session.get(f"{site.origin}/closed").ok
    with pytest.raises(Disallowed):
        session.get(f"{other.origin}/closed")


def test_proxy(session: requests.Session, web: Web) -> None:
    """Requests through a proxy are judged by their own URL."""
    site, proxy = web.site(), web.site()
    proxies = {"http": proxy.origin}

    assert session.get(f"{site.origin}/open", proxies=proxies).ok
    with pytest.raises(Disallowed):
        session.get(f"{site.origin}/closed", proxies=proxies)

    assert [f"{site.origin}/open"] == proxy.paths


def test_proxy_is_sent_what_is_judged(session: requests.Session, web: Web) -> None:
    """Older releases of requests join two slashes, except in what they send to a proxy."""
    site, proxy = web.site(robots=b"User-agent: *\nDisallow: //closed\n"), web.site()

    with pytest.raises(Disallowed):
        session.get(f"{site.origin}//closed", proxies={"http": proxy.origin})

    assert [] == proxy.paths


def test_stream(session: requests.Session, web: Web) -> None:
    """A stream goes through untouched."""
    site = web.site({"/big": response(b"x" * 100_000)})

    with session.get(f"{site.origin}/big", stream=True) as answer:
        assert sum(map(len, answer.iter_content(4_096))) == 100_000


def test_host_that_cannot_be_judged(session: requests.Session) -> None:
    """Is not connected to."""
    for host in ("a..invalid", "xn--a.invalid"):
        with pytest.raises(InvalidTarget) as raised:
            session.get(f"http://{host}/")
        assert isinstance(raised.value, requests.RequestException)
        assert raised.value.request is not None
        assert f"http://{host}/" == raised.value.request.url


@pytest.mark.parametrize("port", ["99x", "999999", "80 ", "80\\closed"])
def test_port_that_cannot_be_judged(session: requests.Session, port: str) -> None:
    """A redirect that leads there raises what requests raises for it, not a bare ValueError."""
    request = requests.Request("GET", "http://a.example/").prepare()
    request.url = f"http://a.example:{port}/"

    with pytest.raises(InvalidTarget) as raised:
        session.send(request)
    assert isinstance(raised.value, requests.RequestException)
    assert request is raised.value.request


def test_adapter_of_the_user(web: Web) -> None:
    """An adapter with settings of its own sends, and is closed with the session."""
    site = web.site()
    calls: list[str] = []

    class Adapter(HTTPAdapter):
        def send(self, *arguments: object, **options: object) -> requests.Response:
            calls.append("sent")
            return super().send(*arguments, **options)  # type: ignore[arg-type]

        def close(self) -> None:
            calls.append("closed")
            super().close()

    with verger.Client(USER_AGENT, limits=PATIENT) as robots:
        with requests.Session() as session:
            session.mount("http://", RobotsAdapter(robots, Adapter()))
            session.get(f"{site.origin}/open")
            with pytest.raises(Disallowed):
                session.get(f"{site.origin}/closed")
        assert robots.allowed(f"{site.origin}/open")

    assert ["sent", "closed"] == calls


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_fork(web: Web) -> None:
    """A session that was guarded before a fork is guarded after it, turns included."""
    site = web.site()
    with verger.Client(USER_AGENT, limits=PATIENT) as robots, requests.Session() as session:
        session.mount("http://", RobotsAdapter(robots, pacer=verger.Pacer(default_delay=0)))
        assert session.get(f"{site.origin}/open").ok

        child = os.fork()
        if child == 0:
            try:
                session.get(f"{site.origin}/closed")
            except Disallowed:
                os._exit(0 if session.get(f"{site.origin}/open").ok else 2)
            os._exit(1)

        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
