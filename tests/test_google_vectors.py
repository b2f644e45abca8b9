"""Google's own parser, as recorded: every decision, every line, and what each line was read as.

In: `../shared/corpus`, decisions and event streams of google/robotstxt (commit 22b355f) on real
and on mutated files. Dialect `googlebot-cpp` gives the same answer to all of them.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import verger
from reference import PATTERN_FORMS
from support import Outcome, Vector, decided, members, shared

GOOGLEBOT_CPP = verger.GOOGLEBOT_CPP
SHOWN = 5


class Half(NamedTuple):
    """One half of the corpus: where its files and its records lie, and how many there are."""

    archive: str
    vectors: str
    decisions: int
    events: str
    streams: int


HALVES = {
    "real": Half(
        *("robots-real.tar.gz", "vectors-real.jsonl.gz", 60_986),
        *("parse-events-real.jsonl.gz", 3_000),
    ),
    "fuzz": Half(
        *("robots-fuzz.tar.xz", "vectors-fuzz.jsonl.gz", 20_500),
        *("parse-events-fuzz.jsonl.gz", 6_797),
    ),
}


def test_decisions(half: Half) -> None:
    """Decision and line are Google's on every vector, and the call without a line agrees."""
    wanted = by_file(shared(f"corpus/{half.vectors}"))
    wrong, asked = [], 0
    for name, robots in parsed(half.archive, wanted):
        for vector in wanted[name]:
            asked += 1
            answers = (
                decided(robots, vector["agent"], vector["url"]),
                without_line(robots, vector),
            )
            if answers != (recorded(vector), vector["allowed"]):
                wrong.append((vector, answers))

    assert not wrong[:SHOWN]
    assert half.decisions == asked


@pytest.fixture(scope="module", params=HALVES.values(), ids=HALVES)
def half(request: pytest.FixtureRequest) -> Half:
    """Each half in turn."""
    half: Half = request.param
    return half


@pytest.fixture(scope="module")
def streams(half: Half) -> list[tuple[str, verger.RobotsTxt, Vector]]:
    """Return the files of a half, parsed, with the events that were recorded of each."""
    wanted = by_file(shared(f"corpus/{half.events}"))
    return [(name, robots, *wanted[name]) for name, robots in parsed(half.archive, wanted)]


def test_events(half: Half, streams: list[tuple[str, verger.RobotsTxt, Vector]]) -> None:
    """Each line is read as the field that Google's parser read, with the same value."""
    wrong = []
    for name, robots, stream in streams:
        if differing := sorted(set(events_of(stream)) ^ set(events_in(robots))):
            wrong.append((name, differing[:SHOWN]))

    assert not wrong[:SHOWN]
    assert half.streams == len(streams)


def test_groups_and_sitemaps(streams: list[tuple[str, verger.RobotsTxt, Vector]]) -> None:
    """Groups, rules and Sitemap values are those that Google's stream of events leads to.

    An empty value opens a group and names nobody, and an empty Sitemap is none.
    """
    wrong = []
    for name, robots, stream in streams:
        expected = (groups_of(stream), sitemaps_of(stream))
        if expected != (groups_in(robots), [text.encode(*ESCAPED) for text in robots.sitemaps]):
            wrong.append(name)

    assert not wrong[:SHOWN]


# The recorded side


def by_file(path: Path) -> dict[str, list[Vector]]:
    """Return the records of a stream, gathered by the file they are about."""
    gathered: dict[str, list[Vector]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            gathered[record["robots"]].append(record)
    return gathered


def recorded(vector: Vector) -> Outcome:
    return vector["allowed"], vector["line"] or None


Event = tuple[int, str, bytes]
"""A line's number, the field it was read as, and the value in Google's normal form."""
FIELDS = ("user-agent", "allow", "disallow", "sitemap")
ESCAPED = ("utf-8", "surrogateescape")


def events_of(stream: Vector) -> list[Event]:
    return [event(*recorded) for recorded in stream["events"] if recorded[1] in FIELDS]


def event(number: int, field: str, value: str, *_: Any) -> Event:
    # The recorder writes a byte as the character of that number.
    return number, field, value.encode("latin-1")


Block = tuple[tuple[bytes, ...], tuple[Event, ...]]
"""The values of a group's start lines, and its rules."""


def groups_of(stream: Vector) -> list[Block]:
    """Return the groups that the events make: a start line after a rule begins another."""
    groups: list[tuple[list[bytes], list[Event]]] = []
    for number, field, value in events_of(stream):
        if field == "user-agent":
            if not groups or groups[-1][1]:
                groups.append(([], []))
            groups[-1][0].extend([value] if value else [])
        elif field != "sitemap" and groups:
            groups[-1][1].append((number, field, value))
    return [(tuple(tokens), tuple(rules)) for tokens, rules in groups]


def sitemaps_of(stream: Vector) -> list[bytes]:
    return [value for _, field, value in events_of(stream) if field == "sitemap" and value]


# Our side


def parsed(archive: str, wanted: dict[str, list[Vector]]) -> Iterator[tuple[str, verger.RobotsTxt]]:
    """Parse those files of an archive that are asked about."""
    for name, data in members(shared(f"corpus/{archive}")):
        if name in wanted:
            yield name, verger.parse(data, dialect=GOOGLEBOT_CPP)


def without_line(robots: verger.RobotsTxt, vector: Vector) -> bool:
    return robots.allowed(vector["url"], vector["agent"])


def events_in(robots: verger.RobotsTxt) -> list[Event]:
    return [
        (line.number, line.field, written(line.field, (line.value or "").encode(*ESCAPED)))
        for line in robots.lines
        if line.field in FIELDS
    ]


def groups_in(robots: verger.RobotsTxt) -> list[Block]:
    return [(tokens_in(group), rules_in(group.rules)) for group in robots.groups]


def tokens_in(group: verger.Group) -> tuple[bytes, ...]:
    return tuple(token.encode(*ESCAPED) for token in group.product_tokens)


def rules_in(rules: Sequence[verger.Rule]) -> tuple[Event, ...]:
    fields = ("disallow", "allow")
    return tuple((rule.line, fields[rule.allow], written("", rule.pattern_bytes)) for rule in rules)


def written(field: str, data: bytes) -> bytes:
    """A value as Google's events show it: patterns in normal form, the rest as it is."""
    return data if field in ("user-agent", "sitemap") else PATTERN_FORMS["cpp"](data)
