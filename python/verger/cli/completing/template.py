"""What the scripts of all shells are made of: a template, and what stands for each value.

In: a file `verger.SHELL` beside this one, in which `@NAME@` stands for a part; options. Out: text.
"""

from argparse import Action
from collections.abc import Mapping
from importlib.resources import files

from verger.cli import tree
from verger.crawlers import CRAWLERS


def script_of(shell: str, parts: Mapping[str, str]) -> str:
    """Return the template of a shell with its parts, and the known crawlers."""
    text = files("verger.cli.completing").joinpath(f"verger.{shell}").read_text("utf-8")
    return filled(text, {"CRAWLERS": " ".join(each.token for each in CRAWLERS), **parts})


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Return a text in which each part stands in its place."""
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def offer(action: Action | None, *, file: str, crawler: str, words: str, nothing: str = "") -> str:
    """Return what offers the values of an option, or the words that are not one.

    words:  what offers known words, which stand for its `{}`.
    """
    if tree.names_a_file(action):
        return file
    if tree.names_a_crawler(action):
        return crawler
    known = " ".join(tree.words_of(action))
    return words.format(known) if known else nothing
