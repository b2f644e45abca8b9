"""Verger and the reference give the same answer: allowed or not, the line, the caller's error.

In: the published vectors, Google's files, real files, and generated ones. Where neither a vector
nor Google's parser says what is right, two implementations that share nothing must agree.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

import reference
import verger
from differential.corpus import corpus_folder, real_files
from differential.questions import real_batches
from property_settings import examples
from reference import SWITCHES
from strategies import NAMED, Pair, Question, asked_files, pairs
from support import (
    Outcome,
    all_vectors,
    bytes_of,
    decided,
    kind_of,
    members,
    referred,
    shared,
    switched,
    turned,
)
from test_google_vectors import HALVES, Half, by_file

pytestmark = pytest.mark.slow

ASKED_OF_BOTH = [vector for vector in all_vectors() if kind_of(vector) in ("match", "limit")]
EVERYTHING = os.environ.get("VERGER_EVERYTHING") == "1"
"""Ask every file in every dialect: takes half an hour."""
SHARE = 30
"""Of the real files one in so many is asked about in every run."""
SHOWN = 5


class Difference(NamedTuple):
    """A question with two answers."""

    file: str
    dialect: str
    question: Question
    verger: Outcome
    reference: Outcome


def differences(
    name: str, raw: bytes, asked: Iterable[Question], pairs: Iterable[Pair]
) -> Iterator[Difference]:
    """Yield the questions about a file that the two sides answer differently."""
    questions = list(asked)
    for pair in pairs:
        robots = verger.parse(raw, dialect=pair.dialect)
        for question in questions:
            ours = decided(robots, question.tokens, question.url)
            theirs = referred(raw, pair.switches, question.tokens, question.url)
            if ours != theirs:
                yield Difference(name, pair.dialect.name, question, ours, theirs)


@pytest.mark.parametrize("pair", NAMED, ids=lambda pair: pair.dialect.name)
def test_vectors(pair: Pair) -> None:
    """On the file of every vector, whichever dialect it was written for."""
    found = [
        difference
        for vector in ASKED_OF_BOTH
        for difference in differences(
            vector["id"], bytes_of(vector), [Question(vector["url"], vector["agent"])], [pair]
        )
    ]

    assert not found[:SHOWN]


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_google_files(half: Half) -> None:
    """On the files of Google's vectors, the eight dialects taking turns from file to file."""
    wanted = by_file(shared(f"corpus/{half.vectors}"))
    found: list[Difference] = []
    files = (file for file in members(shared(f"corpus/{half.archive}")) if file[0] in wanted)
    for number, (name, raw) in enumerate(files):
        if len(raw) < 50_000 or EVERYTHING:
            asked = [Question(vector["url"], vector["agent"]) for vector in wanted[name]]
            found += differences(name, raw, asked, taking_turns(number))

    assert not found[:SHOWN]


def taking_turns(number: int) -> Sequence[Pair]:
    return NAMED if EVERYTHING else [NAMED[number % len(NAMED)]]


def test_real_files() -> None:
    """On a fixed sample of real files, in all eight dialects."""
    folder = corpus_folder()
    if not folder.is_dir():
        absent = "the corpus is not there: run `make corpus`, or set VERGER_CORPUS"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(absent)
    sample = real_files(folder)[:: 1 if EVERYTHING else SHARE]
    found = [
        difference
        for batch in real_batches(sample, "verger/agreement")
        for difference in differences(
            batch.name, batch.data, (Question(*question) for question in batch.questions), NAMED
        )
    ]

    assert not found[:SHOWN]


def test_generated_questions_are_worth_asking() -> None:
    """Rules decide a good part of the generated questions, and the other reasons occur."""
    reasons: Counter[str] = Counter()

    @examples(100)
    @given(asked_files(), st.sampled_from(NAMED))
    def gather(asked: tuple[bytes, list[Question]], pair: Pair) -> None:
        robots = verger.parse(asked[0], dialect=pair.dialect)
        for question in asked[1]:
            with suppress(verger.RobotsError):
                reasons[robots.decide(question.url, question.tokens).reason] += 1

    gather()
    by_rule = reasons["MOST_SPECIFIC_RULE"] + reasons["FIRST_MATCHING_RULE"]

    # What is generated hangs on the modules that happen to be imported: hypothesis takes values
    # from them. So the floors lie well below what is usual, 25 to 40 % by rule.
    assert by_rule >= 0.1 * reasons.total(), reasons
    assert reasons.keys() >= {"NO_MATCHING_RULE", "NO_GROUP"}, reasons


@examples(150)
@given(asked_files())
def test_generated_files(asked: tuple[bytes, list[Question]]) -> None:
    """On generated files, in all eight dialects."""
    raw, questions = asked

    assert not list(differences("generated", raw, questions, NAMED))


@examples(400)
@given(asked_files(), pairs())
def test_derived_dialects(asked: tuple[bytes, list[Question]], pair: Pair) -> None:
    """On generated files, in dialects that have some knobs turned."""
    raw, questions = asked

    assert not list(differences("generated", raw, questions, [pair]))


def test_reported_empty_rule_decides_nothing() -> None:
    """An empty rule whose line is reported gives way to any rule, the first one included."""
    raw = b"User-agent: *\nDisallow:\nDisallow: /\n"
    pair = Pair(
        turned(verger.GOOGLEBOT_CPP, precedence="first"),
        switched(SWITCHES["googlebot-cpp"], precedence="first"),
    )

    assert not list(differences("empty first", raw, [Question("/a", "x")], [pair]))


@given(st.data())
def test_subjects(data: st.DataObject) -> None:
    """The target that a decision shows is the reference's subject in normal form."""
    (_, (question, *_)), pair = data.draw(asked_files(count=1)), data.draw(pairs())
    raw = question.url
    try:
        decision = verger.parse(b"", dialect=pair.dialect).decide(raw, "a")
    except verger.InvalidTarget:
        return
    form = reference.SUBJECT_FORMS[pair.switches.normalisation]

    assert form(reference.subject_of(raw, pair.switches)) == decision.target.encode(
        "utf-8", "surrogateescape"
    )
