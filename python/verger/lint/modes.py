"""Modes: what is done with one file, by programs that let their users choose.

In: the bytes of a file, `Settings` and a mode. Out: a `Fixed`, whose body is unchanged in modes
without fixes.
"""

from dataclasses import replace
from typing import Literal, TypeAlias

from verger.lint.run import DEFAULT, Fixed, LintReport, guard, lint
from verger.lint.settings import Settings

Mode: TypeAlias = Literal["lint", "guard", "fix", "fix-unsafe"]


def run_on(
    body: bytes,
    settings: Settings = DEFAULT,
    *,
    url: str | None = None,
    name: str | None = None,
    mode: Mode = "lint",
    is_proved: bool = False,
) -> Fixed:
    """Return a file and the report on it, after what `mode` says.

    mode:       `lint` or `guard`, which change nothing; `fix` with safe fixes, or `fix-unsafe`
                with all of them.
    is_proved:  whether the report is for a program that applies single fixes, so that only proved
                fixes are marked safe.
    """
    if mode in ("lint", "guard"):
        find = guard if mode == "guard" else lint
        done = Fixed(body, (), (), find(body, settings=settings, url=url, name=name))
    else:
        from verger.lint.fixing import fixed  # proofs need modules that checks do not

        done = fixed(body, settings=settings, url=url, name=name, unsafe=mode == "fix-unsafe")
    return replace(done, report=_proved(done.report, url)) if is_proved else done


def _proved(report: LintReport, url: str | None) -> LintReport:
    from verger.lint.fixing import proved

    return replace(report, diagnostics=tuple(proved(report.body, report.diagnostics, url=url)))
