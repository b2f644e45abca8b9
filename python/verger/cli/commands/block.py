"""`verger block`: stop crawlers from fetching paths, and change nothing else.

In: words. Out: an exit code; `verger.cli.editing.blocking` has everything else.
"""

from collections.abc import Sequence

from verger.analysis import block
from verger.cli.editing import blocking
from verger.cli.grammar import Parser

DESCRIPTION = """\
Stop crawlers from fetching a site, or paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler over all URLs, and reported on stderr."""

EXAMPLES = """\
verger block --robots robots.txt --agent GPTBot CCBot
verger block --robots robots.txt --purpose training --except GPTBot --in-place
verger block --robots robots.txt --agent GPTBot /private '/*.pdf$'"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    return blocking.run(parser().read(words), "block", block)


def parser() -> Parser:
    """Return the grammar of the command."""
    return blocking.parser("block", DESCRIPTION, EXAMPLES)
