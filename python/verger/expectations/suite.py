"""Suites: files with expectations, judged together.

In: the paths of files with expectations, and a function that reads robots.txt files. Out: a
`SuiteReport`. Each robots.txt file is read once, in all dialects that need it. A file that cannot
be read does not stop the others.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verger.errors import RobotsError, UnusableInput
from verger.expectations.judging import Judgement, judge
from verger.expectations.reading import ExpectationFile, InvalidExpectations, load
from verger.expectations.subject import DEFAULT_DIALECT, Subject, subject_of
from verger.files.paths import STANDARD, is_url
from verger.options import Paths, paths_of
from verger.plain import quoted

Find = Callable[[str, Sequence[str]], Subject]


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """The result for one file with expectations.

    name:      the path of the file with expectations.
    robots:    the path or URL of the robots.txt file, if it is known.
    judgements:  the judgement of each expectation.
    error:     message and hint if it could not be tested; None if it was.
    """

    name: str
    robots: str | None
    judgements: tuple[Judgement, ...] = ()
    error: tuple[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The results for all files.

    files:  the result for each file with expectations.
    """

    files: tuple[JudgedFile, ...]

    @property
    def judgements(self) -> Iterator[Judgement]:
        """The judgements of all files."""
        return (judgement for file in self.files for judgement in file.judgements)

    @property
    def passed(self) -> int:
        """How many expectations hold."""
        return sum(judgement.holds for judgement in self.judgements)

    @property
    def failed(self) -> int:
        """How many do not hold."""
        return sum(not judgement.holds and judgement.error is None for judgement in self.judgements)

    @property
    def errors(self) -> int:
        """How many files could not be tested, and how many expectations have no answer."""
        unread = sum(file.error is not None for file in self.files)
        return unread + sum(judgement.error is not None for judgement in self.judgements)


class Suite:
    """Files with expectations, which are read at once, and the robots.txt files to test.

    paths:    one or several.
    robots:   the path or URL of the robots.txt file, whatever the files name.
    dialect:  the dialect of expectations that name none, in a file that names none.
    option:   what passes another robots.txt file, for hints.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        robots: str | None = None,
        dialect: str = DEFAULT_DIALECT,
        option: str = "robots",
    ) -> None:
        self._robots = robots
        self._dialect = dialect
        self._option = option
        self._files = [_load(path) for path in paths_of("paths", paths)]
        self._dialects: dict[str, dict[str, None]] = {}
        """The dialects in which each robots.txt file is read."""
        for file in self._files:
            if not isinstance(file, JudgedFile) and (name := self._named(file)) is not None:
                dialects = dict.fromkeys(file.dialects(dialect))
                self._dialects.setdefault(name, {}).update(dialects)

    def __repr__(self) -> str:
        return f"Suite({len(self._files):,} files, {len(self._dialects):,} robots.txt files)"

    @property
    def robots(self) -> list[str]:
        """The paths and URLs of the robots.txt files."""
        return list(self._dialects) if self._robots is None else [self._robots]

    @property
    def unread(self) -> list[tuple[str, str | None]]:
        """Message and hint for each file with expectations that cannot be read."""
        return [file.error for file in self._files if isinstance(file, JudgedFile) and file.error]

    def judge(self, find: Find | None = None) -> SuiteReport:
        """Return the judgement of each expectation.

        find:    returns the `Subject` of a path or URL, to be read in some dialects; by default
                 `subject_of`.
        Raises:  UnusableInput and others of `find`, if one robots.txt file is for all.
        """
        find = find or (lambda robots, dialects: subject_of(robots, dialects=dialects))
        found = {name: _found(find, name, list(each)) for name, each in self._dialects.items()}
        return SuiteReport(tuple(self._judged(file, found) for file in self._files))

    def _judged(
        self, file: ExpectationFile | JudgedFile, found: Mapping[str, Subject | RobotsError]
    ) -> JudgedFile:
        if isinstance(file, JudgedFile):
            return file
        name = self._named(file)
        subject = found[name] if name is not None else _nameless(file, self._option)
        if isinstance(subject, Subject):
            judgements = tuple(judge(file, subject, dialect=self._dialect))
            return JudgedFile(file.name, subject.name, judgements)
        if self._robots is not None:
            raise subject
        return JudgedFile(file.name, name, error=(subject.message, subject.hint))

    def _named(self, file: ExpectationFile) -> str | None:
        if self._robots is None and file.robots is None:
            return None
        return self._robots or robots_of(file, self._option)


def robots_of(file: ExpectationFile, option: str) -> str:
    """Return the path of the robots.txt file that a file names, or its URL.

    option:  what passes another file, for the hint.
    Raises UnusableInput if it names none.
    """
    if file.robots is None:
        raise _nameless(file, option)
    if is_url(file.robots):
        return file.robots
    # Messages show paths as they were given; `pathlib` would change them.
    folder = os.path.dirname(file.name)  # noqa: PTH120
    if file.robots == STANDARD:  # a file of that name, not stdin
        folder = folder or os.curdir
    return os.path.join(folder, file.robots)  # noqa: PTH118


def _nameless(file: ExpectationFile, option: str) -> UnusableInput:
    hint = f'pass `{option}`, or write `robots = "robots.txt"` at its top'
    return UnusableInput(f"{quoted(file.name)} names no robots.txt file", hint)


def _load(path: str) -> ExpectationFile | JudgedFile:
    try:
        return load(path)
    except InvalidExpectations as error:
        return JudgedFile(path, None, error=(error.message, error.hint))


def _found(find: Find, robots: str, dialects: Sequence[str]) -> Subject | RobotsError:
    """Return the subject of a path or URL, or why it cannot be read."""
    try:
        return find(robots, dialects)
    except RobotsError as error:
        return error
