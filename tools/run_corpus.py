"""Run `verger filter` twice on thousands of real sites, which are served on loopback.

In: the robots.txt files that tools/corpus.py fetched, one for each site, named after its host.
Out: `build/run/urls.txt`, the questions; `build/run/answers.jsonl`, the answers; on stderr the
progress and summary of the command; on stdout the number of requests, and the time.

The first run fetches and caches every file over HTTP; the second may make no request, and must give
the same answers. The questions are the same in every run: for each site up to six URLs that its
rules suggest, and as many others. Nothing is decided here.
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from player import Player, authority

ROOT = Path(__file__).resolve().parent.parent
SITES = ROOT / ".cache" / "protego-0.7.0" / "tests" / "test_data"
FOLDER = Path("build/run")
QUESTIONS, CACHE = FOLDER / "urls.txt", FOLDER / "cache.sqlite"
ANSWERS, AGAIN = FOLDER / "answers.jsonl", FOLDER / "answers-again.jsonl"
AGENT = "ExampleBot/0.1 (+https://example.com/bot)"
DERIVED_PER_SITE = 6

RULE = re.compile(rb"^[ \t]*(?:dis)?allow[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)
PRINTABLE = "".join(chr(byte) for byte in range(0x21, 0x7F))
WORDS = ["about", "archive", "blog", "contact", "feed", "help", "login", "news", "tag", "user"]
COMMON = ["/", "/index.html", "/sitemap.xml", "/search?q=verger", "/admin/", "/wp-login.php"]


class RunFailed(Exception):
    """The command did not do what it should; the message says what."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the command took."""

    name: str
    seconds: float
    requests: int
    """How many the player saw."""


def main() -> int:
    """Write the questions, run the command on them twice, and report."""
    shutil.rmtree(ROOT / FOLDER, ignore_errors=True)
    (ROOT / FOLDER).mkdir(parents=True)
    questions = [*urls()]
    (ROOT / QUESTIONS).write_text("".join(f"{url}\n" for url in questions), encoding="ascii")
    try:
        with Player(SITES, "--gzip") as player:
            runs = [
                answered(player, "over HTTP", ANSWERS),
                answered(player, "from the cache", AGAIN),
            ]
        check(runs, sites=len(set(map(origin_of, questions))), questions=len(questions))
    except RunFailed as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    report(runs, len(questions))
    return 0


# --- questions ----------------------------------------------------------------------------


def urls() -> Iterator[str]:
    """Yield the questions about every site, in the order of the sites' names."""
    for path in sorted(SITES.iterdir()):
        chance = random.Random(path.name)
        paths = [*derived_paths(path.read_bytes(), chance)]
        paths += plain_paths(max(len(paths), 1), chance)
        for url_path in dict.fromkeys(paths):
            yield f"http://{authority(path.name)}{url_path}"


def derived_paths(body: bytes, chance: random.Random) -> Iterator[str]:
    """Yield paths that rules of this file might match: stars filled in, ends now and then."""
    patterns = sorted(set(RULE.findall(body)))
    for pattern in chance.sample(patterns, min(DERIVED_PER_SITE, len(patterns))):
        filled = re.sub(r"\*+", lambda _: chance.choice(WORDS), quote(pattern, safe=PRINTABLE))
        longer = filled + chance.choice(["", "x", "/a.html"])
        yield "/" + (filled[:-1] if filled.endswith("$") else longer).lstrip("/")


def plain_paths(count: int, chance: random.Random) -> Iterator[str]:
    """Yield paths that sites have whatever their rules say."""
    for _ in range(count):
        if chance.random() < 0.5:
            yield chance.choice(COMMON)
        else:
            yield f"/{chance.choice(WORDS)}/{chance.choice(WORDS)}-{chance.randrange(1_000)}"


def origin_of(url: str) -> str:
    """Return the part of a question that names its site."""
    return "/".join(url.split("/", 3)[:3])


# --- answers ------------------------------------------------------------------------------


def answered(player: Player, name: str, output: Path) -> Run:
    """Run the real command once, beside what reaches the player. Raises RunFailed."""
    verger = Path(sys.executable).with_name("verger")
    options = ["filter", str(QUESTIONS), "--user-agent", AGENT, "--cache", str(CACHE)]
    options += ["--connect-to", f"::127.0.0.1:{player.port}"]
    options += ["--format", "jsonl", "--output", str(output)]
    print(f"$ {shlex.join(['verger', *options])}", file=sys.stderr)
    before, start = requests_at(player), time.perf_counter()
    done = subprocess.run([verger, *options], cwd=ROOT, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RunFailed(f"`verger filter` ended with {done.returncode}")
    return Run(name, seconds, requests_at(player) - before)


def requests_at(player: Player) -> int:
    """Return how many requests have reached the sites."""
    counts = player.counts()
    return counts["robots"] + counts["pages"]


def check(runs: list[Run], *, sites: int, questions: int) -> None:
    """Compare what happened with what should have. Raises RunFailed."""
    for run, wanted in zip(runs, (sites, 0), strict=True):
        if run.requests != wanted:
            raise RunFailed(f"{run.name}: {run.requests:,} requests, not {wanted:,}")
    first, second = (decisions_in(ROOT / path) for path in (ANSWERS, AGAIN))
    if len(first) != questions:
        raise RunFailed(f"{len(first):,} answers to {questions:,} questions")
    different = sum(one != other for one, other in zip(first, second, strict=True))
    if different:
        raise RunFailed(f"{different:,} answers are others from the cache")


def decisions_in(path: Path) -> list[str]:
    """Return the answers of a run."""
    return path.read_text(encoding="ascii").splitlines()


def report(runs: list[Run], questions: int) -> None:
    """Show what each run took."""
    print(f"\n{'':<16}{'requests':>10}{'seconds':>10}{'URLs/s':>12}")
    for run in runs:
        rate = questions / run.seconds
        print(f"{run.name:<16}{run.requests:>10,}{run.seconds:>10.2f}{rate:>12,.0f}")
    print(f"both gave the same {questions:,} answers, which stand in {ANSWERS}")


if __name__ == "__main__":
    sys.exit(main())
