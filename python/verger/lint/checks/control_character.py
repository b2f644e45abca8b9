"""RT108: a control character in a line."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


@check("RT108", "warning")
def control_character(file: File) -> Iterator[Found]:
    """A control character in a line, such as NUL, which some crawlers treat as the line's end.

    Why: it is invisible and changes what the line means.

    Use instead: the line without it.
    """
    if not CONTROL.search(file.body):
        return
    for line in file.lines:
        match = CONTROL.search(file.text(line.span))
        if match:
            start = line.span[0] + match.start()
            what = f"the line contains the control character 0x{match[0][0]:02X}"
            yield Found(line.number, what, (start, start + 1))
