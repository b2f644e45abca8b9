"""`verger allow`: let crawlers fetch paths, and change nothing else.

In: what argparse read. Out: an exit code; `verger.cli.commands.block` has everything else.
"""

from argparse import Namespace

from verger.analysis import allow
from verger.cli.commands.block import HELP_OF_EDITS, OPTIONS, edit_rules

__all__ = ["HELP", "OPTIONS", "run"]

HELP = HELP_OF_EDITS.format(
    command="allow",
    description="""\
Let crawlers fetch a site, or some paths of it, and change nothing else.

Crawlers that share a group with others get a group of their own. What the edit
changes is proved for every known crawler over all URLs, and reported on stderr.""",
    examples="""\
  verger allow --robots robots.txt --agent Googlebot
  verger allow --robots robots.txt --purpose search /press --in-place""",
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    return edit_rules(args, "allow", allow)
