"""The charts of a report, as Vega-Lite.

In: a `Summary`. Out: the specification of each chart, with its data. Colours are names of the
page's style sheet (`var(--closed)`), so that one drawing suits light, dark and paper; keys are HTML
next to the chart. Counts of zero have no bar.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from verger.access.observation import KINDS
from verger.bulk.report.summary import (
    EVERYBODY,
    NAMINGS,
    OTHERS,
    SEVERITIES,
    STANDINGS,
    Crawler,
    Summary,
)
from verger.bulk.report.summary import Row as Counts
from verger.plain import printable

Spec = dict[str, object]
Row = dict[str, str | int | float]

ANYBODY = "* (any other)"
"""The name of crawlers that no group names, on the page."""

UNITS = ("", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei")

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
    files, crawlers = summary.contents.files, summary.crawlers
    changed = [(group_of(who), sites) for who, sites in (summary.changes or {}).items()]
    standings = [(name_of(each), each.standings[-1]) for each in crawlers]
    namings = [(name_of(each), each.namings) for each in crawlers if each.namings]
    specs = {
        "changes": _stacked(changed, SEVERITIES, "changed sites"),
        "standings": _stacked(standings, STANDINGS, "sites"),
        "namings": _stacked(namings, NAMINGS, "files"),
        **_timelines(summary),
        "signals": _signals(summary.signals),
        "fields": _bars(summary.fields, files, "field", "lines"),
        "findings": _bars(summary.findings[:MOST], files, "finding", "times"),
        "sizes": _sizes(summary.sizes, files),
        "answers": _answers(summary),
    }
    return {place: spec for place, spec in specs.items() if spec}


def timeline(number: int) -> str:
    """Return the place of the chart over time of a crawler, by its place in the summary."""
    return f"time-{number}"


def name_of(crawler: Crawler) -> str:
    """Return the name of a crawler on the page."""
    return ANYBODY if crawler.token == OTHERS else printable(crawler.token)


def group_of(who: str) -> str:
    """Return the name of the crawlers of a change on the page."""
    return {EVERYBODY: EVERYBODY, OTHERS: ANYBODY}.get(who) or printable(who)


# The charts


def _stacked(
    bars: Iterable[tuple[str, Mapping[str, int]]], kinds: Sequence[str], of: str
) -> Spec | None:
    """Return bars from 0 to 100 %, cut into kinds."""
    rows = [row for name, counts in bars for row in _parts(name, counts, kinds)]
    axis = _share(f"share of {of}", {"domain": [0, 1]})
    return _horizontal(rows, axis, _coloured(kinds))


def _timelines(summary: Summary) -> dict[str, Spec | None]:
    """Return columns from 0 to 100 % for each crawler, one for each snapshot, evenly spaced."""
    labels = [each.label for each in summary.snapshots]
    if len(labels) == 1:
        return {}
    # the page has the first and the last label
    x = _field("name", scale={"domain": labels, "paddingInner": 0.06})
    x["axis"] = {"labels": False, "ticks": False, "title": None}
    y = _field("share", axis={"format": "%", "values": [0, 0.5, 1], "title": None})
    y["scale"] = {"domain": [0, 1]}
    specs = {}
    for number, crawler in enumerate(summary.crawlers):
        columns = zip(labels, crawler.standings, strict=True)
        rows = [row for label, counts in columns for row in _parts(label, counts, STANDINGS)]
        specs[timeline(number)] = _chart(rows, {}, TIMELINE, x=x, y=y, **_coloured(STANDINGS))
    return specs


def _signals(signals: Sequence[Counts]) -> Spec | None:
    if not any(each.yes or each.no for each in signals):
        return None
    bars = [(s.name, {"yes": s.yes, "no": s.no, "not said": s.unsaid}) for s in signals]
    return _stacked(bars, SIGNALLED, "files")


def _bars(uses: Sequence[Counts], files: int, what: str, times: str) -> Spec | None:
    """Return a bar for each name, as long as its share of all."""
    rows: list[Row] = [
        {
            "name": printable(use.name),
            "number": use.files,
            "share": use.files / files,
            "times": use.times,
        }
        for use in uses
        if use.files
    ]
    tooltip = _told(name=what, number="files", share="share", times=times)
    return _horizontal(rows, _share("share of files"), {"tooltip": tooltip}, color="var(--bar)")


def _sizes(sizes: Sequence[Counts], files: int) -> Spec | None:
    """Return a column for each size; empty sizes keep their place."""
    starts = [with_unit(each.least) for each in sizes]
    rows: list[Row] = [
        {
            "name": size_of(each),
            "from": start,
            "number": each.files,
            "share": each.files / files,
        }
        for each, start in zip(sizes, starts, strict=True)
        if each.files
    ]
    x = _field("from", scale={"domain": starts, "paddingInner": 0.08})
    x["axis"] = {"title": "bytes, from", "labelAngle": 0, "labelOverlap": True, "ticks": False}
    y = _field("share", axis={"format": "%", "title": "share of files", "tickCount": 5})
    tooltip = _told(name="bytes", number="files")
    return _chart(rows, {"color": "var(--bar)"}, 220, x=x, y=y, tooltip=tooltip)


def _answers(summary: Summary) -> Spec | None:
    """Return a bar for each class of statuses, cut into kinds of access."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for answer in summary.answers:
        counts[status_class(answer.status), answer.access] += answer.sites
    total = summary.latest.sites
    rows: list[Row] = [
        {"name": name, "what": access, "number": number, "share": number / total, "rank": rank}
        for rank, ((name, access), number) in enumerate(sorted(counts.items()))
    ]
    kinds = [*KINDS, *sorted({access for _, access in counts} - set(KINDS))]
    return _horizontal(rows, _share("share of sites"), _coloured(kinds))


# Their parts


def _parts(name: str, counts: Mapping[str, int], kinds: Sequence[str]) -> list[Row]:
    """Return a row for each part of a bar, from its beginning to its end."""
    numbers = [counts[kind] for kind in kinds]
    total = sum(numbers)
    return [
        {"name": name, "what": kind, "number": number, "share": number / total, "rank": rank}
        for rank, (kind, number) in enumerate(zip(kinds, numbers, strict=True))
        if number
    ]


def _chart(rows: Sequence[Row], mark: Spec, height: int, **encoding: object) -> Spec | None:
    if not rows:
        return None
    return {
        "data": {"values": rows},
        "mark": {"type": "bar", **mark},
        "width": "container",
        "height": height,
        "encoding": encoding,
    }


def _horizontal(rows: Sequence[Row], x: Spec, encoding: Spec, **mark: object) -> Spec | None:
    """Return bars, with their names in the order of the rows, beginning at the top."""
    order = list(dict.fromkeys(row["name"] for row in rows))
    y = _field("name", sort=order)
    y["axis"] = {"title": None, "ticks": False, "domain": False, "labelLimit": 150}
    height = STEP * len(order)  # Vega-Lite's own step warns with a fitted width
    return _chart(rows, {"height": {"band": 0.74}, **mark}, height, x=x, y=y, **encoding)


def _share(title: str, scale: Spec | None = None) -> Spec:
    axis = {"format": "%", "title": title, "tickCount": 5}
    return _field("share", axis=axis, scale=scale or {"nice": True})


def _coloured(kinds: Sequence[str]) -> Spec:
    """Return the colours, the order and the tooltip of parts."""
    scale = {"domain": list(kinds), "range": [_colour(kind) for kind in kinds]}
    return {
        "color": _field("what", scale=scale, legend=None),
        "order": _field("rank"),
        "tooltip": _told(name="of", what="what", number="number"),
    }


def _colour(kind: str) -> str:
    """Return the colour of a kind; one without a colour in the style sheet looks like a bar."""
    known = {*SEVERITIES, *STANDINGS, *NAMINGS, *KINDS, *SIGNALLED}
    return f"var(--{kind.replace(' ', '-')})" if kind in known else "var(--bar)"


def _told(**titles: str) -> list[Spec]:
    """Return the tooltip of a bar: its fields, and its share."""
    formats = {"number": {"format": ","}, "share": {"format": ".1%"}, "times": {"format": ","}}
    titles.setdefault("share", "share")
    return [_field(name, title=title, **formats.get(name, {})) for name, title in titles.items()]


def _field(name: str, **more: object) -> Spec:
    """Return the encoding of a member of the rows."""
    is_number = name in ("number", "share", "times", "rank")
    return {"field": name, "type": "quantitative" if is_number else "nominal", **more}


# Numbers for people


def share(number: int, total: int) -> str:
    """Return a share in per cent; only nothing is `0.0%`, and only everything is `100.0%`."""
    if not total:
        return "-"
    text = f"{number / total:.1%}"
    if number and text == "0.0%":
        return "< 0.1%"
    return "> 99.9%" if number < total and text == "100.0%" else text


def with_unit(number: int) -> str:
    """Return a power of two, or a count of up to three digits, with its unit."""
    unit = 0
    while number >= 1024 and unit < len(UNITS) - 1:
        number, unit = number >> 10, unit + 1
    return f"{number}{UNITS[unit]}"


def much(number: int) -> str:
    """Return bytes for people, with two or three digits."""
    size = float(number)
    for unit in UNITS:
        if size < 1000 or unit == UNITS[-1]:
            digits = 0 if not unit or size >= 10 else 1
            return f"{size:,.{digits}f}{unit or ' '}B"
        size /= 1024
    return ""


def size_of(each: Counts) -> str:
    """Return the sizes that are counted together."""
    if not each.least:
        return "0"
    return f"{with_unit(each.least)} to below {with_unit(each.less)}"


def status_class(status: int | None) -> str:
    """Return the class of a status (RFC 9110 section 15).

    Without one there was no answer, or a file whose status is unknown: the kind of access says
    which.
    """
    if status is None:
        return "no status"
    return f"{status // 100}xx" if 100 <= status < 600 else "other"


def when(time: datetime | None) -> str:
    """Return a time to the minute, in UTC."""
    return f"{time:%Y-%m-%d %H:%M} UTC" if time else "unknown"
