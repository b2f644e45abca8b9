"""What is niquests' own: it sends the name of its urllib3 where a session has none."""

import pytest

pytest.importorskip("niquests", reason="`make test-extractors` has it")

import niquests

import verger
from integrations.clients import USER_AGENT
from integrations.sites import Web
from patience import LONG
from verger.integrations.niquests import Disallowed, RobotsAdapter


def test_a_session_without_a_name(web: Web) -> None:
    """The guard asks for the name that is sent."""
    site = web.site(robots=b"User-agent: urllib3.future\nDisallow: /\n")
    with verger.Client(USER_AGENT) as robots, niquests.Session() as session:
        session.mount("http://", RobotsAdapter(robots))
        session.get(f"{site.origin}/a", headers={"User-Agent": None}, timeout=LONG)
        session.mount("http://", RobotsAdapter(robots, token="request"))
        with pytest.raises(Disallowed):
            session.get(f"{site.origin}/b", headers={"User-Agent": None}, timeout=LONG)

    assert b"user-agent: urllib3.future/" in site.heads[-1].lower()
    assert ["/a"] == site.paths
