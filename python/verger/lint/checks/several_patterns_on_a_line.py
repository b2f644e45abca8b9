"""RT317: several path patterns on one line."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.checks.several_fields_on_a_line import has_field
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.words import quoted

APART = re.compile(rb"(?<![ \t])(?:[ \t]++(?:[,;][ \t]*+)?|[,;][ \t]*+)(?=/)")
FEWEST = 2


@check("RT317", "error", fix="unsafe")
def several_patterns_on_a_line(file: File) -> Iterator[Found]:
    """A rule with several paths, such as `Disallow: /a /b`: it matches none of them.

    Why: crawlers read one pattern that contains the blanks and the other paths.

    Use instead: a line for each path.

    Fix: the line is split. The rules then take effect, so the fix is unsafe.
    """
    rows = [(rule, row) for rule in file.rules if (row := patterns_in(rule.pattern_bytes))]
    backwards = _backwards(file) if rows else []
    for rule, patterns in rows:
        if not _is_slip(backwards, patterns):
            start = file.content(rule.line)[0]
            key = file.text((start, rule.span[0]))
            new = (file.line_end() + key).join(patterns)
            fix = Fix("Split the line", (Edit(rule.span, new),), "unsafe")
            what = f"{quoted(rule.pattern)} is read as one pattern, not as {len(patterns)}"
            yield Found(rule.line, what, rule.span, fix=fix)


def patterns_in(value: bytes) -> list[bytes]:
    """Return the patterns of a value that contains several; none for other values.

    A path may contain commas, and `//` rather begins a comment. A lone slash is rather the end of a
    path with a blank in it: as a pattern of its own, it would disallow the whole site.
    """
    if not value.startswith(b"/") or b" //" in value or not (b" " in value or b"\t" in value):
        return []
    parts = [part for part in APART.split(value) if part]
    is_row = len(parts) >= FEWEST and not any(b" " in part or b"\t" in part for part in parts)
    return parts if is_row and b"/" not in parts and not has_field(value) else []


def _backwards(file: File) -> list[bytes]:
    """Return the patterns without blanks, each reversed, in order: equal ends are neighbours."""
    patterns = {rule.pattern_bytes for rule in file.rules}
    return sorted(pattern[::-1] for pattern in patterns if b" " not in pattern)


def _is_slip(backwards: Sequence[bytes], patterns: list[bytes]) -> bool:
    """Whether the blank is rather part of one path: other rules end as the second part does."""
    end = patterns[-1][::-1]
    at = bisect_right(backwards, end)  # longer ones with this end come right after it
    return len(patterns) == FEWEST and at < len(backwards) and backwards[at].startswith(end)
