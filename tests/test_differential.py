"""Google's own parser and dialect `googlebot-cpp` agree, and `rfc9309` differs for known reasons.

In: the 4,231 real files that Protego ships, questions derived from them, and mutations.
Needs that corpus (`make corpus`, or its folder in `VERGER_CORPUS`) and the wheel
`jwm.robotstxt`; without them the tests skip, and fail where `CI=true` promises both.
"""

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import NoReturn

import pytest

from differential.corpus import EXPECTED_FILES, RealFile, corpus_folder, real_files
from differential.knobs import explain, table
from differential.mutations import mutated_batches
from differential.oracle import Answer, Oracle, Verdict
from differential.questions import Question, real_batches
from differential.quirks import QUIRKS, quirk_batches
from differential.run import GOOGLEBOT_CPP, Disagreement, Report, run
from differential.shrink import shrunk
from differential.subject import answers
from programs import printed

pytestmark = pytest.mark.slow

SEED = "verger/1"
LEAST_QUESTIONS = 200_000
LEAST_BY_RULE = 0.30
LEAST_BY_WILDCARD = 0.10
LEAST_OCCURRENCES = 100
SHOWN = 5


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """Google's parser, or a skip."""
    try:
        return Oracle()
    except ImportError:
        _absent("jwm.robotstxt is not installed")


@pytest.fixture(scope="module")
def files() -> list[RealFile]:
    """The real files, or a skip."""
    folder = corpus_folder()
    if not folder.is_dir():
        _absent("the corpus is not there: run `make corpus`, or set VERGER_CORPUS")
    return real_files(folder)


@pytest.fixture(scope="module")
def report(files: list[RealFile], oracle: Oracle) -> Report:
    """The one run that most tests here look at."""
    batches = [
        *real_batches(files, SEED),
        *mutated_batches(files, SEED),
        *quirk_batches(files, SEED),
    ]
    return run(batches, oracle)


def _absent(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def test_the_corpus_is_complete(files: list[RealFile]) -> None:
    """All real files are there, so that every machine asks the same questions."""
    assert len(files) == EXPECTED_FILES


def test_bytes_reach_google_unharmed(oracle: Oracle) -> None:
    """Bytes that are not UTF-8, and NUL, are read by Google's parser as they are."""
    data = b"User-agent: *\nDisallow: /\xe9\nDisallow: /x\0y\nDisallow: /z\n"
    urls = ("/%E9", "/%C3%A9", "/xq", "/z")
    expected = [(False, 2), (True, None), (False, 3), (False, 4)]

    found = oracle.answers(data, [Question(url, "x") for url in urls])

    assert expected == found


def test_google_and_verger_agree(report: Report, oracle: Oracle) -> None:
    """The same decision and the same line on every question."""
    found = report.disagreements

    assert not found, _message(report, _shrunk(found[:SHOWN], oracle), len(found))


def test_the_fast_calls_agree_with_decide(report: Report) -> None:
    """Compiled rules asked many URLs at once decide as `decide` does."""
    found = report.fast_disagreements

    assert not found, _message(report, found[:SHOWN], len(found))


def test_the_questions_are_worth_asking(report: Report, capsys: pytest.CaptureFixture[str]) -> None:
    """There are enough questions, and enough of them are decided by rules and by wildcards."""
    with capsys.disabled():
        print(f"\n{_counts(report)}")

    assert report.questions >= LEAST_QUESTIONS
    assert report.by_rule >= LEAST_BY_RULE * report.questions
    assert report.by_wildcard >= LEAST_BY_WILDCARD * report.questions


@pytest.mark.parametrize("tag", [quirk.tag for quirk in QUIRKS])
def test_each_peculiarity_occurs(report: Report, tag: str) -> None:
    """Enough answers hang on each peculiarity: without it they would be different."""
    assert report.occurrences[tag] >= LEAST_OCCURRENCES


def test_differences_from_rfc9309_are_explained(
    report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where `rfc9309` answers differently, replacing some of its knobs gives the same answer."""
    explanation = explain(report.answered)
    with capsys.disabled():
        print(f"\n{table(explanation)}")

    assert explanation.compared == report.questions
    assert explanation.differing() > 0
    assert not explanation.unexplained


def test_another_process_asks_the_same(files: list[RealFile]) -> None:
    """The questions depend on the seed alone, not on the order of a set or a hash seed."""
    script = (
        "import test_differential as t;print(t.fingerprint(t.real_files(t.corpus_folder())[:100]))"
    )

    assert fingerprint(files[:100]) == printed(script, PYTHONHASHSEED="1").strip()


def fingerprint(files: Sequence[RealFile]) -> str:
    """Return a digest of everything that would be asked about some files."""
    digest = sha256()
    for batches in (real_batches, mutated_batches, quirk_batches):
        for batch in batches(files, SEED):
            digest.update(ascii(batch).encode())
    return digest.hexdigest()


def _shrunk(found: Sequence[Disagreement], oracle: Oracle) -> list[Disagreement]:
    return [_smaller(each, oracle) for each in found]


def _smaller(found: Disagreement, oracle: Oracle) -> Disagreement:
    def both(data: bytes) -> tuple[Verdict, Answer]:
        asked = [found.question]
        return oracle.answers(data, asked)[0], answers(data, asked, GOOGLEBOT_CPP)[0]

    data = shrunk(found.data, lambda data: len(set(both(data))) == 2)
    google, ours = both(data)
    return found._replace(data=data, google=google, verger=ours)


def _message(report: Report, shown: Sequence[Disagreement], count: int) -> str:
    title = f"{count:,} of {report.questions:,} answers differ; the first {len(shown)}:"
    return "\n\n".join([title, *map(_paragraph, shown)])


def _paragraph(found: Disagreement) -> str:
    return "\n".join(
        (
            f"  file    {found.name}",
            f"  bytes  {_short(found.data)}",
            f"  tokens  {found.question.tokens!r}",
            f"  url     {found.question.url!r}",
            f"  Google  {found.google}",
            f"  verger  {found.verger}, and in `allowed_many` {found.fast}",
        )
    )


def _short(data: bytes) -> str:
    return repr(data) if len(data) <= 600 else f"{data[:600]!r}… ({len(data):,} bytes)"


def _counts(report: Report) -> str:
    def row(name: str, count: int) -> str:
        return f"{name:<30}{count:>9,}{count / report.questions:>8.1%}"

    rows = [
        row("questions", report.questions),
        row("decided by a rule", report.by_rule),
        row("decided by a wildcard", report.by_wildcard),
        row("disagreements", len(report.disagreements)),
    ]
    rows += [row(tag, report.occurrences[tag]) for tag in (quirk.tag for quirk in QUIRKS)]
    return "\n".join(rows)
