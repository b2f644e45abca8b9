"""datatrove's reader of media, the real one, over real sockets."""

import pickle

import pytest

pytest.importorskip("datatrove", reason="`make test-extractors` has datatrove")

from datatrove.data import Document, Media, MediaType
from datatrove.pipeline.media.readers.http_fetch import HTTPFetchReader

import verger
from faults.stage import redirect
from integrations.faults import FAULTS, PAGES, played
from integrations.sites import Web
from patience import LONG, limits
from verger.integrations.datatrove import RobotsFetchReader

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
FAST = {"retry_delay": 0, "max_retries": 1, "timeout": (LONG, LONG), "workers": 2}


def fetched(reader: HTTPFetchReader, urls: list[str]) -> list[Media]:
    """Run a reader over one document whose media have these URLs."""
    media = [Media(id=url, type=MediaType.IMAGE, url=url) for url in urls]
    (document,) = reader.run([Document(text="", id="1", media=media)])
    found: list[Media] = document.media
    return found


def reasons(media: list[Media]) -> list[str | None]:
    return [(each.metadata or {}).get("fetch_response", {}).get("reason") for each in media]


ALONE = {
    "none": 0,
    "503": 0,
    "429": 2,
    "DNS failure": 2,
    "redirect loop": 0,
    "redirect to a private network": 3,
    "200 with HTML": 0,
}
"""How many forbidden requests datatrove alone makes; in a time-out it would wait for ever, for the
standard library's reader has none."""


def test_alone() -> None:
    """What it does without verger: any exception means that all may be fetched."""
    made = {}
    for name in ALONE:
        with played(name) as site:
            fetched(HTTPFetchReader(custom_agent=USER_AGENT, **FAST), site.pages)
            made[name] = len(set(site.forbidden))

    assert ALONE == made


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    """No forbidden request is made, and each other one."""
    with played(name) as site:
        reader = RobotsFetchReader(USER_AGENT, client={"limits": limits(name)}, **FAST)
        media = fetched(reader, site.pages)

        assert [] == site.forbidden
        is_closed = [page in site.fault.forbidden for page in PAGES]
        wanted = ["robots_txt_disallowed" if closed else None for closed in is_closed]
        assert wanted == reasons(media)
        assert len(site.fetched) == is_closed.count(False)


def test_one_file_for_many_urls(web: Web) -> None:
    """robots.txt is fetched once, and not once for each URL."""
    site = web.site()
    urls = [f"{site.origin}/{number}" for number in range(6)]

    fetched(RobotsFetchReader(USER_AGENT, **FAST), urls)

    assert site.asked_for_robots == 1
    assert sorted(site.paths) == [f"/{number}" for number in range(6)]


def test_redirects_are_judged(web: Web) -> None:
    """The session that sends is guarded; the reason has the line."""
    site = web.site({"/open": redirect("/closed")})

    (media,) = fetched(RobotsFetchReader(USER_AGENT, **FAST), [f"{site.origin}/open"])

    (reason,) = reasons([media])
    assert ["/open"] == site.paths
    assert f"`{site.origin}/closed` is disallowed by line 2" in str(reason)


def test_it_goes_to_other_processes(web: Web) -> None:
    """A step is pickled before it runs, also one that has run."""
    site = web.site()
    reader = RobotsFetchReader(USER_AGENT, **FAST)
    assert reader.check_robots_txt(f"{site.origin}/open")

    copy = pickle.loads(pickle.dumps(reader))

    assert copy.check_robots_txt(f"{site.origin}/open")
    assert not copy.check_robots_txt(f"{site.origin}/closed")
    assert not copy.check_robots_txt("no URL")


def test_mistakes_are_told_at_once() -> None:
    """Not in another process, where each URL would fail."""
    with pytest.raises(verger.InvalidProductToken):
        RobotsFetchReader("(nobody)")
