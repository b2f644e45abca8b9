"""What new versions of real files change: every kind of change, and for whom.

In: the time series of `../shared/corpus`. Out: two tables in Markdown, the time of a comparison,
and the number of witnesses that the matcher did not confirm. Exit code 1 if there is one.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, pairwise

from benchmarks.analysis import members, told
from verger import RobotsTxt, crawlers, parse
from verger.analysis import FileDiff, diff
from verger.crawlers import agent_of

OTHERS = "(not in the registry)"
EVERYBODY = "(all that no group names)"
COLUMNS = ("site-closed", "site-opened", "closed", "opened", "other-records")

KINDS = {
    "same bytes": "byte for byte the same",
    "layout": "layout and comments only",
    "rules": "rules or groups differ, no answer does",
    "other-records": "other records only: sitemaps, delays, signals",
    "closed": "something was closed, nothing opened",
    "opened": "something was opened, nothing closed",
    "both": "something was closed and something opened",
    "site-closed": "the whole site was closed to some crawler",
    "site-opened": "the whole site was opened to some crawler",
    "site-both": "closed to some crawler and opened to another",
    "unproved": "not proved",
}
"""Kinds of change; the whole site comes before parts of it."""


def main() -> int:
    """Compare the versions, and tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th site")
    kinds, purposes, times, wrong = Counter[str](), Counter[tuple[str, str]](), [], 0
    for old, new in versions(parser.parse_args().step):
        start = time.process_time()
        found = diff(old, new)
        times.append(time.process_time() - start)
        kinds[kind_of(old, new, found)] += 1
        purposes.update(purposes_in(found))
        wrong += sum(is_wrong(old, new, found))
    tell(kinds, purposes)
    print("diff for all crawlers:", told(times))
    print("witnesses wrong:", wrong)
    return 1 if wrong else 0


def versions(step: int) -> Iterator[tuple[RobotsTxt, RobotsTxt]]:
    """Yield each version of a real file with the next."""
    files = sorted(members("robots-timeseries.tar.xz"))
    sites = groupby(files, key=lambda each: each[0].rpartition("/")[0])
    histories = ([parse(body) for _, body in site] for _, site in sites)
    for history in islice(histories, 0, None, step):
        yield from pairwise(history)


def kind_of(old: RobotsTxt, new: RobotsTxt, found: FileDiff) -> str:
    """Return the kind of a change: a key of `KINDS`."""
    severities = {each.severity for each in found.changed}
    sites = severities & {"site-closed", "site-opened"}
    if sites:
        return "site-both" if len(sites) == 2 else sites.pop()
    ways = {change.opened for each in found.changed for change in each.changes}
    if ways:
        return "both" if len(ways) == 2 else "opened" if ways.pop() else "closed"
    if not found.is_exact:
        return "unproved"
    if found.severity == "other-records":
        return "other-records"
    if old.body == new.body:
        return "same bytes"
    return "layout" if rules_of(old) == rules_of(new) else "rules"


def rules_of(robots: RobotsTxt) -> object:
    """Return groups and rules as written."""
    return [
        (group.product_tokens, [(rule.allow, rule.pattern_bytes) for rule in group.rules])
        for group in robots.groups
    ]


def purposes_in(found: FileDiff) -> set[tuple[str, str]]:
    """Return what changes, with the purposes of the crawlers that it affects; those that share the
    change of `*` count as one.
    """
    pairs = set()
    for each in found.changed:
        told_apart = (EVERYBODY,) if "*" in each.crawlers else each.crawlers
        pairs |= {(name, each.severity) for token in told_apart for name in purposes_of(token)}
    return pairs


def purposes_of(token: str) -> tuple[str, ...]:
    """Return what a crawler is for."""
    if token == EVERYBODY:
        return (token,)
    crawler = crawlers.find(token)
    return crawler.purposes if crawler else (OTHERS,)


def is_wrong(old: RobotsTxt, new: RobotsTxt, found: FileDiff) -> Iterator[bool]:
    """Yield for each witness whether the matcher answers otherwise than is said."""
    for each in found.changed:
        before, after = agent_of(old, each.crawlers[0]), agent_of(new, each.crawlers[0])
        for change in each.changes:
            answers = before.allowed(change.witness), after.allowed(change.witness)
            yield answers != (not change.opened, change.opened)


def tell(kinds: Counter[str], purposes: Counter[tuple[str, str]]) -> None:
    """Print both tables."""
    print("| kind of change | versions | share |\n|---|---:|---:|")
    for kind, meaning in KINDS.items():
        print(f"| {meaning} | {kinds[kind]:,} | {kinds[kind] / kinds.total():.1%} |")
    print(f"\n| purpose | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}")
    for purpose in sorted_by_number({purpose for purpose, _ in purposes}, purposes):
        cells = " | ".join(f"{purposes[purpose, severity]:,}" for severity in COLUMNS)
        print(f"| {purpose} | {cells} |")


def sorted_by_number(names: Iterable[str], counts: Counter[tuple[str, str]]) -> list[str]:
    return sorted(names, key=lambda name: -sum(counts[name, column] for column in COLUMNS[:4]))


if __name__ == "__main__":
    sys.exit(main())
