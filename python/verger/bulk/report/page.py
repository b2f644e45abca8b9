"""The page: one HTML file that needs nothing else.

In: a `Summary`. Out: HTML with its style, its script and its data inside. The content security
policy allows no requests, and no script except the one in the page. All text from strangers
(origins, names) is escaped by the template, or is in JSON that a parser of HTML cannot leave;
invisible characters, and those that change the direction of writing, are shown as escapes. The same
numbers give the same page, byte for byte.
"""

import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import vl_convert
from jinja2 import Environment, StrictUndefined
from jinja2.filters import do_filesizeformat
from markupsafe import Markup

from verger import __version__
from verger.bulk.report.charts import MOST_BARS, Spec, name_of, share, specs_of, timeline
from verger.bulk.report.summary import SEVERITIES, Row, Summary, resource
from verger.untrusted_text import counted, printable

NOTHING = "There is nothing to show: no file was read."

Shown = dict[str, Any]
"""What the template shows of a section or a drawing, by its names."""

Cell = str | int | tuple[int, int]
"""What the template shows in a table: a text, a number, or a number of a total with its share."""


def rendered(summary: Summary, *, title: str) -> str:
    """Return the page."""
    specs = specs_of(summary)
    style = resource("page.css")
    script = _script() if specs else ""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_seen
    )
    environment.filters |= {"commas": "{:,}".format, "counted": counted, "share": share}
    template = environment.from_string(resource("page.html.jinja"))
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
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _script() -> str:
    """Return the script with everything that it needs; no tag can end it early.

    It is the same for every page, and takes a second to assemble.
    """
    bundle: str = vl_convert.javascript_bundle(resource("report.js"))
    return bundle.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _policy(script: str, style: str) -> str:
    """Return the content security policy (W3C, Content Security Policy Level 3)."""
    parts = [f"style-src 'sha256-{_hash(style)}'", "base-uri 'none'", "form-action 'none'"]
    if script:
        parts.insert(0, f"script-src 'sha256-{_hash(script)}'")
    return "; ".join(["default-src 'none'", *parts])


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _sections(summary: Summary, specs: Mapping[str, Spec]) -> list[Shown]:
    """Return the sections that the page has, in the order of their texts."""
    texts, tables, words = (
        tomllib.loads(resource("sections.toml")),
        _tables(summary),
        _words(summary),
    )
    return [
        _section(name, text, tables[name], words, summary, specs)
        for name, text in texts.items()
        if name in tables
    ]


def _section(
    name: str,
    text: Shown,
    rows: Sequence[Sequence[Cell]],
    words: Mapping[str, str],
    summary: Summary,
    specs: Mapping[str, Spec],
) -> Shown:
    """Return a section; without a bar in its charts, it has no table either: only zeros."""
    drawings = _timelines(summary) if name == "time" else []
    if "chart" in text:
        drawings = [{"place": name, "description": text["chart"], "caption": "", "ends": ()}]
    drawn = [drawing for drawing in drawings if drawing["place"] in specs]
    is_empty = bool(drawings) and not drawn
    knows_why = summary.contents.files or name in ("changes", "standings")
    return {
        "kinds": (),
        "nothing": NOTHING,
        **text,
        "id": name,
        "reading": text["reading"].format(**words),
        "key": () if is_empty else text.get("key", ()),
        "drawings": drawn,
        "rows": () if is_empty else rows,
        **({} if knows_why else {"nothing": NOTHING}),
    }


def _timelines(summary: Summary) -> list[Shown]:
    """Return the places of the charts over time, with the texts below their ends."""
    ends = [each.start for each in (summary.snapshots[0], summary.snapshots[-1])]
    return [
        {
            "place": timeline(number),
            "description": f"Stacked columns: what {name_of(crawler.token)} may fetch, snapshot by "
            "snapshot",
            "caption": name_of(crawler.token),
            "ends": ends,
        }
        for number, crawler in enumerate(summary.crawlers)
    ]


def _words(summary: Summary) -> dict[str, str]:
    """Return the numbers in the texts."""
    contents = summary.contents
    alike = contents.files - contents.different
    average = contents.size // contents.files if contents.files else 0
    is_cut = len(summary.findings) > MOST_BARS
    return {
        "classes": ", ".join(sorted({each.status_class for each in summary.answers})),
        "average": do_filesizeformat(average, binary=True),
        "truncated": f"{contents.truncated:,} {'is' if contents.truncated == 1 else 'are'}",
        "files": counted(contents.files, "file"),
        "alike": f"{alike:,}",
        "share": share(alike, contents.files),
        "licensed": f"{contents.licensed:,}" if contents.licensed else "none",
        "asked": counted(_files_of_uses(summary), "file"),
        "cut": f" The chart shows the first {MOST_BARS}." if is_cut else "",
    }


# The tables


def _tables(summary: Summary) -> dict[str, list[list[Cell]]]:
    """Return the rows of the table of each section that the page has."""
    tables: dict[str, list[list[Cell]]] = {}
    if summary.changes is not None:
        tables["changes"] = [
            [name_of(who), *_parts([sites[kind] for kind in SEVERITIES])]
            for who, sites in summary.changes.items()
        ]
    if summary.latest.sites:
        tables |= _tables_of_crawlers(summary.crawlers, summary.snapshots)
        tables |= _tables_of_files(summary)
    if summary.uses:
        tables |= _tables_of_uses(summary)
    return tables


def _tables_of_crawlers(
    crawlers: Sequence[Row], snapshots: Sequence[Row]
) -> dict[str, list[list[Cell]]]:
    tables: dict[str, list[list[Cell]]] = {
        "standings": [
            [name_of(each.token), *_parts(each.standings[-1].values())] for each in crawlers
        ],
        "namings": [
            [name_of(each.token), *_parts(each.namings.values())]
            for each in crawlers
            if each.namings
        ],
    }
    if len(snapshots) > 1:
        tables["time"] = [
            [name_of(each.token), snapshot.label, *_parts(counts.values())]
            for each in crawlers
            for snapshot, counts in zip(snapshots, each.standings, strict=True)
        ]
    return tables


def _tables_of_files(summary: Summary) -> dict[str, list[list[Cell]]]:
    files, sites = summary.contents.files, summary.latest.sites
    return {
        "signals": [
            [each.name, (each.yes, files), (each.no, files), (each.unsaid, files)]
            for each in summary.signals
        ],
        "fields": [[use.name, (use.files, files), use.times] for use in summary.fields],
        "answers": [[each.label, each.access, (each.sites, sites)] for each in summary.answers],
        "sizes": [[each.label, (each.files, files)] for each in summary.sizes],
        "repeated": [
            [
                each.digest,
                (each.files, files),
                each.size,
                each.sitemaps,
                each.posture,
                " ".join(dict.fromkeys((each.first, each.last))),
            ]
            for each in summary.repeated
        ],
        "findings": [[use.name, (use.files, files), use.times] for use in summary.findings],
    }


def _tables_of_uses(summary: Summary) -> dict[str, list[list[Cell]]]:
    files = _files_of_uses(summary)
    return {
        "uses": [
            [each.use, each.mechanism, *_parts([each.no, each.mixed, each.yes, each.unsaid])]
            for each in summary.uses
        ],
        "conflicts": [
            [each.use, each.allows, each.disallows, (each.files, files)]
            for each in summary.conflicts
        ],
    }


def _files_of_uses(summary: Summary) -> int:
    """Return how many files were asked about use: those in tables that have the columns."""
    return sum((each.no + each.mixed + each.yes + each.unsaid) for each in summary.uses[:1])


def _parts(counts: Iterable[int]) -> list[Cell]:
    """Return the total, and each count with its share."""
    numbers = list(counts)
    total = sum(numbers)
    return [total, *((number, total) for number in numbers)]
