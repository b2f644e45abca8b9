"""Why `rfc9309` answers differently from `googlebot-cpp`: the knobs, question by question.

In: batches with their answers in `googlebot-cpp`. Out: an `Explanation`. Each difference is
traced to a smallest set of knobs that, set in `rfc9309` to the value of `googlebot-cpp`, gives
the other answer: one knob if one does, else two, else the knobs in pipeline order until the
answers are equal, less those that turn out not to be needed.

A question that `rfc9309` refuses, because it is not a URL or names no product token, counts as an
answer of its own, and is traced to `url_split` or `token_check` like any other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from itertools import combinations

import verger
from reference import Switches

from .oracle import Answer
from .questions import Batch, Question
from .subject import answer, turned

_FROM = verger.DIALECTS["rfc9309"]
_TO = verger.DIALECTS["googlebot-cpp"]
# The other knobs are about fetching: they explain no decision.
_DECIDING = tuple(field.name for field in fields(Switches))
_DIFFERING = tuple(name for name in _DECIDING if _FROM.knobs[name] != _TO.knobs[name])

Knobs = tuple[str, ...]


@dataclass
class Explanation:
    """How many questions were compared, and what explains the different answers."""

    compared: int = 0
    by_knobs: Counter[Knobs] = field(default_factory=Counter)
    unexplained: list[tuple[Batch, Question]] = field(default_factory=list)

    def differing(self) -> int:
        """Return the number of questions with different answers."""
        return self.by_knobs.total() + len(self.unexplained)


def explain(answered: Iterable[tuple[Batch, list[Answer]]]) -> Explanation:
    """Trace every different answer to a smallest set of knobs."""
    explanation = Explanation()
    for batch, expected in answered:
        variants = _Variants(batch.data)
        explanation.compared += len(expected)
        for question, wanted in zip(batch.questions, expected, strict=True):
            if variants.answer((), question) == wanted:
                continue
            knobs = variants.smallest(question, wanted)
            if knobs is None:
                explanation.unexplained.append((batch, question))
            else:
                explanation.by_knobs[knobs] += 1
    return explanation


def table(explanation: Explanation) -> str:
    """Return a line for each knob: questions it explains alone, and together with others."""
    title = _row("knob", "rfc9309", "googlebot-cpp", "alone", "with others")
    total = (
        f"{explanation.compared:,} questions compared, {explanation.differing():,} answers differ, "
        f"{len(explanation.unexplained):,} unexplained"
    )
    return "\n".join([title, *(_knob_row(explanation, knob) for knob in _DIFFERING), total])


def _knob_row(explanation: Explanation, knob: str) -> str:
    alone = explanation.by_knobs[(knob,)]
    together = sum(count for knobs, count in explanation.by_knobs.items() if knob in knobs) - alone
    return _row(knob, _cell(_FROM, knob), _cell(_TO, knob), f"{alone:,}", f"{together:,}")


def _row(knob: str, *cells: str) -> str:
    return f"{knob:<20}" + "".join(f"{cell:>15}" for cell in cells)


def _cell(dialect: verger.Dialect, knob: str) -> str:
    value = dialect.knobs[knob]
    return f"{len(value)} fields" if isinstance(value, tuple) else str(value)


class _Variants:
    """One file, parsed in dialects on the way from `rfc9309` to `googlebot-cpp`."""

    def __init__(self, data: bytes) -> None:
        self._bytes = data
        self._parsed: dict[Knobs, verger.RobotsTxt] = {}

    def smallest(self, question: Question, wanted: Answer) -> Knobs | None:
        """Return the first smallest set of knobs that gives the wanted answer, if any does."""
        for knobs in _sets():
            if self.answer(knobs, question) == wanted:
                return self._needed(knobs, question, wanted)
        return None

    def answer(self, knobs: Knobs, question: Question) -> Answer:
        """Return the answer of `rfc9309` with these knobs replaced."""
        if knobs not in self._parsed:
            self._parsed[knobs] = verger.parse(self._bytes, dialect=_dialect(knobs))
        return answer(self._parsed[knobs], question)

    def _needed(self, knobs: Knobs, question: Question, wanted: Answer) -> Knobs:
        for knob in knobs:
            fewer = tuple(name for name in knobs if name != knob)
            if self.answer(fewer, question) == wanted:
                knobs = fewer
        return knobs


def _sets() -> Iterator[Knobs]:
    """Yield single knobs, pairs, and then ever longer beginnings of the pipeline."""
    yield from combinations(_DIFFERING, 1)
    yield from combinations(_DIFFERING, 2)
    yield from (_DIFFERING[:length] for length in range(3, len(_DIFFERING) + 1))


_DIALECTS: dict[Knobs, verger.Dialect] = {}


def _dialect(knobs: Knobs) -> verger.Dialect:
    if knobs not in _DIALECTS:
        _DIALECTS[knobs] = turned(_FROM, {name: _TO.knobs[name] for name in knobs})
    return _DIALECTS[knobs]
