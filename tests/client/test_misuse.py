"""What callers get wrong is an error that says what and what now, before anything is fetched."""

import asyncio
import math
from collections.abc import Callable

import pytest

import verger
from verger.testing import MemoryTransport

BOT = "ExampleBot/1.0 (+https://example.com/bot)"


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: verger.FetchLimits(total=0),
        lambda: verger.FetchLimits(total=-1),
        lambda: verger.FetchLimits(idle=math.nan),
        lambda: verger.FetchLimits(total="3"),  # type: ignore[arg-type]
        lambda: verger.FetchLimits(body_octets=-1),
        lambda: verger.Pacer(default_delay=-1),
        lambda: verger.Pacer(default_delay=math.nan),
        lambda: verger.Pacer(most_delay=math.inf),
        lambda: verger.Pacer(most_origins=0),
        lambda: verger.Pacer().reserve("https://example.com/", None, now=math.nan),
        lambda: verger.Pacer().next_at("https://example.com/", None, now=math.inf),
        lambda: verger.Client(BOT, store=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, transport=5),  # type: ignore[arg-type]
        lambda: verger.Client(BOT, connect_to="::127.0.0.1:80"),
        lambda: verger.Client(BOT, private="10.0.0.0/8"),
    ],
)
def test_misuse(misuse: Callable[[], object]) -> None:
    """The error has a hint."""
    with pytest.raises(verger.RobotsError) as caught:
        misuse()

    assert caught.value.hint


def test_prefetch_of_one_text() -> None:
    """A text is no list of URLs."""

    async def steps() -> None:
        async with verger.AsyncClient(BOT, transport=MemoryTransport({})) as client:
            await client.prefetch("https://example.com/")

    with pytest.raises(verger.RobotsError, match="`urls` is one text"):
        asyncio.run(steps())
