"""Slots: when a host may be asked next, for a fleet that keeps one delay.

In: a URL, a crawler, and the caller's own least and most. Out: a turn that nobody else gets, from
the store that all workers and machines share, see `verger.client.Pacer`.
"""

from time import time

from aiohttp import web

from verger.access.times import timestamp
from verger.cache.store import Store
from verger.client import Pacer
from verger.serve.asking import read
from verger.serve.problems import Problem, about
from verger.serve.replies import reply
from verger.serve.sites import Sites

KNOWN = ("url", "agent", "dialect", "bindings", "least", "most", "retry_after", "longest")

SLOT_SCHEMA = "verger.slot/1"

DAY = 86_400.0


class Slots:
    """Leases turns.

    store:  what keeps them; None if there is none that all share.
    """

    def __init__(self, sites: Sites, store: Store | None) -> None:
        self._sites, self._store = sites, store

    async def lease(self, request: web.Request) -> web.Response:
        """When may this crawler request this URL? The turn is taken, unless it is too far away."""
        asked = await read(request, KNOWN)
        if self._store is None:
            raise Problem(503, "there is no store that keeps turns", hint="serve with `--cache`")
        [question, *others], url = asked.questions(), asked.one("url")
        if others:
            raise Problem(400, "one crawler at a time", field="agent")
        least, most = asked.number("least", 1.0, DAY), asked.number("most", 300.0, DAY)
        longest, after = asked.number("longest", DAY, DAY), asked.number("retry_after", 0.0, DAY)
        with about("url"):
            file, how = await self._sites.file_for(url, [question])
        [answer] = file.answers(url, [question])
        pacer = Pacer(
            default_delay=least,
            most_delay=max(least, most),
            store=self._store,
            crawler=question.crawler.lower(),
            least_delay=least,
        )
        told = {
            "schema": SLOT_SCHEMA,
            "url": url,
            "tokens": question.tokens,
            "allowed": answer.allowed,
            "reason": answer.reason,
            "delay": pacer.delay(answer.agent),
            "wait": None,
            "at": None,
            "taken": False,
        }
        if answer.allowed:
            wait = await pacer.lease(url, answer.agent, wait=after, longest=longest)
            told |= {"wait": wait, "at": timestamp(time() + wait), "taken": wait <= longest}
        return reply(request, [told], [], how)
