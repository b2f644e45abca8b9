"""Lint: mistakes in robots.txt files, each explained by its line and a URL that shows it; fixes and
a format that change no decision.

>>> from verger.lint import lint
>>> [each.name for each in lint(b"User-agent: *\\nDisallow: private\\n").diagnostics]
['pattern-without-slash']
"""

from verger.lint.check import Check, all_checks, chosen
from verger.lint.diagnostic import (
    SEVERITIES,
    Applicability,
    Diagnostic,
    Fix,
    Related,
    Severity,
)
from verger.lint.fixing import fixed, proved
from verger.lint.fmt import formatted
from verger.lint.run import LintReport, guard, lint
from verger.lint.settings import Settings, read_settings, settings_for

__all__ = [
    "SEVERITIES",
    "Applicability",
    "Check",
    "Diagnostic",
    "Fix",
    "LintReport",
    "Related",
    "Settings",
    "Severity",
    "all_checks",
    "chosen",
    "fixed",
    "formatted",
    "guard",
    "lint",
    "proved",
    "read_settings",
    "settings_for",
]
