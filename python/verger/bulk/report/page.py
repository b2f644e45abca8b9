"""The page: one HTML file that needs nothing else.

In: a `Summary`. Out: HTML with its style, its script and its data inside. The content security
policy allows no requests, and no script except the one in the page. All text from strangers
(origins, names) is escaped by the template, or is in JSON that a parser of HTML cannot leave;
invisible characters, and those that change the direction of writing, are shown as escapes. The same
numbers give the same page, byte for byte.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files

import vl_convert
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from verger import __version__
from verger.access.observation import KINDS
from verger.bulk.report.charts import MOST, Spec, group_of, name_of, specs_of, timeline
from verger.bulk.report.summary import (
    NAMINGS,
    NO_STATUS,
    SEVERITIES,
    STANDINGS,
    Repeated,
    Summary,
)
from verger.bulk.report.words import much, share, size_of, status_class, when
from verger.plain import counted, printable

FOLDER = files("verger.bulk.report")

NOTHING = "There is nothing to show: no file was read."


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a chart, row by row."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Sequence[int] = (0,)
    """Which columns are text."""
    groups: Sequence[tuple[str, int]] = ()
    """The texts above the header, and how many columns each spans."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The place of a chart, and its description for people who cannot see it."""

    place: str
    description: str
    caption: str = ""
    ends: Sequence[str] = ()
    """The texts below its left and its right end."""


@dataclass(frozen=True, slots=True)
class Section:
    """One question, its charts and the table with the same numbers."""

    id: str
    title: str
    reading: str
    table: Table | None
    drawings: Sequence[Drawing] = ()
    key: Sequence[tuple[str, str]] = ()
    """The colours: a name of the style sheet, and its meaning."""
    nothing: str = NOTHING
    small: bool = False
    """Whether its charts are small, side by side."""


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that the template shows."""

    title: str
    subject: str
    figures: Sequence[tuple[str, str]]
    notes: Sequence[str]
    sections: Sequence[Section]
    specs: dict[str, Spec] = field(repr=False)
    by: str


def rendered(summary: Summary, *, title: str) -> str:
    """Return the page."""
    page = _page(summary, title)
    style = _resource("page.css")
    script = _script() if page.specs else ""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=_seen
    )
    template = environment.from_string(_resource("page.html.jinja"))
    return template.render(
        page=page,
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
    return FOLDER.joinpath(name).read_text("utf-8")


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


# The words


def _page(summary: Summary, title: str) -> Page:
    specs = specs_of(summary)
    return Page(
        title=title,
        subject=_subject(summary),
        figures=_figures(summary),
        notes=_notes(summary),
        sections=[*_changes(summary, specs), *_sections(summary, specs)],
        specs=specs,
        by=f"verger {__version__}",
    )


def _subject(summary: Summary) -> str:
    if summary.changes is not None and not summary.captures:
        return f"What {counted(summary.changes.sites, 'site')} changed in robots.txt."
    if not summary.captures:
        return "The tables hold no captures: there is nothing to report."
    if not summary.latest.sites:
        return "No capture belongs to a site: there is nothing to report."
    label = summary.latest.label
    which = f"the snapshot of {label}" if summary.latest.first else "captures without a time"
    said = f"What the robots.txt files of {counted(summary.latest.sites, 'site')} say in {which}"
    if len(summary.snapshots) > 1:
        return f"{said}, the latest of {len(summary.snapshots):,}."
    return f"{said}."


def _figures(summary: Summary) -> list[tuple[str, str]]:
    contents = summary.contents
    changed = [] if summary.changes is None else [("sites changed", f"{summary.changes.sites:,}")]
    if changed and not summary.captures:
        return changed
    return [
        *changed,
        ("sites", f"{summary.latest.sites:,}"),
        ("files read", f"{contents.files:,}"),
        ("different files", f"{contents.different:,}"),
        ("bytes in files", much(contents.size)),
        ("snapshots", f"{len(summary.snapshots) if summary.captures else 0:,}"),
        ("captures in all", f"{summary.captures:,}"),
    ]


def _notes(summary: Summary) -> list[str]:
    notes = []
    if summary.first is not None:
        notes.append(f"Captures from {when(summary.first)} to {when(summary.last)}.")
    if summary.dialects:
        read = f"Files were read as the dialect {' and '.join(summary.dialects)} reads them"
        mixed = (
            ", so that their numbers differ in what they mean" if len(summary.dialects) > 1 else ""
        )
        versions = f", by verger {' and '.join(summary.versions)}" if summary.versions else ""
        notes.append(f"{read}{versions}{mixed}.")
    if summary.undated and summary.latest.first is not None:
        notes.append(f"{_captures(summary.undated)} without a time in no snapshot.")
    if summary.strays:
        notes.append(f"{_captures(summary.strays)} of URLs without an origin in no snapshot.")
    if len(summary.snapshots) > 1 and 2 * summary.latest.sites < summary.snapshots[-2].sites:
        notes.append(
            "The latest snapshot has less than half of the sites of the one before: it may not be "
            "complete."
        )
    return notes


def _captures(number: int) -> str:
    return f"{number:,} capture{' is' if number == 1 else 's are'} left out:"


def _changes(summary: Summary, specs: dict[str, Spec]) -> list[Section]:
    """Return the section of changes, if there are tables of them."""
    if summary.changes is None:
        return []
    rows = []
    for who, sites in summary.changes.groups.items():
        rows.append(_row(group_of(who), [sites[kind] for kind in SEVERITIES]))
    section = Section(
        id="changes",
        title="What sites closed and opened",
        reading="Each bar is all sites whose file changed for some crawlers of a purpose, cut by "
        "the gravest of these changes. The first bar is all sites that changed for anybody; the "
        "one of * is crawlers that no group names. Changes are proved for all URLs.",
        key=CHANGE_KEY,
        drawings=_stacked("changes", "share of changed sites by what changed, for whom"),
        table=_paired("crawlers for", "sites", SEVERITIES, rows),
        nothing="No answer changed on any site.",
    )
    return [_as_drawn(section, specs)]


def _sections(summary: Summary, specs: dict[str, Spec]) -> list[Section]:
    if not summary.latest.sites:
        return []
    sections = [_standings(summary), _namings(summary)]
    if len(summary.snapshots) > 1:
        sections.append(_timelines(summary))
    sections += [
        _signals(summary),
        _fields(summary),
        _answers(summary),
        _sizes(summary),
        _repeated(summary),
        _findings(summary),
    ]
    return [_as_drawn(section, specs) for section in sections]


def _as_drawn(section: Section, specs: dict[str, Spec]) -> Section:
    """Return a section without empty charts.

    If none is left, it has no table either: that would only have zeros.
    """
    drawings = [drawing for drawing in section.drawings if drawing.place in specs]
    if section.drawings and not drawings:
        return replace(section, drawings=(), key=(), table=None)
    return replace(section, drawings=drawings)


CHANGE_KEY = (
    ("site-closed", "site closed: nothing may be fetched where something could be"),
    ("closed", "closed: something less may be fetched"),
    ("opened", "opened: something more may be fetched"),
    ("site-opened", "site opened: everything may be fetched where something could not"),
    ("unproved", "unproved: it is not proved that nothing changed"),
)

STANDING_KEY = (
    ("closed", "closed: nothing may be fetched, rules say so"),
    ("closed-without-a-file", "closed because the file cannot be read"),
    ("partly", "partly: rules close some of the site"),
    ("open-without-a-file", "open because there is no file"),
    ("open", "open: everything may be fetched, rules say so"),
)


def _standings(summary: Summary) -> Section:
    rows = []
    for crawler in summary.crawlers:
        standings = crawler.standings[-1]
        rows.append(_row(name_of(crawler), [standings[each] for each in STANDINGS]))
    return Section(
        id="standings",
        title="What each crawler may fetch",
        reading="Each bar is all sites whose answer is known, cut by what the crawler may fetch "
        "there. Where a file does not name the crawler, its rules for * count. The first bar is a "
        "crawler that no file names; a bar that differs from it shows what sites say to that "
        "crawler alone. Sites that only redirect are left out.",
        key=STANDING_KEY,
        drawings=_stacked("standings", "share of sites by what each crawler may fetch"),
        table=_paired("crawler", "sites", STANDINGS, rows),
        nothing="There is nothing to show: no site's answer is known.",
    )


def _namings(summary: Summary) -> Section:
    rows = []
    for crawler in summary.crawlers:
        if crawler.namings:
            rows.append(_row(name_of(crawler), [crawler.namings[each] for each in NAMINGS]))
    return Section(
        id="namings",
        title="What files say of each crawler by its name",
        reading="Each bar is all files that were read, cut by what a group that names the crawler "
        "leaves open to it. Default: no group names it, and the rules for * hold; what these "
        "amount to is in the chart above.",
        key=(
            ("closed", "closed by name"),
            ("partly", "partly, by name"),
            ("open", "open by name"),
            ("default", "default: not named"),
        ),
        drawings=_stacked("namings", "share of files by what they say of each crawler"),
        table=_paired("crawler", "files", NAMINGS, rows),
    )


def _timelines(summary: Summary) -> Section:
    rows = []
    for crawler in summary.crawlers:
        for snapshot, counts in zip(summary.snapshots, crawler.standings, strict=True):
            row = _row(snapshot.label, [counts[each] for each in STANDINGS])
            rows.append([name_of(crawler), *row])
    table = _paired("crawler", "sites", STANDINGS, rows)
    header = ["crawler", "snapshot", *table.header[1:]]
    ends = [each.start for each in (summary.snapshots[0], summary.snapshots[-1])]
    groups = [("", 3), *table.groups[1:]]
    return Section(
        id="time",
        title="Over time",
        reading="What each crawler may fetch, as in the first chart, in each snapshot: a column "
        "for each, the oldest at the left. Columns stand side by side however much time lies "
        "between them; snapshots need not have the same sites.",
        key=STANDING_KEY,
        drawings=[
            Drawing(
                timeline(number),
                f"Stacked columns: what {name_of(crawler)} may fetch, snapshot by snapshot",
                name_of(crawler),
                ends,
            )
            for number, crawler in enumerate(summary.crawlers)
        ],
        table=Table(header, rows, texts=(0, 1), groups=groups),
        small=True,
    )


def _signals(summary: Summary) -> Section:
    rows = [
        [each.name, *_pairs([each.yes, each.no, each.unsaid], summary.contents.files)]
        for each in summary.contents.signals
    ]
    groups = [("", 1), ("yes", 2), ("no", 2), ("not said", 2)]
    return Section(
        id="signals",
        title="What files say of the use of content",
        reading="Content signals to crawlers that no group names: may pages be used for a search "
        "index, as input of AI answers, to train AI models? Each bar is all files that were read. "
        "Signals ask; they do not close a site.",
        key=(("yes", "yes"), ("no", "no"), ("not-said", "not said")),
        drawings=_stacked("signals", "share of files by what they signal"),
        table=Table(["signal", *["files", "share"] * 3], rows, groups=groups),
        nothing="No file has a content signal." if summary.contents.files else NOTHING,
    )


def _fields(summary: Summary) -> Section:
    contents = summary.contents
    rows = [
        [each.name, *_pairs([each.files], contents.files), f"{each.times:,}"]
        for each in contents.fields
    ]
    return Section(
        id="fields",
        title="Fields in use",
        reading="How many of the files that were read have at least one line of a field. The field "
        "unknown stands for lines that the dialect does not know; fields that no file uses are in "
        "the table alone.",
        drawings=[Drawing("fields", "Bars: share of files that use each field")],
        table=Table(["field", "files", "share", "lines"], rows),
        nothing="No file has a line with a field." if contents.files else NOTHING,
    )


def _answers(summary: Summary) -> Section:
    rows = [
        [
            {None: status_class(None), NO_STATUS: status_class(NO_STATUS)}.get(
                each.status, str(each.status)
            ),
            each.access,
            *_pairs([each.sites], summary.latest.sites),
        ]
        for each in summary.answers
    ]
    classes = sorted({status_class(each.status) for each in summary.answers})
    return Section(
        id="answers",
        title="How servers answered",
        reading="Sites by the class of the status with which their robots.txt was answered "
        f"(here: {', '.join(classes)}). The colour is what RFC 9309 section 2.3.1 makes of it: an "
        "unavailable file opens the site, an unreachable one closes it for now.",
        key=tuple((kind, kind) for kind in KINDS),
        drawings=[Drawing("answers", "Bars: share of sites by class of status and kind of access")],
        table=Table(["status", "access", "sites", "share"], rows, texts=(0, 1)),
    )


def _sizes(summary: Summary) -> Section:
    contents = summary.contents
    rows = [[size_of(each), *_pairs([each.files], contents.files)] for each in contents.sizes]
    cut = f"{contents.truncated:,} {'is' if contents.truncated == 1 else 'are'} read only in part"
    average = contents.size // contents.files if contents.files else 0
    return Section(
        id="sizes",
        title="Size of files",
        reading="Files that were read by their size in bytes; each column is twice as wide in "
        f"bytes as the one before. The average is {much(average)}; {cut}, up to the limit of the "
        "dialect.",
        drawings=[Drawing("sizes", "Columns: share of files by size")],
        table=Table(["bytes", "files", "share"], rows),
    )


def _repeated(summary: Summary) -> Section:
    contents = summary.contents
    alike = contents.files - contents.different
    return Section(
        id="repeated",
        title="The same file on many sites",
        reading=f"Of {contents.files:,} files {alike:,} ({share(alike, contents.files)}) repeat "
        "another, byte for byte; most come with a hosting service or a publishing system. "
        "Posture is what the file leaves open to crawlers that it does not name.",
        table=Table(
            ["SHA-256", "files", "share", "bytes", "sitemaps", "posture", "for example"],
            [_repeated_row(each, contents.files) for each in contents.repeated],
            texts=(0, 5, 6),
        )
        if contents.repeated
        else None,
        nothing="No two files are the same." if contents.files else NOTHING,
    )


def _repeated_row(each: Repeated, total: int) -> list[str]:
    return [
        each.digest,
        *_pairs([each.files], total),
        f"{each.size:,}",
        f"{each.sitemaps:,}",
        {"all": "open", "some": "partly", "none": "closed", "unknown": "unknown"}.get(
            each.posture or "", "-"
        ),
        " ".join(dict.fromkeys((each.first, each.last))),
    ]


def _findings(summary: Summary) -> Section:
    contents = summary.contents
    rows = [
        [each.name, *_pairs([each.files], contents.files), f"{each.times:,}"]
        for each in contents.findings
    ]
    cut = f" The chart shows the first {MOST}." if len(contents.findings) > MOST else ""
    return Section(
        id="findings",
        title="Findings",
        reading="What is odd about files, by its code: how many files have it, and how often. A "
        f"file may have several.{cut}",
        drawings=[Drawing("findings", "Bars: share of files with each finding")],
        table=Table(["finding", "files", "share", "times"], rows),
        nothing="No file has a finding." if contents.files else NOTHING,
    )


# Their parts


def _paired(first: str, total: str, kinds: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table with a count and a share for each kind."""
    header = [first, total, *[total, "share"] * len(kinds)]
    groups = [("", 2), *((kind, 2) for kind in kinds)]
    return Table(header, rows, groups=groups)


def _stacked(place: str, what: str) -> list[Drawing]:
    return [Drawing(place, f"Stacked bars: {what}")]


def _row(name: str, counts: Sequence[int]) -> list[str]:
    """Return a row of a `_paired` table."""
    total = sum(counts)
    return [name, f"{total:,}", *_pairs(counts, total)]


def _pairs(numbers: Iterable[int], total: int) -> list[str]:
    """Return each number and its share."""
    return [text for number in numbers for text in (f"{number:,}", share(number, total))]
