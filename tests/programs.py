"""Programs in interpreters of their own, where theirs are the imports, the memory and the ending.

In: source text, which may import what tests import. Out: what it printed. No test lives here.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from patience import LONG


def printed(program: str, *arguments: object, **environment: str) -> str:
    """Return what a program prints; it succeeds, and says nothing on stderr."""
    folders = [str(Path(__file__).parent), *sys.path]
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders))} | environment,
    )
    assert 0 == ended.returncode, ended.stderr
    assert "" == ended.stderr
    return ended.stdout
