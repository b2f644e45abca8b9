"""The whole command line as a tree: every command, and the grammar of its arguments.

In: the commands of `verger.cli.app` and the grammars of their modules. Out: one `Command` for each,
for code that covers all of them: shell completion, manual pages, tests. It imports every grammar,
so other commands should not use it.
"""

from argparse import Action
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from verger.cli.app import COMMANDS
from verger.cli.grammar import OneOf, Parser, crawler, file


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or one of its sub-commands.

    words:    its name, without `verger`.
    what:     what it does, in one line.
    grammar:  its options and arguments; None if its sub-commands have them.
    """

    words: tuple[str, ...]
    what: str
    grammar: Parser | None

    @property
    def name(self) -> str:
        """The name as one text."""
        return " ".join(self.words)

    @property
    def options(self) -> Sequence[Action]:
        """Its options, in the order of its help."""
        return [each for each in self._actions if each.option_strings]

    @property
    def positional(self) -> Action | None:
        """Its positional argument; None if it takes none."""
        return next((each for each in self._actions if not each.option_strings), None)

    @property
    def _actions(self) -> Sequence[Action]:
        return () if self.grammar is None else self.grammar._actions


def commands() -> Iterator[Command]:
    """Yield every command, each before its sub-commands."""
    for name, what in COMMANDS.items():
        module = import_module(f"verger.cli.commands.{name}")
        if hasattr(module, "parser"):
            yield Command((name,), what, module.parser())
            continue
        yield Command((name,), what, None)
        for sub, (its_what, grammar, _) in module.COMMANDS.items():
            yield Command((name, sub), its_what, grammar())


def has_value(option: Action) -> bool:
    """Whether an option takes a value."""
    return option.nargs != 0


def words_of(action: Action | None) -> Sequence[str]:
    """Return the possible values; none if any value is possible."""
    return action.type.known if action and isinstance(action.type, OneOf) else ()


def names_a_crawler(action: Action | None) -> bool:
    """Whether a value is a product token, such as those of `CRAWLERS`."""
    return action is not None and action.type is crawler


def names_a_file(action: Action | None) -> bool:
    """Whether a value can be the path of a file or a folder."""
    return action is not None and action.type is file


def in_short(option: Action) -> str:
    """Return the beginning of an option's help, which makes sense on its own."""
    text = (option.help or "").partition(" (default:")[0].partition("; ")[0]
    return text.partition(": ")[0]
