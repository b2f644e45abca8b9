"""What Crawlee's own tests of robots.txt ask for, as a plugin of pytest: a site, and clients.

Used by test_crawlee.py with a checkout of Crawlee; its tests then import verger's class in the
place of Crawlee's.
"""

from collections.abc import AsyncIterator, Iterator

import crawlee._utils.robots as robots
import pytest
from crawlee.http_clients import HttpClient, HttpxHttpClient, ImpitHttpClient
from yarl import URL

from faults.stage import Peer, Stage, response
from verger.integrations.crawlee import VergerRobotsTxtFile

robots.RobotsTxtFile = VergerRobotsTxtFile  # type: ignore[misc]

FILE = b"""\
User-agent: *
Disallow: *deny_all/
Crawl-delay: 10

User-agent: Googlebot
Disallow: *deny_googlebot/

Sitemap: http://not-exists.com/sitemap_1.xml
Sitemap: http://not-exists.com/sitemap_2.xml
"""


@pytest.fixture
def server_url() -> Iterator[URL]:
    """The root of a site with `FILE`."""
    stage = Stage()

    async def site(peer: Peer) -> None:
        path = await peer.request()
        _, asked, status = path.rpartition("/status/")
        found = response(FILE) if path == "/robots.txt" else response(b"", status="404 Not Found")
        await peer.send(response(b"", status=f"{status} As Asked") if asked else found)

    yield URL(stage.run(stage.listen(site)))
    stage.close()


@pytest.fixture(params=[HttpxHttpClient, ImpitHttpClient])
async def http_client(request: pytest.FixtureRequest) -> AsyncIterator[HttpClient]:
    """Each of Crawlee's clients that is installed."""
    async with request.param() as client:
        yield client
