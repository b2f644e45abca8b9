"""`/robots.txt` may always be requested, whatever closes its site, and whoever is asked.

In: the result of a fetch, in all eight dialects. Out: the same answer from the client, tables,
files under test and the drop-ins (RFC 9309 sections 2.2.2 and 2.3.1.4).
"""

from typing import Any

import pyarrow as pa
import pytest

import verger
from client.stage import BOT, PAGE, SITE, run, stage
from support import NAMES
from verger.access.entry import entry_after
from verger.access.result import AccessResult
from verger.bulk import Snapshot, decide_table
from verger.compat import robotparser, robotspy
from verger.expectations import Subject
from verger.testing import client

URL = f"{SITE}/robots.txt"
CLOSING: dict[str, dict[str, Any]] = {
    **{str(status): {"status": status} for status in (101, 206, 401, 403, 429, 500, 503)},
    **{failure: {"failure": failure} for failure in ("dns", "tls", "timeout", "broken-body")},
}
"""What closes a site in some dialects."""
FREE = (True, "ROBOTS_TXT_ITSELF", None)


def result(name: str) -> AccessResult:
    return AccessResult(URL, 0.0, **CLOSING[name])


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("name", CLOSING)
def test_every_surface(name: str, dialect: str) -> None:
    """Wherever the rest of the site may not be fetched, the file itself may."""
    subject = Subject.of_entry(entry_after(None, SITE, result(name)), name=URL)
    snapshot = Snapshot({SITE: result(name)}, dialect=dialect)

    page, itself = pa.table(decide_table(pa.table({"url": [PAGE, URL]}), snapshot, "a")).to_pylist()
    verdict = subject.verdict(("a",), URL, dialect)

    expected = (True, page["reason"], None) if page["allowed"] else FREE
    assert expected == (itself["allowed"], itself["reason"], itself["line"])
    assert expected == (verdict.allowed, verdict.reason, verdict.line)
    assert page["allowed"] == subject.verdict(("a",), PAGE, dialect).allowed


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("served", [403, 429, 503, "dns"])
def test_client(served: Any, dialect: str) -> None:
    """The client, in any spelling of the path that the dialect reads."""
    asked = client({SITE: served}, dialect=dialect)
    is_open = asked.allowed(PAGE)

    spelt = [URL, f"{SITE}/robots.txt#top"]
    if verger.DIALECTS[dialect].dot_segments == "remove":
        spelt.append(f"{SITE}/x/../robots.txt")

    for url in spelt:
        answer = asked.decide(url)
        assert asked.allowed(url)
        assert answer.reason == (answer.access.reason if is_open else "ROBOTS_TXT_ITSELF")
    others = ("/robots.txt.bak", "/Robots.txt", "/robots.txt/", "/a/robots.txt")
    assert [is_open] * 4 == [asked.allowed(SITE + path) for path in others]


def test_an_answer_says_why() -> None:
    """The decision is there, with its section; the policy still says what closes the site."""
    answer = run(stage(503).client.decide(URL))

    assert answer.section == "RFC 9309 section 2.2.2"
    assert answer.decision is not None
    assert (answer.line, answer.access.effect) == (None, "disallow_all")


@pytest.mark.parametrize("word", ["disallow", b"User-agent: *\nDisallow: /\n"])
def test_the_operators_own_decision(word: Any) -> None:
    """An override closes a site as a file does."""
    asked = stage(404, overrides={SITE: word}).client

    assert [True, False] == [run(asked.allowed(url)) for url in (URL, PAGE)]


def test_rules_decide_in_googles_parser() -> None:
    """Where there are rules, its dialect knows no exception."""
    asked = client({SITE: b"User-agent: *\nDisallow: /\n"}, dialect="googlebot-cpp")

    assert not asked.allowed(URL)


@pytest.mark.parametrize("module", [robotparser, robotspy])
def test_drop_ins(module: Any) -> None:
    """They answer so where they read as verger does; as the originals, they do not."""
    asked = client({SITE: 403}, dialect="koster-1996")
    for dialect, expected in ((robotparser.RFC9309, True), (module.LIBRARY, False)):
        parser = type("Parser", (module.RobotFileParser,), {"dialect": dialect})()
        parser.client = asked
        parser.set_url(URL)
        parser.read()

        assert [expected, False] == [parser.can_fetch(BOT, url) for url in (URL, PAGE)]
