"""What takes long runs in part, another part with another commit: which part it is.

In: the tests that were collected, and a number. Out: those that are left for other numbers.
"""

import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path


def left_for_others(tests: Iterable[str], parts: int, number: int) -> list[str]:
    """Return all but one in so many cases of each test; which one it is changes with a number.

    Tests of one case count as the cases of their file. Where there are fewer, one is left to run.
    """
    cases: dict[str, list[str]] = defaultdict(list)
    for nodeid in tests:
        test, has_cases, _ = nodeid.partition("[")
        cases[test if has_cases else nodeid.partition("::")[0]].append(nodeid)
    return [
        nodeid
        for each in cases.values()
        for place, nodeid in enumerate(each)
        if (place + number) % min(parts, len(each))
    ]


def commit() -> int:
    """Return the number of the commit that is tested; 0 where there is no repository."""
    command = ["git", "rev-parse", "HEAD"]
    here = Path(__file__).parent
    found = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return int(found.stdout or "0", 16)
