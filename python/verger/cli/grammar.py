"""The grammar of verger's command lines, on top of argparse.

In: words. Out: what argparse reads in them, or a `Failure` with a hint. An option has one value,
and is repeated for another: a second value after it is refused with how to write it.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module

from verger.cli.options import OF_NETWORK, Option, dialect_name, file
from verger.cli.output import Failure, refuse_if, see_help
from verger.untrusted_text import choice_hint, closest, printable, quoted

INPUTS = ("--robots", "--snapshot", "--file", "--input")
"""Options that name the input files in other commands and programs."""

AGENT = ("--agent",)
USUAL = {
    "--robots": ("--snapshot",),
    "--snapshot": ("--history",),
    "--file": ("--robots", "--snapshot"),
    "--token": AGENT,
    "--crawler": AGENT,
    "--bot": AGENT,
    "--out": ("--output",),
    "-o": ("--output",),
    "-q": ("--quiet",),
    "--dialect": ("--target",),
    "--target": ("--dialect",),
}
"""The names here of options of other commands and programs; the first that a command has."""

INSTEAD = {
    ("verger audit", "--input-format"): "write `--log-format` for it",
    ("verger filter", "--robots"): "`verger check --robots FILE -` answers for one file",
}
"""Hints for options that a command does not have."""

EXITS = "exit code:"
"""The heading of the exit codes in a help."""

HELP_WIDTH = 80
"""The width for which help is written."""

WIDEST = 120

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """An argparse parser with a written usage, whose errors look like all other errors."""

    def __init__(self, prog: str, text: str, options: Iterable[Option]) -> None:
        """Create a grammar.

        text:     the help, as it is printed, but for the options: they stand before its exit codes.
        options:  the arguments and options, in the order of the help.
        """
        self.given: set[str] = set()
        self._help_hint = see_help(prog.removeprefix("verger "))
        usage, _, rest = text.removeprefix("usage: ").partition("\n\n")
        description, _, exits = rest.partition(f"\n\n{EXITS}\n")
        super().__init__(
            prog,
            usage,
            description,
            f"{EXITS}\n{exits.rstrip()}",
            # with a width: it is created for every option, and seldom used
            formatter_class=lambda prog: _Formatter(prog, width=HELP_WIDTH),
            allow_abbrev=False,
        )
        self.register("action", None, _Once)
        network = self.add_argument_group("network options")
        for names, given in options:
            heading = network if names[-1] in OF_NETWORK else self
            heading.add_argument(*names, **given)  # type: ignore[arg-type]

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse words; those after `--` are not options, whatever they look like."""
        self.given.clear()
        at = words.index("--") if "--" in words else len(words)
        before, after = words[:at], words[at + 1 :]
        self._expect_one_each(before)
        parsed, unknown = self.parse_known_intermixed_args(before)
        if unknown:
            raise self._unknown_option(unknown[0])
        self._append(parsed, after)
        self._expect_values(parsed)
        return parsed

    def format_help(self) -> str:
        """Return the help, as wide as the terminal, up to a readable limit."""
        from shutil import get_terminal_size

        width = min(get_terminal_size((HELP_WIDTH, 0)).columns, WIDEST)
        self.formatter_class = lambda prog: _Formatter(prog, width=width)
        return super().format_help()

    def _print_message(self, message: str, _file: object = None) -> None:
        """Write help at once: argparse would ignore an error in writing it."""
        sys.stdout.write(message)
        sys.stdout.flush()

    def _check_value(self, action: argparse.Action, value: str) -> None:
        """Refuse an unknown word with the closest known one; empty words are refused later."""
        word = value.partition("+")[0] if action.type is dialect_name else value
        if action.choices is not None and value and word not in action.choices:
            is_called = action.metavar in (None, "NAME", "FORMAT")  # else it is a better word
            noun = action.option_strings[-1].lstrip("-") if is_called else str(action.metavar)
            raise Failure(
                f"unknown {noun.lower().replace('-', ' ')} `{value}`",
                choice_hint(word, list(action.choices)),
            )

    def _expect_one_each(self, words: Sequence[str]) -> None:
        """Refuse `--agent A B`, where B would be read as a file or a URL, and `--agent=--`.

        argparse of Python 3.11 drops `--` as the value of an option.
        """
        parts: list[str] = []
        for word in words:
            option, equals, value = word.partition("=")
            refuse_if(
                option.startswith("-") and equals and value == "--",
                f"`{option}`: `--` is not a value",
                "leave it out, or pass a value; `./--` is a file of that name",
            )
            parts += word.split("=", 1) if self._repeats(option) else [word]
        for option, value, word in zip(parts, parts[1:], parts[2:], strict=False):
            if self._repeats(option) and _looks_like_a_value(word):
                self._expect_file(word, f"`{option} {value} {option} {word}`")

    def _repeats(self, option: str) -> bool:
        return isinstance(self._option_string_actions.get(option), argparse._AppendAction)

    def _expect_file(self, word: str, repeated: str) -> None:
        hint = f"repeat the option for another value: {repeated}"
        positional = self._get_positional_actions()
        refuse_if(
            positional and positional[0].type is not file,
            f"unexpected argument `{word}`",
            f"{hint}; a path begins with `/`",
        )
        refuse_if(not os.path.lexists(word), f"no such file: `{word}`", hint)

    def _append(self, parsed: argparse.Namespace, after: Sequence[str]) -> None:
        """Append the words after `--` to the other positional arguments."""
        positional = next((one for one in self._actions if not one.option_strings), None)
        if positional is not None:
            name = positional.dest
            setattr(parsed, name, [*getattr(parsed, name), *after])
        elif after:
            raise self._unexpected(after[0])

    def _expect_values(self, parsed: argparse.Namespace) -> None:
        """Refuse empty values: an unset shell variable must not change the question."""
        for action in self._actions:
            value = getattr(parsed, action.dest, None)
            if value == "" or (isinstance(value, list) and "" in value):
                *_, option = action.option_strings or ("",)
                what = f"`{option}`" if option else "an argument"
                raise Failure(f"{what} is empty", "leave it out, or pass a value")

    def error(self, message: str) -> "NoReturn":
        """Raise the error as one line, without argparse's usage."""
        option, _, what = message.removeprefix("argument ").partition(": ")
        said = f"`{option}`: {what}" if option.startswith("-") else message
        if what.startswith("ignored explicit argument"):
            said = f"`{option.rpartition('/')[2]}` takes no value"
        raise Failure(said, self._help_hint)

    def _unexpected(self, word: str) -> Failure:
        hint = self._help_hint
        if "--robots" in self._option_string_actions:
            hint = f"to read this file, pass `--robots {printable(word)}`"
        return Failure(f"unexpected argument {quoted(word)}", hint)

    def _unknown_option(self, word: str) -> Failure:
        if not word.startswith("-") or word == "-":
            return self._unexpected(word)
        name = word.partition("=")[0]
        return Failure(f"unknown option `{name}`", self._instead_of(name))

    def _instead_of(self, option: str) -> str:
        """Return a hint for an option that this command does not have."""
        if (self.prog, option) in INSTEAD:
            return INSTEAD[self.prog, option]
        for usual in USUAL.get(option, ()):
            if usual in self._option_string_actions:
                return f"did you mean `{usual}`?"
        inputs = self._get_positional_actions()
        if option in INPUTS and inputs and inputs[0].type is file:
            return f"files are arguments: `{self.prog} {inputs[0].metavar}`"
        names = {known.lstrip("-"): known for known in self._option_string_actions}
        near = closest(option.lstrip("-"), names)
        return f"did you mean `{names[near]}`?" if near else self._help_hint


def grammar_of(name: str) -> Parser:
    """Return the grammar of a command, from its help and its table of options."""
    command = import_module(f"verger.cli.commands.{name}")
    return Parser(f"verger {name}", command.HELP, command.OPTIONS)


class _Once(argparse.Action):
    """An option with one value: argparse would silently take the last of several."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the value; raise `Failure` if there already is one."""
        if option_string and isinstance(parser, Parser):
            refuse_if(
                self.dest in parser.given, f"`{option_string}` is given twice", "it takes one value"
            )
            parser.given.add(self.dest)
        setattr(namespace, self.dest, values)


def _looks_like_a_value(word: str) -> bool:
    """Whether a word is more likely a name than an option, a path, a URL or a file."""
    return word == "*" or (word[:1] not in ("", "-", "*") and not {*word} & {*"/.:"})


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse's formatter, which keeps long words in one piece."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap

        words = " ".join(text.split())
        return wrap(words, width, break_long_words=False, break_on_hyphens=False)
