"""A command that has sub-commands: `verger` itself, and `verger cache`.

In: words. Out: the exit code of the sub-command that the first word names; or the help, which lists
all of them.
"""

from collections.abc import Callable, Mapping, Sequence

from verger.cli.exit import FINE, Failure
from verger.plain import close_hint

HELP = """\
usage: {prog} COMMAND [ARGUMENT...]

{about}

commands:
{commands}

options:
  -h, --help  show this help; that of a command: `{prog} help COMMAND`
{options}"""


class Commands:
    """The sub-commands of a command.

    prog:       the command.
    about:      what it does, for its help.
    known:      what each sub-command does, by its name.
    start:      runs one of them, and returns its exit code.
    options:    the lines of the help on further options.
    elsewhere:  names that people try, and the commands that do the same.
    """

    def __init__(
        self,
        prog: str,
        about: str,
        known: Mapping[str, str],
        start: Callable[[str, Sequence[str]], int],
        *,
        options: str = "",
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self._prog, self._about, self._known = prog, about, known
        self._start, self._options, self._elsewhere = start, options, elsewhere or {}

    def run(self, words: Sequence[str]) -> int:
        """Run the sub-command, and return the exit code."""
        match words:
            case [] | ["-h" | "--help", *_] | ["help"] | ["help", "help", *_]:
                print(self._help(), end="")
                return FINE
            case ["help", *rest]:
                return self.run([*rest, "--help"])
            case [name, *rest] if name in self._known:
                return self._start(name, rest)
        raise self._unknown(words[0])

    def _help(self) -> str:
        width = max(map(len, self._known))
        lines = [f"  {name:<{width}}  {what}" for name, what in self._known.items()]
        from verger.cli.fitting import fit, help_width

        text = HELP.format(
            prog=self._prog, about=self._about, commands="\n".join(lines), options=self._options
        )
        return fit(text, help_width())

    def _unknown(self, name: str) -> Failure:
        if name.startswith("-"):
            return Failure(f"unknown option `{name}`", f"`{self._prog} --help` lists the options")
        shown = f"{self._prog} {name}".removeprefix("verger ")
        if name in self._elsewhere:
            return Failure(f"unknown command `{shown}`", f"`{self._elsewhere[name]}` does this")
        hint = close_hint(name, self._known) or f"`{self._prog} --help` lists the commands"
        return Failure(f"unknown command `{shown}`", hint)
