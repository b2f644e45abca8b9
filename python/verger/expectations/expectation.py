"""Expectations: what one file should answer, as values.

In: crawlers, URLs and answers, as `reading` finds them in TOML or a test writes them. Out: an
`Expectation`, which says whether an answer meets it.
"""

import os
from dataclasses import dataclass

from verger.access.answer import Answer, Use
from verger.crawlers.purposes import PURPOSES
from verger.files.paths import STANDARD, is_url
from verger.options import DialectName, UseName
from verger.untrusted_text import listed

EVERYONE = "*"
"""The purpose of all crawlers: those of the registry, those that the file names, and any others."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The answer that a crawler, or all for some purposes, should get about URLs.

    tokens:    the product tokens of the crawler; the dialect says what several mean. Empty if the
               expectation is about purposes.
    url:       an absolute URL, or a path; None if the expectation is about a pattern.
    allowed:   whether the crawler should be allowed to fetch it; with `use`, whether the use should
               be allowed, and None if nobody should say anything about it.
    line:      the line that should decide; None if any may.
    rule:      the rule that should decide, as `Disallow: /private`; None if any may.
    dialect:   the name of the dialect; None for the default of the test.
    because:   the reason, in the author's words.
    at:        the line of the expectation in its own file; None outside files.
    purposes:  what the crawlers are for: all of them are meant, also those that the registry will
               learn of; `*` for all crawlers, whatever they are for.
    except_:   product tokens of crawlers for these purposes that are not meant.
    pattern:   a path pattern: every URL that it matches is meant.
    except_paths:  path patterns: the URLs that one of them matches are not meant.
    use:       what the content may be used for: `search`, `ai-input` or `ai-train`; None if the
               expectation is about fetching.
    """

    tokens: tuple[str, ...]
    url: str | None
    allowed: bool | None
    line: int | None = None
    rule: str | None = None
    dialect: DialectName | None = None
    because: str | None = None
    at: int | None = None
    purposes: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    pattern: str | None = None
    except_paths: tuple[str, ...] = ()
    use: UseName | None = None

    @property
    def agent(self) -> str:
        """The crawler in one word: `a,b` if it has two tokens; or all that are meant, in words."""
        if self.tokens:
            return ",".join(self.tokens)
        some = "all" if EVERYONE in self.purposes else listed(self.purposes, most=len(PURPOSES))
        without = f" except {listed(self.except_)}" if self.except_ else ""
        return f"{some} crawlers{without}"

    @property
    def asked(self) -> str:
        """What is asked about: the URL or the patterns, and the use."""
        without = f" except {listed(self.except_paths)}" if self.except_paths else ""
        use = f" for {self.use}" if self.use else ""
        return f"{self.url or self.pattern}{without}{use}"

    @property
    def is_proved(self) -> bool:
        """Whether it is about many URLs or crawlers, for all of which it must be proved."""
        return self.pattern is not None or bool(self.purposes)

    def is_met_by(self, answer: Answer | Use) -> bool:
        """Whether an answer is the expected one, by the expected line and rule."""
        return (
            self.allowed is answer.allowed
            and self.line in (None, answer.line)
            and (
                self.rule is None or (isinstance(answer, Answer) and self.rule == str(answer.rule))
            )
        )


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
    dialect: DialectName | None
    expectations: tuple[Expectation, ...]

    @property
    def robots_path(self) -> str | None:
        """The path of the robots.txt file from the current folder, or its URL; None if unnamed."""
        if self.robots is None or is_url(self.robots):
            return self.robots
        # Messages show paths as they were given; `pathlib` would change them.
        folder = os.path.dirname(self.name)  # noqa: PTH120
        if self.robots == STANDARD:  # a file of that name, not stdin
            folder = folder or os.curdir
        return os.path.join(folder, self.robots)  # noqa: PTH118

    def dialects(self, default: DialectName) -> list[DialectName]:
        """Return the dialects of the expectations, each once; `default` if none is named."""
        usual = self.dialect or default
        return list(dict.fromkeys(each.dialect or usual for each in self.expectations))
