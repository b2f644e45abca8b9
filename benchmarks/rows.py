"""What is measured, row by row, and what each row has to reach.

In: `Inputs` and peers. Out: `Row`s. A target is printed with the row that it speaks of; it is
never asserted, because a clock on a shared machine proves nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from subprocess import CalledProcessError

from benchmarks import callgrind, measure
from benchmarks.inputs import Case, Inputs, Question
from benchmarks.measure import Figure, Work, alone, interleaved
from benchmarks.peers import Peer, Verger

SUBJECT = Verger.name


@dataclass(frozen=True, slots=True)
class Target:
    """What verger has to reach: an amount in the row's unit, or a ratio to a peer."""

    source: str
    amount: float
    than: str | None = None
    """The peer that verger has to be `amount` times as fast as."""

    def reached(self, row: Row) -> float | None:
        """Return the amount or the ratio of this run, if it was measured."""
        own = row.values.get(SUBJECT)
        if self.than is None or own is None:
            return own
        other = row.values.get(self.than)
        return None if other is None else row.ratio(other, own)

    def is_met(self, row: Row) -> bool | None:
        """Whether this run reaches it, if it was measured."""
        reached = self.reached(row)
        if reached is None:
            return None
        least = self.than is not None or row.more_is_better
        return reached >= self.amount if least else reached <= self.amount


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of several packages: medians in `unit`, or why there is none."""

    group: str
    name: str
    unit: str
    values: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    targets: Sequence[Target] = ()
    more_is_better: bool = False
    runs: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def ratio(self, other: float, own: float) -> float:
        """Return how many times as good `own` is."""
        over, under = (own, other) if self.more_is_better else (other, own)
        return over / under if under > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class Bench:
    """What the rows are measured with."""

    inputs: Inputs
    peers: Sequence[Peer]
    timeout: float
    """Seconds that a peer may take for a hostile file."""
    budget: float
    """Seconds that one run of answers may take; a slow peer answers fewer of the URLs."""
    starts: int
    """How often a program is started."""
    corpus: Path
    """Where the real files are."""


Make = Callable[[Bench], Iterator[Row]]


def in_unit(
    figures: Mapping[str, Figure], unit: float
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Return medians and runs as multiples of `unit` seconds."""
    medians = {name: figure.median / unit for name, figure in figures.items()}
    return medians, {name: [run / unit for run in figure.runs] for name, figure in figures.items()}


# --- real files ---------------------------------------------------------------------------


def parsing(bench: Bench) -> Iterator[Row]:
    """Parse every real file; whoever keeps nothing has no row here."""
    bodies, data = bench.inputs.bodies, bench.inputs.size
    works: dict[str, tuple[Work, float]] = {}
    for peer in bench.peers:
        if peer.parses_once:
            prepared = [peer.prepare(body) for body in bodies]
            works[peer.name] = partial(peer.parse_all, prepared), len(bodies)
    figures = interleaved(works)
    values, runs = in_unit(figures, 1e-6)
    targets = (Target("goal", 15, "Protego"),)
    yield Row("parse", "parse, all groups kept", "µs/file", values, targets=targets, runs=runs)
    speeds = {name: data / len(bodies) / figure.median / 1e6 for name, figure in figures.items()}
    yield Row("parse", "the same", "MB/s", speeds, more_is_better=True)
    yield in_core(bench.corpus)


def in_core(corpus: Path) -> Row:
    """Parse every real file without Python, by the core's own example."""
    program = callgrind.build("corpus_speed")
    told = measure.output_of([str(program), str(corpus), str(measure.RUNS)])
    speeds = dict(re.findall(r"^parse, (\S+) +([\d.]+) MB/s$", told, re.MULTILINE))
    targets = (Target("goal", 1_000),)
    values = {SUBJECT: float(speeds["rfc9309"])}
    name = "the same in the core alone"
    return Row("parse", name, "MB/s", values, targets=targets, more_is_better=True)


def first_contact(bench: Bench) -> Iterator[Row]:
    """Parse a real file and ask it once."""
    works: dict[str, tuple[Work, float]] = {}
    for peer in bench.peers:
        asked = [(peer.prepare(q.body), q.token, q.url) for q in bench.inputs.contacts]
        works[peer.name] = partial(peer.contact, asked), len(asked)
    values, runs = in_unit(interleaved(works), 1e-6)
    faster = (Target("goal", 12, "Protego"), Target("goal", 1, "jwm.robotstxt"))
    targets = (*faster, Target("goal", 8))
    yield Row("contact", "parse and one answer", "µs/file", values, targets=targets, runs=runs)


# --- files with many rules ----------------------------------------------------------------

ONE_ANSWER = {
    "51 rules": (
        Target("goal", 0.5),
        Target("goal", 15, "Protego"),
        Target("goal", 0.25),
    ),
    "1,208 rules": (Target("goal", 3),),
    "4,997 rules": (Target("goal", 0.3),),
    "16,700 rules": (Target("goal", 0.3),),
}


def one_answer(bench: Bench) -> Iterator[Row]:
    """Ask a parsed file about one URL after the other."""
    for case in bench.inputs.cases:
        works = {peer.name: asking(peer, case, bench.budget) for peer in bench.peers}
        values, runs = in_unit(interleaved(works), 1e-6)
        name, targets = f"one answer, {case.name}", ONE_ANSWER.get(case.name, ())
        yield Row("answer", name, "µs", values, targets=targets, runs=runs)


def asking(peer: Peer, case: Case, budget: float) -> tuple[Work, float]:
    """Return the work of asking, and how many URLs a run of it has time for."""
    parsed = peer.parser()(peer.prepare(case.body))
    token, sample = "ExampleBot", case.urls[:10]
    peer.ask(parsed, sample, token)
    each = measure.seconds(lambda: peer.ask(parsed, sample, token), 1) / len(sample)
    urls = case.urls[: max(len(sample), int(budget / each))]
    return partial(peer.ask, parsed, urls, token), len(urls)


def many_answers(bench: Bench) -> Iterator[Row]:
    """Ask a parsed file about all URLs in one call, which only verger offers.

    Each case has a process of its own: what was measured before it moves its figure by half, as
    memory lies elsewhere.
    """
    for case in bench.inputs.cases:
        values, runs = in_unit({SUBJECT: alone(many_figure, case)}, 1e-6)
        targets = (Target("goal", 0.15),)
        name = f"many answers in one call, {case.name}"
        yield Row("many", name, "µs/answer", values, targets=targets, runs=runs)


def many_figure(case: Case) -> Figure:
    """Measure asking in one call."""
    peer = Verger()
    parsed = peer.parser()(case.body)
    work = partial(peer.ask_many, parsed, case.urls, "ExampleBot"), len(case.urls)
    return interleaved({SUBJECT: work})[SUBJECT]


# --- hostile files ------------------------------------------------------------------------

MANY_WORDS = ("14,000 rules", "H_tailstars")
MANY_AGENTS = ("5,000 agents", "J_5k_agents")


def hostile(bench: Bench) -> Iterator[Row]:
    """Ask hostile files, each in a process of its own that is stopped when it takes too long."""
    for question in bench.inputs.hostile:
        endured = {
            peer.name: measure.endured(peer.name, question, bench.timeout) for peer in bench.peers
        }
        yield from hostile_rows(question, endured)


def hostile_rows(question: Question, endured: Mapping[str, measure.Endurance]) -> Iterator[Row]:
    """Make the rows of one hostile file."""
    notes = {name: result.why for name, result in endured.items() if result.why}
    contact = {name: r.contact * 1e3 for name, r in endured.items() if r.contact is not None}
    answer = {name: r.answer * 1e3 for name, r in endured.items() if r.answer is not None}
    memory = {name: r.memory / 1e6 for name, r in endured.items() if r.memory is not None}
    is_words, is_agents = (question.name.startswith(n) for n in (MANY_WORDS, MANY_AGENTS))
    quick = (Target("goal", 2),) if is_agents else ()
    small = (Target("goal", 2 * len(question.body) / 1e6),) if is_agents else ()
    yield Row("hostile", question.name, "ms, with parsing", contact, notes, quick)
    flat = (Target("goal", 1),) if is_words else ()
    yield Row("hostile", "  one more answer", "ms", answer, notes, flat)
    yield Row("hostile", "  memory taken", "MB", memory, notes, small)


# --- starting -----------------------------------------------------------------------------

PYTHON = (sys.executable, "-I", "-c")
NOTHING = "nothing"
PEAK = """
from pathlib import Path
lines = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
"""


def importing(bench: Bench) -> Iterator[Row]:
    """Import a package in a fresh interpreter, beyond starting that interpreter."""
    statements = {peer.name: f"import {peer.module}" for peer in bench.peers} | {NOTHING: "pass"}
    started = {name: [*PYTHON, statement] for name, statement in statements.items()}
    values, runs = in_unit(measure.commands(started, bench.starts), 1e-3)
    targets = (Target("goal", 3),)
    yield Row("import", "import", "ms", beyond(values), targets=targets, runs=runs)
    if Path("/proc/self/status").exists():
        peaks = {name: peak_after(statement) for name, statement in statements.items()}
        yield Row("import", "memory of import", "MB", beyond(peaks), targets=(Target("goal", 2),))


def peak_after(statement: str) -> float:
    """Return the megabytes that an interpreter has held at most after a statement, of five."""
    peaks = [int(measure.output_of([*PYTHON, statement + PEAK])) for _ in range(5)]
    return median(peaks) * 1024 / 1e6


def beyond(values: Mapping[str, float]) -> dict[str, float]:
    """Take what an interpreter that does nothing costs off the others."""
    return {n: max(v - values[NOTHING], 0.0) for n, v in values.items() if n != NOTHING}


def starting(bench: Bench) -> Iterator[Row]:
    """Start the command, beyond starting Python."""
    script = Path(sys.executable).with_name("verger")
    started = {SUBJECT: [str(script), "check", "--help"], NOTHING: [sys.executable, "-c", "pass"]}
    targets = (Target("goal", 60),)
    name = "verger check --help"
    try:
        values, runs = in_unit(measure.commands(started, bench.starts), 1e-3)
    except (OSError, CalledProcessError):
        yield Row("command", name, "ms", notes={SUBJECT: "does not start"}, targets=targets)
    else:
        yield Row("command", name, "ms", beyond(values), targets=targets, runs=runs)


ROWS: Mapping[str, Make] = {
    "parse": parsing,
    "contact": first_contact,
    "answer": one_answer,
    "many": many_answers,
    "hostile": hostile,
    "import": importing,
    "command": starting,
}
