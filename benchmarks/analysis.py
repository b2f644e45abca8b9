"""Measure the analysis on real files: what each rule does, and what each new version changes.

In: the archives of `../shared/corpus`. Out: the processor times of each as median, 99 % and
maximum, how many results were proved, and how many witnesses the matcher confirmed. Exit code 1 if
one was not.
"""

import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from verger import Agent, InvalidProductToken, RobotsTxt, parse
from verger.analysis import difference, effects

CORPUS = Path(__file__).resolve().parents[1].parent / "shared" / "corpus"
UNNAMED = "verger-unnamed"


def main() -> int:
    """Measure both, and tell."""
    measure_effects()
    return 1 if measure_differences() else 0


def measure_effects() -> None:
    """Tell what the rules of real files do, and how long it takes to find out."""
    times, does = [], Counter[str]()
    for _, body in members("robots-real.tar.gz"):
        robots = parse(body)
        begun = 0.0
        for agent in agents(robots, tokens(robots)):
            start = time.process_time()
            found = effects(agent)
            begun += time.process_time() - start
            does.update(effect.does for effect in found)
        times.append(begun)
    print("effects, a file: ", told(times))
    print("rules:           ", ", ".join(f"{n:,} {what}" for what, n in does.most_common()))


def measure_differences() -> int:
    """Tell what versions change; return how many witnesses were wrong."""
    versions = defaultdict(list)
    for name, body in members("robots-timeseries.tar.xz"):
        versions[name.rpartition("/")[0]].append((name, body))
    times, exact, changed, wrong = [], 0, 0, 0
    for history in versions.values():
        for (_, one), (name, other) in pairwise(sorted(history)):
            old, new = parse(one), parse(other)
            for before, after in both(old, new):
                start = time.process_time()
                found = difference(before, after)
                times.append(time.process_time() - start)
                exact += found.is_exact
                if not found.is_exact:
                    print("gave up on:      ", name)
                changed += bool(found.changes)
                wrong += sum(
                    before.allowed(c.witness) == after.allowed(c.witness) for c in found.changes
                )
    print("differences:     ", told(times))
    print(f"                  {exact:,} exact, {changed:,} with changes, {wrong} witnesses wrong")
    return wrong


def members(archive: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive of the corpus."""
    with tarfile.open(CORPUS / archive) as opened:
        for member in opened:
            file = opened.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()


def tokens(*files: RobotsTxt) -> list[str]:
    """Return whom some files name, and one whom none does."""
    named = {token for file in files for group in file.groups for token in group.product_tokens}
    return [*sorted(named), UNNAMED]


def agents(robots: RobotsTxt, names: list[str]) -> list[Agent]:
    """Return one agent for each choice of groups."""
    found: dict[object, Agent] = {}
    for name in names:
        try:
            agent = robots.agent(name)
        except InvalidProductToken:
            continue
        found.setdefault(chosen(agent), agent)
    return list(found.values())


def both(old: RobotsTxt, new: RobotsTxt) -> list[tuple[Agent, Agent]]:
    """Return one pair of agents for each choice of groups in two versions."""
    found: dict[object, tuple[Agent, Agent]] = {}
    for name in tokens(old, new):
        try:
            pair = old.agent(name), new.agent(name)
        except InvalidProductToken:
            continue
        found.setdefault((chosen(pair[0]), chosen(pair[1])), pair)
    return list(found.values())


def chosen(agent: Agent) -> object:
    return tuple(group.start_lines for group in agent.groups)


def told(times: list[float]) -> str:
    """Return median, 99 % and maximum, in milliseconds."""
    times = sorted(times)
    at = [times[len(times) // 2], times[int(len(times) * 0.99)], times[-1]]
    median, most, slowest = (f"{each * 1e3:.3f} ms" for each in at)
    return f"{len(times):,}: median {median}, 99 % {most}, slowest {slowest}"


if __name__ == "__main__":
    sys.exit(main())
