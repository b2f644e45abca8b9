"""What a run of the scoreboard found, as values and as a file.

In: verdicts of the suite. Out: `Score` values, and build/scoreboard/scoreboard.json.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from verger.testing import suite

HERE = Path(__file__).resolve().parent
MAIN = "rfc9309"
"""What every parser is asked about."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A parser, as peers.toml has it."""

    key: str
    title: str
    language: str
    side: str
    follows: Sequence[str]
    says: str
    version: str = ""
    note: str = ""

    @property
    def specifications(self) -> list[str]:
        """What it is asked about."""
        return [MAIN, *self.follows]


@dataclass(frozen=True, slots=True)
class Answered:
    """A verdict, without the case."""

    id: str
    specification: str
    outcome: str
    allowed: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """How one parser did."""

    key: str
    version: str
    missing: str
    """Why it was not asked; empty if it was."""
    answered: Sequence[Answered]


def peers() -> list[Peer]:
    """Return who is asked."""
    table = tomllib.loads((HERE / "peers.toml").read_text("utf-8"))
    return [Peer(**row) for row in table["peer"]]


def score_of(peer: Peer, version: str, verdicts: Iterable[suite.Verdict]) -> Score:
    """Return a score."""
    answered = [
        Answered(one.case.id, one.case.specification, one.outcome, one.allowed, one.why)
        for one in verdicts
    ]
    return Score(peer.key, version, "", answered)


def write(scores: Sequence[Score], date: str, path: Path) -> None:
    """Write the file whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    held = {"date": date, "scores": [asdict(score) for score in scores]}
    unfinished.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read(path: Path) -> tuple[str, list[Score]]:
    """Return the date of a run, and its scores."""
    held: dict[str, Any] = json.loads(path.read_text("utf-8"))
    scores = [
        Score(
            **{**row, "answered": [Answered(**answered) for answered in row["answered"]]},
        )
        for row in held["scores"]
    ]
    return held["date"], scores
