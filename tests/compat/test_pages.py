"""The pages of the drop-ins tell every test of an original that fails, and why."""

import tomllib
from pathlib import Path

import pytest

from support import CHECKOUT

TABLE = tomllib.loads((Path(__file__).parent / "upstream.toml").read_text("utf-8"))
LISTED = [name for name, suite in TABLE.items() if "failing" in suite]


@pytest.mark.parametrize("name", LISTED)
def test_page_tells_what_fails(name: str) -> None:
    """Each reason stands in the page, behind the name of the test."""
    page = TABLE[name].get("page", f"docs/compat/{name}.md")
    rows = (CHECKOUT / page).read_text("utf-8").splitlines()

    untold = [
        f"{test}: {reason}"
        for test, reason in TABLE[name]["failing"].items()
        if not any(row.endswith(f"| {reason} |") and named(test, row) for row in rows)
    ]

    assert [] == untold


def named(test: str, row: str) -> bool:
    function = test.partition("[")[0].rpartition("::")[2]
    return function in row or (function.startswith("test_google_stress") and "google_stress" in row)
