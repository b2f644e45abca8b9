"""verger's diff beside two other tools that tell what a change of a robots.txt file changes.

In: the table of `tests/analysis/data/changes.toml`, and the tools in `build/changes-venv`, which
`make bench-changes` installs. Out: `docs/beside-other-tools.md`. A tool is not asked for more than
it lists: only crawlers that it knows, and of these only whether it says that they change.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from verger import RobotsTxt, Rule, parse
from verger.analysis import FileDiff, diff, difference
from verger.crawlers import tokens_of

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "analysis" / "data" / "changes.toml"
PEERS = ROOT / "build" / "changes-venv" / "bin" / "python"
PAGE = ROOT / "docs" / "beside-other-tools.md"
HEAD = Path(__file__).with_name("beside-other-tools.md")
TOOLS = ("susbot", "ai-crawler-robots")

NAME = re.compile(r"[A-Za-z_][A-Za-z_-]*")

Judged = Literal["right", "partly", "missed", "wrong"]
Said = list[tuple[list[str], str, str]]
"""Crawlers by their tokens, and what a tool says of them before and after."""


@dataclass(frozen=True)
class Row:
    """A change, and what is true of it."""

    row: dict[str, Any]

    @cached_property
    def found(self) -> FileDiff:
        """What verger says."""
        return diff(self.old, self.new)

    @cached_property
    def old(self) -> RobotsTxt:
        """The file before."""
        return parse(self.row["old"])

    @cached_property
    def new(self) -> RobotsTxt:
        """The file after."""
        return parse(self.row["new"])

    @property
    def changed(self) -> list[dict[str, Any]]:
        """For whom something changes."""
        changed: list[dict[str, Any]] = self.row.get("changed", [])
        return changed

    @property
    def paths(self) -> list[str]:
        """URLs whose answers change."""
        regions = (each.get(way, {}) for each in self.changed for way in ("closed", "opened"))
        return [url for region in regions for url in region.values()]

    @property
    def true(self) -> str:
        """What is true, in words."""
        return "; ".join(told(each) for each in self.changed) or "nothing"

    @property
    def by_verger(self) -> str:
        """What verger says: how grave it is, with a URL and the lines that decide it."""
        cells = []
        for each in self.found.changed:
            for change in each.changes[:1]:
                lines = " to ".join(line(rule) for rule in (change.old, change.new))
                cells.append(f"{each.severity} at {code(change.witness)}, {lines}")
        return "; ".join(cells) or self.found.severity

    def judged(self, said: Said, listed: Iterable[str]) -> Judged:
        """Return whether what a tool says is so; of crawlers that it does not list, nothing is
        expected.
        """
        hit = {self._entry(tokens) for tokens, _, _ in said}
        if None in hit:
            return "wrong"
        known = {"*", *map(str.lower, listed)}
        expected = {who for each in self.changed if (who := each["crawler"]).lower() in known}
        return "right" if expected <= hit else "partly" if hit else "missed"

    def judged_verger(self) -> Judged:
        """Return the same of verger, which lists everybody."""
        entries = [each for each in self.found.changed if each.changes]
        expected = {each["crawler"] for each in self.changed}
        hit = [next((who for who in expected if who in each.crawlers), None) for each in entries]
        if None in hit:
            return "wrong"
        return "right" if expected <= set(hit) else "partly" if hit else "missed"

    def _entry(self, tokens: list[str]) -> str | None:
        """Return which crawler of the table a tool means, if something changes for it."""
        for asked in readings(tokens):
            if not difference(self.old.agent(asked), self.new.agent(asked)).is_empty:
                lower = {token.lower() for token in asked}
                named = (each["crawler"] for each in self.changed)
                return next((who for who in named if who.lower() in lower), self._sharing(lower))
        return None

    def _sharing(self, lower: set[str]) -> str | None:
        """Return the crawler of the table that shares the change of one that it does not name."""
        for each in self.found.changed:
            if lower & {token.lower() for token in each.crawlers}:
                crawlers = {row["crawler"] for row in self.changed}
                return next(who for who in (*each.crawlers, "*") if who in crawlers)
        return "*"


def readings(tokens: list[str]) -> Iterator[list[str]]:
    """Yield whose groups a crawler may follow: its own; those that its operator says it follows;
    or, with the benefit of the doubt, its family's.

    Some tools list names that are not product tokens; what they say of these counts for the part
    that is one.
    """
    own = [match[0] if (match := NAME.match(token)) else "verger-unnamed" for token in tokens]
    followed = [name for token in own for name in tokens_of(token)]
    yield own
    yield followed
    yield [*followed, *(token.partition("-")[0] for token in own)]


def told(each: dict[str, Any]) -> str:
    ways = [
        f"{way} {', '.join(map(code, each[way]))}" for way in ("closed", "opened") if way in each
    ]
    return f"{code(each['crawler'])}: {', '.join(ways)}"


def line(rule: Rule | None) -> str:
    return f"line {rule.line}" if rule else "no rule"


def code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`"


def main() -> int:
    """Ask everybody, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--date", default=date.today().isoformat(), help="the date to write")
    options = parser.parse_args()
    rows = [Row(row) for row in tomllib.loads(TABLE.read_text("utf-8"))["change"]]
    if not PEERS.exists():
        print("error: the other tools are not installed", file=sys.stderr)
        print("hint: run `make bench-changes`", file=sys.stderr)
        return 2
    asked = [{"old": r.row["old"], "new": r.row["new"], "paths": r.paths} for r in rows]
    command = [str(PEERS), str(Path(__file__).with_name("changes_peers.py"))]
    done = subprocess.run(command, input=json.dumps(asked), stdout=-1, text=True, check=True)
    answer = json.loads(done.stdout)
    PAGE.write_text(page(rows, answer, options.date), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


# The page


def page(rows: list[Row], answer: dict[str, Any], when: str) -> str:
    """Return the page: what was asked, sums, and every row."""
    known = {f"{name} crawlers": len(answer["lists"][name]) for name in TOOLS}
    head = HEAD.read_text("utf-8")
    for name, value in {**answer["versions"], **known, "date": when}.items():
        head = head.replace(f"{{{name}}}", str(value))
    return "\n".join([head.rstrip(), "", *sums(rows, answer), "", *table(rows, answer), ""])


def sums(rows: list[Row], answer: dict[str, Any]) -> list[str]:
    """Return how often each was right."""
    lines = ["| | right | partly | missed | wrong |", "|---|---:|---:|---:|---:|"]
    changing = [number for number, row in enumerate(rows) if row.changed]
    quiet = [number for number, row in enumerate(rows) if not row.changed]
    judged = {
        f"**{name}**" if name == "verger" else name: [
            judge(rows, answer, name, n) for n in changing
        ]
        for name in ("verger", *TOOLS)
    }
    listed = answer["lists"]["ai-crawler-robots"]
    looked = [
        max((rows[n].judged(said, listed) for said in answer["at_paths"][n]), key=RANK.index)
        for n in changing
    ]
    judged["ai-crawler-robots, asked about the URLs that verger found"] = looked
    for name, found in judged.items():
        counts = Counter(found)
        cells = " | ".join(str(counts[each]) for each in ("right", "partly", "missed", "wrong"))
        lines.append(f"| {name} | {cells} |")
    lines.append("")
    quiet_changes = f"{len(quiet)} changes that change no answer"
    for name in TOOLS:
        wrong = sum(judge(rows, answer, name, n) == "wrong" for n in quiet)
        lines.append(f"- {name}: reports {wrong} of the {quiet_changes}.")
    lines.append(f"- verger: reports none of these {len(quiet)} as a change of answers.")
    return lines


RANK = ("missed", "wrong", "partly", "right")


def judge(rows: list[Row], answer: dict[str, Any], name: str, number: int) -> Judged:
    row = rows[number]
    if name == "verger":
        return row.judged_verger()
    return row.judged(answer["said"][number][name], answer["lists"][name])


def table(rows: list[Row], answer: dict[str, Any]) -> list[str]:
    """Return a table for each kind of change."""
    lines = []
    for kind in dict.fromkeys(row.row["kind"] for row in rows):
        lines += [f"## {kind.capitalize()}", ""]
        lines += [
            "| change | true | verger | susbot | ai-crawler-robots |",
            "|---|---|---|---|---|",
        ]
        for number, row in enumerate(rows):
            if row.row["kind"] == kind:
                cells = [name_of(row), row.true, row.by_verger]
                cells += [
                    cell(answer["said"][number][name], judge(rows, answer, name, number))
                    for name in TOOLS
                ]
                lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return lines[:-1]


def name_of(row: Row) -> str:
    name, source = str(row.row["name"]), row.row["source"]
    return name if source == "constructed" else f"{name} ({source})"


def cell(said: Said, judged: Judged) -> str:
    """Return what a tool says, and whether it is so."""
    if not said:
        return "nothing" if judged == "right" else f"nothing: {judged}"
    counts = Counter((before, after) for _, before, after in said)
    words = ", ".join(f"{n} {before} → {after}" for (before, after), n in counts.items())
    return words if judged == "right" else f"{words}: {judged}"


if __name__ == "__main__":
    sys.exit(main())
