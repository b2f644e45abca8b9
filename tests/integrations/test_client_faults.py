"""The fault table of the HTTP clients: after verger, no forbidden request is made."""

import pytest

import verger
from integrations.clients import DRIVERS, Driver, Options
from integrations.faults import FAULTS, PAGES, Site, played
from patience import limits


def forbidden_requests(driver: Driver, site: Site, robots: Options | None) -> int:
    """Ask a site for its pages; return how many requests came that were forbidden."""
    with driver.opened(robots, {}) as browser:
        for url in site.pages:
            try:
                assert browser.ask(url) == 200
            except verger.RobotsError:
                assert robots is not None
    return len(site.forbidden)


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda driver: driver.name)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_forbidden_request_is_made(driver: Driver, fault: str) -> None:
    """The client alone makes each of them; guarded, it makes none, and each other one."""
    with played(fault) as site:
        before = forbidden_requests(driver, site, None)

        assert len(site.fault.forbidden) == before
    with played(fault) as site:
        after = forbidden_requests(driver, site, {"limits": limits(fault)})

        assert after == 0
        assert [page for page in PAGES if page not in site.fault.forbidden] == site.fetched
