"""The driver: runs a plan over a transport, within a total time.

In: a plan, a `Transport`. Out: an `AccessResult`, whatever the network and the server do. Bugs of
the transport itself are not a site's answer, and are raised. Decides nothing.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from verger.access.result import AccessResult
from verger.fetching.plan import MayFollow, Plan, Step
from verger.fetching.transport import HopFailed, Reply, Request, Transport

LOG = logging.getLogger("verger.fetching")


async def run_plan(
    course: Plan,
    transport: Transport,
    *,
    total: float,
    may_follow: Callable[[MayFollow], Awaitable[bool]] | None = None,
) -> AccessResult:
    """Return the result of a fetch that may take `total` seconds with all its redirects.

    may_follow:  answers whether the crawler may fetch the URL that a redirect leads to, in dialects
                 that ask this; None for every URL.
    Raises CancelledError, which ends the fetch, and any exception that is a bug of the transport.
    """
    wanted = advance(course, None)
    try:
        async with asyncio.timeout(total):
            while not isinstance(wanted, AccessResult):
                if isinstance(wanted, MayFollow):
                    wanted = advance(course, may_follow is None or await may_follow(wanted))
                else:
                    wanted = advance(course, await _send(wanted, transport))
    except TimeoutError:
        said = f"no answer within {total:g} seconds in all (the limit of a fetch)"
        wanted = advance(course, HopFailed("timeout", said))
    assert isinstance(wanted, AccessResult), "a plan ends after a failed hop"
    return wanted


def advance(course: Plan, step: Reply | HopFailed | bool | None) -> "Step | AccessResult":
    """Return what a plan wants after a step, None to begin with; or its result at its end."""
    try:
        return next(course) if step is None else course.send(step)
    except StopIteration as end:
        result: AccessResult = end.value
        return result


async def _send(request: Request, transport: Transport) -> Reply | HopFailed:
    try:
        reply: object = await transport.send(request)
    except HopFailed as failed:
        return failed
    except TimeoutError:  # not that of `run_plan`, which arrives here as CancelledError
        return HopFailed("timeout", "the transport waited too long")
    except asyncio.CancelledError:
        if is_being_cancelled():
            raise
        return HopFailed("reset", "the transport gave up the request")
    except (OSError, EOFError) as error:  # network errors that the transport did not translate
        LOG.exception("the transport failed on %s", request.url)
        return HopFailed("invalid-response", f"the transport failed: {type(error).__name__}")
    if not isinstance(reply, Reply):
        raise TypeError(f"the transport returned `{reply!r:.60}`, which is not a `Reply`")
    return reply


def is_being_cancelled() -> bool:
    """Whether the running task is being cancelled; a CancelledError may also come from a bug."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
