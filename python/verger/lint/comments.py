"""Comments that silence checks: `# verger: ignore RT304 because the old tool wants it`.

In: the lines of a file. Out: which diagnostics are silenced, and comments that silence nothing.
A comment after a record applies to its line; one on a line of its own applies to the next line that
is neither blank nor a comment; `ignore-file` applies to the whole file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from verger._core import Line
from verger.lint.check import Check, all_checks
from verger.lint.diagnostic import Diagnostic

COMMENT = r"(?i)#\s*verger:\s*(?P<what>ignore(?:-file)?)(?![\w-])[:\s]*(?P<words>.*)$"


@dataclass(frozen=True, slots=True)
class Silencer:
    """One comment."""

    line: int
    """Its own line."""
    silences: int | None
    """The line that it applies to; None for the whole file."""
    words: tuple[str, ...]
    """Codes, code prefixes or names; empty for all checks."""

    def holds_for(self, diagnostic: Diagnostic) -> bool:
        """Whether it silences a diagnostic."""
        is_there = self.silences is None or self.silences == diagnostic.line
        is_meant = not self.words or any(names(word, diagnostic) for word in self.words)
        return is_there and is_meant


def names(word: str, check: Diagnostic | Check) -> bool:
    """Whether a word of a comment names a check, by its code, code prefix or name."""
    return word.lower() == check.name or check.code.startswith(word.upper())


def silencers_in(lines: Sequence[Line]) -> list[Silencer]:
    """Return the comments of a file that silence checks."""
    return list(_silencers(lines))[::-1]


def _silencers(lines: Sequence[Line]) -> Iterator[Silencer]:
    """Yield the comments that silence checks, the last first."""
    import re  # few files have such comments

    below: int | None = None  # the next line that is neither blank nor a comment
    for line in reversed(lines):
        if line.kind not in ("blank", "comment"):
            below = line.number
        match = re.match(COMMENT, (line.comment or "").strip())
        if match:
            said = re.split(r"(?i)\bbecause\b", match["words"], maxsplit=1)[0]
            words = tuple(said.replace(",", " ").split())
            is_whole = match["what"].lower() == "ignore-file"
            silenced = line.number if line.kind != "comment" else below or line.number
            yield Silencer(line.number, None if is_whole else silenced, words)


def silencing(silencers: Sequence[Silencer]) -> Callable[[Diagnostic], bool]:
    """Return a predicate: whether some comments silence a diagnostic."""
    by_line: dict[int | None, list[Silencer]] = {}
    for silencer in silencers:
        by_line.setdefault(silencer.silences, []).append(silencer)

    def is_silenced(diagnostic: Diagnostic) -> bool:
        near = (*by_line.get(diagnostic.line, ()), *by_line.get(None, ()))
        return any(one.holds_for(diagnostic) for one in near)

    return is_silenced


def unknown_words(silencers: Iterable[Silencer]) -> Iterator[tuple[Silencer, str]]:
    """Yield the words in comments that name no check."""
    for silencer in silencers:
        for word in silencer.words:
            if not any(names(word, each) for each in all_checks().values()):
                yield silencer, word
