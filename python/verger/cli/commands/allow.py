"""`verger allow`: let crawlers fetch paths, and change nothing else.

In: words. Out: an exit code; `verger.cli.commands.block` has everything else.
"""

from collections.abc import Sequence

from verger.analysis import allow
from verger.cli.commands.block import edit_parser, edit_rules
from verger.cli.grammar import Parser

DESCRIPTION = """\
Let crawlers fetch a site, or some paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler over all URLs, and reported on stderr."""

EXAMPLES = """\
  verger allow --robots robots.txt --agent Googlebot
  verger allow --robots robots.txt --purpose search /press --in-place"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    return edit_rules(parser().read(words), "allow", allow)


def parser() -> Parser:
    """Return the grammar of the command."""
    return edit_parser("allow", DESCRIPTION, EXAMPLES)
