"""What the tests of every client have: sites on loopback, and the times that turns were given."""

from collections.abc import Iterator

import pytest

import verger
from integrations.sites import Web, web_of_sites
from verger._core import Agent

TICK = 0.05
"""Seconds by which a sleep may end too early, by another clock than that of the turns."""


@pytest.fixture
def web() -> Iterator[Web]:
    """Open sites for one test."""
    with web_of_sites() as sites:
        yield sites


@pytest.fixture
def reserved(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times that pacers reserve, in their order: those before which nothing may be sent."""
    times: list[float] = []
    reserve = verger.Pacer.reserve

    def noted(pacer: verger.Pacer, url: str, agent: Agent | None, *, now: float) -> float:
        times.append(reserve(pacer, url, agent, now=now))
        return times[-1]

    monkeypatch.setattr(verger.Pacer, "reserve", noted)
    return times
