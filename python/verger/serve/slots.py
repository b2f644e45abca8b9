"""Slots: when a host may be asked next, for a fleet that keeps one delay.

In: a URL, a crawler, and the caller's own least and most. Out: a turn that nobody else gets, from
the store that all workers and machines share, see `verger.client.Pacer`.
"""

from time import time

from aiohttp import web

from verger.access.times import timestamp
from verger.cache.store import Store
from verger.client import Pacer
from verger.serve.asking import file_of, questions_of, read
from verger.serve.problems import about, expect
from verger.serve.replies import reply
from verger.serve.routes import Route, terms_of
from verger.serve.sites import Sites

SLOT_SCHEMA = "verger.slot/1"

SLOTS = Route(
    "When may this crawler request this URL? The turn is taken, and nobody else gets it.",
    "slot-1",
    ("url", "agent", "dialect", "bindings", "least", "most", "longest", "retry_after"),
    "slots",
)


class Slots:
    """Leases turns.

    store:  what keeps them; None if there is none that all share.
    """

    def __init__(self, sites: Sites, store: Store | None) -> None:
        self._sites, self._store = sites, store

    async def lease(self, request: web.Request) -> web.Response:
        """Take a turn, unless the URL is disallowed or the turn is too far away."""
        asked = await read(request, SLOTS.parameters)
        for name in ("agent", "dialect"):
            expect(len(asked[name]) < 2, 400, "one crawler at a time, in one dialect", name)
        store, [question] = self._store, questions_of(asked)
        url, least, longest = str(file_of(asked, "url")), asked["least"], asked["longest"]
        expect(store, 503, "there is no store that keeps turns", None, "serve with `--cache`")
        with about("url"):
            file, how = await self._sites.file_for(url, [question], terms_of(request))
        [answer] = file.answers(url, [question])
        pacer = Pacer(
            default_delay=least,
            least_delay=least,
            most_delay=max(least, asked["most"]),
            store=store,
            crawler=question.crawler.lower(),
        )
        wait, after = None, asked["retry_after"]
        if answer.allowed:
            wait = await pacer.lease(url, answer.agent, wait=after, longest=longest)
        elif after:  # which all others wait for
            await pacer.lease(url, answer.agent, wait=after, longest=0.0)
        told = {
            "schema": SLOT_SCHEMA,
            "url": url,
            "tokens": question.tokens,
            "allowed": answer.allowed,
            "reason": answer.reason,
            "delay": pacer.delay(answer.agent),
            "taken": wait is not None and wait <= longest,
            "wait": wait,
            "at": None if wait is None else timestamp(time() + wait),
        }
        response = reply(request, [told], [], how)
        response.headers["Cache-Control"] = "no-store"  # a turn is taken once
        return response
