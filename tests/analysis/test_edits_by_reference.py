"""Edits of generated files, judged by the reference implementation and by Google's parser.

`VERGER_EDITED_FILES` says how many files; `VERGER_EDITED_FROM` the number of the first.
"""

import os
from collections import Counter

import pytest

from .edits import judge

FILES = int(os.environ.get("VERGER_EDITED_FILES", "32"))
FIRST = int(os.environ.get("VERGER_EDITED_FROM", "0"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_edit_changes_what_it_should_not(part: int) -> None:
    """Of block, allow, minimise, safe fixes and formatting none changes another answer."""
    counts: Counter[str] = Counter()
    for seed in range(FIRST + part, FIRST + FILES, PARTS):
        judged = judge(seed)

        assert judged.wrong == (), seed
        counts += judged.counts
    assert counts["fmt made"] > 0 < counts["fix made"] + counts["block made"]
