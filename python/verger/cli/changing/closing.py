"""The summary of a comparison of snapshots: how many sites changed, how, and for whom.

In: a report with the results for all sites. Out: lines of text for stderr.
"""

from collections.abc import Iterator
from functools import partial

from verger.analysis.differing import SEVERITIES
from verger.cli.columns import total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.analysis.differing import Severity
    from verger.bulk.changes import ChangesReport

SHOWN: "tuple[Severity, ...]" = ("site-closed", "site-opened", "opened", "closed", "unproved")
"""The severities of a change of answers."""


_total = partial(total, width=31)


def closing_lines(report: "ChangesReport") -> Iterator[str]:
    """Yield the closing table: sites, then those that changed, by severity and by purpose."""
    yield _total("sites", report.origins)
    yield _total("  not compared", report.unknown)
    yield _total("  identical", report.identical)
    yield _total("  same answers", report.compared - report.identical - report.changed)
    yield _total("  changed", report.changed)
    for severity in SEVERITIES:
        if report.by_severity[severity]:
            yield _total(f"    {severity}", report.by_severity[severity])
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
