"""RT505: a file with a name that crawlers do not ask for."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

NAME = "robots.txt"

WRONG = (NAME, "robot.txt", "robots.txt.txt")
"""What it is called by mistake, in lower case; the last one by editors that hide `.txt`."""


@check("RT505", "error", reads_any_file=True)
def wrong_name(file: File) -> Iterator[Found]:
    """A file named `ROBOTS.TXT`, `Robots.txt` or `robot.txt`, if its name is known.

    Crawlers fetch `/robots.txt`, in lower case (RFC 9309 section 2.3).

    Why: crawlers get no file, and fetch everything.

    Use instead: the name `robots.txt`.
    """
    if file.name is not None and file.name != NAME and file.name.lower() in WRONG:
        yield Found(1, f"crawlers ask for `{NAME}`, and this file is {quoted(file.name)}", (0, 0))
