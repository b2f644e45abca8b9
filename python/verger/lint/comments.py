"""Comments that silence checks: `# verger: ignore RT304 because the old tool wants it`.

In: the lines of a file. Out: which diagnostics are silenced, and comments that silence nothing.
A comment after a record applies to its line; one on a line of its own applies to the next line that
is neither blank nor a comment; `ignore-file` applies to the whole file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from verger._core import Line
from verger.lint.check import all_checks
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


@lru_cache(maxsize=1_024)
def codes_named_by(word: str) -> frozenset[str]:
    """Return the codes of the checks that a word of a comment names; its case does not matter."""
    name, code = word.lower(), word.upper()
    checks = all_checks().values()
    return frozenset(
        each.code for each in checks if each.code.startswith(code) or each.name == name
    )


def silencers_in(lines: Sequence[Line]) -> Iterator[Silencer]:
    """Yield the comments that silence checks, the last first."""
    below: int | None = None  # the next line that is neither blank nor a comment
    for line in reversed(lines):
        if line.kind not in ("blank", "comment"):
            below = line.number
        if match := re.match(COMMENT, (line.comment or "").strip()):
            said = re.split(r"(?i)\bbecause\b", match["words"], maxsplit=1)[0]
            words = tuple(said.replace(",", " ").split())
            is_whole = match["what"].lower() == "ignore-file"
            silenced = line.number if line.kind != "comment" else below or line.number
            yield Silencer(line.number, None if is_whole else silenced, words)


def silencing(silencers: Iterable[Silencer]) -> Callable[[Diagnostic], bool]:
    """Return a predicate: whether some comments silence a diagnostic."""
    by_line: dict[int | None, set[str]] = {}
    for silencer in silencers:
        codes = map(codes_named_by, silencer.words or ("",))
        by_line.setdefault(silencer.silences, set()).update(*codes)

    def is_silenced(diagnostic: Diagnostic) -> bool:
        return any(diagnostic.code in by_line.get(at, ()) for at in (diagnostic.line, None))

    return is_silenced
