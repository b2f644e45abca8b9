"""Programs that fetch robots.txt themselves, and judge it by `verger.site_of`: what is requested
although robots.txt, or the access policy, forbids it."""

from urllib.robotparser import RobotFileParser

import pytest
import requests

import verger
from client.fetching_by_hand import AGENT, CALLERS, SENT
from integrations.faults import FAULTS, Site, played
from patience import limits, patience
from verger.fetching.requests_session import SessionTransport


def by_the_library(site: Site) -> None:
    """Crawl as many programs do: what is not a file is permission."""
    rules = RobotFileParser()
    try:
        got = requests.get(
            f"{site.origin}/robots.txt", headers=SENT, timeout=patience(site.fault.name)
        )
        rules.parse(got.text.splitlines() if got.status_code == 200 else [])
    except requests.RequestException:
        rules.parse([])
    crawl(site, [page for page in site.pages if rules.can_fetch(AGENT, page)])


def crawl(site: Site, pages: list[str]) -> None:
    for page in pages:
        requests.get(page, headers=SENT, timeout=patience(""))
    assert len(site.fetched) == len(pages)


ALONE = {
    "none": 0,
    "503": 2,
    "429": 2,
    "time-out": 2,
    "DNS failure": 2,
    "redirect loop": 0,
    "redirect to a private network": 3,
    "200 with HTML": 0,
}
"""How many forbidden requests the crawl makes without verger; the guide shows them."""


def test_alone() -> None:
    made = {}
    for name in ALONE:
        with played(name) as site:
            by_the_library(site)
            made[name] = len(site.forbidden)

    assert made == ALONE


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_forbidden_page_is_requested(fault: str, caller: str) -> None:
    """Only a private address is asked, by the caller's own client, before verger can say no."""
    with played(fault) as site:
        url = f"{site.origin}/robots.txt"
        judged = verger.site_of(url, user_agent=AGENT, **CALLERS[caller](url, patience(fault)))
        crawl(site, [page for page in site.pages if judged.allowed(page)])

        assert all(visited.startswith("//") for visited in site.forbidden)


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_forbidden_is_requested_through_a_session(fault: str) -> None:
    """The transport does not follow a redirect to a private address."""
    with played(fault) as site, requests.Session() as session:
        transport = SessionTransport(session, limits=limits(fault))
        with verger.Client(AGENT, transport=transport) as robots:
            crawl(site, [page for page in site.pages if robots.allowed(page)])

        assert not site.forbidden
