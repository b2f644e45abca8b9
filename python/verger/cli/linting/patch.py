"""What would be written, as a unified diff.

In: the bytes before and after. Out: text that `patch` and `git apply` read.
"""

from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

NO_END = b"\n\\ No newline at end of file\n"


def patch(name: str, old: bytes, new: bytes) -> str:
    """Return what changes, as text that decodes bytes (UTF-8 with surrogateescape)."""
    name_bytes = name.encode("utf-8", "surrogateescape")
    lines = diff_bytes(unified_diff, list(_lines(old)), list(_lines(new)), name_bytes, name_bytes)
    whole = (line if line.endswith(b"\n") else line + NO_END for line in lines)
    return b"".join(whole).decode("utf-8", "surrogateescape")


def _lines(body: bytes) -> Iterator[bytes]:
    """Yield lines as `patch` counts them: they end at a line feed alone."""
    lines = body.split(b"\n")
    yield from (line + b"\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]
