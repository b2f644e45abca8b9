"""Update lists of all dialects in files that are written by hand: schemas, stubs, settings.

In: the text of such a file. Out: the same text with the names of `verger.DIALECTS`, laid out as
before.
"""

import re
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

import verger

ROOT = Path(__file__).parent.parent
LISTING = (
    *sorted((ROOT / "python" / "verger" / "cli" / "schemas").glob("*.json")),
    ROOT / "python" / "verger" / "_core.pyi",
    ROOT / "editors" / "vscode" / "package.json",
)

WIDTH = 100
LIST = re.compile(r'(?P<indent>[ ]*)"original-1994"(?:,\s*"[a-z0-9-]+")+')


def listing_pages() -> dict[Path, Callable[[], str]]:
    """Return what each file that lists the names should say."""
    return {path: partial(_renewed, path) for path in LISTING}


def _renewed(path: Path) -> str:
    return LIST.sub(_laid_out, path.read_text("utf-8"))


def _laid_out(found: re.Match[str]) -> str:
    names = [f'"{name}"' for name in verger.DIALECTS]
    indent, before = found["indent"], found[0]
    if re.match(r'\s*"[^"]+",\n', before):
        return indent + f",\n{indent}".join(names)
    text = indent + ", ".join(names)
    return (
        text
        if "\n" not in before
        else textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    )
