"""What would be written, as a unified diff.

In: the bytes before and after. Out: text that `patch` and `git apply` read.
"""

import sys
from collections.abc import Iterator

from verger.cli.streams import plain_lines

NO_END = b"\n\\ No newline at end of file\n"


def patch(name: str, old: bytes, new: bytes) -> str:
    """Return what changes, as text that decodes bytes (UTF-8 with surrogateescape)."""
    from difflib import diff_bytes, unified_diff

    name_bytes = name.encode("utf-8", "surrogateescape")
    lines = diff_bytes(unified_diff, list(_lines(old)), list(_lines(new)), name_bytes, name_bytes)
    whole = (line if line.endswith(b"\n") else line + NO_END for line in lines)
    return b"".join(whole).decode("utf-8", "surrogateescape")


def shown_diff(text: str) -> str:
    """Return a diff as it is for a pipe or file; for a terminal, such that nothing of it acts."""
    return plain_lines(text) if text and sys.stdout.isatty() else text


def _lines(body: bytes) -> Iterator[bytes]:
    """Yield lines as `patch` counts them: they end at a line feed alone."""
    lines = body.split(b"\n")
    yield from (line + b"\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]
