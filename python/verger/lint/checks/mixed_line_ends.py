"""RT110: different line ends in one file."""

from collections import Counter
from collections.abc import Iterator

from verger.analysis import Edit
from verger.analysis.draft import end_of_line
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File

NAMES = {b"\n": "LF", b"\r\n": "CR LF", b"\r": "CR"}


@check("RT110", "note", fix="safe")
def mixed_line_ends(file: File) -> Iterator[Found]:
    """A file whose lines do not all end in the same way.

    Why: editors and diffs display such a file differently, and may join its lines.

    Use instead: LF or CR LF throughout.

    Fix: all lines use the most common line end.
    """
    if b"\r" not in file.body or b"\r" not in file.body.replace(b"\r\n", b"\n"):
        crlf = file.body.count(b"\r\n")
        if crlf in (0, file.body.count(b"\n")):
            return
    ends = [(line, end_of_line(file.text(line.span))) for line in file.lines]
    counts = Counter(end for _, end in ends if end)
    if len(counts) < 2:
        return
    usual = max(counts, key=lambda end: counts[end])
    odd = [(line, end) for line, end in ends if end not in (usual, b"")]
    edits = tuple(Edit((line.span[1] - len(end), line.span[1]), usual) for line, end in odd)
    first, end = odd[0]
    what = f"the line ends in {NAMES[end]}, and most end in {NAMES[usual]}"
    fix = Fix(f"Let every line end in {NAMES[usual]}", edits, "safe")
    yield Found(first.number, what, fix=fix)
