"""`verger lsp`: a language server for editors.

In: the Language Server Protocol on stdin. Out: the protocol on stdout; errors on stderr.
"""

import gc
import sys
from argparse import Namespace
from io import BufferedReader, RawIOBase
from typing import cast

from verger import DIALECTS
from verger.cli import options
from verger.cli.output import FINE
from verger.files.stdio import unbuffered_stdin

HELP = """\
usage: verger lsp [--dialect NAME] [--stdio]

Answers for editors, over the Language Server Protocol on stdin and stdout.

While you write a robots.txt file, the editor shows problems and fixes them,
explains each line, and completes fields and the names of crawlers. The editor
starts the server; docs/guides/lsp.md shows how to set it up.

exit code:
  0    the editor ended the server
  1    the editor hung up without ending the server
  2    bad usage
  130  interrupted

examples:
  verger lsp
  verger lsp --dialect google
"""

OPTIONS = (
    options.shared(
        "--dialect",
        default=None,
        help=f"how files are read: {', '.join(DIALECTS)} (default: the first target of the "
        "linter's configuration, else rfc9309)",
    ),
    options.switch(
        "--stdio",
        help="speak on stdin and stdout, as always; some editors pass this option",
    ),
)

HUNG_UP = 1


def run(args: Namespace) -> int:
    """Serve until the editor ends the server, and return the exit code."""
    from verger.service.lsp import serve

    hint = "an editor starts this command and writes to its stdin"
    stdin = BufferedReader(cast(RawIOBase, unbuffered_stdin("the protocol", hint)))
    gc.freeze()  # a collection that scans all imported objects would delay a keystroke
    was_ended = serve(stdin, sys.stdout.buffer, dialect=args.dialect)
    return FINE if was_ended else HUNG_UP
