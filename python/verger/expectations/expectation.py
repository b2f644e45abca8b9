"""An expectation: may a crawler fetch a URL, and because of which rule?

Values alone: `reading` makes them from TOML, `judging` compares them with a robots.txt file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one crawler should be told about one URL.

    tokens:   the product tokens of the crawler; the dialect says what several mean.
    url:      an absolute URL, or a path.
    line:     the line that should decide; None if any may.
    rule:     the rule that should decide, as `Disallow: /private`; None if any may.
    dialect:  the name of the dialect; None for the one that the test uses by default.
    because:  the reason, in words of the author.
    at:       the line of the expectation in its own file; None outside files.
    """

    tokens: tuple[str, ...]
    url: str
    allowed: bool
    line: int | None = None
    rule: str | None = None
    dialect: str | None = None
    because: str | None = None
    at: int | None = None

    @property
    def agent(self) -> str:
        """The crawler in one word: `a,b` if it has two tokens."""
        return ",".join(self.tokens)


@dataclass(frozen=True, slots=True)
class ExpectationFile:
    """The expectations of one file.

    name:     the path of the file, or what stands for it in messages.
    robots:   where the robots.txt file is: a path relative to this file, or a URL; None if whoever
              runs the test says it.
    dialect:  the dialect of expectations that name none; None if the file names none either.
    """

    name: str
    robots: str | None
    dialect: str | None
    expectations: tuple[Expectation, ...]
