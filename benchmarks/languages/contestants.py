"""Who takes part: verger from Python and from Rust, and every parser that a registry hands out.

In: nothing. Out: `CONTESTANTS`. Versions are not named here: harnesses tell what they were built
with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HarnessName = Literal["python", "rust", "go", "java", "node"]
Side = Literal["python", "native"]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A parser, and what must be known to read its figures."""

    key: str
    """What its harness calls it."""
    title: str
    language: str
    harness: HarnessName
    kept: str
    """What a parsed file holds."""
    note: str = ""
    """How it is asked, where that is not obvious."""
    parses: bool = True
    """Whether it can parse without being asked."""

    @property
    def side(self) -> Side:
        """Whether it is called from Python: like is compared with like."""
        return "python" if self.harness == "python" else "native"

    @property
    def warms_up(self) -> bool:
        """Whether it is compiled while it runs."""
        return self.harness in ("java", "node")


ALL, ONE, NOTHING = "all groups", "the rules of one crawler", "nothing"
ANEW = "every answer parses the file anew"

CONTESTANTS = (
    Contestant("verger", "verger", "Rust, from Python", "python", ALL),
    Contestant("Protego", "Protego", "Python", "python", ALL),
    Contestant("robotspy", "robotspy", "Python", "python", ALL),
    Contestant("urllib", "urllib.robotparser", "Python", "python", ALL, "no wildcards"),
    Contestant(
        "jwm.robotstxt", "jwm.robotstxt", "C++, from Python", "python", NOTHING, ANEW, parses=False
    ),
    Contestant("verger-core", "verger's core", "Rust", "rust", ALL, "without Python"),
    Contestant("texting_robots", "texting_robots", "Rust", "rust", ONE),
    Contestant("robotstxt", "robotstxt", "Rust", "rust", NOTHING, ANEW),
    Contestant("grobotstxt", "grobotstxt", "Go", "go", NOTHING, ANEW),
    Contestant(
        "temoto/robotstxt", "temoto/robotstxt", "Go", "go", ALL, "is given paths, cut off the URLs"
    ),
    Contestant("crawler-commons", "crawler-commons", "Java", "java", ONE),
    Contestant("robots-parser", "robots-parser", "JavaScript", "node", ALL),
)

SUBJECTS: dict[Side, str] = {"python": "verger", "native": "verger-core"}
"""Whom the ratios are to."""
