"""The charts of a report, as Vega-Lite.

In: a `Summary`. Out: the specification of each chart, with its data. Colours are names of the
page's style sheet (`var(--closed)`), so that one drawing suits light, dark and paper; keys are HTML
next to the chart. Counts of zero have no bar.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from verger.access.observation import KINDS
from verger.bulk.report.summary import (
    EVERYBODY,
    NAMINGS,
    OTHERS,
    SEVERITIES,
    STANDINGS,
    ChangedFor,
    Changes,
    CrawlerCounts,
    Summary,
)
from verger.bulk.report.words import ANYBODY, size_of, status_class, with_unit
from verger.plain import printable

if TYPE_CHECKING:
    import altair as alt

    Row = Mapping[str, str | int | float]

Spec = dict[str, object]

STEP = 22
"""Pixels from bar to bar."""

TIMELINE = 84
"""The height of a chart over time, in pixels."""

MOST = 40
"""The most findings in a chart; the table has all."""

SIGNALLED = ("yes", "no", "not said")
"""The values of a content signal."""


def specs_of(summary: Summary) -> dict[str, Spec]:
    """Return every chart that is not empty, by its place on the page."""
    import altair

    charts: dict[str, alt.Chart] = {}
    sites, files = summary.latest.sites, summary.contents.files
    if summary.changes is not None and summary.changes.sites:
        charts["changes"] = _stacked(_change_rows(summary.changes), SEVERITIES, "changed sites")
    if any(crawler.standings[-1][each] for crawler in summary.crawlers for each in STANDINGS):
        charts["standings"] = _stacked(_standing_rows(summary.crawlers), STANDINGS, "sites")
    if any(crawler.namings for crawler in summary.crawlers) and files:
        charts["namings"] = _stacked(_naming_rows(summary.crawlers), NAMINGS, "files")
    if len(summary.snapshots) > 1:
        labels = [each.snapshot.label for each in summary.snapshots]
        for number, crawler in enumerate(summary.crawlers):
            if rows := _timeline_rows(crawler, summary):
                charts[timeline(number)] = _timeline(rows, labels)
    if files and any(signal.yes or signal.no for signal in summary.contents.signals):
        charts["signals"] = _stacked(_signal_rows(summary), SIGNALLED, "files")
    if files:
        uses = [(use.name, use.files, use.lines) for use in summary.contents.fields if use.files]
        if uses:
            charts["fields"] = _bars(uses, files, "field", "files", "lines")
        found = [(use.code, use.files, use.times) for use in summary.contents.findings]
        if found:
            charts["findings"] = _bars(found[:MOST], files, "finding", "files", "times")
        charts["sizes"] = _columns(summary)
    if sites:
        charts["answers"] = _answers(summary)
    with altair.data_transformers.enable("default", max_rows=None):
        return {name: _spec(chart) for name, chart in charts.items()}


def timeline(number: int) -> str:
    """Return the place of the chart over time of a crawler, by its place in the summary."""
    return f"time-{number}"


def name_of(crawler: CrawlerCounts) -> str:
    """Return the name of a crawler on the page."""
    return ANYBODY if crawler.token == OTHERS else printable(crawler.token)


def group_of(changed: ChangedFor) -> str:
    """Return the name of the crawlers of a change on the page."""
    return {EVERYBODY: EVERYBODY, OTHERS: ANYBODY}.get(changed.who) or printable(changed.who)


# The data


def _standing_rows(crawlers: Sequence[CrawlerCounts]) -> "list[Row]":
    return [
        row
        for crawler in crawlers
        for row in _parts(
            name_of(crawler), [(each, crawler.standings[-1][each]) for each in STANDINGS]
        )
    ]


def _change_rows(changes: Changes) -> "list[Row]":
    return [
        row
        for each in changes.groups
        for row in _parts(group_of(each), [(kind, each.sites[kind]) for kind in SEVERITIES])
    ]


def _naming_rows(crawlers: Sequence[CrawlerCounts]) -> "list[Row]":
    return [
        row
        for crawler in crawlers
        if crawler.namings
        for row in _parts(name_of(crawler), [(each, crawler.namings[each]) for each in NAMINGS])
    ]


def _signal_rows(summary: Summary) -> "list[Row]":
    return [
        row
        for signal in summary.contents.signals
        for row in _parts(
            signal.name,
            [("yes", signal.yes), ("no", signal.no), ("not said", signal.unsaid)],
        )
    ]


def _timeline_rows(crawler: CrawlerCounts, summary: Summary) -> "list[Row]":
    return [
        row
        for sites, standings in zip(summary.snapshots, crawler.standings, strict=True)
        for row in _parts(sites.snapshot.label, [(each, standings[each]) for each in STANDINGS])
    ]


def _parts(name: str, counts: Iterable[tuple[str, int]]) -> "list[Row]":
    """Return a row for each part of a bar, from its beginning to its end."""
    found = list(counts)
    total = sum(number for _, number in found)
    return [
        {"name": name, "what": what, "number": number, "share": number / total, "rank": rank}
        for rank, (what, number) in enumerate(found)
        if number
    ]


# The charts


def _stacked(rows: "Sequence[Row]", kinds: Sequence[str], of: str) -> "alt.Chart":
    """Return bars from 0 to 100 %, cut into kinds."""
    import altair as alt

    chart: alt.Chart = (
        _chart(rows)
        .mark_bar(height=alt.RelativeBandSize(band=0.74))
        .encode(
            y=_names(rows),
            x=_share(f"share of {of}", full=True),
            color=_coloured(kinds),
            order=alt.Order("rank:Q"),
            tooltip=_told(),
        )
        .properties(height=_height(rows))
    )
    return chart


def _timeline(rows: "Sequence[Row]", labels: Sequence[str]) -> "alt.Chart":
    """Return columns from 0 to 100 %, one for each snapshot, evenly spaced."""
    import altair as alt

    axis = alt.Axis(labels=False, ticks=False, title=None)  # the page has the first and the last
    scale = alt.Scale(domain=list(labels), paddingInner=0.06)
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("name:N", axis=axis, scale=scale),
            y=alt.Y(
                "share:Q",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", values=[0, 0.5, 1], title=None),
            ),
            color=_coloured(STANDINGS),
            order=alt.Order("rank:Q"),
            tooltip=_told(),
        )
        .properties(height=TIMELINE)
    )
    return chart


def _bars(
    uses: Sequence[tuple[str, int, int]], total: int, what: str, number: str, times: str
) -> "alt.Chart":
    """Return a bar for each name, as long as its share of all."""
    import altair as alt

    rows: list[Row] = [
        {"name": printable(name), "number": files, "share": files / total, "times": lines}
        for name, files, lines in uses
    ]
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar(color="var(--bar)", height=alt.RelativeBandSize(band=0.74))
        .encode(
            y=_names(rows),
            x=_share(f"share of {number}"),
            tooltip=[
                alt.Tooltip("name:N", title=what),
                alt.Tooltip("number:Q", title=number, format=","),
                alt.Tooltip("share:Q", title="share", format=".1%"),
                alt.Tooltip("times:Q", title=times, format=","),
            ],
        )
        .properties(height=_height(rows))
    )
    return chart


def _columns(summary: Summary) -> "alt.Chart":
    """Return a column for each size; empty sizes keep their place."""
    import altair as alt

    files = summary.contents.files
    rows: list[Row] = [
        {
            "name": size_of(each),
            "from": "0" if not each.least else with_unit(each.least),
            "number": each.files,
            "share": each.files / files,
        }
        for each in summary.contents.sizes
    ]
    order = [row["from"] for row in rows]
    chart: alt.Chart = (
        _chart([row for row in rows if row["number"]])
        .mark_bar(color="var(--bar)")
        .encode(
            x=alt.X(
                "from:N",
                scale=alt.Scale(domain=order, paddingInner=0.08),
                axis=alt.Axis(title="bytes, from", labelAngle=0, labelOverlap=True, ticks=False),
            ),
            y=alt.Y("share:Q", axis=alt.Axis(format="%", title="share of files", tickCount=5)),
            tooltip=[
                alt.Tooltip("name:N", title="bytes"),
                alt.Tooltip("number:Q", title="files", format=","),
                alt.Tooltip("share:Q", title="share", format=".1%"),
            ],
        )
        .properties(height=220)
    )
    return chart


def _answers(summary: Summary) -> "alt.Chart":
    """Return a bar for each class of statuses, cut into kinds of access."""
    import altair as alt

    counts: dict[tuple[str, str], int] = {}
    for answer in summary.answers:
        place = status_class(answer.status), answer.access
        counts[place] = counts.get(place, 0) + answer.sites
    total = summary.latest.sites
    rows: list[Row] = [
        {"name": name, "what": access, "number": number, "share": number / total, "rank": rank}
        for rank, ((name, access), number) in enumerate(sorted(counts.items()))
    ]
    kinds = [*KINDS, *sorted({access for _, access in counts} - set(KINDS))]
    chart: alt.Chart = (
        _chart(rows)
        .mark_bar(height=alt.RelativeBandSize(band=0.74))
        .encode(
            y=_names(rows),
            x=_share("share of sites"),
            color=_coloured(kinds),
            order=alt.Order("rank:Q"),
            tooltip=_told(),
        )
        .properties(height=_height(rows))
    )
    return chart


# Their parts


def _chart(rows: "Sequence[Row]") -> "alt.Chart":
    import altair as alt

    return alt.Chart(
        {"values": [dict(row) for row in rows]},
        width="container",
    )


def _names(rows: "Sequence[Row]") -> "alt.Y":
    """Return the axis of names, in the order of the rows, beginning at the top."""
    import altair as alt

    order = list(dict.fromkeys(str(row["name"]) for row in rows))
    axis = alt.Axis(title=None, ticks=False, domain=False, labelLimit=150)
    return alt.Y("name:N", sort=order, axis=axis)


def _height(rows: "Sequence[Row]") -> int:
    """Return the height of all bars in pixels; Vega-Lite's own step warns with a fitted width."""
    return STEP * len({row["name"] for row in rows})


def _share(title: str, *, full: bool = False) -> "alt.X":
    import altair as alt

    axis = alt.Axis(format="%", title=title, tickCount=5)
    scale = alt.Scale(domain=[0, 1]) if full else alt.Scale(nice=True)
    return alt.X("share:Q", axis=axis, scale=scale)


def _coloured(kinds: Sequence[str]) -> "alt.Color":
    """Return the colours of kinds; kinds without a colour in the style sheet look like a bar."""
    import altair as alt

    scale = alt.Scale(domain=list(kinds), range=[_colour(kind) for kind in kinds])
    return alt.Color("what:N", scale=scale, legend=None)


def _colour(kind: str) -> str:
    known = {*SEVERITIES, *STANDINGS, *NAMINGS, *KINDS, *SIGNALLED}
    return f"var(--{kind.replace(' ', '-')})" if kind in known else "var(--bar)"


def _told() -> "list[alt.Tooltip]":
    """Return the tooltip of a part of a bar."""
    import altair as alt

    return [
        alt.Tooltip("name:N", title="of"),
        alt.Tooltip("what:N", title="what"),
        alt.Tooltip("number:Q", title="number", format=","),
        alt.Tooltip("share:Q", title="share", format=".1%"),
    ]


def _spec(chart: "alt.Chart") -> Spec:
    """Return the specification of a chart, checked against Vega-Lite's schema."""
    spec: Spec = chart.to_dict()
    del spec["$schema"]  # a URL that the page does not need
    spec.pop("config", None)
    return spec
