"""The contest itself: rounds in which every contestant does the same work, turn by turn.

In: contestants whose harnesses are built, and packs. Out: `Row`s and `Hostile`s.

All harnesses run at once but only one works at a time. In each round every contestant has one
turn, in an order that changes, so that a busy machine slows all alike. Whoever is compiled while
it runs does the work of a row for some seconds before its first turn. On hostile files each
contestant has a fresh process, which is killed when its time is over.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchmarks.inputs import Case, Inputs
from benchmarks.languages.contestants import SUBJECTS, Contestant
from benchmarks.languages.protocol import Harness, HarnessFailed, Hello, Reply, packed, started
from benchmarks.languages.results import Endurance, Figure, Hostile, Row
from benchmarks.measure import SHORTEST_RUN

PATIENCE = 120.0
"""Seconds that one turn on real files may take."""
TOKEN = "ExampleBot"
FEWEST_URLS = 10
Launch = Callable[[Contestant], tuple[Sequence[str], Path]]
"""Returns the command of a contestant's harness, and where its errors go."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long everything may take."""

    rounds: int
    warm_up: float
    """Seconds of each row for whoever is compiled while it runs."""
    budget: float
    """Seconds that one turn of answers may take; a slow contestant answers fewer URLs."""
    timeout: float
    """Seconds that a contestant may take for a hostile file."""


THOROUGH = Effort(rounds=7, warm_up=2.0, budget=0.3, timeout=4.0)
QUICK = Effort(rounds=2, warm_up=0.1, budget=0.02, timeout=0.5)


def write_packs(inputs: Inputs, folder: Path) -> None:
    """Write the inputs as every harness reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    contacts = [
        entry for q in inputs.contacts for entry in (q.body, q.token.encode(), q.url.encode())
    ]
    (folder / "contacts.pack").write_bytes(packed(contacts))
    for number, case in enumerate(inputs.cases):
        urls = [url.encode() for url in case.urls]
        pack = packed([case.body, TOKEN.encode(), *urls])
        (folder / f"{case_pack(number)}.pack").write_bytes(pack)
    for number, q in enumerate(inputs.hostile):
        pack = packed([q.body, q.token.encode(), q.url.encode()])
        (folder / f"{hostile_pack(number)}.pack").write_bytes(pack)


def case_pack(number: int) -> str:
    """Name the pack of a file with many rules."""
    return f"case-{number}"


def hostile_pack(number: int) -> str:
    """Name the pack of a hostile file."""
    return f"hostile-{number}"


# --- rows ---------------------------------------------------------------------------------


class Contest:
    """Harnesses that run, and the rows they do."""

    def __init__(self, contestants: Sequence[Contestant], launch: Launch, effort: Effort) -> None:
        self.launch = launch
        self.effort = effort
        self.hellos: dict[str, Hello] = {}
        self.failed: dict[str, str] = {}
        """Contestants that did not start, and why."""
        self._harnesses: dict[Contestant, Harness] = {}
        for contestant in contestants:
            self._start(contestant)

    def close(self) -> None:
        """End all processes."""
        for harness in self._harnesses.values():
            harness.close()

    @property
    def contestants(self) -> list[Contestant]:
        """Whose harness has started."""
        return list(self._harnesses)

    def _start(self, contestant: Contestant) -> None:
        try:
            harness = Harness(*self.launch(contestant))
        except HarnessFailed as why:
            self.failed[contestant.title] = f"its harness does not start: {why}"
        else:
            self._harnesses[contestant] = harness
            self.hellos[contestant.key] = harness.hello

    def rows(self, cases: Sequence[Case]) -> Iterator[Row]:
        """Do all rows."""
        yield self.row(Row("parse", "parse", "file"), partial(self._whole, "parse"))
        contact = Row("contact", "first contact: parse and one answer", "file")
        yield self.row(contact, partial(self._whole, "contact"))
        for number, case in enumerate(cases):
            row = Row(f"answer, {case.name}", f"one answer, {case.name}", "answer")
            yield self.row(row, partial(self._answers, case_pack(number), len(case.urls)))

    def row(self, row: Row, work_of: Callable[[Contestant], Work]) -> Row:
        """Let everybody do one row, in rounds."""
        notes: dict[str, str] = {}
        works: dict[Contestant, Work] = {}
        for one in self.contestants:
            if row.key != "parse" or one.parses:
                try:
                    works[one] = work_of(one)
                except HarnessFailed as why:
                    self._note(one, str(why), notes)
        turns: dict[Contestant, list[Turn]] = {one: [] for one in works}
        for round_ in range(self.effort.rounds):
            for one in turned(list(works), round_):
                if one.key not in notes:
                    try:
                        turns[one].append(self._turn(one, works[one]))
                    except HarnessFailed as why:
                        self._note(one, str(why), notes)
        done = {one.key: made for one, made in turns.items() if one.key not in notes}
        return replace(row, figures=figures_of(done, notes), notes=notes)

    def _note(self, one: Contestant, why: str, notes: dict[str, str]) -> None:
        """Remember why somebody has no figure; its next row begins in a new process."""
        notes[one.key] = why
        self._harnesses.pop(one).close()
        self._start(one)

    def _whole(self, question: str, one: Contestant) -> Work:
        """Prepare work on all real files."""
        return self._prepared(Work(question), one)

    def _answers(self, pack: str, most: int, one: Contestant) -> Work:
        """Prepare answers: as many URLs as a turn has time for."""
        sample = self._prepared(Work(f"answer {pack} {FEWEST_URLS}"), one)
        each = max(self._turn(one, sample).ns / FEWEST_URLS, 1)
        count = min(most, max(FEWEST_URLS, int(self.effort.budget * 1e9 / each)))
        return self._prepared(Work(f"answer {pack} {count}"), one)

    def _prepared(self, work: Work, one: Contestant) -> Work:
        """Warm up, and choose how often the work is repeated within one turn."""
        end = time.monotonic() + (self.effort.warm_up if one.warms_up else 0)
        while True:
            ns = self._turn(one, work).ns
            work = replace(work, passes=passes_for(ns))
            if time.monotonic() >= end:
                return work

    def _turn(self, one: Contestant, work: Work) -> Turn:
        reply = self._harnesses[one].ask(f"{work.question} {work.passes}", PATIENCE)
        return turn_of(reply, work.passes)


@dataclass(frozen=True, slots=True)
class Work:
    """A question, and how often it is repeated in one turn."""

    question: str
    passes: int = 1


def passes_for(ns: float) -> int:
    """Return how often work that takes so long is repeated in one turn."""
    return max(1, math.ceil(SHORTEST_RUN * 1e9 / max(ns, 1)))


@dataclass(frozen=True, slots=True)
class Turn:
    """One pass, as one turn measured it."""

    ns: float
    answers: str


def turn_of(reply: Reply, passes: int) -> Turn:
    """Make a turn of a reply whose passes all gave the same answers."""
    if reply.allowed != passes * reply.answers.count("1"):
        raise HarnessFailed("answers change")
    return Turn(reply.ns / passes, reply.answers)


def turned(order: Sequence[Contestant], by: int) -> list[Contestant]:
    """Begin with another contestant in each round."""
    first = by % max(len(order), 1)
    return [*order[first:], *order[:first]]


def figures_of(done: Mapping[str, Sequence[Turn]], notes: dict[str, str]) -> dict[str, Figure]:
    """Make figures of the turns; whose answers change from turn to turn gets a note instead."""
    ours = next((done[key][0].answers for key in SUBJECTS.values() if key in done), "")
    figures: dict[str, Figure] = {}
    for key, turns in done.items():
        answers = turns[0].answers
        if any(turn.answers != answers for turn in turns):
            notes[key] = "answers change"
            continue
        asked = len(answers)
        runs = tuple(turn.ns / asked for turn in turns)
        unlike = sum(one != other for one, other in zip(answers, ours, strict=False))
        figures[key] = Figure(runs, asked, unlike, answers.count("e"))
    return figures


# --- hostile files ------------------------------------------------------------------------

WARM_PACK = case_pack(0)
RUNS = 7


def hostile(
    inputs: Inputs, contestants: Sequence[Contestant], launch: Launch, effort: Effort
) -> Iterator[Hostile]:
    """Ask about hostile files."""
    for number, question in enumerate(inputs.hostile):
        pack = hostile_pack(number)
        endured = {one.key: endured_by(one, pack, launch, effort) for one in contestants}
        yield Hostile(question.name, len(question.body), effort.timeout, endured)


def endured_by(one: Contestant, pack: str, launch: Launch, effort: Effort) -> Endurance:
    """Ask one contestant about one hostile file, in a process of its own."""
    try:
        with started(*launch(one)) as harness:
            return endurance(harness, pack, effort, effort.warm_up if one.warms_up else 0)
    except HarnessFailed as why:
        return Endurance(why=str(why))


def endurance(harness: Harness, pack: str, effort: Effort, warm_up: float) -> Endurance:
    """Measure the first contact, its memory, and one more answer."""
    end = time.monotonic() + warm_up / 2
    while harness.ask(f"first {WARM_PACK} 1", PATIENCE) and time.monotonic() < end:
        pass
    harness.ask(f"load {pack}", PATIENCE)
    before = memory_from_here(harness.process)
    first = harness.ask(f"first {pack} 1", effort.timeout)
    memory = None if before is None else status(harness.process, "VmHWM") - before
    if first.answers == "e":
        return Endurance(why="no answer")
    contact = repeated(harness, f"first {pack}", first.ns, effort)
    # one more answer is measured after parsing and two others
    more = harness.ask(f"answer {pack} 1 1", 4 * effort.timeout)
    answer = repeated(harness, f"answer {pack} 1", more.ns, effort)
    return Endurance(contact, answer, memory, allowed=first.answers == "1")


def repeated(harness: Harness, question: str, first: float, effort: Effort) -> float:
    """Return the median of as many runs as a quarter of the time pays for, the first known."""
    runs = min(RUNS, int(effort.timeout * 1e9 / 4 / max(first, 1)))
    passes = passes_for(first)
    replies = [harness.ask(f"{question} {passes}", PATIENCE) for _ in range(runs)]
    return statistics.median([first, *(turn_of(reply, passes).ns for reply in replies)])


def memory_from_here(process: int) -> int | None:
    """Return the memory that a process holds, and let its peak begin there; None if unknown."""
    try:
        Path(f"/proc/{process}/clear_refs").write_text("5", encoding="ascii")
        return status(process, "VmRSS")
    except OSError:
        return None


def status(process: int, field: str) -> int:
    """Read a field of the kernel's report on a process, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{field}:"))
