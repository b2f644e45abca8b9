"""docs/benchmarks.md: what one run measured, and what its figures do not say.

In: a `Report`. Out: Markdown, the same for the same report. The sentences stand in page.md, the
figures are those of the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.languages.contest import RUNS, THOROUGH
from benchmarks.languages.contestants import CONTESTANTS, SUBJECTS, Contestant, Side
from benchmarks.languages.results import Hostile, Report, Row
from benchmarks.languages.table import (
    MANY_AGENTS,
    MANY_RULES,
    duration,
    megabytes,
    micros,
    ratio_of,
    times,
)
from benchmarks.languages.toolchains import MEMORY_LIMIT

UNLIKE = " †"
TEMPLATE = Path(__file__).with_name("page.md")
TITLES = {
    "parse": "parse",
    "contact": "first contact",
}


def markdown(report: Report) -> str:
    """Return the whole page."""
    timeout = report.hostile[0].timeout if report.hostile else THOROUGH.timeout
    template = TEMPLATE.read_text(encoding="utf-8")
    return template.format(
        setting=setting(report),
        missing=missing(report),
        rounds=report.rounds,
        python="\n".join(side_table(report, "python")),
        native="\n".join(side_table(report, "native")),
        files=f"{report.inputs['files']:,}",
        megabytes=f"{report.inputs['bytes'] / 1e6:.1f}",
        timeout=f"{timeout:g}",
        hostile_python="\n".join(hostile_table(report, "python")),
        hostile_native="\n".join(hostile_table(report, "native")),
        detail="\n".join(detail_table(report)),
        who="\n".join(who_table(report)),
        warm_up=f"{THOROUGH.warm_up:g}",
        budget=f"{THOROUGH.budget:g}",
        runs=RUNS,
        share=f"{timeout / 4:g}",
        limit=MEMORY_LIMIT >> 10,
    )


# --- the head -----------------------------------------------------------------------------


def setting(report: Report) -> str:
    """Say where and when."""
    machine = report.machine
    day = report.date.partition("T")[0]
    return (
        f"{day}, {machine['processors']} cores of {machine['processor']}, "
        f"{machine['system'].partition('-')[0]}; "
        f"load average before the first round: {machine['load']}."
    )


def missing(report: Report) -> str:
    """Name who could not run."""
    return "".join(f"\nNot measured: {name}, {why}." for name, why in report.missing.items())


# --- tables -------------------------------------------------------------------------------


def side_table(report: Report, side: Side) -> Iterator[str]:
    """Yield the table of those that are called from one place."""
    titles = [TITLES.get(row.key, row.key.removeprefix("answer, ")) for row in report.rows]
    parse = next((row for row in report.rows if row.key == "parse"), None)
    head = ["", *titles, "unlike"]
    if parse:
        head.insert(2, "MB/s")
    yield from table_head(head)
    for one in present(report, side):
        cells = [cell(row, one) for row in report.rows]
        if parse:
            cells.insert(1, speed(report, parse, one))
        yield line([title(one), *cells, unlike(report, one)])


def present(report: Report, side: Side) -> list[Contestant]:
    """Return who took part on one side."""
    return [one for one in CONTESTANTS if one.side == side and one.key in report.versions]


def cell(row: Row, one: Contestant) -> str:
    """Show the figure of one contestant."""
    figure = row.figures.get(one.key)
    if figure is None:
        return row.notes.get(one.key, "-")
    ratio = times(ratio_of(row, one))
    return f"{micros(figure)} ({ratio})" if ratio else micros(figure)


def speed(report: Report, parse: Row, one: Contestant) -> str:
    """Show how many bytes of real files are parsed in a second."""
    figure = parse.figures.get(one.key)
    if figure is None:
        return "-"
    seconds = figure.median * report.inputs["files"] / 1e9
    return f"{report.inputs['bytes'] / seconds / 1e6:,.0f}"


def unlike(report: Report, one: Contestant) -> str:
    """Show the share of answers that differ from verger's."""
    if one.key == SUBJECTS["python"]:
        return ""
    figures = [row.figures[one.key] for row in report.rows if is_answered(row, one)]
    asked = sum(figure.asked for figure in figures)
    return share(sum(figure.unlike for figure in figures), asked) if asked else "-"


def is_answered(row: Row, one: Contestant) -> bool:
    """Whether somebody gave answers in a row."""
    return row.key != "parse" and one.key in row.figures


def share(part: int, whole: int) -> str:
    """Show a share; none is shown as none."""
    return f"{100 * part / whole:.1f} %" if part else "0"


def hostile_table(report: Report, side: Side) -> Iterator[str]:
    """Yield the times of all hostile files."""
    ones = present(report, side)
    yield from table_head(["", *(one.title for one in ones)])
    for file in report.hostile:
        cells = [endured_cell(file, one) for one in ones]
        yield line([escaped(file.name), *cells])


def endured_cell(file: Hostile, one: Contestant) -> str:
    """Show how long parsing and one answer took, or why that is not known."""
    done, ours = file.endured.get(one.key), file.endured.get(SUBJECTS["python"])
    if done is None:
        return "-"
    if done.why:
        return done.why.replace(">", "&gt;")
    mark = UNLIKE if ours and ours.allowed is not None and done.allowed != ours.allowed else ""
    return duration(done.contact) + mark


def detail_table(report: Report) -> Iterator[str]:
    """Yield time and memory of the two hostile files that tell most."""
    files = [file for file in report.hostile if file.name in (MANY_RULES, MANY_AGENTS)]
    head = [""]
    for file in files:
        head += [f"{escaped(file.name)}, {file.size:,} bytes", "one more", "memory"]
    yield from table_head(head)
    for one in [*present(report, "python"), *present(report, "native")]:
        yield line([title(one), *(cell for file in files for cell in detail_cells(file, one))])


def detail_cells(file: Hostile, one: Contestant) -> list[str]:
    """Show three figures, or why there are none."""
    done = file.endured.get(one.key)
    if done is None or done.why:
        return [endured_cell(file, one), "-", "-"]
    return [endured_cell(file, one), duration(done.answer), megabytes(done.memory)]


def who_table(report: Report) -> Iterator[str]:
    """Yield versions, and what a parsed file holds."""
    yield from table_head(["", "version", "language", "runtime", "keeps", "remark"], text=True)
    for one in CONTESTANTS:
        if one.key in report.versions:
            runtime = report.runtimes.get(one.key, "")
            version = report.versions[one.key]
            remark = "; ".join(filter(None, [one.note, not_parsed(report, one)]))
            yield line([title(one), version, one.language, runtime, one.kept, remark])


def not_parsed(report: Report, one: Contestant) -> str:
    """Say how many real files somebody cannot parse."""
    for row in report.rows:
        if row.key == "parse" and one.key in row.figures and row.figures[one.key].unlike:
            return f"fails on {row.figures[one.key].unlike} of the real files"
    return ""


def table_head(cells: Sequence[str], text: bool = False) -> Iterator[str]:
    """Yield the first two lines of a table: names to the left, figures to the right."""
    yield line(cells)
    rule = "---" if text else "---:"
    yield "|" + "|".join(["---", *[rule] * (len(cells) - 1)]) + "|"


def line(cells: Sequence[str]) -> str:
    """Return one line of a table."""
    return "| " + " | ".join(cells) + " |"


def title(one: Contestant) -> str:
    """Show a name; verger's is bold."""
    return f"**{one.title}**" if one.key in SUBJECTS.values() else one.title


def escaped(name: str) -> str:
    """Show what Markdown would take for itself."""
    return f"`{name}`" if "*" in name else name
