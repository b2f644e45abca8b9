"""The guard in urllib3: what its pool managers do that other clients do not."""

import warnings
from io import BytesIO

import pytest
import urllib3

import verger
from faults.stage import redirect, response
from integrations.sites import Web
from verger.client.identity import TokenNotSent
from verger.integrations.urllib3 import Disallowed, RobotsPoolManager, RobotsProxyManager

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
HEADERS = {"User-Agent": USER_AGENT}
CLOSED = b"User-agent: *\nDisallow: /closed\n"


def test_options_of_a_pool_manager(web: Web) -> None:
    """They are passed on, and retries send again only what may be sent."""
    pages = {"/busy": response(b"", status="503 Busy"), "/a": redirect("/closed")}
    site = web.site(pages, robots=CLOSED)
    retries = urllib3.Retry(2, status_forcelist=[503], raise_on_status=False)

    with (
        verger.Client(USER_AGENT) as robots,
        RobotsPoolManager(robots, 3, HEADERS, retries=retries, disallowed="answer") as pools,
    ):
        assert 503 == pools.request("GET", f"{site.origin}/busy").status
        assert 403 == pools.request("GET", f"{site.origin}/a").status
        assert 403 == pools.urlopen("GET", f"{site.origin}/closed").status

    assert ["/busy"] * 3 + ["/a"] == site.paths


def test_an_answer_that_is_streamed(web: Web) -> None:
    """It has an empty body, however it is read."""
    site = web.site(robots=CLOSED)

    with verger.Client(USER_AGENT) as robots:
        pools = RobotsPoolManager(robots, headers=HEADERS, disallowed="answer")
        answer = pools.request("GET", f"{site.origin}/closed", preload_content=False)
        assert (b"", []) == (answer.read(), list(answer.stream()))
        answer.release_conn()


def test_proxy(web: Web) -> None:
    """The site is judged, not the proxy, to which nothing is sent that is disallowed."""
    proxy = web.site()
    overrides = {"http://a.example": CLOSED, "https://a.example": CLOSED}

    with verger.Client(USER_AGENT, overrides=overrides) as robots:
        pools = RobotsProxyManager(robots, proxy.origin, headers=HEADERS)
        for url in ("http://a.example/closed", "https://a.example/closed"):
            with pytest.raises(Disallowed):
                pools.request("GET", url)
        assert [] == proxy.heads
        assert 200 == pools.request("GET", "http://a.example/open#closed").status

    (sent,) = [head.partition(b" HTTP")[0] for head in proxy.heads]
    assert b"GET http://a.example/open" == sent.partition(b"#")[0]  # 1.26 sends the fragment, too


def test_the_name_that_it_sends_by_itself(web: Web) -> None:
    """Is told like any other, and may be the one that counts."""
    site = web.site(robots=b"User-agent: python-urllib3\nDisallow: /\n")

    with verger.Client(USER_AGENT) as robots:
        with pytest.warns(TokenNotSent, match="`python-urllib3/"):
            assert 200 == RobotsPoolManager(robots).request("GET", f"{site.origin}/a").status
        with pytest.raises(Disallowed):
            RobotsPoolManager(robots, token="request").request("GET", f"{site.origin}/b")

    assert [True] == [b"ser-agent: python-urllib3/" in head.lower() for head in site.heads[1:]]


@pytest.mark.parametrize("headers", [{}, {"Accept": "*/*"}])
def test_headers_of_a_request_replace_those_of_the_manager(
    web: Web, headers: dict[str, str]
) -> None:
    """So urllib3 sends its own name, and not the manager's."""
    site = web.site(robots=b"User-agent: python-urllib3\nDisallow: /\n")

    with verger.Client(USER_AGENT) as robots:
        pools = RobotsPoolManager(robots, headers=HEADERS, token="request")
        assert 200 == pools.request("GET", f"{site.origin}/a").status
        with pytest.raises(Disallowed):
            pools.request("GET", f"{site.origin}/b", headers=headers)


def test_a_name_that_is_skipped(web: Web) -> None:
    """Is none, of which nothing is to be told."""
    site = web.site(robots=CLOSED)
    skipped = {"user-agent": urllib3.util.SKIP_HEADER}

    with verger.Client(USER_AGENT) as robots, warnings.catch_warnings():
        warnings.simplefilter("error", TokenNotSent)
        pools = RobotsPoolManager(robots)
        assert 200 == pools.request("GET", f"{site.origin}/a", headers=skipped).status

    assert b"user-agent" not in site.heads[-1].lower()


def test_a_body_is_not_read_for_nothing(web: Web) -> None:
    """What would have been sent with a disallowed request is left as it is."""
    site, body = web.site(robots=CLOSED), BytesIO(b"a=1")

    with verger.Client(USER_AGENT) as robots:
        pools = RobotsPoolManager(robots, headers=HEADERS)
        with pytest.raises(Disallowed):
            pools.request("POST", f"{site.origin}/closed", body=body)

    assert 0 == body.tell()
