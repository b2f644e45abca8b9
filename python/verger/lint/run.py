"""Lint: what the checks find in one file.

In: the bytes of a file, and `Settings`. Out: a `LintReport`. Never raises on content, and does no
input or output.
"""

from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from verger._core import RobotsTxt
from verger.lint.check import Check, chosen
from verger.lint.comments import silencers_in, silencing
from verger.lint.diagnostic import Diagnostic, Found
from verger.lint.file import File
from verger.lint.settings import Settings
from verger.options import body_of
from verger.untrusted_text import counted


@dataclass(frozen=True, slots=True)
class LintReport:
    """The diagnostics for one file; from `fixed`, for the file after its fixes.

    body:         the bytes of the file.
    diagnostics:  in the order of the file.
    silenced:     the diagnostics that comments in the file silence.
    made:         the diagnostics of the file before that are fixed.
    refused:      the diagnostics whose fixes were not applied, because no proof shows that they are
                  safe.
    """

    body: bytes
    diagnostics: tuple[Diagnostic, ...]
    silenced: tuple[Diagnostic, ...] = ()
    made: tuple[Diagnostic, ...] = ()
    refused: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        diagnostics = counted(len(self.diagnostics), "diagnostic")
        return f"LintReport({diagnostics}, {len(self.silenced):,} silenced)"


DEFAULT = Settings()

GUARDED = ("RT101", "RT102", "RT103", "RT104", "RT501", "RT502", "RT505")
"""Checks that stop a deployment: not a robots.txt file, or the site is closed to search engines."""


def lint(
    robots: bytes | str | RobotsTxt,
    *,
    settings: Settings = DEFAULT,
    url: str | None = None,
    name: str | None = None,
) -> LintReport:
    r"""Return what the checks find in a robots.txt file.

    robots:    the file, as bytes, text or parsed; it is read in the dialects of `settings.targets`.
    settings:  which checks run, and which dialects matter.
    url:       the URL of the file, for checks that depend on it, such as those of sitemaps.
    name:      the name of the file on a disk, without its folder, if it is known.

    >>> report = lint(b"User-agent: *\nDisallow: private\n")
    >>> [(each.line, each.code, each.name) for each in report.diagnostics]
    [(2, 'RT301', 'pattern-without-slash')]
    """
    if isinstance(robots, RobotsTxt):
        body, url = robots.body, url or robots.url
    else:
        body = body_of("robots", robots)
    file = File(body, url=url, name=name, targets=settings.targets)
    found = sorted(
        _run_checks(file, checks_of(settings)),
        key=lambda each: (each.line, each.span[0], each.code),
    )
    silencers = silencers_in(file.lines) if b"verger" in body.lower() else ()
    is_silenced = silencing(silencers)
    kept = tuple(each for each in found if not is_silenced(each))
    return LintReport(body, kept, tuple(filter(is_silenced, found)))


def guard(
    robots: bytes | str | RobotsTxt,
    *,
    settings: Settings = DEFAULT,
    url: str | None = None,
    name: str | None = None,
) -> LintReport:
    r"""Return what should stop the deployment of a robots.txt file.

    That is a site, or a home page, that is closed to search engines, or a file that is not a
    robots.txt file or has a name that crawlers do not ask for. Each diagnostic is an error, and no
    comment silences it.

    settings:  only its targets count.

    >>> report = guard(b"# verger: ignore-file\nUser-agent: *\nDisallow: /\n")
    >>> [(each.severity, each.name) for each in report.diagnostics]
    [('error', 'site-closed')]
    """
    guarding = Settings(GUARDED, targets=settings.targets)
    report = lint(robots, settings=guarding, url=url, name=name)
    found = (*report.diagnostics, *report.silenced)
    return LintReport(report.body, tuple(replace(each, severity="error") for each in found))


OF_TEMPLATES, OF_MARKS = (*GUARDED, "RT119"), (*GUARDED, "RT111", "RT119", "RT120")
"""Checks that report lines of a template that was not rendered, also across its branches, and lines
with characters that are no part of them; others would repeat RT119 and RT120."""


@lru_cache(maxsize=64)
def checks_of(settings: Settings) -> tuple[Check, ...]:
    """Return the checks that settings select."""
    return tuple(chosen(settings.select, settings.ignore))


def _run_checks(file: File, checks: Iterable[Check]) -> Iterator[Diagnostic]:
    templates = sorted(file.templates)
    for check in checks:
        if check.reads_any_file or file.is_robots_txt:
            for found in check.find(file):
                if not (
                    (check.code not in OF_TEMPLATES and _meets(templates, found))
                    or (check.code not in OF_MARKS and found.line in file.marks)
                ):
                    yield _diagnostic(file, check, found)


def _meets(templates: Sequence[int], found: Found) -> bool:
    """Whether a line of a template is that of a finding, or between it and a related line: the two
    may be of different branches, of which one is rendered."""
    lines = [found.line, *(related.line for related in found.related)]
    return bisect_left(templates, min(lines)) < bisect(templates, max(lines))


def _diagnostic(file: File, check: Check, found: Found) -> Diagnostic:
    span = found.span or (file.content(found.line) if file.lines else (0, 0))
    fix = None if file.templates else found.fix  # what it does to the rendered file is not known
    return Diagnostic(
        check.code,
        check.name,
        check.severity,
        found.message,
        check.why,
        found.line,
        span,
        found.witness,
        fix,
        found.related,
    )
