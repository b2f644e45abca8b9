"""What is the standard library's own: raw paths, installed openers, proxies, FTP, files."""

import contextlib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import pytest

import verger
from faults.stage import response
from integrations.clients import USER_AGENT
from integrations.sites import CLOSED, Site, Web
from patience import PATIENT
from verger.integrations.urllib import Disallowed, InvalidTarget, RobotsHandler


def netloc(site: Site) -> str:
    return site.origin.removeprefix("http://")


@pytest.fixture
def robots() -> Iterator[verger.Client]:
    with verger.Client(USER_AGENT, limits=PATIENT) as client:
        yield client


@pytest.mark.parametrize("path", ["/open/../closed", "/open/%2E%2e/closed"])
def test_dot_segments_are_sent(robots: verger.Client, web: Web, path: str) -> None:
    """`http.client` sends them as they are: what servers make of them is judged."""
    site = web.site()
    opener = urllib.request.build_opener(RobotsHandler(robots))

    with pytest.raises(Disallowed) as raised:
        opener.open(site.origin + path)

    assert raised.value.answer.line == 2
    assert raised.value.reason == raised.value.message
    assert [] == site.paths


def test_escaped_host(web: Web) -> None:
    """`urllib` decodes the host, and so what is judged is where it connects."""
    site = web.site()
    url = site.origin.replace("127.0.0.1", "%3127.0.0.1")

    with verger.Client(USER_AGENT, overrides={site.origin: "disallow"}) as robots:
        opener = urllib.request.build_opener(RobotsHandler(robots))
        with pytest.raises(Disallowed):
            opener.open(f"{url}/a")


def test_installed_opener(robots: verger.Client, web: Web) -> None:
    """`urlopen` is guarded where the opener is installed; robots.txt does not go through it."""
    site = web.site()
    before = urllib.request._opener  # type: ignore[attr-defined]
    urllib.request.install_opener(urllib.request.build_opener(RobotsHandler(robots)))
    try:
        with pytest.raises(Disallowed):
            urllib.request.urlopen(f"{site.origin}/closed")
        with urllib.request.urlopen(f"{site.origin}/open") as answer:
            assert answer.status == 200
    finally:
        urllib.request.install_opener(before)

    assert site.asked_for_robots == 1


def test_proxy(robots: verger.Client, web: Web) -> None:
    """Requests through a proxy are judged by their own URL, before it is asked."""
    site, proxy = web.site(), web.site()
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"http": proxy.origin}), RobotsHandler(robots)
    )

    with pytest.raises(Disallowed):
        opener.open(f"{site.origin}/closed")
    with opener.open(f"{site.origin}/open") as answer:
        assert answer.status == 200

    assert [f"{site.origin}/open"] == proxy.paths


@pytest.mark.parametrize("scheme", ["http://", "HTTP://", "hTtp://"])
def test_proxy_of_one_request(robots: verger.Client, web: Web, scheme: str) -> None:
    """A URL that names its proxy itself reaches the guard as it was written."""
    site, proxy = web.site(), web.site()
    request = urllib.request.Request(f"{scheme}{netloc(site)}/closed")
    request.set_proxy(netloc(proxy), "http")
    opener = urllib.request.build_opener(RobotsHandler(robots))

    with pytest.raises(Disallowed):
        opener.open(request)

    assert [] == proxy.paths


def test_proxy_of_a_url_without_slashes(robots: verger.Client, web: Web) -> None:
    """A proxy may still make a URL of it, so it is not sent without an answer."""
    proxy = web.site()
    request = urllib.request.Request("http:example.com/closed")
    request.set_proxy(netloc(proxy), "http")
    opener = urllib.request.build_opener(RobotsHandler(robots))

    with pytest.raises(InvalidTarget):
        opener.open(request)

    assert [] == proxy.paths


def test_proxy_of_one_request_with_tls(web: Web) -> None:
    """The site behind a tunnel is judged, not the proxy: not even CONNECT is sent."""
    proxy = web.site()
    request = urllib.request.Request("https://closed.invalid/a")
    request.set_proxy(netloc(proxy), "http")

    with verger.Client(USER_AGENT, overrides={"https://closed.invalid": "disallow"}) as robots:
        opener = urllib.request.build_opener(RobotsHandler(robots))
        with pytest.raises(Disallowed) as raised:
            opener.open(request)

    assert raised.value.url == "https://closed.invalid/a"
    assert [] == proxy.heads


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_request_that_is_opened_again(web: Web, scheme: str) -> None:
    """`ProxyHandler` changes the request, which is judged by its own URL every time."""
    proxy = web.site({"/robots.txt": response(b"User-agent: *\nDisallow: /\n")})
    request = urllib.request.Request(f"{scheme}://site.invalid/open")
    at_proxy = urllib.request.ProxyHandler({scheme: proxy.origin})

    with verger.Client(USER_AGENT, overrides={f"{scheme}://site.invalid": CLOSED}) as robots:
        opener = urllib.request.build_opener(at_proxy, RobotsHandler(robots))
        for _ in range(3):  # the second time it is already a request to the proxy
            with contextlib.suppress(OSError):
                opener.open(request).close()

    assert len(proxy.heads) == 3
    assert proxy.asked_for_robots == 0


def test_fragment_that_is_sent(robots: verger.Client, web: Web) -> None:
    """`urllib` sends fragments to proxies, and all but the last to sites: a server may take them
    for a part of the path, so both readings are judged.
    """
    site = web.site(robots=b"User-agent: *\nDisallow: /\nAllow: /open$\n")
    direct = urllib.request.build_opener(RobotsHandler(robots))
    proxy = web.site()
    at_proxy = urllib.request.ProxyHandler({"http": proxy.origin})
    proxied = urllib.request.build_opener(at_proxy, RobotsHandler(robots))

    direct.open(f"{site.origin}/open#a").close()
    for opener, url in ((proxied, f"{site.origin}/open#a"), (direct, f"{site.origin}/open#a#b")):
        with pytest.raises(Disallowed) as raised:
            opener.open(url)
        assert raised.value.answer.line == 2

    assert (["/open"], []) == (site.paths, proxy.paths)


def test_fragment_of_a_request_that_is_opened_again(web: Web) -> None:
    """The second time, `urllib` sends the whole URL through the tunnel."""
    proxy = web.site()
    request = urllib.request.Request("https://site.invalid/open#a")
    rules = b"User-agent: *\nDisallow: /\nAllow: /open$\n"
    at_proxy = urllib.request.ProxyHandler({"https": proxy.origin})

    with verger.Client(USER_AGENT, overrides={"https://site.invalid": rules}) as robots:
        opener = urllib.request.build_opener(at_proxy, RobotsHandler(robots))
        with pytest.raises(URLError) as raised:
            opener.open(request)  # the proxy speaks no TLS
        with pytest.raises(Disallowed):
            opener.open(request)

    assert not isinstance(raised.value, Disallowed)
    assert len(proxy.heads) == 1


def test_ftp_is_judged() -> None:
    """Sites of FTP have robots.txt, too."""
    with verger.Client(USER_AGENT, overrides={"ftp://files.invalid": "disallow"}) as robots:
        opener = urllib.request.build_opener(RobotsHandler(robots))
        with pytest.raises(Disallowed):
            opener.open("ftp://files.invalid/a.txt")


def test_files_are_not_judged(robots: verger.Client, tmp_path: Path) -> None:
    """They have no robots.txt."""
    (tmp_path / "a.txt").write_text("a")
    opener = urllib.request.build_opener(RobotsHandler(robots))

    with opener.open((tmp_path / "a.txt").as_uri()) as answer:
        assert answer.read() == b"a"


@pytest.mark.parametrize("url", ["http://a..invalid/", "http://a b.invalid/", "http://h:99999/"])
def test_host_that_cannot_be_judged(robots: verger.Client, url: str) -> None:
    """Is not connected to."""
    opener = urllib.request.build_opener(RobotsHandler(robots))

    with pytest.raises(InvalidTarget) as raised:
        opener.open(url)

    assert isinstance(raised.value, URLError)
    assert raised.value.reason == raised.value.message
