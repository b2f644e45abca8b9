"""Thousands of tasks that ask about one new origin at the same time: one of them fetches.

In: a port of `tools/player.py`. Out: on stdout, as JSON, the seconds until all had their answer.
Whoever started this looks at the player's count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time

import verger
from benchmarks.load.library import USER_AGENT

TASKS = 10_000


async def ask_at_once(port: int, cache: str) -> dict[str, float]:
    """Ask, each task for a URL of its own."""
    client = verger.AsyncClient(USER_AGENT, store=cache, connect_to=[f"::127.0.0.1:{port}"])
    async with client:
        start = time.perf_counter()
        urls = (f"http://host-000001.example/articles/{n}.html" for n in range(TASKS))
        answers = await asyncio.gather(*(client.decide(url) for url in urls))
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "answers": len(answers)}


def main() -> None:
    """Ask, and say how long it took."""
    parser = argparse.ArgumentParser(description="Ask about one new origin from many tasks.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--cache", required=True)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(ask_at_once(options.port, options.cache))))


if __name__ == "__main__":
    main()
