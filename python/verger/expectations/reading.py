"""Reading: expectations from TOML.

In: the bytes or the path of a file, or a folder of them. Out: an `ExpectationFile`. Every error is
an `InvalidExpectations` that names the file, the line and the key. TOML 1.0.0.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product, repeat
from pathlib import Path
from typing import Any

from verger._core import _VERDICTS, Rule, _dialect_of, check_product_token, origin, parse
from verger.analysis.access_edits import expect_patterns
from verger.crawlers.purposes import PURPOSES, expect_purposes
from verger.crawlers.registry import by_purpose, find
from verger.crawlers.uses import asked_use
from verger.errors import InvalidOption, RobotsError, UnusableInput
from verger.expectations.contradictions import contradictions
from verger.expectations.expectation import EVERYONE, Expectation, ExpectationFile
from verger.files.paths import is_url
from verger.files.toml_lines import TOP, key_lines
from verger.files.toml_text import read_document, read_toml
from verger.files.walk import project_files
from verger.options import AnyPath, DialectName, tokens_in
from verger.untrusted_text import close_hint, listed, printable, quoted, shortened, visible

ENDING = ".robots.toml"
"""The conventional end of the names of files with expectations."""

MOST_READ = 1_000_000
"""The most expectations of a file: crawlers times URLs."""

LONGEST_SHOWN = 60

_NOTHING = parse(b"").agent("*")

LINE_HINT = "lines are numbered from 1, as in `line = 4`"

SILENT = "silent"
"""The answer about a use that no line mentions."""

EXAMPLE = '[[expect]] with `agent = "Googlebot"`, `url = "/private"` and `allowed = false`'


class InvalidExpectations(UnusableInput, ValueError):
    """A file with expectations cannot be read: the message names the line and the key."""


def files_below(folder: AnyPath) -> Iterator[Path]:
    """Yield the paths of all files with expectations. Raises UnusableInput for the folder."""
    return map(Path, project_files(folder, lambda name: name.endswith(ENDING)))


def load(path: str | os.PathLike[str]) -> ExpectationFile:
    """Return the expectations of a file. Raises InvalidExpectations."""
    document = read_document(path, InvalidExpectations)
    return expectations_in(document, name=os.fsdecode(path))


def expectations_in(document: bytes | str, *, name: str = "expectations") -> ExpectationFile:
    """Return the expectations of a document.

    name:    its name in messages.
    Raises:  InvalidExpectations.
    """
    text, table = read_toml(document, name, InvalidExpectations)
    return _Reader(name, key_lines(text, "expect")).file(table)


def _site_or_path(text: str) -> str:
    if "\0" in text:
        raise RobotsError("`robots` contains NUL", "write the path of a file, or a URL")
    if is_url(text):
        origin(text)  # raises InvalidTarget
    return text


def _url(text: str) -> str:
    _NOTHING.decide(text)  # raises InvalidTarget
    return text


def _pattern(text: str) -> str:
    expect_patterns([text])  # raises InvalidOption
    return text


def _purpose(name: str) -> str:
    expect_purposes([name], {**PURPOSES, EVERYONE: ""})  # raises UnknownName
    return name


def _use(name: Any) -> str:
    asked_use("*", name)  # raises UnknownName
    return str(name)


def _line(number: int) -> int:
    if not 0 < number < 1 << 31:
        shown = shortened(str(number if abs(number) < 1 << 63 else hex(number)), 20)
        raise RobotsError(f"`line` is {shown}, not the number of a line", LINE_HINT)
    return number


def expected_rule(text: object) -> Rule:
    """Return the rule that a text is. Raises InvalidOption, also for another type."""
    __tracebackhide__ = True  # a test that passes the text shows the error alone
    if (rule := rule_in(str(text))) is None:
        raise InvalidOption(
            f"`rule` is `{_shown(str(text))}`, which is not a rule",
            "write it as the robots.txt file has it, such as `Disallow: /private`",
        )
    return rule


def _dialect(name: str) -> str:
    """Return the name, with the knobs that differ as `Dialect.replace` names them."""
    return _dialect_of(name).name


NAMES = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "text",
    list: "an array",
    dict: "a table",
}
"""What TOML calls the values of each type; all others are times."""

TYPES = {
    bool: ("true or false", "write `allowed = true` or `allowed = false`"),
    int: ("a whole number", LINE_HINT),
    str: ("text", "put it in quotes"),
    list: ("an array of tables", f"write {EXAMPLE}"),
}
"""What is wanted in a field of each type, and what to do about a value of another."""

Fields = Mapping[str, tuple[type, Callable[[Any], Any]]]

TOP_FIELDS: Fields = {
    "robots": (str, _site_or_path),
    "dialect": (str, _dialect),
    "expect": (list, list),
}
FIELDS: Fields = {
    "agent": (str, tokens_in),
    "purpose": (str, _purpose),
    "except": (str, str),
    "url": (str, _url),
    "paths": (str, _pattern),
    "except_paths": (str, _pattern),
    "use": (str, _use),
    "allowed": (bool, lambda answer: answer),
    "line": (int, _line),
    "rule": (str, expected_rule),
    "dialect": (str, _dialect),
    "because": (str, str),
}
"""The type of each value, and what returns it as it counts, or raises `RobotsError`."""

SEVERAL = {"agent", "purpose", "except", "url", "paths", "except_paths"}
"""Fields that hold one value, or an array of them."""

REQUIRED = (("agent", "purpose"), ("url", "paths"), ("allowed",))
"""Of each of these, an expectation has one."""

EXCLUSIVE = {
    ("agent", "purpose"): "write two expectations",
    ("url", "paths"): "write two expectations",
    ("line", "paths"): "different lines may decide what `paths` match: remove `line`",
    ("rule", "paths"): "different rules may decide what `paths` match: remove `rule`",
    ("rule", "use"): "not only rules decide about use: name the `line` instead",
}
"""Fields that do not go together, and what to do about it."""

DEPENDENT = {"except": "purpose", "except_paths": "paths"}
"""Fields that say something only with another."""

Asked = tuple[tuple[str, ...], str | None, str | None]
"""Product tokens, a URL, and a pattern."""


def _read(key: str, value: object, fields: Fields) -> Any:
    kind, read = fields[key]
    if key not in SEVERAL:
        return read(_typed(key, value, kind))
    if value == []:
        raise RobotsError(f"`{key}` is an empty array", "write a value, or remove the key")
    verb, each = ("contains", value) if isinstance(value, list) else ("is", [value])
    return [read(one) for one in dict.fromkeys(_typed(key, one, kind, verb) for one in each)]


def _typed(key: str, value: object, kind: type, verb: str = "is") -> Any:
    if not _has_type(value, kind):
        wanted, hint = TYPES[kind]
        found = NAMES.get(type(value), "a time")
        raise RobotsError(f"`{key}` {verb} {found}, not {wanted}", hint)
    if kind is str and not str(value).strip():
        raise RobotsError(f"`{key}` is empty", "write a value, or remove the key")
    return value


def _has_type(value: object, kind: type) -> bool:
    if isinstance(value, list):  # of tables
        return kind is list and all(isinstance(each, dict) for each in value)
    return type(value) is kind or (kind is bool and value == SILENT)  # a boolean is no number


class _Reader:
    """Builds expectations from the output of `tomllib`."""

    def __init__(self, name: str, lines: Mapping[tuple[int, str | None], int]) -> None:
        self._name = name
        self._lines = lines
        self._table = TOP  # the current table, as `key_lines` numbers them
        self._count = 0

    def file(self, table: Mapping[str, object]) -> ExpectationFile:
        """Return the whole file."""
        top = self._values(table, TOP_FIELDS, "an expectation file")
        found = tuple(self._all(top["expect"] or [], top["dialect"]))
        if not found:
            raise InvalidExpectations(f"{quoted(self._name)} has no expectations", f"add {EXAMPLE}")
        self._expect_no_contradiction(found, top["dialect"] or "rfc9309")
        return ExpectationFile(self._name, top["robots"], top["dialect"], found)

    def _expect_no_contradiction(self, found: Sequence[Expectation], usual: DialectName) -> None:
        for first, second, crawler, url in contradictions(found, usual):
            raise InvalidExpectations(
                f"line {second.at} of `{printable(self._name)}`: {_shown(crawler)} at "
                f"`{_shown(url)}` is expected to be {_VERDICTS[second.allowed]}, and by line "
                f"{first.at} to be {_VERDICTS[first.allowed]}",
                "correct one of them, or leave crawlers out with `except`, or URLs with "
                "`except_paths`",
            )

    def _all(
        self, tables: list[Mapping[str, object]], usual: DialectName | None
    ) -> Iterator[Expectation]:
        for self._table, table in enumerate(tables):
            yield from self._some(self._values(table, FIELDS, "an expectation"), usual)

    def _some(self, values: Mapping[str, Any], usual: DialectName | None) -> Iterator[Expectation]:
        """Yield an expectation for each crawler, or for the purposes, and each URL or pattern."""
        self._expect_complete(values)
        agents, dialect = values["agent"] or [()], values["dialect"]
        for key, named in (("agent", values["agent"]), ("except", values["except"])):
            with self._at(key):
                for tokens in named or ():
                    check_product_token(tokens, dialect=dialect or usual or "rfc9309")
        if values["except"] and EVERYONE not in values["purpose"]:
            self._expect_members(values["purpose"], values["except"])
        self._expect_possible(values["rule"], allowed=values["allowed"])
        urls, patterns = values["url"] or [None], values["paths"] or [None]
        self._count += len(agents) * len(urls) * len(patterns)
        if self._count > MOST_READ:
            self._refuse("url", f"more than {MOST_READ:,} expectations", "split the file")
        yield from map(self._expectation, product(agents, urls, patterns), repeat(values))

    def _expectation(self, asked: Asked, values: Mapping[str, Any]) -> Expectation:
        tokens, url, pattern = asked
        return Expectation(
            tokens,
            url,
            None if values["allowed"] == SILENT else values["allowed"],
            values["line"],
            None if values["rule"] is None else str(values["rule"]),
            values["dialect"],
            values["because"],
            self._lines.get((self._table, None)),
            purposes=tuple(values["purpose"] or ()),
            except_=tuple(values["except"] or ()),
            pattern=pattern,
            except_paths=tuple(values["except_paths"] or ()),
            use=values["use"],
        )

    def _expect_complete(self, values: Mapping[str, Any]) -> None:
        """Refuse an expectation that lacks a key, or has one that does not go with another."""
        for keys in REQUIRED:
            if all(values[key] is None for key in keys):
                self._refuse(keys[0], f"the expectation has no `{keys[0]}`", f"add {EXAMPLE}")
        for (key, other), hint in EXCLUSIVE.items():
            if values[key] is not None and values[other] is not None:
                self._refuse(other, f"the expectation has both `{key}` and `{other}`", hint)
        for key, other in DEPENDENT.items():
            if values[key] is not None and values[other] is None:
                hint = f"remove it, or write `{other}`"
                self._refuse(key, f"`{key}` says nothing without `{other}`", hint)
        if values["allowed"] == SILENT and values["use"] is None:
            why = "`allowed` is `silent`, and fetching is always allowed or disallowed"
            self._refuse("allowed", why, "write `true` or `false`, or give a `use`")

    def _expect_members(self, purposes: list[str], left_out: list[str]) -> None:
        """Refuse exceptions that are no crawlers for the purposes, and those that leave none."""
        names = {token.lower() for token in left_out}
        known = by_purpose(purposes, with_hearsay=True)
        for token in left_out:
            if token.lower() not in {each.token.lower() for each in known}:
                why = f"the registry knows no {listed(purposes)} crawler `{_shown(token)}`"
                near = None if find(token) else close_hint(token, [each.token for each in known])
                self._refuse("except", why, near or "remove it: it is not meant anyway")
        if names.issuperset(each.token.lower() for each in by_purpose(purposes)):
            self._refuse("except", "`except` leaves no crawler", "remove a name")

    def _values(self, table: Mapping[str, object], fields: Fields, of: str) -> dict[str, Any]:
        """Return the value of each field; None for one that the table lacks."""
        values = dict.fromkeys(fields)
        for key, value in table.items():
            if key not in fields:
                hint = close_hint(key, fields) or f"{of} has the keys {', '.join(fields)}"
                self._refuse(key, f"unknown key `{_shown(key)}`", hint)
            with self._at(key):
                values[key] = _read(key, value, fields)
        return values

    def _expect_possible(self, rule: Rule | None, *, allowed: bool) -> None:
        if rule is not None and rule.pattern and rule.allow is not allowed:
            word = "true" if allowed else "false"
            why = f"`{_shown(str(rule))}` cannot make `allowed` {word}"
            self._refuse("rule", why, "correct `allowed` or `rule`")

    def _refuse(self, key: str, why: str, hint: str) -> None:
        with self._at(key):
            raise RobotsError(why, hint)

    @contextmanager
    def _at(self, key: str) -> Iterator[None]:
        """Add the file, and the line of a key or its table, to the message of an error."""
        try:
            yield
        except RobotsError as error:
            line = self._lines.get((self._table, key), self._lines.get((self._table, None)))
            name = printable(self._name)
            where = f"line {line} of `{name}`" if line is not None else f"`{name}`"
            raise InvalidExpectations(f"{where}: {error.message}", error.hint) from None


def rule_in(text: str) -> Rule | None:
    """Return the rule that a text is; None if it is not one rule."""
    if "\n" in text or "\r" in text:
        return None
    rules = [rule for group in parse(f"User-agent: *\n{text}\n").groups for rule in group.rules]
    return rules[0] if len(rules) == 1 else None


def _shown(text: str) -> str:
    return visible(text, LONGEST_SHOWN)
