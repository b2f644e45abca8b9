"""The whole command line as a tree: every command, and the grammar of its arguments.

In: the commands of `verger.cli.app` and the grammars of their modules. Out: one `Command` for each,
for code that covers all of them: shell completion, manual pages, tests. It imports every grammar,
so other commands should not use it.
"""

from argparse import Action
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verger.cli import app
from verger.cli.commands import cache
from verger.cli.grammar import Parser, grammar_of


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
    for name, what in app.COMMANDS.items():
        yield Command((name,), what, None if name == "cache" else grammar_of(name))
        if name == "cache":
            for sub, its_what in cache.COMMANDS.items():
                yield Command((name, sub), its_what, cache.grammar_of(sub))
