"""`verger block`: these crawlers may not fetch these paths any more, and nothing else changes.

In: words. Out: an exit code; `blocking` has all but the direction.
"""

from collections.abc import Sequence

from verger.analysis import block
from verger.cli.editing import blocking
from verger.cli.grammar import Parser

DESCRIPTION = """\
Stop crawlers from fetching a site, or paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler, over all URLs, and told on stderr."""

EPILOG = f"""\
{blocking.EXIT_CODES}

examples:
  verger block --robots robots.txt --agent GPTBot CCBot
  verger block --robots robots.txt --purpose training --except GPTBot --in-place
  verger block --robots robots.txt --agent GPTBot /private '/*.pdf$'"""


def run(words: Sequence[str]) -> int:
    """Make the edit that the words ask for, and return the exit code."""
    return blocking.run(parser().read(words), "block", block)


def parser() -> Parser:
    """Return the grammar of the command."""
    return blocking.parser("block", DESCRIPTION, EPILOG)
