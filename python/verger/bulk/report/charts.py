"""The charts of a report, as Vega-Lite.

In: a `Summary`. Out: the specification of each chart: that of `charts.json`, with its data. Colours
are names of the page's style sheet (`var(--closed)`), so that one drawing suits light, dark and
paper; keys are HTML next to the chart. Counts of zero have no bar.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verger.bulk.report.summary import OTHERS, SEVERITIES, Row as Counts, Summary, resource
from verger.untrusted_text import printable

Spec = dict[str, Any]
Row = dict[str, str | int | float]

ANYBODY = "* (any other)"
"""The name of crawlers that no group names, on the page."""

STEP = 22
"""Pixels from bar to bar; Vega-Lite's own step warns with a fitted width."""

MOST_BARS = 40
"""The most findings in a chart; the table has all."""


def specs_of(summary: Summary) -> dict[str, Spec]:
    """Return every chart that is not empty, by its place on the page."""
    charts = json.loads(resource("charts.json"))
    sizes = [each.start for each in summary.sizes]
    snapshots = [each.label for each in summary.snapshots]
    for name, columns in (("sizes", sizes), ("time", snapshots)):  # empty ones keep their place
        charts[name]["encoding"]["x"]["scale"]["domain"] = columns
    return {
        place: _with_rows(charts[place.partition("-")[0]], rows)
        for place, rows in _rows(summary).items()
        if rows
    }


def _with_rows(chart: Spec, rows: Sequence[Row]) -> Spec:
    """Return a chart with its data; one without a height is as high as it has bars."""
    names = {row["name"] for row in rows}
    return {"height": STEP * len(names), **chart, "data": {"values": rows}}


def timeline(number: int) -> str:
    """Return the place of the chart over time of a crawler, by its place in the summary."""
    return f"time-{number}"


def name_of(who: str) -> str:
    """Return the name of a crawler, or of the crawlers of a change, on the page."""
    return ANYBODY if who == OTHERS else printable(who)


# Their data


def _rows(summary: Summary) -> dict[str, list[Row]]:
    """Return the bars of each chart, or their parts."""
    files, crawlers = summary.contents.files, summary.crawlers
    changes = (summary.changes or {}).items()
    return {
        "changes": _parts(
            (name_of(who), {kind: sites[kind] for kind in SEVERITIES}) for who, sites in changes
        ),
        "standings": _parts((name_of(each.token), each.standings[-1]) for each in crawlers),
        "namings": _parts((name_of(each.token), each.namings or {}) for each in crawlers),
        **_over_time(summary),
        "signals": _signals(summary.signals),
        "uses": _of_uses(summary.uses),
        "fields": _uses(summary.fields, files),
        "findings": _uses(summary.findings[:MOST_BARS], files),
        "sizes": [
            {
                "name": each.label,
                "from": each.start,
                "number": each.files,
                "share": each.files / files,
            }
            for each in summary.sizes
            if each.files
        ],
        "answers": _answers(summary),
    }


def _over_time(summary: Summary) -> dict[str, list[Row]]:
    """Return columns for each crawler, one for each snapshot; none for a single snapshot."""
    labels = [each.label for each in summary.snapshots]
    if len(labels) == 1:
        return {}
    return {
        timeline(number): _parts(zip(labels, crawler.standings, strict=True))
        for number, crawler in enumerate(summary.crawlers)
    }


def _signals(signals: Sequence[Counts]) -> list[Row]:
    if not any(each.yes or each.no for each in signals):
        return []
    return _parts((s.name, {"yes": s.yes, "no": s.no, "not said": s.unsaid}) for s in signals)


def _of_uses(uses: Sequence[Counts]) -> list[Row]:
    """Return a bar for each mechanism that speaks about a use."""
    return _parts(
        (
            f"{each.use}, {each.mechanism}",
            {"no": each.no, "yes and no": each.mixed, "yes": each.yes, "not said": each.unsaid},
        )
        for each in uses
        if each.no or each.mixed or each.yes
    )


def _answers(summary: Summary) -> list[Row]:
    """Return a bar for each class of statuses, cut into kinds of access."""
    classes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for each in sorted(summary.answers, key=lambda answer: (answer.status_class, answer.access)):
        classes[each.status_class][each.access] += each.sites
    return _parts(classes.items(), of=summary.latest.sites)


def _uses(uses: Sequence[Counts], files: int) -> list[Row]:
    """Return a bar for each name, as long as its share of all files."""
    return [
        {
            "name": printable(use.name),
            "number": use.files,
            "share": use.files / files,
            "times": use.times,
        }
        for use in uses
        if use.files
    ]


def _parts(bars: Iterable[tuple[str, Mapping[str, int]]], of: int | None = None) -> list[Row]:
    """Return a row for each part of each bar, from its beginning to its end.

    of:  of how much all bars are a share; None if each bar is 100 %.
    """
    return [
        {
            "name": name,
            "what": kind,
            "number": number,
            "share": number / (of or sum(counts.values())),
            "rank": rank,
            "colour": f"var(--{kind.strip('()').replace(' ', '-')}, var(--bar))",
        }
        for name, counts in bars
        for rank, (kind, number) in enumerate(counts.items())
        if number
    ]


# Numbers for people


def share(number: int, total: int) -> str:
    """Return a share in per cent; only nothing is `0.0%`, and only everything is `100.0%`."""
    if not total:
        return "-"
    text = f"{number / total:.1%}"
    if number and text == "0.0%":
        return "< 0.1%"
    return "> 99.9%" if number < total and text == "100.0%" else text
