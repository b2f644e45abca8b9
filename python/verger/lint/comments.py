"""Comments that silence checks: `# verger: ignore RT304 because the old tool wants it`.

In: the lines of a file. Out: which diagnostics are silenced, and comments that silence nothing.
A comment behind something is for its line; one alone on a line is for the next line that is
neither blank nor a comment; `ignore-file` is for the whole file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verger._core import Line
from verger.lint.check import all_checks
from verger.lint.diagnostic import Diagnostic

COMMENT = re.compile(
    r"#\s*verger:\s*(?P<what>ignore(?:-file)?)\b[:\s]*(?P<words>.*?)(?:\s+because\b.*)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Silencer:
    """One comment."""

    line: int
    """Where it stands."""
    silences: int | None
    """The line that it is for; None for all."""
    words: tuple[str, ...]
    """Codes, prefixes of codes or names; nothing for all checks."""

    def holds_for(self, diagnostic: Diagnostic) -> bool:
        """Whether it silences a diagnostic."""
        is_there = self.silences is None or self.silences == diagnostic.line
        return is_there and (not self.words or any(map(diagnostic_is(diagnostic), self.words)))


def diagnostic_is(diagnostic: Diagnostic) -> "_Is":
    """Return a test whether a word names the check of a diagnostic."""
    return _Is(diagnostic.code, diagnostic.name)


@dataclass(frozen=True, slots=True)
class _Is:
    code: str
    name: str

    def __call__(self, word: str) -> bool:
        return word.lower() == self.name or self.code.startswith(word.upper())


def silencers_in(lines: Sequence[Line]) -> list[Silencer]:
    """Return the comments of a file that silence checks."""
    return list(_silencers(lines))


def _silencers(lines: Sequence[Line]) -> Iterator[Silencer]:
    for line in lines:
        if line.comment is None or "verger" not in line.comment.lower():
            continue
        match = COMMENT.match(line.comment.strip())
        if match:
            words = tuple(match["words"].replace(",", " ").split())
            is_whole = match["what"].lower() == "ignore-file"
            yield Silencer(line.number, None if is_whole else _line_for(line, lines), words)


def _line_for(line: Line, lines: Sequence[Line]) -> int:
    """Return the line that a comment is for."""
    if line.kind != "comment":
        return line.number
    for other in lines[line.number :]:
        if other.kind not in ("blank", "comment"):
            return other.number
    return line.number


def unknown_words(silencers: Iterable[Silencer]) -> Iterator[tuple[Silencer, str]]:
    """Yield what comments name that is not a check."""
    known = [(each.code, each.name) for each in all_checks().values()]
    for silencer in silencers:
        for word in silencer.words:
            if not any(_Is(code, name)(word) for code, name in known):
                yield silencer, word
