"""Modes: what is done with one file, by programs that let their users choose.

In: the bytes of a file, `Settings` and a mode. Out: a `Fixed`, whose body is unchanged in modes
without fixes.
"""

from dataclasses import replace
from typing import Literal, TypeAlias

from verger.lint.fixing import fixed, left_out, offered, proved
from verger.lint.run import DEFAULT, Fixed, guard, lint
from verger.lint.settings import Settings

Mode: TypeAlias = Literal["lint", "guard", "fix", "fix-unsafe"]

Tried: TypeAlias = Literal["as-checked", "one-by-one", "together"]


def run_on(
    body: bytes,
    settings: Settings = DEFAULT,
    *,
    url: str | None = None,
    name: str | None = None,
    mode: Mode = "lint",
    fixes: Tried = "as-checked",
) -> Fixed:
    """Return a file and the report on it, after what `mode` says.

    mode:       `lint` or `guard`, which change nothing; `fix` with safe fixes, or `fix-unsafe`
                with all of them.
    fixes:      how far the fixes in a report are tried: `as-checked`: not at all; `one-by-one`:
                for a program that applies single fixes, so that only proved ones are marked safe;
                `together`: marked as what the modes `fix` and `fix-unsafe` do with them.
    """
    if mode in ("lint", "guard"):
        find = guard if mode == "guard" else lint
        done = Fixed(body, (), (), find(body, settings=settings, url=url, name=name))
    else:
        done = fixed(body, settings=settings, url=url, name=name, unsafe=mode == "fix-unsafe")
    if fixes == "as-checked" or not any(each.fix for each in done.report.diagnostics):
        return done
    report = done.report
    if fixes == "one-by-one":
        found = proved(report.body, report.diagnostics, url=url)
    elif mode == "lint":
        found = offered(report, settings=settings, url=url, name=name)
    else:
        found = left_out(report, done.refused)
    return replace(done, report=replace(report, diagnostics=tuple(found)))
