"""Feeds: valid Atom, complete at any time, an entry for each piece of news."""

from pathlib import Path

import pytest
from lxml import etree  # type: ignore[import-untyped]

from verger.watch.feeds import ATOM, name_of
from verger.watch.watcher import Targets

from .player import Played
from .watching import FILE, OTHER, PAGE, news_of

SCHEMA = etree.RelaxNG(etree.parse(Path(__file__).with_name("atom.rng")))
HOSTILE = b"User-agent: *\nDisallow: /\x01<b>&amp;]]>\xff\xe2\x80\xae\n"


def test_feeds_are_valid(tmp_path: Path) -> None:
    """One for each site, also before there is news of it, and one for all."""
    hosts: dict[str, list[Played]] = {
        "a.example": [*[FILE] * 4, *[OTHER] * 4, *[FILE] * 4],
        "b.example": [FILE],
        "c.example": [FILE, PAGE, HOSTILE, 404],
    }
    targets = Targets(feed=str(tmp_path / "feeds"))
    news = news_of(hosts, tmp_path / "a.db", targets=targets)
    feeds = {path.name: etree.parse(path) for path in (tmp_path / "feeds").iterdir()}

    assert {"all.atom", *(name_of(f"http://{host}") for host in hosts)} == {*feeds}
    for feed in feeds.values():
        SCHEMA.assertValid(feed)
    entries = feeds["all.atom"].getroot().findall(f"{{{ATOM}}}entry")
    ids = [entry.findtext(f"{{{ATOM}}}id") for entry in entries]
    assert [f"urn:uuid:{each['id']}" for each in news[::-1]] == ids
    assert len(set(ids)) == len(ids) == 5
    own = feeds["http_a.example.atom"].getroot()
    assert len(own.findall(f"{{{ATOM}}}entry")) == 2


@pytest.mark.parametrize("broken", ["<feed/>", f"<feed xmlns='{ATOM}'><title>a</title></feed>"])
def test_the_schema_refuses_what_is_none(broken: str) -> None:
    """It is a check that can fail."""
    assert not SCHEMA.validate(etree.fromstring(broken))


def test_a_feed_that_was_lost_with_the_process_is_written_by_the_next(tmp_path: Path) -> None:
    """News that were stored, and told to nobody, are told at the next start."""
    path, targets = tmp_path / "a.db", Targets(feed=str(tmp_path / "feeds"))
    news_of({"a.example": [FILE]}, path, targets=targets)
    news_of({"a.example": [OTHER]}, path)  # a process without feeds stands for one that was killed
    news_of({"b.example": [FILE]}, path, targets=targets)

    text = (tmp_path / "feeds" / "http_a.example.atom").read_text()
    assert text.count("<entry>") == 1


def test_feeds_of_sites_that_are_known_are_there_at_once(tmp_path: Path) -> None:
    """Whoever asks for feeds later waits for no news; a feed that is there stays as it is."""
    path, feeds = tmp_path / "a.db", tmp_path / "feeds"
    news_of({"a.example": [FILE]}, path)
    assert [] == news_of({"a.example": [FILE]}, path, targets=Targets(feed=str(feeds)))
    assert {"all.atom", "http_a.example.atom"} == {each.name for each in feeds.iterdir()}

    (feeds / "http_a.example.atom").write_text("kept")
    news_of({"a.example": [FILE]}, path, targets=Targets(feed=str(feeds)))
    assert (feeds / "http_a.example.atom").read_text() == "kept"
