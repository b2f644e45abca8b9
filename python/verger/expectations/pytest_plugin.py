"""The pytest plugin: `*.robots.toml` files as tests, and a fixture for expectations in Python.

In: files with expectations, which become one test item for each crawler and URL; calls of the
fixture `verger_robots`. Out: tests that pass or fail, with the reason as text. The rest of verger
is imported only if there is such a test.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from verger import expectations
from verger._core import check_product_token
from verger.errors import InvalidOption, RobotsError

LONGEST_NAME = 200
"""The most characters of a URL in the name of a test."""

ENDING = ".robots.toml"  # as in `reading`, which would have to be imported


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--verger-robots`."""
    parser.getgroup("verger").addoption(
        "--verger-robots",
        metavar="FILE|URL",
        help=f"the robots.txt file to test, instead of the one that each *{ENDING} file names",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ExpectationsFile | None:
    """Collect files with expectations."""
    if not file_path.name.endswith(ENDING):
        return None
    return ExpectationsFile.from_parent(parent, path=file_path)


class ExpectationsFile(pytest.File):
    """A file with expectations."""

    file: expectations.ExpectationFile

    def collect(self) -> Iterator[ExpectationItem]:
        """Yield an item for each crawler and URL."""
        try:
            self.file = expectations.load(self.path)
        except RobotsError as error:
            raise self.CollectError(str(error)) from None
        for name, expectation in _named(self.file):
            item = ExpectationItem.from_parent(self, name=name)
            item.expectation = expectation
            yield item

    @cached_property
    def subject(self) -> expectations.Subject:
        """The robots.txt file; it is read when the first test needs it."""
        given: str | None = self.config.getoption("--verger-robots")
        dialects = self.file.dialects(expectations.DEFAULT_DIALECT)
        if given is not None:
            below = self.config.invocation_params.dir
            return expectations.subject_of(given, below=below, dialects=dialects)
        if (robots := self.file.robots_path) is None:
            raise expectations.nameless(self.file, "--verger-robots FILE")
        return expectations.subject_of(robots, dialects=dialects)


class ExpectationItem(pytest.Item):
    """One crawler and one URL."""

    expectation: expectations.Expectation

    @property
    def funcargs(self) -> dict[str, object]:
        """No fixtures; plugins such as pytest-lsp look for them in every item."""
        return {}

    def runtest(self) -> None:
        """Fail if the expectation does not hold."""
        collected = self.parent
        assert isinstance(collected, ExpectationsFile)
        usual = collected.file.dialect or expectations.DEFAULT_DIALECT
        _expect(self.expectation, collected.subject, usual)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: object = None,  # noqa: ARG002 -- pytest passes it
    ) -> str:
        """Return what is wrong, without a traceback unless the plugin itself failed."""
        match excinfo.value:
            case Unexpected() as error:  # the name of the test shows crawler and URL
                return "\n".join(error.judgement.lines)
            case RobotsError() as error:
                return str(error)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """Return the file, the line from 0, and the name."""
        at = self.expectation.at
        return self.path, None if at is None else at - 1, self.name


class Unexpected(AssertionError):
    """An expectation does not hold."""

    def __init__(self, judgement: expectations.Judgement) -> None:
        super().__init__(f"{judgement.about}: " + "\n".join(judgement.lines))
        self.judgement = judgement


def _expect(
    expectation: expectations.Expectation,
    subject: expectations.Subject,
    dialect: expectations.DialectName,
) -> None:
    __tracebackhide__ = True
    judgement = expectations.judge_one(expectation, subject, dialect=dialect)
    if not judgement.holds:
        raise Unexpected(judgement)


class TestedRobots:
    """A robots.txt file with expectations."""

    __test__ = False

    def __init__(self, subject: expectations.Subject, dialect: expectations.DialectName) -> None:
        self._subject = subject
        self._dialect = dialect

    def expect(
        self,
        agent: str | Sequence[str],
        url: str,
        *,
        allowed: bool,
        line: int | None = None,
        rule: str | None = None,
        because: str | None = None,
    ) -> None:
        """Fail the test unless a crawler gets this answer for a URL.

        agent:    the product token of the crawler, or its several tokens.
        url:      an absolute URL, or a path.
        line:     the line that decides, if it matters.
        rule:     the rule that decides, as `Disallow: /private`, if it matters.
        because:  the reason for the expectation, shown if the test fails.
        Raises:   AssertionError, also for an invalid URL; InvalidProductToken, InvalidOption.
        """
        __tracebackhide__ = True
        if not isinstance(allowed, bool):
            raise InvalidOption(f"`allowed` is `{allowed!r:.40}`", "pass True or False")
        if line is not None and (isinstance(line, bool) or not isinstance(line, int)):
            raise InvalidOption(f"`line` is `{line!r:.40}`", "pass the number of a line")
        tokens = (agent,) if isinstance(agent, str) else tuple(agent)
        check_product_token(tokens, dialect=self._dialect)
        written = None if rule is None else str(expectations.expected_rule(rule))
        expected = expectations.Expectation(tokens, url, allowed, line, written, None, because)
        _expect(expected, self._subject, self._dialect)


@pytest.fixture
def verger_robots(request: pytest.FixtureRequest) -> Callable[..., TestedRobots]:
    """Return a function that reads a robots.txt file, to test expectations on it.

    verger_robots("robots.txt").expect("Googlebot", "/private", allowed=False)

    The file is a path, relative to the folder of the test; a URL, for which the file of its origin
    is fetched; or the bytes of a file. `dialect="google"` sets the dialect.
    """

    def read(
        robots: str | os.PathLike[str] | bytes, *, dialect: expectations.DialectName = "rfc9309"
    ) -> TestedRobots:
        if isinstance(robots, bytes):
            return TestedRobots(expectations.Subject.of_bytes(robots), dialect)
        below = request.path.parent
        subject = expectations.subject_of(os.fspath(robots), below=below, dialects=[dialect])
        return TestedRobots(subject, dialect)

    return read


def _named(file: expectations.ExpectationFile) -> Iterator[tuple[str, expectations.Expectation]]:
    """Yield expectations with unique names."""
    from verger.untrusted_text import printable, visible  # every run of pytest would import it

    seen: dict[str, int] = {}
    for each in file.expectations:
        dialect = f" ({each.dialect})" if each.dialect else ""
        name = f"{printable(each.agent)} {visible(each.asked, LONGEST_NAME)}{dialect}"
        count = seen[name] = seen.get(name, 0) + 1
        yield (name if count == 1 else f"{name} #{count}"), each
