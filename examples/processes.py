"""Many processes share a file: robots, agents and decisions are pickled as bytes and names."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import verger

ROBOTS = b"User-agent: *\nDisallow: /*?session=\n"


def open_urls(work: tuple[verger.Agent, list[str]]) -> list[str]:
    agent, urls = work
    answers = agent.allowed_many(urls)
    return [url for url, allowed in zip(urls, answers, strict=True) if allowed]


def main() -> None:
    agent = verger.parse(ROBOTS).agent("ExampleBot")
    urls = [f"https://example.com/page/{n}{'?session=1' * (n % 2)}" for n in range(1000)]
    parts = [(agent, urls[:500]), (agent, urls[500:])]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        kept = [url for part in pool.map(open_urls, parts) for url in part]
    print(f"{len(kept)} of {len(urls)} URLs may be fetched")


if __name__ == "__main__":
    main()
