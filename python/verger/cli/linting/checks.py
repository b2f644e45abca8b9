"""The checks: a table of all, and the documentation of one.

In: the registry of checks. Out: text for people.
"""

from inspect import cleandoc

from verger.cli.exit import Failure
from verger.lint import Check, all_checks
from verger.lint.check import expect_known

HOW = {None: "", "safe": "safe", "unsafe": "unsafe", "display": "by hand"}


def table() -> str:
    """Return a line for each check."""
    checks = all_checks().values()
    wide = max(len(each.name) for each in checks)
    head = f"{'code':<6} {'name':<{wide}} {'severity':<8} {'fix':<7}  finds\n"
    return head + "".join(
        f"{each.code:<6} {each.name:<{wide}} {each.severity:<8} {HOW[each.fix]:<7}  "
        f"{each.summary}\n"
        for each in checks
    )


def page(word: str) -> str:
    """Return the documentation of a check, by its code or name. Raises UnknownName, Failure."""
    each = _check_named(word)
    return (
        f"{each.code} {each.name}\n\n{cleandoc(each.doc)}\n\n"
        f"severity  {each.severity}\nfix       {HOW[each.fix] or 'none'}\nwhy       {each.why}\n"
    )


def _check_named(word: str) -> Check:
    known = expect_known(word)
    for each in all_checks().values():
        if known in (each.code, each.name):
            return each
    raise Failure(f"`{known}` is the prefix of several codes", "pass a code, such as RT304")
