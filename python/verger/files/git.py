"""Versions of robots.txt files in git, such as `HEAD~1:robots.txt`, which git itself resolves.

In: a word. Out: the bytes that are read of that version, or an `UnusableInput` that says what to
do. No shell sees the word.
"""

import os
from collections.abc import Iterable
from subprocess import DEVNULL, PIPE, Popen

from verger._core import Dialect
from verger.errors import UnusableInput
from verger.files.robots_file import read_robots
from verger.untrusted_text import printable, quoted, reason_of

FORM = "a version in git is `REVISION:PATH`"
PATHS = "its path begins at the top of the repository, or with `./` at this folder"


def is_in_git(word: str) -> bool:
    """Whether a word can only be a version in git: there is no such file."""
    revision, colon, path = word.partition(":")
    is_one = bool(revision and colon and path) and not word.startswith("-")
    return is_one and not os.path.lexists(word)


def read_version(word: str, dialects: Iterable[Dialect]) -> bytes:
    """Return the part of a version in git that these dialects read. Raises UnusableInput."""
    shown = printable(word)
    environment = {**os.environ, "LC_ALL": "C"}  # error messages quote git's output
    command = ("git", "cat-file", "blob", word)
    try:
        git = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment)
    except FileNotFoundError:
        why = f"no such file: `{shown}`, and git is not installed"
        raise UnusableInput(why, FORM) from None
    assert git.stdout is not None
    assert git.stderr is not None
    with git:
        try:
            data = read_robots(git.stdout.read, dialects)
            is_cut = bool(git.stdout.read(1))
        except OSError as error:
            why = f"cannot read `{shown}`: {reason_of(error)}"
            raise UnusableInput(why, "name another file") from None
        finally:
            git.stdout.close()  # makes git exit even with unwritten output
        said = git.stderr.read().decode("utf-8", "surrogateescape")
    if git.returncode and not is_cut:
        raise _missing(word, said)
    return data


def _missing(word: str, said: str) -> UnusableInput:
    why = f"no such file: {quoted(word)}, and"
    first = said.partition("\n")[0].removeprefix("fatal: ").rstrip(".")
    if "not a git repository" in first:
        hint = f"{FORM}; pass the path of a file, or run this in a repository"
        return UnusableInput(f"{why} there is no git repository here", hint)
    return UnusableInput(f"{why} git has none: {printable(first)}", f"{FORM}; {PATHS}")
