"""Answers from private addresses stay where they were allowed.

In: a store that a crawler of intranets filled, or an earlier version, which kept no addresses. Out:
what a client that may ask public addresses only says after it, and what it leaves in the store.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from client.stage import FILE, HOUR, NOW, PAGE, SECRET, SITE, moved, run, stage
from memory_store import MemoryStore
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore
from verger.cache.store import Store
from verger.fetching.address_guard import AddressGuard
from verger.fetching.transport import HopFailed, Reply, Request

OPEN = b"User-agent: *\nDisallow:\n"
URL = f"{SITE}/robots.txt"
PUBLIC, PRIVATE = "93.184.215.14", "10.0.0.7"


class Network:
    """A transport with a guard: each host has an address, and something that answers there."""

    def __init__(self, address: str, answer: Any = FILE) -> None:
        self.addresses: Mapping[str, str] = {}
        self.address, self.answer = address, answer
        self.requests: list[Request] = []
        self.guard = AddressGuard()

    async def send(self, request: Request) -> Reply:
        host = request.url.split("/")[2]
        address = self.addresses.get(host, self.address)
        self.guard.permitted(request, host, [address or PUBLIC])
        self.requests.append(request)
        if isinstance(self.answer, HopFailed):
            raise self.answer
        if isinstance(self.answer, Reply) and host == "example.com":
            return replace(self.answer, address=address)
        body = FILE if isinstance(self.answer, Reply) else self.answer
        return Reply(200, [], body, address=address)

    async def close(self) -> None:
        """Do nothing."""


def result(body: bytes = OPEN, *, at: float = NOW - HOUR, **more: Any) -> AccessResult:
    return AccessResult(URL, at, **{"status": 200, "body": body, **more})


DOWN = {"status": None, "failure": "refused", "body": b""}
ENTRIES = {
    "private file": Entry(SITE, result()),
    "private absence": Entry(SITE, result(b"", status=404)),
    "private failure": Entry(SITE, result(at=NOW - 1, **DOWN), None, NOW - 1, 1),
    "private copy": Entry(SITE, result(at=NOW - 1, **DOWN), result(at=NOW - HOUR), NOW - 1, 1),
}


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "s.sqlite3")


def after(store: Store, *entries: Entry, **options: Any) -> tuple[Any, list[Request], Entry | None]:
    """Return the site that a client finds after entries, its requests, and what the store has."""
    network = options.pop("transport", None) or Network(PUBLIC)

    async def ask() -> Any:
        await store.save(entries)
        on = stage(web=network, store=store, **options)
        site = await on.client.site(PAGE)
        kept = (await store.load([SITE])).get(SITE)
        await on.client.close()
        return site, kept

    site, kept = asyncio.run(ask())
    return site, network.requests, kept


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_what_is_not_known_to_be_public(entry: Entry, store: Store) -> None:
    """It is as if it were not there: the file is fetched, without a condition, and kept. Others go
    by it without a request, as before."""
    alone, asked, kept = after(store, entry, public_only=True)

    assert (1, "fetched", FILE) == (len(asked), alone.source, alone.binding_body)
    assert not any(name.startswith("If-") for name in asked[0].headers)
    assert kept is not None
    assert kept.last.public
    assert kept.last.body == FILE
    assert [] == after(MemoryStore(), entry)[1]


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize(
    "network",
    [
        Network(PRIVATE, OPEN),
        Network(PUBLIC, HopFailed("timeout", "")),
        Network("", Reply(503, [])),
    ],
    ids=["refused", "failed", "proxy"],
)
def test_what_fails_replaces_nothing(network: Network, entry: Entry, store: Store) -> None:
    """Where such a client gets no file, the site is closed to it, whatever the others were told;
    and they keep that, with the claim on it released."""
    closed, _, kept = after(store, entry, public_only=True, transport=network)

    assert ("disallow_all", None) == (closed.access.effect, closed.binding_body)
    assert closed.entry is not None
    assert closed.entry.unreachable_for == 0
    assert entry == kept
    assert {SITE} == run_store(store.claim([SITE], holder="me", seconds=1))


def run_store(call: Any) -> Any:
    return asyncio.run(call)


def test_its_own_entries(store: Store) -> None:
    """What public addresses answered, and that none could be asked, outlives a process."""
    for answer in (FILE, Reply(404, []), HopFailed("dns", "no such name")):
        network = Network(PUBLIC, answer)
        first, asked, _ = after(store, public_only=True, transport=network)
        second, again, kept = after(store, public_only=True, transport=network)

        assert kept is not None
        assert kept.last.public
        assert (1, 1) == (len(asked), len(again)), "the second asks for nothing"
        assert ("cached", first.access) == (second.source, second.access)
        run_store(store.remove([SITE]))


def test_a_refusal_says_nothing_of_the_site(store: Store) -> None:
    """No request was sent: it is not stored, and who may ask that address asks."""
    network = Network(PRIVATE, OPEN)
    first, _, kept = after(store, public_only=True, transport=network)

    assert kept is None
    assert [] == network.requests
    assert ("disallow_all", "NETWORK_ERROR") == (first.access.effect, first.access.reason)

    second, _, kept = after(store, transport=network)

    assert kept is not None
    assert 1 == len(network.requests)
    assert "rules" == second.access.effect


@pytest.mark.parametrize(("age", "requests"), [(1, 0), (48, 1)])
def test_a_public_copy_behind_an_attempt_of_others(age: int, requests: int, store: Store) -> None:
    """An attempt that may have met a private address is not there, and what was public before it
    is: fresh, or asked for again, and used while that fails."""
    copy = result(FILE, at=NOW - age * HOUR, public=True)
    entry = Entry(SITE, result(at=NOW - 1, **DOWN), copy, NOW - 1, 1)
    network = Network(PUBLIC, HopFailed("timeout", ""))
    site, asked, kept = after(store, entry, public_only=True, transport=network)

    assert (requests, requests == 1) == (len(asked), site.access.copy)
    assert ("rules", FILE) == (site.access.effect, site.binding_body)
    assert entry == kept, "the attempt of the others stands"


def test_every_hop_counts(store: Store) -> None:
    """A file that a private address sent on to a public one came from both."""
    for inside, outside in ((PRIVATE, PUBLIC), (PUBLIC, "")):
        network = Network(outside, moved("https://elsewhere.example/robots.txt"))
        network.addresses = {"example.com": inside}
        _, _, kept = after(store, transport=network)

        assert kept is not None
        assert (FILE, False) == (kept.last.body, kept.last.public)
        run_store(store.remove([SITE]))
    network = Network(PUBLIC, moved("https://elsewhere.example/robots.txt"))
    assert after(store, transport=network)[2].last.public  # type: ignore[union-attr]


def test_a_renewed_copy_is_as_public_as_both(store: Store) -> None:
    """304 from a public address makes no file public that came from another."""
    for was, address, public in (
        (True, PUBLIC, True),
        (False, PUBLIC, False),
        (True, PRIVATE, False),
    ):
        old = result(FILE, at=NOW - 48 * HOUR, headers={"etag": '"1"'}, public=was)
        network = Network(address, Reply(304, []))
        site, asked, kept = after(store, Entry(SITE, old), transport=network)

        assert ("renewed", '"1"') == (site.source, asked[0].headers["If-None-Match"])
        assert kept is not None
        assert public == kept.last.public


def test_many_stored_files_at_once() -> None:
    """`load_stored` reads no more of them than a question does."""
    store = MemoryStore()
    run(store.save([Entry(SITE, result())]))
    on = stage(web=Network(PUBLIC), store=store, public_only=True)
    run(on.client.load_stored([SITE]))

    assert on.client.known(SITE) is None
    assert not run(on.client.allowed(SECRET))
