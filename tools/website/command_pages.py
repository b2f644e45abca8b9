"""The reference of the command line: a page of Markdown for each command.

In: the grammars of all commands. Out: the pages as text, by the name of their file.
"""

from argparse import Action
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from command_tree import Command, commands

from verger.cli.app import ABOUT

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"


def command_pages() -> dict[str, str]:
    """Return every page, and the list of all."""
    all_ = list(commands())
    pages = {f"{_file(each)}.md": "\n\n".join(_page(each, all_)) + "\n" for each in all_}
    listed = [f"- [`verger {each.name}`]({_file(each)}.md): {each.what}" for each in all_]
    about = f"{ABOUT[:1].upper()}{ABOUT[1:]}"
    return {"index.md": "\n".join(["# Commands", "", about, "", *listed, ""]), **pages}


def _file(command: Command) -> str:
    return "-".join(command.words)


def _page(command: Command, all_: list[Command]) -> Iterator[str]:
    yield f"# `verger {command.name}`"
    if command.grammar is None:
        yield f"{command.what[:1].upper()}{command.what[1:]}."
        below = [each for each in all_ if each.words[:-1] == command.words]
        yield "\n".join(
            f"- [`verger {each.name}`]({_file(each)}.md): {each.what}" for each in below
        )
    else:
        yield str(command.grammar.description)
        usage = str(command.grammar.usage).replace(f"\n{' ' * len('usage: ')}", "\n")
        yield f"```text\n{usage}\n```"
    name = command.words[0]
    if (GUIDES / f"{name}.md").exists():
        yield f"The guide [{name}](../../guides/{name}.md) shows it at work."
    for title, actions in (("Arguments", [command.positional]), ("Options", command.options)):
        if shown := [_option(each) for each in actions if each is not None]:
            yield "\n\n".join([f"## {title}", *shown])
    epilog = command.grammar.epilog if command.grammar else ""
    for heading, _, text in (
        part.partition(":\n") for part in (epilog or "").split("\n\n") if part
    ):
        yield f"## {heading.capitalize()}\n\n```text\n{dedent(text).rstrip()}\n```"


def _option(action: Action) -> str:
    """Return an option and what it does, as an item of a definition list."""
    value = f" {action.metavar}" if action.metavar and action.nargs != 0 else ""
    names = [f"`{name}{value}`" for name in action.option_strings] or [f"`{action.metavar}`"]
    text = " ".join(str(action.help).split()).replace("%%", "%")
    return f"{', '.join(names)}\n:   {text}"
