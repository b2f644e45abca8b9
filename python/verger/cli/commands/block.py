"""`verger block`: these crawlers may not fetch these paths any more, and nothing else changes.

In: a robots.txt file, crawlers, and path patterns. Out: the new file, and on stderr what it changes
for whom; or both as JSON. Exit code 0 where that is proved, 1 where it was refused, 2 where there
is no file.
"""

from collections.abc import Sequence

from verger.analysis import block
from verger.cli.editing import blocking
from verger.cli.grammar import Parser

USAGE = """verger block --robots FILE|URL|- (--agent TOKEN... | --purpose NAME...)
                    [--except TOKEN...] [--output FILE|- | --in-place]
                    [--dialect NAME] [--format text|json] [OPTION...] [PATH...]"""

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
    return blocking.parser("block", USAGE, DESCRIPTION, EPILOG)
