"""Comments that silence checks: `# verger: ignore RT304 because the old tool wants it`.

In: the lines of a file. Out: which diagnostics are silenced, and comments that silence nothing.
A comment behind something is for its line; one alone on a line is for the next line that is
neither blank nor a comment; `ignore-file` is for the whole file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verger._core import Line
from verger.lint.check import Check, all_checks
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
        is_meant = not self.words or any(names(word, diagnostic) for word in self.words)
        return is_there and is_meant


def names(word: str, check: Diagnostic | Check) -> bool:
    """Whether a word of a comment names a check: by its code, the beginning of it, or its name."""
    return word.lower() == check.name or check.code.startswith(word.upper())


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
    for silencer in silencers:
        for word in silencer.words:
            if not any(names(word, each) for each in all_checks().values()):
                yield silencer, word
