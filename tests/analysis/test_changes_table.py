"""Changes of files and what is true of them, as a table: constructed, and real ones.

The table says for whom which region of URLs was closed or opened. That is checked three times: by
the reference matcher, URL by URL; by automata, that nothing else changed for whom the table tells;
and it is what verger says.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import reference
import verger
from verger.analysis import diff
from verger.crawlers import agent_of

from .automaton import shortest_changes

CHANGES = tomllib.loads((Path(__file__).parent / "data" / "changes.toml").read_text("utf-8"))
ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in CHANGES["change"]}
STATES = 20_000

Said = dict[str, tuple[dict[str, str], dict[str, str]]]
"""For each crawler: regions that were closed, and opened, each with a URL."""


def truth(row: dict[str, Any]) -> Said:
    return {
        each["crawler"]: (each.get("closed", {}), each.get("opened", {}))
        for each in row.get("changed", [])
    }


def test_the_table() -> None:
    """No row is there twice, by its name or by what it holds."""
    rows = CHANGES["change"]

    assert len(rows) >= 50
    assert len(ROWS) == len(rows) == len({(row["old"], row["new"]) for row in rows})
    assert sum(row["source"] != "constructed" for row in rows) >= 12


@pytest.mark.parametrize("name", ROWS)
def test_what_is_true(name: str) -> None:
    """The URLs of a row are answered as it says, by a matcher that knows no analysis."""
    row = ROWS[name]
    for crawler, (closed, opened) in truth(row).items():
        token = "verger-unnamed" if crawler == "*" else crawler
        for is_open, urls in ((False, closed), (True, opened)):
            for url in urls.values():
                answers = [
                    reference.decide(row[part].encode(), "rfc9309", token, url).allowed
                    for part in ("old", "new")
                ]

                assert answers == [not is_open, is_open], (crawler, url)


@pytest.mark.parametrize("name", ROWS)
def test_nothing_else_is_true(name: str) -> None:
    """Of whom a row tells nothing, nothing changed; of others as short a URL as any shows it."""
    row = ROWS[name]
    old, new = verger.parse(row["old"]), verger.parse(row["new"])
    found = truth(row)
    for crawler in {"*", *found}:
        closed, opened = found.get(crawler, ({}, {}))
        shortest = shortest_changes(agent_of(old, crawler), agent_of(new, crawler), STATES)
        sizes = {False: map(len, closed.values()), True: map(len, opened.values())}

        assert shortest == {way: size for way in sizes if (size := min(sizes[way], default=0))}


@pytest.mark.parametrize("name", ROWS)
def test_what_verger_says(name: str) -> None:
    """verger says all that is true: for whom, which regions, with a URL; and nothing else."""
    row = ROWS[name]
    found = diff(verger.parse(row["old"]), verger.parse(row["new"]))
    said: Said = {}
    for each in found.changed:
        crawler = next((who for who in truth(row) if who in each.crawlers), each.crawlers[0])
        closed, opened = (
            {change.region: change.witness for change in each.changes if change.opened is way}
            for way in (False, True)
        )
        if each.changes:
            said[crawler] = closed, opened

    assert found.is_exact
    assert found.severity == row["severity"]
    assert said == truth(row)
