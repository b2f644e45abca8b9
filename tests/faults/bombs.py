"""Bombs, thrown by one process and caught by another that measures its own memory.

`python -m faults.bombs throw` prints 32 origins and serves until its input ends.
`python -m faults.bombs catch DIALECT` reads origins, asks about all of them at once, and
prints by how much its memory rose at its peak.
"""

import asyncio
import json
import sys
from pathlib import Path

from verger.client import AsyncClient
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.limits import FetchLimits

from .asking import CRAWLER, LIMITS as PATIENT

KINDS = (
    "gzip-bomb",
    "gzip-bomb-undeclared",
    "gzip-empty-members",
    "deflate-bomb",
    "brotli-bomb",
    "nuls",
    "body-100-mb",
    "body-endless",
    "body-endless-chunks",
    "endless-headers",
    "endless-header-line",
    "endless-status-line",
    "endless-chunk-extension",
    "endless-trailers",
    "interim-flood",
    "redirect-endless-body",
)
EACH = 2
LIMITS = FetchLimits(total=4.0, idle=2.0)
"""Some bombs never end, so that a time-out is as good as any other end."""


def throw() -> None:
    """Serve bombs."""
    from .servers import FAULTS, Stage, awaited

    stage = Stage()
    origins = {
        stage.run(awaited(FAULTS[kind], stage)).origin: kind for kind in KINDS for _ in range(EACH)
    }
    calm = stage.scene("status-200").origin
    print(json.dumps({"calm": calm, "bombs": origins}), flush=True)
    sys.stdin.read()
    stage.close()


def catch(dialect: str) -> None:
    """Ask about all bombs at once; print what came of each, and the rise of memory in bytes."""
    served = json.loads(sys.stdin.readline())
    rise, outcomes = asyncio.run(_caught(served, dialect))
    print(json.dumps({"rise": rise, "outcomes": outcomes}))


async def _caught(
    served: dict[str, dict[str, str]], dialect: str
) -> tuple[int, list[tuple[str, str]]]:
    async with AsyncClient(CRAWLER, dialect=dialect, limits=PATIENT) as client:
        await client.decide(f"{served['calm']}/page")  # all that is imported late is there now
    async with AsyncClient(
        CRAWLER, dialect=dialect, limits=LIMITS, transport=AiohttpTransport(limits=LIMITS)
    ) as client:
        before = memory("VmRSS")
        bombs = served["bombs"]
        answers = await asyncio.gather(*(client.decide(f"{origin}/page") for origin in bombs))
        peak = memory("VmHWM")
    effects = [answer.access.effect for answer in answers]
    return peak - before, list(zip(bombs.values(), effects, strict=True))


def memory(which: str) -> int:
    """Return the bytes that this process has in memory, now (VmRSS) or at most so far (VmHWM)."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(f"{which}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(which)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["throw"]:
            throw()
        case ["catch", dialect]:
            catch(dialect)
