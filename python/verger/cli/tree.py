"""The whole command line as a tree: every command, and what its grammar says of each word.

In: the commands of `verger.cli.app` and the grammars of their modules. Out: one `Command` for each,
for those who write about all of them: scripts for shells, manual pages, tests. Every grammar is
imported, so that no other command should ask.
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

    words:    its name, behind `verger`.
    what:     what it does, in a line.
    grammar:  what it takes; None where sub-commands do.
    """

    words: tuple[str, ...]
    what: str
    grammar: Parser | None

    @property
    def name(self) -> str:
        """The words as one."""
        return " ".join(self.words)

    @property
    def options(self) -> Sequence[Action]:
        """Its options, in the order of its help."""
        return [each for each in self._actions if each.option_strings]

    @property
    def positional(self) -> Action | None:
        """What its words are that are not options; None where it takes none."""
        return next((each for each in self._actions if not each.option_strings), None)

    def takes_several(self, option: Action) -> bool:
        """Whether an option takes several values at once."""
        return self.grammar is not None and not {*option.option_strings}.isdisjoint(
            self.grammar.many
        )

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
    """Whether a word belongs to the option."""
    return option.nargs != 0


def words_of(action: Action | None) -> Sequence[str]:
    """Return the words that a value can be; none where it can be anything."""
    return action.type.known if action and isinstance(action.type, OneOf) else ()


def names_a_crawler(action: Action | None) -> bool:
    """Whether a value is a product token, such as those of `CRAWLERS`."""
    return action is not None and action.type is crawler


def names_a_file(action: Action | None) -> bool:
    """Whether a value can be the path of a file or a folder."""
    return action is not None and action.type is file


def in_short(option: Action) -> str:
    """Return the beginning of an option's help, which stands for itself."""
    text = (option.help or "").partition(" (default:")[0].partition("; ")[0]
    return text.partition(": ")[0]
