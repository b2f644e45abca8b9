"""`ClientRules` in programs that call every method of the standard library's `RobotFileParser`."""

import pytest

from verger.integrations.trafilatura import ClientRules
from verger.testing import Served, client

SITES: dict[str, Served] = {
    "https://example.com": b"User-agent: *\nDisallow: /private\nRequest-rate: 3/30\nSitemap: https://example.com/s.xml\n",
    "https://down.example": 503,
    "https://none.example": 404,
}


@pytest.mark.parametrize(
    ("site", "closed", "opened"),
    [("example.com", False, False), ("down.example", True, False), ("none.example", False, True)],
)
def test_read_asks_the_client(site: str, closed: bool, opened: bool) -> None:
    """It opens no connection of its own; fundus then skips a site by `disallow_all`."""
    with client(SITES) as robots:
        rules = ClientRules(robots, f"https://{site}/")
        rules.read()

        assert (rules.disallow_all, rules.allow_all) == (closed, opened)


def test_every_answer_is_of_the_file() -> None:
    """The methods that nobody replaces would answer as for an empty file."""
    with client(SITES) as robots:
        rules = ClientRules(robots, "https://example.com/a")

        assert rules.site_maps() == ["https://example.com/s.xml"]
        assert rules.request_rate("*") == (3, 30)
        none = ClientRules(robots, "https://none.example/")
        assert (none.site_maps(), none.request_rate("*"), none.crawl_delay("*")) == (None,) * 3
