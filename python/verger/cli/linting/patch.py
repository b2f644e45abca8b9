"""Changes as a unified diff.

In: the old and new bytes. Out: text that `patch` and `git apply` read.
"""

from collections.abc import Iterator

from verger.cli.streams import plain_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream

NO_END = b"\n\\ No newline at end of file\n"


def patch(name: str, old: bytes, new: bytes) -> str:
    """Return the changes, decoded from bytes (UTF-8 with surrogateescape)."""
    from difflib import diff_bytes, unified_diff

    name_bytes = name.encode("utf-8", "surrogateescape")
    lines = diff_bytes(unified_diff, list(_lines(old)), list(_lines(new)), name_bytes, name_bytes)
    whole = (line if line.endswith(b"\n") else line + NO_END for line in lines)
    return b"".join(whole).decode("utf-8", "surrogateescape")


def shown_diff(text: str, stream: "TextStream") -> str:
    """Return a diff unchanged for a pipe or file, escaped for a terminal."""
    return plain_lines(text) if text and stream.isatty() else text


def _lines(body: bytes) -> Iterator[bytes]:
    """Yield lines as `patch` counts them, which end only at a line feed."""
    lines = body.split(b"\n")
    yield from (line + b"\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]
