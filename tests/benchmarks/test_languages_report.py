"""What one run of `make bench-peers` measured, as JSON, as a page and as a chart.

In: a report of made-up figures. No toolchain is needed here.
"""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.languages import chart, page, results, run
from benchmarks.languages.contestants import CONTESTANTS, Contestant
from benchmarks.languages.results import Endurance, Figure, Hostile, Report, Row
from benchmarks.languages.table import MANY_AGENTS, MANY_RULES, duration, ratio_of, times

KEYS = [one.key for one in CONTESTANTS]
BY_KEY = {one.key: one for one in CONTESTANTS}


def row(key: str, name: str, unit: str, keys: list[str]) -> Row:
    """Make a row in which each contestant takes a microsecond more than the one before."""
    figures = {
        key: Figure((1_000.0 * n, 1_000.0 * n, 9e9), 10, unlike=n % 2, silent=0)
        for n, key in enumerate(keys, start=1)
    }
    return Row(key, name, unit, figures)


def hostile(name: str) -> Hostile:
    """Make a file on which the last contestant was stopped."""
    done = {key: Endurance(2e6, 300.0, 4_000_000, allowed=True) for key in KEYS[:-1]}
    return Hostile(name, 1_234, 4.0, {**done, KEYS[-1]: Endurance(why="> 4 s")})


@pytest.fixture
def report() -> Report:
    return Report(
        date="2026-01-02T03:04+00:00",
        machine={"system": "Linux-1.2", "processor": "A & B", "processors": 2, "load": 0.5},
        inputs={"files": 4, "bytes": 8_000},
        rounds=3,
        versions=dict.fromkeys(KEYS, "1.0"),
        runtimes={"grobotstxt": "Go 1.0"},
        missing={"somebody": "`some` is not there"},
        rows=(
            row("parse", "parse", "file", [key for key in KEYS if BY_KEY[key].parses]),
            row("contact", "first contact", "file", KEYS),
            row("answer, 51 rules", "one answer, 51 rules", "answer", KEYS),
        ),
        hostile=(hostile(MANY_RULES), hostile(MANY_AGENTS)),
    )


def tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a page as rows of cells."""
    found: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def test_report_survives_json(report: Report, tmp_path: Path) -> None:
    """What is read is what was written."""
    path = tmp_path / "deep" / "peers.json"
    results.write(report, path)

    assert report == results.read(path)
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == results.VERSION


def test_figure_is_the_median() -> None:
    """One slow turn on a busy machine changes nothing."""
    assert Figure((3.0, 2.0, 900.0), 1).median == 3.0


@pytest.mark.parametrize(
    ("key", "ratio"), [("verger", None), ("Protego", 2.0), ("verger-core", None)]
)
def test_ratio_is_to_the_verger_of_the_same_side(
    report: Report, key: str, ratio: float | None
) -> None:
    """Who is called from Python is compared with verger called from Python."""
    assert ratio == ratio_of(report.rows[1], BY_KEY[key])


def test_native_ratio_is_to_the_core(report: Report) -> None:
    """Who is called from elsewhere is compared with verger's core."""
    core, other = KEYS.index("verger-core") + 1, KEYS.index("texting_robots") + 1

    assert ratio_of(report.rows[1], BY_KEY["texting_robots"]) == pytest.approx(other / core)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(None, ""), (0.5, "0.50x"), (0.96, "1.0x"), (9.94, "9.9x"), (12.4, "12x"), (4611.2, "4,611x")],
)
def test_ratio_as_text(ratio: float | None, text: str) -> None:
    """A peer that is faster is shown with as much care as one that is slower."""
    assert text == times(ratio)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (92.4, "92 ns"),
        (1_230.0, "1.23 µs"),
        (45_600_000.0, "45.6 ms"),
        (2.5e9, "2.50 s"),
    ],
)
def test_duration_as_text(ns: float | None, text: str) -> None:
    """A time is shown in the unit that suits it."""
    assert text == duration(ns)


# the page


def test_tables_are_rectangular(report: Report) -> None:
    """Every line of a table has as many cells as its head."""
    found = tables(page.markdown(report))

    assert len(found) == 6
    assert all(len({len(cells) for cells in table}) == 1 for table in found)


@pytest.mark.parametrize("one", CONTESTANTS, ids=lambda one: one.key)
def test_everybody_is_in_the_tables(report: Report, one: Contestant) -> None:
    """Each contestant has a line with times, one with details, and one with its version."""
    names = [cells[0].strip("*") for table in tables(page.markdown(report)) for cells in table]

    assert names.count(one.title) == 3


def test_table_shows_time_speed_and_ratio(report: Report) -> None:
    """4 files of 2,000 bytes at 2 µs each are 1,000 MB/s, half as fast as verger."""
    python = tables(page.markdown(report))[0]
    [protego] = [cells for cells in python if cells[0] == "Protego"]

    assert protego == ["Protego", "2.00 (2.0x)", "1,000", "2.00 (2.0x)", "2.00 (2.0x)", "0"]


def test_unlike_counts_answers_and_not_parsing(report: Report) -> None:
    """One of ten answers differs in each row of answers; whether a file parses is not an answer."""
    parsed = report.rows[0].figures
    worse = replace(report.rows[0], figures={k: replace(f, unlike=10) for k, f in parsed.items()})
    changed = replace(report, rows=(worse, *report.rows[1:]))
    [robotspy] = [c for c in tables(page.markdown(changed))[0] if c[0] == "robotspy"]

    assert robotspy[-1] == "10.0 %"


def test_files_that_fail_are_a_remark(report: Report) -> None:
    """Who cannot parse a real file is told from who answers otherwise."""
    lines = {cells[0]: cells[-1] for cells in tables(page.markdown(report))[5]}

    assert lines["robotspy"] == "fails on 1 of the real files"
    assert lines["Protego"] == ""


def test_who_was_stopped_is_shown_as_stopped(report: Report) -> None:
    """A parser that hangs has its place in the table."""
    detail = tables(page.markdown(report))[4]
    [last] = [cells for cells in detail if cells[0] == CONTESTANTS[-1].title]

    assert last[1:] == ["&gt; 4 s", "-", "-"] * 2


def test_other_answers_on_hostile_files_are_marked(report: Report) -> None:
    """Who answers otherwise than verger may be quick."""
    other = replace(report.hostile[0].endured["urllib"], allowed=False)
    endured = {**report.hostile[0].endured, "urllib": other}
    changed = replace(report, hostile=(replace(report.hostile[0], endured=endured),))
    hostile_row = tables(page.markdown(changed))[2][2]

    assert hostile_row[1:5] == ["2.00 ms", "2.00 ms", "2.00 ms", "2.00 ms †"]


def test_what_a_machine_lacks_is_named(report: Report) -> None:
    """Who could not run is named, with the reason."""
    assert "Not measured: somebody, `some` is not there." in page.markdown(report)


def test_page_without_some_contestants(report: Report) -> None:
    """Whoever is missing has no line; a row without a figure says why."""
    fewer = {key: "1.0" for key in KEYS if BY_KEY[key].harness != "java"}
    contact = replace(report.rows[1], figures={}, notes={"Protego": "failed"})
    text = page.markdown(replace(report, versions=fewer, rows=(contact,), hostile=()))

    assert "| crawler-commons |" not in text
    assert "| Protego | failed | - |" in text


def test_committed_page_has_the_words_of_the_template() -> None:
    """Who changes a sentence of page.md writes the page anew."""
    lines = page.TEMPLATE.read_text(encoding="utf-8").splitlines()
    kept = {line for line in lines if "{" not in line}

    assert kept <= set(run.PAGE.read_text(encoding="utf-8").splitlines())


# the chart


def texts(report: Report) -> list[str]:
    """Return all words of the chart."""
    root = ElementTree.fromstring(chart.svg(report))
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_chart_is_the_same_for_the_same_report(report: Report) -> None:
    """Nothing in it hangs on time or chance."""
    assert chart.svg(report) == chart.svg(report)


def test_chart_shows_everybody_in_every_panel(report: Report) -> None:
    """Three rows and two hostile files; jwm.robotstxt cannot parse alone."""
    found = texts(report)

    assert found.count("verger") == 5
    assert found.count("jwm.robotstxt C++") == 4
    assert found.count("> 4 s") == 2


def test_chart_stays_within_its_ground(report: Report) -> None:
    """No point or word begins outside the drawing."""
    root = ElementTree.fromstring(chart.svg(report))
    places = [float(node.get(name, "0")) for node in root.iter() for name in ("x", "x2", "cx")]

    assert min(places) >= 0
    assert max(places) < chart.WIDTH


# the command


def test_quick_results_are_not_published(
    report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quick run is not a measurement; the page stays as it is."""
    path = tmp_path / "peers-quick.json"
    results.write(replace(report, quick=True), path)

    assert run.main(["--write-docs", "--json", str(path)]) == 2
    assert "a quick run is not a measurement" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--write-docs", "--json"], ["--corpus"]])
def test_nothing_to_work_with(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without results or real files there is an error that says what now."""
    assert run.main([*options, str(tmp_path / "nowhere")]) == 2
    assert "hint: " in capsys.readouterr().err
