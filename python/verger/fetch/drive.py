"""The driver: runs a plan over a transport, within a total time.

In: a plan, a `Transport`. Out: an `AccessResult`, whatever happens. Decides nothing.
"""

import asyncio
import logging

from verger.access.result import AccessResult
from verger.fetch.deadline import within
from verger.fetch.plan import Plan
from verger.fetch.transport import HopFailed, Reply, Request, Transport

LOG = logging.getLogger("verger.fetch")


async def fetched(course: Plan, transport: Transport, *, total: float) -> AccessResult:
    """Return what came of a fetch that may take `total` seconds with all its redirects.

    Raises nothing but CancelledError, which abandons the fetch.
    """
    step: Reply | HopFailed | None = None
    try:
        with within(total):
            while True:
                request = next(course) if step is None else course.send(step)
                step = await _sent(request, transport)
    except StopIteration as end:
        return _result_of(end)
    except TimeoutError:
        return _ended(course, HopFailed("timeout", f"no answer within {total:g} seconds in all"))


async def _sent(request: Request, transport: Transport) -> Reply | HopFailed:
    try:
        reply: object = await transport.send(request)
    except HopFailed as failed:
        return failed
    except TimeoutError:  # not that of `fetched`, which arrives here as CancelledError
        return HopFailed("timeout", "the transport waited too long")
    except asyncio.CancelledError:
        if is_being_cancelled():
            raise
        return HopFailed("reset", "the transport gave the request up")
    except Exception as error:  # a transport of somebody else's: its mistakes open no site
        LOG.exception("the transport failed on %s", request.url)
        return HopFailed("invalid-response", f"the transport failed: {type(error).__name__}")
    if isinstance(reply, Reply):
        return reply
    LOG.error("the transport returned `%r` on %s", reply, request.url)
    return HopFailed("invalid-response", "the transport returned no `Reply`")


def is_being_cancelled() -> bool:
    """Whether the running task was told to end; a CancelledError may also be somebody's mistake."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _ended(course: Plan, failed: HopFailed) -> AccessResult:
    try:
        course.send(failed)
    except StopIteration as end:
        return _result_of(end)
    raise AssertionError("a plan goes on behind a failed hop")


def _result_of(end: StopIteration) -> AccessResult:
    result: AccessResult = end.value
    return result
