"""Events: what a client did and why, told to whoever wants to hear it."""

import logging

import pytest

from client.stage import DAY, FILE, PAGE, SECRET, SITE, Web, found, moved, run, stage
from verger.client import AsyncClient, Event
from verger.fetching.transport import Reply, Request


def test_fetched() -> None:
    """A fetch is told with its result, a failed one with the reason in words."""
    on = stage(web=Web({SITE: moved("https://a.example/x"), "https://a.example/x": "dns"}))
    run(on.client.allowed(PAGE))
    (event,) = on.events

    assert (event.kind, event.origin, event.detail) == ("fetched", SITE, "the test says `dns`")
    assert event.result is not None
    assert event.result.failure == "dns"
    assert event.result.redirects == ("https://a.example/x",)


def test_answers_from_memory_are_no_events() -> None:
    """What costs nothing is not told."""
    on = stage()

    async def ask() -> None:
        for _ in range(10):
            await on.client.allowed(PAGE)
        on.clock.now += 2 * DAY
        await on.client.allowed(PAGE)

    run(ask())

    assert on.told == [("fetched", SITE)] * 2


def test_renewed_only_by_304() -> None:
    """The same bytes sent anew are a fetch; a 304 renews."""

    def serve(request: Request) -> Reply:
        return Reply(304, []) if "If-None-Match" in request.headers else found(FILE, ETag='"1"')

    on = stage(serve)
    plain = stage(found(FILE))

    for each in (on, plain):
        run(each.client.allowed(PAGE))
        each.clock.now += 2 * DAY
        run(each.client.allowed(PAGE))

    assert ["fetched", "renewed"] == [kind for kind, _ in on.told]
    assert ["fetched", "fetched"] == [kind for kind, _ in plain.told]


def test_a_failed_fetch_renews_no_empty_copy() -> None:
    """A copy without a byte is not confirmed by replies without a body."""
    on = stage(b"")

    for served in (b"", 503, 404):
        on.web.sites[SITE] = served
        run(on.client.refresh(PAGE))

    assert [("fetched", 200), ("fetched", 503), ("fetched", 404)] == [
        (event.kind, event.result and event.result.status) for event in on.events
    ]


@pytest.mark.parametrize("error", [ValueError("mine"), KeyError(), AssertionError()], ids=repr)
def test_hook_that_raises(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """What a hook does wrong is logged with its trace, and changes no answer."""

    def hook(_: Event) -> None:
        raise error

    on = stage(on_event=hook)
    with caplog.at_level(logging.ERROR):
        assert not run(on.client.allowed(SECRET))

    (record,) = caplog.records
    assert record.message == "the event hook failed"
    assert record.exc_info is not None
    assert record.exc_info[1] is error


def test_no_hook() -> None:
    """Nobody has to listen."""
    web = Web({SITE: FILE})
    client = AsyncClient("ExampleBot/1.0", transport=web)

    assert not run(client.allowed(SECRET))
