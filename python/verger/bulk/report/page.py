"""The page: one HTML file that needs nothing else.

In: a `Summary`. Out: HTML with its style, its script and its data inside. The content security
policy allows no requests, and no script except the one in the page. All text from strangers
(origins, names) is escaped by the template, or is in JSON that a parser of HTML cannot leave;
invisible characters, and those that change the direction of writing, are shown as escapes. The same
numbers give the same page, byte for byte.
"""

import tomllib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import vl_convert
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from verger import __version__
from verger.bulk.report.charts import (
    MOST,
    Spec,
    group_of,
    much,
    name_of,
    share,
    size_of,
    specs_of,
    status_class,
    timeline,
    when,
)
from verger.bulk.report.summary import NAMINGS, NO_STATUS, SEVERITIES, STANDINGS, Row, Summary
from verger.plain import counted, printable

NOTHING = "There is nothing to show: no file was read."

Shown = dict[str, Any]
"""What the template shows of a section, a table or a drawing, by its names."""


def rendered(summary: Summary, *, title: str) -> str:
    """Return the page."""
    specs = specs_of(summary)
    style = _resource("page.css")
    script = _script() if specs else ""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_seen
    )
    environment.filters |= {"commas": "{:,}".format, "counted": counted, "much": much, "when": when}
    template = environment.from_string(_resource("page.html.jinja"))
    return template.render(
        title=title,
        summary=summary,
        sections=_sections(summary, specs),
        specs=specs,
        by=f"verger {__version__}",
        policy=_policy(script, style),
        style=Markup(style),
        script=Markup(script),
    )


def _seen(value: object) -> object:
    """Return a value as the page shows it; its own markup unchanged."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


def _resource(name: str) -> str:
    return files("verger.bulk.report").joinpath(name).read_text("utf-8")


@cache
def _script() -> str:
    """Return the script with everything that it needs; no tag can end it early.

    It is the same for every page, and takes a second to assemble.
    """
    bundle: str = vl_convert.javascript_bundle(_resource("report.js"))
    return bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _policy(script: str, style: str) -> str:
    """Return the content security policy (W3C, Content Security Policy Level 3)."""
    parts = [f"style-src 'sha256-{_hash(style)}'", "base-uri 'none'", "form-action 'none'"]
    if script:
        parts.insert(0, f"script-src 'sha256-{_hash(script)}'")
    return "; ".join(["default-src 'none'", *parts])


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _sections(summary: Summary, specs: dict[str, Spec]) -> list[Shown]:
    texts = tomllib.loads(_resource("sections.toml"))
    words = _words(summary)
    return [
        _section(name, texts[name], table, words, summary, specs)
        for name, table in _tables(summary).items()
    ]


def _section(
    name: str, text: Shown, table: Shown, words: Shown, summary: Summary, specs: dict[str, Spec]
) -> Shown:
    """Return a section; without a bar in its charts, it has no table either: only zeros."""
    drawings = _timelines(summary) if name == "time" else []
    if "chart" in text:
        drawings = [{"place": name, "description": text["chart"], "caption": "", "ends": ()}]
    drawn = [drawing for drawing in drawings if drawing["place"] in specs]
    is_empty = bool(drawings) and not drawn
    knows_why = summary.contents.files or name in ("changes", "standings")
    return {
        "id": name,
        "title": text["title"],
        "reading": text["reading"].format(**words),
        "key": () if is_empty else text.get("key", ()),
        "drawings": drawn,
        "small": name == "time",
        "table": None if is_empty else table,
        "nothing": text.get("nothing", NOTHING) if knows_why else NOTHING,
    }


def _timelines(summary: Summary) -> list[Shown]:
    """Return the places of the charts over time, with the texts below their ends."""
    ends = [each.start for each in (summary.snapshots[0], summary.snapshots[-1])]
    return [
        {
            "place": timeline(number),
            "description": f"Stacked columns: what {name_of(crawler)} may fetch, snapshot by "
            "snapshot",
            "caption": name_of(crawler),
            "ends": ends,
        }
        for number, crawler in enumerate(summary.crawlers)
    ]


def _words(summary: Summary) -> Shown:
    """Return the numbers in the texts."""
    contents = summary.contents
    alike = contents.files - contents.different
    classes = sorted({status_class(each.status) for each in summary.answers})
    is_cut = len(summary.findings) > MOST
    return {
        "classes": ", ".join(classes),
        "average": much(contents.size // contents.files if contents.files else 0),
        "truncated": f"{contents.truncated:,} {'is' if contents.truncated == 1 else 'are'}",
        "files": f"{contents.files:,}",
        "alike": f"{alike:,}",
        "share": share(alike, contents.files),
        "cut": f" The chart shows the first {MOST}." if is_cut else "",
    }


# The tables


def _tables(summary: Summary) -> dict[str, Shown]:
    """Return the table of each section that the page has."""
    tables = {}
    if summary.changes is not None:
        changes = [(group_of(who), sites) for who, sites in summary.changes.items()]
        rows = [_row(name, [sites[kind] for kind in SEVERITIES]) for name, sites in changes]
        tables["changes"] = _paired("crawlers for", "sites", SEVERITIES, rows)
    if summary.latest.sites:
        tables |= _tables_of_crawlers(summary)
        tables |= _tables_of_files(summary)
    return tables


def _tables_of_crawlers(summary: Summary) -> dict[str, Shown]:
    latest = [
        _row(name_of(each), [each.standings[-1][kind] for kind in STANDINGS])
        for each in summary.crawlers
    ]
    named = [
        _row(name_of(each), [each.namings[kind] for kind in NAMINGS])
        for each in summary.crawlers
        if each.namings
    ]
    tables = {
        "standings": _paired("crawler", "sites", STANDINGS, latest),
        "namings": _paired("crawler", "files", NAMINGS, named),
    }
    if len(summary.snapshots) > 1:
        rows = [
            [name_of(each), *_row(snapshot.label, [counts[kind] for kind in STANDINGS])]
            for each in summary.crawlers
            for snapshot, counts in zip(summary.snapshots, each.standings, strict=True)
        ]
        paired = _paired("crawler", "sites", STANDINGS, rows)
        header = ["crawler", "snapshot", *paired["header"][1:]]
        tables["time"] = _table(header, rows, texts=(0, 1), groups=[("", 3), *paired["groups"][1:]])
    return tables


def _tables_of_files(summary: Summary) -> dict[str, Shown]:
    files, sites = summary.contents.files, summary.latest.sites
    signals = [[s.name, *_pairs([s.yes, s.no, s.unsaid], files)] for s in summary.signals]
    groups = [("", 1), ("yes", 2), ("no", 2), ("not said", 2)]
    fields, findings = (
        [[use.name, *_pairs([use.files], files), f"{use.times:,}"] for use in uses]
        for uses in (summary.fields, summary.findings)
    )
    answers = [
        [_status(each.status), each.access, *_pairs([each.sites], sites)]
        for each in summary.answers
    ]
    sizes = [[size_of(each), *_pairs([each.files], files)] for each in summary.sizes]
    repeated = [_repeated(each, files) for each in summary.repeated]
    header = ["SHA-256", "files", "share", "bytes", "sitemaps", "posture", "for example"]
    return {
        "signals": _table(["signal", *["files", "share"] * 3], signals, groups=groups),
        "fields": _table(["field", "files", "share", "lines"], fields),
        "answers": _table(["status", "access", "sites", "share"], answers, texts=(0, 1)),
        "sizes": _table(["bytes", "files", "share"], sizes),
        "repeated": _table(header, repeated, texts=(0, 5, 6)),
        "findings": _table(["finding", "files", "share", "times"], findings),
    }


def _status(status: int | None) -> str:
    return status_class(status) if status in (None, NO_STATUS) else str(status)


def _repeated(each: Row, total: int) -> list[str]:
    postures = {"all": "open", "some": "partly", "none": "closed", "unknown": "unknown"}
    return [
        each.digest,
        *_pairs([each.files], total),
        f"{each.size:,}",
        f"{each.sitemaps:,}",
        postures.get(each.posture or "", "-"),
        " ".join(dict.fromkeys((each.first, each.last))),
    ]


def _table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    texts: Sequence[int] = (0,),
    groups: Sequence[tuple[str, int]] = (),
) -> Shown:
    """Return a table.

    texts:   which columns are text.
    groups:  the texts above the header, and how many columns each spans.
    """
    return {"header": header, "rows": rows, "texts": texts, "groups": groups}


def _paired(first: str, total: str, kinds: Sequence[str], rows: Sequence[Sequence[str]]) -> Shown:
    """Return a table with a count and a share for each kind."""
    header = [first, total, *[total, "share"] * len(kinds)]
    return _table(header, rows, groups=[("", 2), *((kind, 2) for kind in kinds)])


def _row(name: str, counts: Sequence[int]) -> list[str]:
    """Return a row of a `_paired` table."""
    total = sum(counts)
    return [name, f"{total:,}", *_pairs(counts, total)]


def _pairs(numbers: Iterable[int], total: int) -> list[str]:
    """Return each number and its share."""
    return [text for number in numbers for text in (f"{number:,}", share(number, total))]
