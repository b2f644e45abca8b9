"""Lint: what the checks find in one file.

In: the bytes of a file, and `Settings`. Out: a `Report`. Never raises on content, and does no
input or output.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from verger._core import RobotsTxt
from verger.lint.check import Check, chosen
from verger.lint.comments import silencers_in, silencing
from verger.lint.diagnostic import Diagnostic, Found
from verger.lint.file import File
from verger.lint.settings import Settings
from verger.options import body_of
from verger.plain import counted


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics for one file."""

    body: bytes
    diagnostics: tuple[Diagnostic, ...]
    """In the order of the file."""
    silenced: tuple[Diagnostic, ...] = ()
    """The diagnostics that comments in the file silence."""

    def __repr__(self) -> str:
        diagnostics = counted(len(self.diagnostics), "diagnostic")
        return f"Report({diagnostics}, {len(self.silenced):,} silenced)"


DEFAULT = Settings()


def lint(
    robots: bytes | str | RobotsTxt, *, settings: Settings = DEFAULT, url: str | None = None
) -> Report:
    r"""Return what the checks find in a robots.txt file.

    robots:    the file, as bytes, text or parsed; it is read in the dialects of `settings.targets`.
    settings:  which checks run, and which dialects matter.
    url:       the URL of the file, for checks that depend on it, such as those of sitemaps.

    >>> report = lint(b"User-agent: *\nDisallow: private\n")
    >>> [(each.line, each.code, each.name) for each in report.diagnostics]
    [(2, 'RT301', 'pattern-without-slash')]
    """
    if isinstance(robots, RobotsTxt):
        body, url = robots.body, url or robots.url
    else:
        body = body_of("robots", robots)
    file = File(body, url=url, targets=settings.targets)
    found = sorted(_found(file, checks_of(settings)), key=_place)
    silencers = silencers_in(file.lines) if b"verger" in body.lower() else []
    is_silenced = silencing(silencers)
    kept = [each for each in found if not is_silenced(each)]
    return Report(body, tuple(kept), tuple(filter(is_silenced, found)) if silencers else ())


@lru_cache(maxsize=64)
def checks_of(settings: Settings) -> tuple[Check, ...]:
    """Return the checks that settings select."""
    return tuple(chosen(settings.select, settings.ignore))


def _found(file: File, checks: Iterable[Check]) -> Iterator[Diagnostic]:
    for check in checks:
        if check.reads_any_file or file.is_robots_txt:
            for found in check.find(file):
                yield _diagnostic(file, check, found)


def _diagnostic(file: File, check: Check, found: Found) -> Diagnostic:
    span = found.span or (file.content(found.line) if file.lines else (0, 0))
    return Diagnostic(
        check.code,
        check.name,
        check.severity,
        found.message,
        check.why,
        found.line,
        span,
        found.witness,
        found.fix,
        found.related,
    )


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.line, diagnostic.span[0], diagnostic.code
