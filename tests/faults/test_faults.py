"""Every fault in every dialect, over real sockets: outcome, kind, failure, time.

The expectations are those of faults.toml.
"""

import asyncio
import re
from pathlib import Path

import pytest

import verger
from support import CHECKOUT
from verger.access.result import AccessResult
from verger.client import AsyncClient

from .asking import CRAWLER, LIMITS, Observed, observe, observe_blocking
from .servers import FAULTS, Stage
from .stage import RULES, Peer, redirect, response
from .table import CLOSED, OPEN, Fault, Seen, expected, read

pytestmark = pytest.mark.slow

FILE = Path(__file__).with_name("faults.toml")
TABLE = read(FILE)
BY_NAME = {fault.name: fault for fault in TABLE}
BLOCKING = (
    "refused",
    "reset-inside-headers",
    "closed-inside-body",
    "silence",
    "dripping-body",
    "dns-no-such-name",
    "status-200",
    "status-403",
    "status-429",
    "status-503",
    "http-0.9",
    "endless-headers",
    "gzip-bomb",
    "body-endless",
    "redirect-six",
    "redirect-private",
    "ftp-missing",
)


def wanted(request: pytest.FixtureRequest, test: str) -> list[Fault]:
    """Return the faults that this run asks one test about."""
    names = {
        item.callspec.params["fault"].name
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == test
    }
    return [fault for fault in TABLE if fault.name in names]


def check(fault: Fault, observed: Observed) -> None:
    """Compare what was seen in each dialect with the table."""
    table = {
        dialect: expected(fault, dialect, answer)
        for dialect, answer in observed.items()
        if isinstance(answer, Seen)
    }

    assert table == observed


@pytest.fixture(scope="module")
def observed(request: pytest.FixtureRequest, stage: Stage) -> dict[str, Observed]:
    """What was seen in all dialects."""
    return observe(wanted(request, "test_fault"), stage)


@pytest.mark.parametrize("fault", TABLE, ids=lambda fault: fault.name)
def test_fault(fault: Fault, observed: dict[str, Observed]) -> None:
    """A fault has the outcome of the table in each dialect, without an exception."""
    check(fault, observed[fault.name])


@pytest.mark.parametrize("name", BLOCKING)
def test_fault_by_synchronous_client(name: str, stage: Stage) -> None:
    """The synchronous client comes to the same."""
    fault = BY_NAME[name]

    observed = observe_blocking([fault], stage, dialects=["koster-1996", "rfc9309"])

    check(fault, observed[name])


def test_answer_names_the_line(stage: Stage) -> None:
    """An answer about a fetched file names the line of the rule."""
    origin = stage.scene("status-200").origin

    async def ask() -> list[int | None]:
        async with AsyncClient(CRAWLER, limits=LIMITS) as client:
            return [(await client.decide(origin + path)).line for path in (OPEN, CLOSED)]

    assert [None, 2] == asyncio.run(ask())


def test_redirect_binds_the_initial_origin(stage: Stage) -> None:
    """A file behind a redirect counts for the origin that was asked, not for where it lies."""

    async def other(peer: Peer) -> None:
        own = b"User-agent: *\nDisallow: /open\n"
        await peer.send(response(own if await peer.request() == "/robots.txt" else RULES))

    async def asked(peer: Peer) -> None:
        await peer.request()
        await peer.send(redirect(f"{target}/rules.txt"))

    async def ask() -> dict[str, list[bool]]:
        async with AsyncClient(CRAWLER, limits=LIMITS) as client:
            return {
                origin: [await client.allowed(origin + path) for path in (OPEN, CLOSED)]
                for origin in (initial, target)
            }

    target = stage.run(stage.listen(other))
    initial = stage.run(stage.listen(asked))

    assert {initial: [True, False], target: [False, True]} == asyncio.run(ask())


def test_disallowed_redirect_ends_the_chain(stage: Stage) -> None:
    """Where a disallowed URL ends the chain, the file is unavailable, and the result says why."""
    scene = stage.scene("redirect-disallowed")

    async def ask() -> AccessResult | None:
        async with AsyncClient(CRAWLER, limits=LIMITS, dialect="google") as client:
            await client.decide(f"{scene.known}{OPEN}")
            return (await client.decide(scene.origin + OPEN)).result

    result = asyncio.run(ask())

    assert result is not None
    assert ("unavailable", "redirect-disallowed") == (result.access, result.failure)


def test_every_fault_has_a_server() -> None:
    """The table and the servers name the same faults, each once."""
    names = [fault.name for fault in TABLE]

    assert sorted(set(names)) == sorted(names)
    assert set(FAULTS) == set(names)


def test_readme_has_their_number() -> None:
    """What the README says of the table is so."""
    text = (CHECKOUT / "README.md").read_text("utf-8")

    assert [str(len(TABLE))] == re.findall(r"(\d+) faults tested over real sockets", text)


def test_every_dialect_has_an_outcome() -> None:
    """No row of the table leaves a dialect out."""
    assert all(set(verger.DIALECTS) == set(fault.outcomes) for fault in TABLE)
