"""Settings: which checks run on a file, and which dialects matter.

In: `[tool.verger.lint]` of `pyproject.toml` or `[lint]` of `verger.toml`, the nearest above a file.
Out: `Settings`. An unreadable file or an unknown key is an error that names the file and the key.
"""

# Importing pathlib would take a tenth of the command's start-up time.
# ruff: noqa: PTH100, PTH116, PTH118, PTH119, PTH120

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from verger._core import DIALECTS, _dialect_of
from verger.errors import InvalidOption, RobotsError
from verger.files.toml_lines import line_of_key
from verger.files.toml_text import read_document, read_toml
from verger.lint.check import expect_known
from verger.lint.file import TARGETS
from verger.options import AnyPath, DialectName, expect_several, expect_texts
from verger.untrusted_text import choice_hint, printable

OWN_FILE = "verger.toml"
PROJECT_FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """Which checks run, and for which dialects.

    select:   codes, code prefixes or names; empty for all checks.
    ignore:   codes, code prefixes or names of checks that do not run.
    targets:  the names of the dialects that matter; the first is used to read the lines.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    targets: tuple[DialectName, ...] = TARGETS

    def __post_init__(self) -> None:
        """Raise UnknownName for unknown checks and dialects, TypeError for what is not a sequence
        of names, InvalidOption for targets that are not names.
        """
        expect_texts("select", self.select, "checks")
        expect_texts("ignore", self.ignore, "checks")
        expect_several("targets", self.targets, "dialects")
        for word in (*self.select, *self.ignore):
            expect_known(word)
        choices = f"choose from {', '.join(DIALECTS)}"
        if not self.targets:
            raise InvalidOption("no target given", choices)
        for name in self.targets:
            if not isinstance(name, str):
                why = f"`targets` holds a {type(name).__name__}, not the name of a dialect"
                raise InvalidOption(why, choices)
            _dialect_of(name)

    def updated(
        self,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
        targets: tuple[DialectName, ...] = (),
    ) -> "Settings":
        """Return the settings in which what is given here counts instead."""
        return Settings(select or self.select, ignore or self.ignore, targets or self.targets)


def settings_for(path: AnyPath) -> Settings:
    """Return the settings of the nearest configuration file above a path; raise InvalidOption."""
    for place in files_above(path):
        version = _version_of(place)
        found = _read_once(place, version) if version is not None else None
        if found is not None:
            return found
    return Settings()


def files_above(path: AnyPath) -> Iterator[str]:
    """Yield the configuration files in the folders above a path, nearest first."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        for name in (OWN_FILE, PROJECT_FILE):
            place = os.path.join(folder, name)
            if _version_of(place) is not None:
                yield place
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _version_of(path: str) -> tuple[int, ...] | None:
    """Return what changes with the content of a file; None if there is no regular file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # ValueError: the path contains a NUL
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=256)
def _read_once(path: str, _version: tuple[int, ...]) -> Settings | None:
    """Read a configuration file once for all files below it, and again when it has changed."""
    return read_settings(path)


def read_settings(path: AnyPath) -> Settings | None:
    """Return the settings of a configuration file, None if it has no table for lint.

    In a `pyproject.toml` the table is `[tool.verger.lint]`, in any other file `[lint]`.
    Raises InvalidOption, UnusableInput.
    """
    path = os.fsdecode(path)
    shown = printable(path)
    is_own = os.path.basename(path) != PROJECT_FILE
    text, content = read_toml(read_document(path), path, InvalidOption)
    tool = {"verger": content} if is_own else content.get("tool")
    above = tool.get("verger", {}) if isinstance(tool, dict) else {}
    name = "lint" if is_own else "tool.verger.lint"
    if not isinstance(above, dict):
        where = _place(shown, text, "tool", "verger")
        raise InvalidOption(f"{where}: `tool.verger` is not a table", f"write `[{name}]`")
    for key in above:
        if key != "lint":
            where = _place(shown, text, name.rpartition(".")[0], key)
            written = name.removesuffix("lint") + printable(key)
            hint = f"settings of `verger lint` belong below `[{name}]`"
            raise InvalidOption(f"{where}: unknown key `{written}`", hint)
    place = partial(_place, shown, text)
    return _settings(name, above["lint"], place) if "lint" in above else None


def _place(path: str, text: str, table: str, key: str) -> str:
    """Return where a key of a table is, for a message."""
    line = line_of_key(text, table, key)
    return f"line {line} of `{path}`" if line else f"`{path}`"


def _settings(name: str, table: object, place: Callable[[str, str], str]) -> Settings:
    if not isinstance(table, dict):
        where = place(*name.rpartition(".")[::2])
        raise InvalidOption(f"{where}: `{name}` is not a table", f"write `[{name}]`")
    settings = Settings()
    for key, value in table.items():
        where = place(name, key)
        if key not in KEYS:
            hint = choice_hint(key, KEYS)
            raise InvalidOption(f"{where}: unknown key `{name}.{printable(key)}`", hint)
        try:
            settings = KEYS[key](settings, _strings(value))
        except RobotsError as error:
            raise InvalidOption(f"{where}: `{name}.{key}`: {error.message}", error.hint) from None
    return settings


KEYS: dict[str, Callable[..., Settings]] = {
    "select": lambda settings, words: replace(settings, select=words),
    "ignore": lambda settings, words: replace(settings, ignore=words),
    "target": lambda settings, words: replace(settings, targets=words),
}


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise InvalidOption("not a list of strings", 'write texts in brackets: `["a", "b"]`')
