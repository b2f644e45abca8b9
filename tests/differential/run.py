"""One run: every batch answered by both parsers, compared and counted.

In: batches and the oracle. Out: a `Report`. The counts tell whether the questions were worth
asking: how many a rule decided, how many a wildcard, how many hang on each peculiarity.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import verger

from .hints import key_and_value, lines
from .oracle import Answer, Oracle, Verdict
from .questions import Batch, Question
from .quirks import QUIRKS, Quirk
from .subject import answers, fast_answers, turned

GOOGLEBOT_CPP = verger.DIALECTS["googlebot-cpp"]
_QUIRKS = {quirk.tag: quirk for quirk in QUIRKS}


class Disagreement(NamedTuple):
    """A question that the two parsers answer differently, and both answers."""

    name: str
    data: bytes
    question: Question
    google: Verdict
    verger: Answer
    fast: bool
    """What `Agent.allowed_many` says."""


@dataclass
class Report:
    """What one run asked and found."""

    questions: int = 0
    by_rule: int = 0
    by_wildcard: int = 0
    disagreements: list[Disagreement] = field(default_factory=list, repr=False)
    fast_disagreements: list[Disagreement] = field(default_factory=list, repr=False)
    occurrences: Counter[str] = field(default_factory=Counter)
    answered: list[tuple[Batch, list[Answer]]] = field(default_factory=list, repr=False)
    """Every batch with verger's answers in `googlebot-cpp`."""


def run(batches: Iterable[Batch], oracle: Oracle) -> Report:
    """Ask both parsers everything, and count."""
    report = Report()
    for batch in batches:
        google = oracle.answers(batch.data, batch.questions)
        ours = answers(batch.data, batch.questions, GOOGLEBOT_CPP)
        report.answered.append((batch, ours))
        _compare(report, batch, google, ours)
        _count(report, batch, google)
        if batch.tag is not None:
            dependent = _dependent(_QUIRKS[batch.tag], batch, google, oracle)
            report.occurrences[batch.tag] += dependent
    return report


def _compare(
    report: Report, batch: Batch, google: Sequence[Verdict], ours: Sequence[Answer]
) -> None:
    fast = fast_answers(batch.data, batch.questions, GOOGLEBOT_CPP)
    for question, theirs, mine, quick in zip(batch.questions, google, ours, fast, strict=True):
        found = Disagreement(batch.name, batch.data, question, theirs, mine, quick)
        if theirs != mine:
            report.disagreements.append(found)
        if theirs[0] != quick:
            report.fast_disagreements.append(found)


def _count(report: Report, batch: Batch, google: Sequence[Verdict]) -> None:
    written = lines(batch.data)
    values = [key_and_value(written[line - 1])[1] for _, line in google if line]
    report.questions += len(google)
    report.by_rule += sum(map(bool, values))
    report.by_wildcard += sum(b"*" in value for value in values)


def _dependent(quirk: Quirk, batch: Batch, google: Sequence[Verdict], oracle: Oracle) -> int:
    """Return how many answers change once the peculiarity is switched off."""
    without: list[Sequence[Answer]] = [
        answers(batch.data, batch.questions, turned(GOOGLEBOT_CPP, knobs))
        for knobs in quirk.without
    ]
    if batch.twin is not None:
        without.append(oracle.answers(batch.twin, batch.questions))
    others = zip(*without, strict=True)
    return sum(set(other) != {answer} for answer, other in zip(google, others, strict=True))
