"""The summary of a scan: what was skipped, and how many captures there were of each kind.

In: the report of a scan. Out: lines of text for stderr.
"""

from collections.abc import Iterator

from verger.access.observation import KINDS
from verger.cli.columns import total
from verger.plain import printable, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.scan import ScanReport

SHOWN = 20
"""The most skipped places to name; the rest are counted."""


def skip_lines(report: "ScanReport") -> Iterator[str]:
    """Yield a line for each of the first skipped places."""
    shown = report.skips[:SHOWN]
    for skip in shown:
        place = "" if skip.offset is None else f" at {skip.offset}"
        yield f"skipped: {quoted(skip.file)}{place}: {printable(skip.why)}"
    if more := report.skipped - sum(skip.count for skip in shown):
        yield f"skipped: {more:,} more"


def closing_lines(report: "ScanReport") -> Iterator[str]:
    """Yield the closing table."""
    yield total("captures", report.captures)
    for kind in KINDS:
        if report.access[kind]:
            part = f"{report.access[kind] / report.captures:>6.1%}"
            yield total(f"  {kind}", report.access[kind], part)
    counts = {
        "  no URL": report.access[None],
        "records": report.records,
        "skipped": report.skipped,
        "revisits": report.revisits,
        "other URLs": report.others,
        "cut bodies": report.cut,
    }
    for name, number in counts.items():
        if number:
            yield total(name, number)
    rate = report.captures / max(report.seconds, 1e-9)
    yield total("time", f"{report.seconds:,.2f} s", f"{rate:,.0f} captures a second")
