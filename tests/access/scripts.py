"""Fetches by script: a plan that is sent replies from a list, without a socket.

In: replies in order. Out: the `AccessResult`, and the requests that were made. No test lives here.
"""

from collections.abc import Sequence
from typing import NamedTuple

import verger
from access.results import FILE, NOW
from verger.access.result import AccessResult
from verger.fetching.plan import Asking, MayFollow, plan
from verger.fetching.transport import HopFailed, Reply, Request

SITE = "https://example.com"
PLAIN = ("Content-Type", "text/plain")
CLOSED_URL = "https://other.example/closed"


class Fetch(NamedTuple):
    """What came of a plan, and what it asked for."""

    result: AccessResult
    requests: list[Request]


def fetch(
    dialect: verger.Dialect,
    replies: Sequence[Reply | HopFailed],
    *,
    copy: AccessResult | None = None,
    site: str = SITE,
) -> Fetch:
    """Drive a plan to its end; every reply must be asked for, and none may be missing.

    One URL is closed to the crawler: `CLOSED_URL`.
    """
    course = plan(site, Asking(dialect, {}, lambda: NOW), copy=copy)
    requests: list[Request] = []
    left = list(replies)
    try:
        step = next(course)
        while True:
            if isinstance(step, MayFollow):
                step = course.send(step.url != CLOSED_URL)
            else:
                requests.append(step)
                assert left, "the plan goes on behind the last reply"
                step = course.send(left.pop(0))
    except StopIteration as end:
        assert not left, "the plan ends before the last reply"
        return Fetch(end.value, requests)


def found(body: bytes = FILE, *, status: int = 200, **more: str) -> Reply:
    """Return a response; `more` are header fields, `_` for `-` in their names."""
    fields = [(name.replace("_", "-"), value) for name, value in more.items()]
    return Reply(status, fields or [PLAIN], body)


def redirect(target: str, *, status: int = 301) -> Reply:
    return Reply(status, [("Location", target)])


def redirects(hops: int, *, through: str | None = None) -> list[Reply]:
    """Return a chain of redirects to other authorities, the first of them to `through`."""
    targets = [f"https://{hop}.example/robots.txt" for hop in range(hops)]
    return [redirect(target) for target in ([through, *targets[1:]] if through else targets)]
