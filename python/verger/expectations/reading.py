"""Reading: expectations from TOML.

In: the bytes or the path of a file, or a folder of them. Out: an `ExpectationFile`. Every error is
an `InvalidExpectations` that names the file, the line and the key. TOML 1.0.0.
"""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from verger._core import DIALECTS, Rule, check_product_token, origin, parse
from verger.errors import InvalidProductToken, InvalidTarget, UnusableInput
from verger.expectations.toml_lines import TomlLines
from verger.files import walk
from verger.files.paths import is_url
from verger.files.reading import unreadable
from verger.files.toml_text import LARGEST, read_toml
from verger.options import AnyPath, tokens_in
from verger.plain import choice_hint, close_hint, printable, quoted, shortened

ENDING = ".robots.toml"
"""The conventional end of the names of files with expectations."""

MOST = 1_000_000
"""The most expectations of a file: crawlers times URLs."""

LONGEST_SHOWN = 60

LINE_HINT = "lines are numbered from 1, as in `line = 4`"

TOP_KEYS = ("robots", "dialect", "expect")
KEYS = ("agent", "url", "allowed", "line", "rule", "dialect", "because")

EXAMPLE = '[[expect]] with `agent = "Googlebot"`, `url = "/private"` and `allowed = false`'


class InvalidExpectations(UnusableInput, ValueError):
    """A file with expectations cannot be read: the message names the line and the key."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The answer that one crawler should get about one URL.

    tokens:   the product tokens of the crawler; the dialect says what several mean.
    url:      an absolute URL, or a path.
    allowed:  whether the crawler should be allowed to fetch it.
    line:     the line that should decide; None if any may.
    rule:     the rule that should decide, as `Disallow: /private`; None if any may.
    dialect:  the name of the dialect; None for the default of the test.
    because:  the reason, in the author's words.
    at:       the line of the expectation in its own file; None outside files.
    """

    tokens: tuple[str, ...]
    url: str
    allowed: bool
    line: int | None = None
    rule: str | None = None
    dialect: str | None = None
    because: str | None = None
    at: int | None = None

    @property
    def agent(self) -> str:
        """The crawler in one word: `a,b` if it has two tokens."""
        return ",".join(self.tokens)


@dataclass(frozen=True, slots=True)
class ExpectationFile:
    """The expectations of one file.

    name:          the path of the file, or its name in messages.
    robots:        the robots.txt file: a path relative to this file, or a URL; None if it is given
                   when the test runs.
    dialect:       the dialect of expectations that name none; None if the file names none either.
    expectations:  the expectations, in the order of the file.
    """

    name: str
    robots: str | None
    dialect: str | None
    expectations: tuple[Expectation, ...]

    def dialects(self, default: str) -> list[str]:
        """Return the dialects of the expectations, each once; `default` if none is named."""
        usual = self.dialect or default
        return list(dict.fromkeys(each.dialect or usual for each in self.expectations))


def files_below(folder: AnyPath) -> Iterator[Path]:
    """Yield the paths of all files with expectations. Raises UnusableInput for the folder."""
    return map(Path, walk.files_below(folder, lambda name: name.endswith(ENDING)))


def load(path: str | os.PathLike[str]) -> ExpectationFile:
    """Return the expectations of a file. Raises InvalidExpectations."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # a name with a NUL
        cause = error if isinstance(error, OSError) else OSError(str(error))
        raise unreadable(name, cause, kind=InvalidExpectations) from None
    return expectations_in(data, name=name)


def expectations_in(document: bytes | str, *, name: str = "expectations") -> ExpectationFile:
    """Return the expectations of a document.

    name:    its name in messages.
    Raises:  InvalidExpectations.
    """
    text, table = read_toml(document, name, InvalidExpectations)
    return _Reader(name, TomlLines(text, "expect")).file(table)


class _Reader:
    """Builds expectations from the output of `tomllib`."""

    def __init__(self, name: str, places: TomlLines) -> None:
        self._name = name
        self._places = places
        self._usual: str | None = None
        self._table = -1  # the current table, as `TomlLines` numbers them

    def file(self, table: Mapping[str, object]) -> ExpectationFile:
        """Return the whole file."""
        self._expect_known(table, TOP_KEYS, "an expectation file")
        robots = self._text(table, "robots") if "robots" in table else None
        dialect = self._usual = self._dialect(table)
        if robots is not None:
            self._expect_a_place(robots)
        found = tuple(self._all(table.get("expect", [])))
        if not found:
            why = f"{quoted(self._name)} has no expectations"
            raise InvalidExpectations(why, f"add {EXAMPLE}")
        return ExpectationFile(self._name, robots, dialect, found)

    def _all(self, tables: object) -> Iterator[Expectation]:
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            why = f"`expect` is {_kind(tables)}, not an array of tables"
            self._refuse("expect", why, f"write {EXAMPLE}")
        count = 0
        for self._table, table in enumerate(tables):
            found = list(self._some(table))
            count += len(found)
            if count > MOST:
                self._refuse("url", f"more than {MOST:,} expectations", "split the file")
            yield from found

    def _some(self, table: Mapping[str, object]) -> Iterator[Expectation]:
        """Yield an expectation for each crawler and URL of a table."""
        self._expect_known(table, KEYS, "an expectation")
        for key in ("agent", "url", "allowed"):
            if key not in table:
                self._refuse(key, f"the expectation has no `{key}`", f"add {EXAMPLE}")
        dialect = self._dialect(table)
        agents = [
            self._tokens(word, dialect or self._usual) for word in self._texts(table, "agent")
        ]
        urls = [self._url(word) for word in self._texts(table, "url")]
        if len(agents) * len(urls) > MOST:
            self._refuse("url", f"more than {MOST:,} expectations", "split the file")
        allowed = self._allowed(table)
        line = self._line(table) if "line" in table else None
        rule = self._rule(table, allowed=allowed) if "rule" in table else None
        because = self._text(table, "because") if "because" in table else None
        at = self._places.table(self._table)
        for tokens in agents:
            for url in urls:
                yield Expectation(tokens, url, allowed, line, rule, dialect, because, at)

    # one key each

    def _expect_a_place(self, robots: str) -> None:
        if "\0" in robots:
            self._refuse("robots", "`robots` contains NUL", "write the path of a file, or a URL")
        try:
            if is_url(robots):
                origin(robots)
        except InvalidTarget as error:
            self._refuse("robots", error.message, error.hint or "write a path or a URL")

    def _tokens(self, word: str, dialect: str | None) -> tuple[str, ...]:
        names = tokens_in(word)
        try:
            check_product_token(names, dialect=dialect or "rfc9309")
        except InvalidProductToken as error:
            self._refuse("agent", error.message, error.hint)
        return names

    def _url(self, word: str) -> str:
        try:
            _NOTHING.decide(word)
        except InvalidTarget as error:
            self._refuse("url", error.message, error.hint)
        return word

    def _allowed(self, table: Mapping[str, object]) -> bool:
        value = table["allowed"]
        if not isinstance(value, bool):
            hint = "write `allowed = true` or `allowed = false`"
            self._refuse("allowed", f"`allowed` is {_kind(value)}, not true or false", hint)
        return value

    def _line(self, table: Mapping[str, object]) -> int:
        value = table["line"]
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse("line", f"`line` is {_kind(value)}, not a whole number", LINE_HINT)
        if not 0 < value < 1 << 31:
            shown = value if abs(value) < 1 << 63 else hex(value)
            why = f"`line` is {shortened(str(shown), 20)}, not the number of a line"
            self._refuse("line", why, LINE_HINT)
        return value

    def _rule(self, table: Mapping[str, object], *, allowed: bool) -> str:
        value = self._text(table, "rule")
        rule = _rule_in(value)
        if rule is None:
            hint = "write it as the robots.txt file has it, such as `Disallow: /private`"
            self._refuse("rule", f"`rule` is `{_shown(value)}`, which is not a rule", hint)
        if rule.pattern and rule.allow is not allowed:
            word = "true" if allowed else "false"
            why = f"`{_shown(str(rule))}` cannot make `allowed` {word}"
            self._refuse("rule", why, "correct `allowed` or `rule`")
        return str(rule)

    def _dialect(self, table: Mapping[str, object]) -> str | None:
        if "dialect" not in table:
            return None
        value = self._text(table, "dialect")
        if value not in DIALECTS:
            hint = choice_hint(value, DIALECTS)
            self._refuse("dialect", f"unknown dialect `{_shown(value)}`", hint)
        return value

    # types

    def _text(self, table: Mapping[str, object], key: str) -> str:
        value = table[key]
        if not isinstance(value, str):
            self._refuse(key, f"`{key}` is {_kind(value)}, not text", "put it in quotes")
        if not value:
            self._refuse(key, f"`{key}` is empty", "write a value, or remove the key")
        return value

    def _texts(self, table: Mapping[str, object], key: str) -> list[str]:
        """Return one string or several, without duplicates."""
        value = table[key]
        values = value if isinstance(value, list) else [value]
        if not values:
            self._refuse(key, f"`{key}` is an empty array", f"name at least one {key}")
        for each in values:
            if not isinstance(each, str):
                where = (
                    f"`{key}` contains {_kind(each)}"
                    if value is values
                    else f"`{key}` is {_kind(each)}"
                )
                self._refuse(key, f"{where}, not text", "put it in quotes")
            if not each.strip():
                self._refuse(key, f"`{key}` is empty", "write a value, or remove the key")
        return list(dict.fromkeys(values))

    def _expect_known(self, table: Mapping[str, object], known: Collection[str], of: str) -> None:
        for key in table:
            if key not in known:
                hint = close_hint(key, known) or f"{of} has the keys {', '.join(known)}"
                self._refuse(key, f"unknown key `{_shown(key)}`", hint)

    def _refuse(self, key: str, why: str, hint: str | None) -> NoReturn:
        line = self._places.key(self._table, key)
        name = printable(self._name)
        where = f"line {line} of `{name}`" if line is not None else f"`{name}`"
        raise InvalidExpectations(f"{where}: {why}", hint) from None


_NOTHING = parse(b"").agent("*")


def rule_in(text: str) -> str | None:
    """Return a rule in the form that expectations compare; None if the text is not one rule."""
    rule = _rule_in(text)
    return None if rule is None else str(rule)


def _rule_in(text: str) -> Rule | None:
    if "\n" in text or "\r" in text:
        return None
    rules = [rule for group in parse(f"User-agent: *\n{text}\n").groups for rule in group.rules]
    return rules[0] if len(rules) == 1 else None


def _kind(value: object) -> str:
    """Return what TOML calls a value."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{_shown(value)}"'
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case dict():
            return "a table"
        case _:
            return "a time"


def _shown(text: str) -> str:
    return shortened(printable(text), LONGEST_SHOWN)
