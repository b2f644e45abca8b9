"""The harness of the fault table counts what it says it counts."""

import urllib.error
import urllib.request

import pytest

from integrations.faults import CLOSED, FAULTS, OPEN, ROBOTS, played
from patience import LONG, patience


def ask(url: str, seconds: float = LONG) -> int:
    """Return the status of a URL as the standard library fetches it, redirects followed."""
    try:
        with urllib.request.urlopen(url, timeout=seconds) as answered:
            return int(answered.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


STATUSES = {
    "none": 200,
    "byte order mark": 200,
    "Latin-1": 200,
    "404": 404,
    "403": 403,
    "500": 500,
    "503": 503,
    "429": 429,
    "time-out": 0,
    "DNS failure": 0,
    "redirect loop": 302,
    "redirect to a private network": 200,
    "200 with HTML": 200,
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_played(name: str) -> None:
    """A client without manners meets the fault, and each forbidden request is counted."""
    with played(name) as site:
        status = ask(site.origin + ROBOTS, patience(name))
        pages = [ask(url) for url in site.pages]

        assert STATUSES[name] == status
        assert [200, 200] == pages
        assert [OPEN, CLOSED] == site.fetched
        trapped = ["//127.0.0.2"] if "private" in name else []
        assert [*site.fault.forbidden, *trapped] == site.forbidden
