"""Problems of a file as a whole, as notes on stderr.

In: a file as one or several dialects read it; or a source of files, as they are needed. Out: a line
for each finding that may explain an unexpected answer.
"""

from collections.abc import Callable, Iterator, Sequence

from verger import RobotsTxt
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.snapshots.sources import FetchedFile, RobotsFile
from verger.untrusted_text import counted, printable, quoted

NOTED = NOT_ROBOTS_TXT | {"unmatched-agent"}
"""Findings that change the meaning of the whole file, or whom it names."""

MOST_NOTED = 3
MOST_FILES = 10
"""The most files of many sites that have notes."""
LOOKED_AT = 1_000
"""The most files that are looked at: reading all lines takes longer than an answer."""


def noting(
    file_for: Callable[[str], RobotsFile | FetchedFile], note: Callable[..., object]
) -> Callable[[str], RobotsFile | FetchedFile]:
    """Return a source of files that notes the problems of each when it is first used."""
    seen: set[str] = set()
    noted: set[str] = set()

    def noted_file(url: str) -> RobotsFile | FetchedFile:
        file = file_for(url)
        if file.name not in seen and len(seen) < LOOKED_AT and len(noted) < MOST_FILES:
            seen.add(file.name)
            if lines := [*notes_on(file.read, file.name)]:
                noted.add(file.name)
                note(*lines)
                if len(noted) == MOST_FILES:
                    note(f"note: {MOST_FILES} files have notes; further ones have none")
        return file

    return noted_file


def notes_on(read: Sequence[RobotsTxt], name: str) -> Iterator[str]:
    """Yield a note for each dialect that does not read the whole file, and for each such finding.

    Only the first findings get a note, and the rest are counted (RFC 9309 section 2.5 for limits).

    read:  the same file in each dialect; a finding in several dialects is noted once.
    """
    yield from (_note_of_cut(robots, name) for robots in read if robots.truncated)
    noted: dict[tuple[int, str], str] = {}
    for robots in read:
        for finding in findings_of(robots):
            if finding.code in NOTED:
                noted.setdefault((finding.line, finding.code), finding.message)
    for (line, code), message in list(noted.items())[:MOST_NOTED]:
        yield f"note: line {line} of {quoted(name)}: {printable(message)} ({code})"
    if len(noted) > MOST_NOTED:
        yield f"note: and {counted(len(noted) - MOST_NOTED, 'more such line')}"


def _note_of_cut(robots: RobotsTxt, name: str) -> str:
    dialect = robots.dialect
    if dialect.over_limit == "absent" and not robots.bytes_read:
        cut = f"has more than {dialect.parse_limit:,} bytes and counts as absent"
    else:
        cut = f"is {robots._how_cut()}"
    return f"note: {quoted(name)} {cut} for {dialect.name}"
