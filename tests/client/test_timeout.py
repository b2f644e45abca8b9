"""How long a fetch may take: `timeout`, and which of two limits ended it.

In: a real site that says nothing. Out: what the client says of it, and how it waited.
"""

from collections.abc import Iterator

import pytest

import verger
from faults.stage import Peer, Stage
from patience import BRIEF, LONG
from verger.compat import reppy
from verger.compat.reppy import exceptions
from verger.fetching.limits import FetchLimits, idle_limits

BOT = "ExampleBot/1.0 (+https://example.com/bot)"


@pytest.fixture
def silent() -> Iterator[str]:
    """The origin of a site that takes every request, and never answers."""
    stage = Stage()

    async def listen(peer: Peer) -> None:
        await peer.request()
        await peer.linger()

    yield stage.run(stage.listen(listen))
    stage.close()


@pytest.mark.parametrize("seconds", [0.25, 7, 60, 3_600])
def test_a_silent_server_may_use_the_whole_time(seconds: float) -> None:
    """A longer time is not cut to the ten seconds that are the default without a byte."""
    for kind in (verger.Client, verger.AsyncClient):
        client = kind(BOT, timeout=seconds)
        limits = getattr(client, "_engine", client).limits

        assert FetchLimits(total=seconds, idle=seconds) == limits


def test_the_rest_of_the_limits_stays() -> None:
    """The bytes are those of `limits`, or of a transport; without a time, so are the times."""
    limits = FetchLimits(total=4, idle=3, body_bytes=600_000)

    timed = verger.AsyncClient(BOT, limits=limits, timeout=9)
    assert FetchLimits(total=9, idle=9, body_bytes=600_000) == timed.limits
    assert limits == verger.AsyncClient(BOT, limits=limits).limits


def test_which_limit_ended_it(silent: str) -> None:
    """The message names the limit, and how long it is."""
    ends = {
        f"no answer within {BRIEF:g} seconds in all (the limit of a fetch)": {"timeout": BRIEF},
        f"no data from the server within {BRIEF:g} seconds (the idle limit)": {
            "limits": FetchLimits(total=LONG, idle=BRIEF)
        },
    }
    for said, options in ends.items():
        with verger.Client(BOT, **options) as client:
            answer = client.decide(f"{silent}/")

            assert ("NETWORK_ERROR", "timeout") == (answer.reason, answer.result.failure)
            assert said == answer.result.detail


def test_one_fetch(silent: str) -> None:
    """`verger.fetch` takes the same option."""
    with pytest.raises(verger.UnreachableFile):
        verger.fetch(silent, user_agent=BOT, timeout=BRIEF)


@pytest.mark.parametrize("timeout", [0, -1, "3", (3, 5), float("nan")])
def test_no_time(timeout: object) -> None:
    """What is not a number of seconds is refused, by its name."""
    with pytest.raises(verger.InvalidOption, match="`timeout` is"):
        verger.Client(BOT, timeout=timeout)  # type: ignore[arg-type]


def test_drop_ins_wait_as_long_as_they_are_told(silent: str) -> None:
    """Their time-out is that of the client, or of a silent server: 30 seconds in all do not cut a
    longer one."""
    with pytest.raises(exceptions.ReadTimeout, match="the limit of a fetch"):
        reppy.Robots.fetch(f"{silent}/robots.txt", timeout=BRIEF)

    assert FetchLimits(total=60, idle=60) == idle_limits(60)
    assert FetchLimits(total=30, idle=5, body_bytes=600_000) == idle_limits(5, body_bytes=600_000)
