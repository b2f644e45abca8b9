"""The fault table of the frameworks: what they fetch though they may not, alone and with verger.

A crawl is a process of a real framework. The guides of the frameworks show the same numbers.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from patience import LONG, SILENT
from support import CHECKOUT

from .crawls import CRAWLS
from .faults import FAULTS, PAGES, Site, played

pytestmark = pytest.mark.slow

for package in ("scrapy", "crawlee", "crawl4ai"):
    pytest.importorskip(
        package, reason=f"{package} is not here: `make test-integrations` brings it"
    )

FORBIDDEN = {
    #                                 Scrapy, Crawlee, Crawl4AI
    "none": (0, 0, 0),
    "byte order mark": (0, 1, 1),
    "Latin-1": (0, 1, 1),
    "404": (0, 0, 0),
    "403": (0, 0, 0),
    "500": (2, 0, 2),
    "503": (2, 0, 2),
    "429": (2, 2, 2),
    "time-out": (2, 2, 2),
    "DNS failure": (2, 2, 2),
    "redirect loop": (0, 0, 0),
    "redirect to a private network": (3, 3, 3),
    "200 with HTML": (0, 0, 0),
}
"""How many forbidden requests each framework sends by itself, for two pages."""


def crawl(framework: str, way: str, site: Site) -> dict[str, Any]:
    """Crawl the pages of a site in a process; return what the framework says."""
    paths = (str(CHECKOUT / "python"), str(CHECKOUT / "tests"))
    words = [framework, way, site.fault.name, *site.pages]
    done = subprocess.run(
        [sys.executable, "-m", "integrations.crawls", *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=True,
    )
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("framework", CRAWLS)
def test_before(framework: str, name: str) -> None:
    """By itself a framework sends this many forbidden requests: the table is right."""
    with played(name) as site:
        crawl(framework, "own", site)

        assert FORBIDDEN[name][list(CRAWLS).index(framework)] == len(site.forbidden)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("framework", CRAWLS)
def test_after(framework: str, name: str) -> None:
    """With verger it sends none, asks once for the file, and fetches what is left open."""
    with played(name) as site:
        crawl(framework, "verger", site)

        assert [] == site.forbidden
        wanted = [page for page in PAGES if page not in site.fault.forbidden]
        assert sorted(wanted) == sorted(site.fetched)
        # On a busy machine, a limit that is to run out may do so before anything is sent.
        assert site.asked_for_robots in ((0, 1) if name in SILENT else (1,))
