"""Answers from memory through the synchronous `verger.Client`, in the calling thread.

In: a port of `tools/player.py`. Out: on stdout, as JSON, the answers a second of each run.
Every origin has been asked once before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import time

from tools.player import host_name

import verger
from benchmarks.load.library import USER_AGENT

ORIGINS = 100
URLS = 10_000
RUNS = 7


def main() -> None:
    """Warm up, and measure."""
    parser = argparse.ArgumentParser(description="Ask for answers that are known.")
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    urls = [f"http://{host_name(1 + n % ORIGINS)}/articles/{n}.html" for n in range(URLS)]
    with verger.Client(USER_AGENT, connect_to=[f"::127.0.0.1:{port}"]) as client:
        expected = [client.allowed(url) for url in urls]
        rates = [len(urls) / seconds(client, urls) for _ in range(RUNS)]
        assert expected == [client.allowed(url) for url in urls]
    print(json.dumps({"rates": rates, "allowed": sum(expected)}))


def seconds(client: verger.Client, urls: list[str]) -> float:
    """Return how long all URLs take."""
    start = time.perf_counter()
    for url in urls:
        client.allowed(url)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
