"""The grammar of verger's command lines, on top of argparse.

In: words. Out: words that argparse reads as they were meant, or a `Failure` with a hint.
An option with several values would swallow the URLs behind them: `spread` tells the two
apart by their form.
"""

import argparse
from collections.abc import Collection, Iterable, Iterator, Sequence

from verger.cli.exit import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors have the form of all others."""

    def read(self, words: Sequence[str], *, many: Collection[str]) -> argparse.Namespace:
        """Parse words; `many` are the options that take several values each.

        Words behind `--` are URLs, whatever they look like.
        """
        before, behind = _split_at_dashes(words)
        before = list(spread(before, many))
        parsed, unknown = self.parse_known_intermixed_args(before)
        if unknown:
            raise self._unknown_option(unknown[0])
        parsed.urls = [*parsed.urls, *behind]
        return parsed

    def error(self, message: str) -> "NoReturn":
        """Say what is wrong in one line instead of repeating the usage."""
        option, _, what = message.removeprefix("argument ").partition(": ")
        said = f"`{option}`: {what}" if option.startswith("-") else message
        raise Failure(said, f"`{self.prog} --help` shows the options")

    def _unknown_option(self, word: str) -> Failure:
        name = word.partition("=")[0]
        near = closest(name, self._option_string_actions)
        hint = f"did you mean `{near}`?" if near else f"`{self.prog} --help` shows the options"
        return Failure(f"unknown option `{name}`", hint)


def spread(words: Iterable[str], many: Collection[str]) -> Iterator[str]:
    """Yield `--agent A B URL` as `--agent=A`, `--agent=B`, `URL`."""
    taking, taken = "", 1
    for word in words:
        is_option = word.startswith("-") and word != "-"
        if taking and not is_option and not is_url(word):
            taken += 1
            yield f"{taking}={word}"
            continue
        _expect_value(taking, taken)
        taking, taken = (word, 0) if word in many else ("", 1)
        if not taking:
            yield word
    _expect_value(taking, taken)


def is_url(word: str) -> bool:
    """Whether a word behind an option's values is a URL: the form of all that can be asked.

    A scheme is a letter, then letters, digits, `+`, `-` and `.` (RFC 3986 section 3.1); behind
    anything else `://` stands within a value, such as a crawler's identification string.
    """
    if word == "-" or word.startswith("/"):
        return True
    scheme, separator, _ = word.partition("://")
    is_scheme = scheme.isascii() and scheme[:1].isalpha() and _without_marks(scheme).isalnum()
    return bool(separator) and is_scheme


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a person most likely meant, if any is near."""
    from difflib import get_close_matches

    as_known = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(as_known), n=1)
    return as_known[near[0]] if near else None


def one_of(option: str, word: str, known: Sequence[str]) -> str:
    """Return a word that is among the known ones; a close match is the hint for another."""
    if word in known:
        return word
    near = closest(word, known)
    choices = ", ".join(f"`{name}`" for name in known)
    hint = f"did you mean `{near}`?" if near else f"choose from {choices}"
    raise Failure(f"unknown {option} `{word}`", hint)


def _split_at_dashes(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _without_marks(scheme: str) -> str:
    return scheme.replace("+", "").replace("-", "").replace(".", "")


def _expect_value(option: str, taken: int) -> None:
    if not taken:
        raise Failure(f"`{option}` needs at least one value")
