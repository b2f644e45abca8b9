"""`verger allow`: these crawlers may fetch these paths, and nothing else changes.

In: words. Out: an exit code; `blocking` has all but the direction.
"""

from collections.abc import Sequence

from verger.analysis import allow
from verger.cli.editing import blocking
from verger.cli.grammar import Parser

DESCRIPTION = """\
Let crawlers fetch a site, or some paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler, over all URLs, and told on stderr."""

EPILOG = f"""\
{blocking.EXIT_CODES}

examples:
  verger allow --robots robots.txt --agent Googlebot
  verger allow --robots robots.txt --purpose search /press --in-place"""


def run(words: Sequence[str]) -> int:
    """Make the edit that the words ask for, and return the exit code."""
    return blocking.run(parser().read(words), "allow", allow)


def parser() -> Parser:
    """Return the grammar of the command."""
    return blocking.parser("allow", DESCRIPTION, EPILOG)
