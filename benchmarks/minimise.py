"""Minimise real files: what is saved, that nothing changes, and how long it takes.

In: the real files of `../shared/corpus`. Out: rules, groups and bytes before and after, the share
of files that became smaller, times, and how many verdicts changed: of all crawlers by the analysis,
for every file; and of a sample by Google's own parser, which knows nothing of verger, on URLs made
of the patterns of both files. Exit code 1 if one did.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from benchmarks import peers
from benchmarks.analysis import members, tokens, told
from benchmarks.run import RESULT
from verger import InvalidOption, RobotsTxt, parse
from verger.analysis import minimise, prove

CHECKED = 2_000
"""Files of the sample that Google's parser checks."""
MOST_URLS, MOST_TOKENS = 200, 6
ENDS = ("", "z", "/z", "?z=z")


def main() -> int:
    """Minimise the files, tell, and check."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th file")
    parser.add_argument("--only", choices=PARTS, help="do one part")
    options = parser.parse_args()
    parts = [part for name, part in PARTS.items() if options.only in (name, None)]
    wrong = sum(part(options.step) for part in parts)
    print("verdicts changed:", wrong)
    return 1 if wrong else 0


# What is saved


def tell_savings(step: int) -> int:
    """Minimise the files; return for how many something changed, or was not proved not to."""
    sums, times = Counter[str](), []
    for _, body in islice(members("robots-real.tar.gz"), 0, None, step):
        old = parse(body)
        start = time.process_time()
        try:
            new = minimise(old).robots
        except InvalidOption:
            continue  # HTML and the like, which is not edited
        times.append(time.process_time() - start)
        sums.update(sizes("before", old))
        sums.update(sizes("after", new))
        sums.update(savings(old, new))
        if len(times) % 1_000 == 0:
            write(sums, times)
    write(sums, times)
    print("minimise, a file: ", told(times))
    for what, number in sums.items():
        print(f"{what:26}{number:14,}")
    return sums["with changes"]


def savings(old: RobotsTxt, new: RobotsTxt) -> dict[str, int]:
    """Return what counts as one for a file."""
    return {
        "files": 1,
        "with rules": rules_in(old) > 0,
        "smaller": new.body != old.body,
        "with fewer rules": rules_in(new) < rules_in(old),
        "with fewer groups": len(new.groups) < len(old.groups),
        "with changes": bool(prove(old, new).changed),
    }


def write(sums: Counter[str], times: list[float]) -> None:
    """Keep what is known so far: all files take an hour."""
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    path = RESULT.parent / "minimise.json"
    path.write_text(json.dumps({**sums, "told": told(times), "times": times}))


def sizes(when: str, robots: RobotsTxt) -> dict[str, int]:
    """Return how large a file is."""
    starts = sum(len(group.start_lines) for group in robots.groups)
    found = {"bytes": len(robots.body), "lines": len(robots.lines), "rules": rules_in(robots)}
    found |= {"groups": len(robots.groups), "start-group lines": starts}
    return {f"{what} {when}": number for what, number in found.items()}


def rules_in(robots: RobotsTxt) -> int:
    return sum(len(group.rules) for group in robots.groups)


# What Google's parser says of it


def tell_checked(step: int) -> int:
    """Ask Google's parser about files before and after; return how many answers differ."""
    google = peers.named("jwm.robotstxt")
    files = asked = wrong = 0
    for _, body in islice(members("robots-real.tar.gz"), 0, CHECKED * 19 * step, 19 * step):
        old = parse(body, dialect="googlebot-cpp")
        try:
            new = minimise(old).robots
        except InvalidOption:
            continue
        files += 1
        if old.body == new.body:
            continue
        urls = list(islice(urls_for([old, new]), MOST_URLS))
        for token in [*tokens(old)[: MOST_TOKENS - 1], "verger-unnamed"]:
            before, after = (google.ask(google.prepare(r.body), urls, token) for r in (old, new))
            asked += len(urls)
            wrong += sum(map(bool.__ne__, before, after))
    print(f"{google.name} {google.version}: {files:,} files, {asked:,} questions, {wrong} differ")
    return wrong


def urls_for(files: Iterable[RobotsTxt]) -> Iterator[str]:
    """Yield URLs that the patterns of some files match, or just miss; each once."""
    patterns = {rule.pattern for file in files for group in file.groups for rule in group.rules}
    paths = dict.fromkeys(path for pattern in sorted(patterns) for path in paths_for(pattern))
    return (f"https://e.example{path}" for path in paths)


def paths_for(pattern: str) -> Iterator[str]:
    text = "/" + pattern.removesuffix("$").lstrip("/")
    for filling in ("", "z"):
        path = text.replace("*", filling)
        yield from (f"{path}{end}" for end in ENDS)
        yield path[:-1] or "/"


PARTS = {"savings": tell_savings, "google": tell_checked}


if __name__ == "__main__":
    sys.exit(main())
