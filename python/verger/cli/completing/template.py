"""The common parts of the completion scripts: a template, and the completion of each value.

In: a file `verger.SHELL` next to this one, in which `@NAME@` is the place of a part; options. Out:
text.
"""

from argparse import Action
from collections.abc import Mapping
from importlib.resources import files

from verger.cli import tree
from verger.crawlers import CRAWLERS


def script_of(shell: str, parts: Mapping[str, str]) -> str:
    """Return the template of a shell, filled with its parts and the known crawlers."""
    text = files("verger.cli.completing").joinpath(f"verger.{shell}").read_text("utf-8")
    return filled(text, {"CRAWLERS": " ".join(each.token for each in CRAWLERS), **parts})


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Return the text with each part in its place."""
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def offer(action: Action | None, *, file: str, crawler: str, words: str, nothing: str = "") -> str:
    """Return the code that offers the values of an option, or positional arguments.

    words:  the code that offers known words, which replace its `{}`.
    """
    if tree.names_a_file(action):
        return file
    if tree.names_a_crawler(action):
        return crawler
    known = " ".join(tree.words_of(action))
    return words.format(known) if known else nothing
