"""An expectation: may a crawler fetch a URL, and because of which rule?

Only values: `reading` makes them from TOML, `judging` compares them with a robots.txt file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expectation:
    """The answer that one crawler should get about one URL.

    tokens:   the product tokens of the crawler; the dialect says what several mean.
    url:      an absolute URL, or a path.
    allowed:  whether the crawler should be allowed to fetch it.
    line:     the line that should decide; None if any may.
    rule:     the rule that should decide, as `Disallow: /private`; None if any may.
    dialect:  the name of the dialect; None for the default of the test.
    because:  the reason, in the author's words.
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

    name:          the path of the file, or its name in messages.
    robots:        the robots.txt file: a path relative to this file, or a URL; None if it is given
                   when the test runs.
    dialect:       the dialect of expectations that name none; None if the file names none either.
    expectations:  the expectations, in the order of the file.
    """

    name: str
    robots: str | None
    dialect: str | None
    expectations: tuple[Expectation, ...]

    def dialects(self, default: str) -> list[str]:
        """Return the dialects of the expectations, each once; `default` if none is named."""
        usual = self.dialect or default
        return list(dict.fromkeys(each.dialect or usual for each in self.expectations))
