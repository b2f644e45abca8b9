"""Settings: which checks run on a file, and whose dialect matters.

In: `[tool.verger.lint]` of `pyproject.toml` or `[lint]` of `verger.toml`, the nearest above a file.
Out: `Settings`. A file that cannot be read, and a key that means nothing, is an error that names
its place.
"""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from verger._core import DIALECTS
from verger.errors import InvalidOption, RobotsError
from verger.lint.check import expect_known
from verger.lint.file import TARGETS
from verger.plain import meant, printable

OWN_FILE = "verger.toml"
PROJECT_FILE = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """Which checks run, and for whom."""

    select: tuple[str, ...] = ()
    """Codes, prefixes of codes or names; nothing for all."""
    ignore: tuple[str, ...] = ()
    targets: tuple[str, ...] = TARGETS
    """The dialects that matter, by name; the first reads the lines."""

    def __post_init__(self) -> None:
        """Raise UnknownName for checks and dialects that there are not."""
        for word in (*self.select, *self.ignore):
            expect_known(word)
        if not self.targets:
            raise InvalidOption("no target given", f"choose from {', '.join(DIALECTS)}")
        for name in self.targets:
            if name not in DIALECTS:
                hint = meant(name, DIALECTS, f"choose from {', '.join(DIALECTS)}")
                raise InvalidOption(f"unknown dialect `{printable(name)}`", hint)


def settings_for(path: Path) -> Settings:
    """Return the settings of the nearest configuration file above a path; raise InvalidOption."""
    for folder in path.absolute().parents:
        found = _settings_in(folder)
        if found is not None:
            return found
    return Settings()


@lru_cache(maxsize=4096)
def _settings_in(folder: Path) -> Settings | None:
    for name in (OWN_FILE, PROJECT_FILE):
        place = folder / name
        if place.is_file():
            found = read_settings(place, is_own=name == OWN_FILE)
            if found is not None:
                return found
    return None


def read_settings(path: Path, *, is_own: bool | None = None) -> Settings | None:
    """Return what a configuration file says, None where it has no table for lint.

    is_own:  whether it is `verger.toml`, in which the table is `[lint]`; by its name, if None.
    Raises InvalidOption.
    """
    is_own = path.name != PROJECT_FILE if is_own is None else is_own
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidOption(f"`{path}` is not UTF-8", "TOML files are UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"`{path}` is not TOML: {error}", "mend it, or remove it") from None
    except OSError as error:
        raise InvalidOption(f"cannot read `{path}`: {error.strerror}") from None
    names = ("lint",) if is_own else ("tool", "verger", "lint")
    table: Any = content
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return None if table is None else _settings(path, ".".join(names), table)


def _settings(path: Path, name: str, table: object) -> Settings:
    if not isinstance(table, dict):
        raise InvalidOption(f"`{path}`: `{name}` is not a table")
    settings = Settings()
    for key, value in table.items():
        if key not in KEYS:
            hint = meant(key, KEYS, f"choose from {', '.join(KEYS)}")
            raise InvalidOption(f"`{path}`: unknown key `{name}.{printable(key)}`", hint)
        try:
            settings = KEYS[key](settings, _strings(value))
        except RobotsError as error:
            raise InvalidOption(f"`{path}`: `{name}.{key}`: {error.message}", error.hint) from None
    return settings


KEYS: dict[str, Callable[[Settings, tuple[str, ...]], Settings]] = {
    "select": lambda settings, words: replace(settings, select=words),
    "ignore": lambda settings, words: replace(settings, ignore=words),
    "target": lambda settings, words: replace(settings, targets=words),
}


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise InvalidOption("not a list of strings")
