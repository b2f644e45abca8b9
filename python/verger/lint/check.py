"""Checks, each of which looks for one mistake, and their registry.

In: modules of `verger.lint.checks`, one for each subject. Out: all checks, by code. Codes follow
the stages of reading: 1xx lines, 2xx groups, 3xx rules and their patterns, 4xx extension records,
5xx the file as a whole. A code never changes its meaning and is never reused.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

from verger.errors import UnknownName
from verger.lint.diagnostic import Applicability, Found, Severity
from verger.lint.file import File
from verger.options import expect_texts
from verger.untrusted_text import close_hint, quoted

Find: TypeAlias = Callable[[File], Iterable[Found]]

WHY = "Why: "

UNTOLD = "Python runs without docstrings (`-OO`), which hold the reasons"
"""Replaces every reason in that case."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check; the docstring of its function is its page in the documentation.

    code:            its code, such as `RT301`.
    name:            its name, such as `pattern-without-slash`.
    severity:        `error`, `warning` or `note`.
    doc:             what it looks for; the first line is a sentence.
    why:             why its findings matter, in a sentence; the paragraph `Why:` of the docstring.
    fix:             how far its fixes can be trusted; None if it has none.
    find:            the function that yields what it finds in a file.
    reads_any_file:  whether it also runs on files that are not robots.txt files, such as HTML
                     pages.
    """

    code: str
    name: str
    severity: Severity
    doc: str = field(repr=False)
    why: str
    fix: Applicability | None
    find: Find
    reads_any_file: bool

    @property
    def summary(self) -> str:
        """What it looks for, in a sentence."""
        return " ".join(self.doc.partition("\n\n")[0].split())


def check(
    code: str,
    severity: Severity,
    *,
    fix: Applicability | None = None,
    reads_any_file: bool = False,
) -> Callable[[Find], Check]:
    """Turn a function that yields `Found` objects for a `File` into a check of the same name."""

    def decorate(find: Find) -> Check:
        name = find.__name__.replace("_", "-")
        doc, why = _split_why(find.__doc__ or "")
        return Check(code, name, severity, doc, why, fix, find, reads_any_file)

    return decorate


def _split_why(text: str) -> tuple[str, str]:
    """Split off the paragraph `Why: …` of a docstring, as one line without its final period."""
    parts = text.split("\n\n")
    why = next((part for part in parts if part.lstrip().startswith(WHY)), "")
    line = " ".join(why.split()).removeprefix(WHY).removesuffix(".") or UNTOLD
    return "\n\n".join(part for part in parts if part is not why), line


@cache
def all_checks() -> dict[str, Check]:
    """Return every check by its code, in the order of codes."""
    from verger.lint import checks

    found: list[Check] = []
    for module in iter_modules(checks.__path__):
        contents = vars(import_module(f"{checks.__name__}.{module.name}")).values()
        found += (value for value in contents if isinstance(value, Check))
    return {each.code: each for each in sorted(found, key=lambda each: each.code)}


def chosen(select: Collection[str] = (), ignore: Collection[str] = ()) -> list[Check]:
    """Return the checks that are selected and not ignored, given by code, code prefix or name.

    select:  empty for all checks.
    If a check is both selected and ignored, the longer word wins: with `RT3` ignored and `RT304`
    selected, RT304 runs. Raises UnknownName.
    """
    expect_texts("select", select, "checks")
    expect_texts("ignore", ignore, "checks")
    wanted, unwanted = (list(map(expect_known, words)) for words in (select, ignore))
    return [
        each
        for each in all_checks().values()
        if _weight(each, wanted or [""]) > _weight(each, unwanted)
    ]


@cache
def expect_known(word: str) -> str:
    """Return a code or its prefix in upper case, or a name; raise UnknownName for anything else."""
    codes, names = list(all_checks()), [each.name for each in all_checks().values()]
    if word in names:
        return word
    if word and any(code.startswith(word.upper()) for code in codes):
        return word.upper()
    hint = close_hint(word, [*codes, *names]) or "`verger lint --list` lists the checks"
    raise UnknownName(f"unknown check {quoted(word)}", hint)


def _weight(each: Check, words: Iterable[str]) -> int:
    """Return how closely the most specific of some words names a check; 0 if none does."""
    weights = (
        len(each.code) if word == each.name else len(word)
        for word in words
        if word == each.name or each.code.startswith(word)
    )
    return max((1 + weight for weight in weights), default=0)
