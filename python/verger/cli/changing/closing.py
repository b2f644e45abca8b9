"""The summary of a comparison of snapshots: how many sites changed, how, and for whom.

In: a report with the results for all sites. Out: lines of text for stderr.
"""

from collections.abc import Iterator

from verger.analysis.differing import SEVERITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.analysis.differing import Severity
    from verger.bulk.changes import ChangesReport

SHOWN: "tuple[Severity, ...]" = ("site-closed", "site-opened", "opened", "closed", "unproved")
"""The severities of a change of answers."""


def closing_lines(report: "ChangesReport") -> Iterator[str]:
    """Yield the closing table: sites, then those that changed, by severity and by purpose."""
    yield _line("sites", report.origins)
    yield _line("  not compared", report.unknown)
    yield _line("  identical", report.identical)
    yield _line("  same answers", report.compared - report.identical - report.changed)
    yield _line("  changed", report.changed)
    for severity in SEVERITIES:
        if report.by_severity[severity]:
            yield _line(f"    {severity}", report.by_severity[severity])
    yield from _by_purpose(report)


def _by_purpose(report: "ChangesReport") -> Iterator[str]:
    """Yield the sites that changed for crawlers of each purpose."""
    purposes = sorted({purpose for purpose, _ in report.by_purpose})
    if not purposes:
        return
    severities = [each for each in SHOWN if any((p, each) in report.by_purpose for p in purposes)]
    yield "for crawlers of   " + "".join(f"{each:>13}" for each in severities)
    for purpose in purposes:
        numbers = "".join(f"{report.by_purpose[purpose, each]:>13,}" for each in severities)
        yield f"  {purpose:<16}{numbers}"


def _line(name: str, number: int) -> str:
    return f"{name:<18}{number:>13,}"
