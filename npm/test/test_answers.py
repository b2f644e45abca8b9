"""The package of JavaScript gives Python's answers, byte for byte in JSON, and Google's.

`VERGER_EVERYTHING=1` asks about all real files; without it, about one in eight.
"""

import base64
import gzip
import json
import random
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.resources import files
from typing import Any

import pytest
from questions import CHECKOUT, DIALECTS, EVERYTHING, questions_of

import verger
from conftest import HERE, Ask
from support import members, shared
from verger.access.answer import Question, decide
from verger.crawlers.binding import agent_of
from verger.crawlers.uses import may_use

FILES = 1 if EVERYTHING else 8
"""Every file, or one in so many, is asked about."""


def dumped(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")


def asked_of(body: bytes, number: int) -> tuple[dict[str, Any], verger.RobotsTxt]:
    chance = random.Random(number)
    dialect = DIALECTS[number % len(DIALECTS)] if number % 2 else "rfc9309"
    url = None if number % 5 else "https://example.com/robots.txt"
    robots = verger.parse(body, dialect=dialect, url=url)
    asked = {"robots": base64.b64encode(body).decode(), "dialect": dialect, "url": url}
    return {**asked, "questions": questions_of(robots, chance)}, robots


def expected(robots: verger.RobotsTxt, url: str, token: str, purpose: str | None) -> str:
    try:
        if purpose:
            return dumped(use_object(may_use(robots, url, token, purpose)))
        question = Question((token,), robots.dialect, "operators")
        return dumped(decide(url, question, agent_of(robots, token), None, None).as_dict())
    except verger.RobotsError as error:
        return dumped({"name": type(error).__name__, "message": error.message, "hint": error.hint})


def use_object(decision: verger.UseDecision) -> dict[str, Any]:
    """The object `use` of `verger check --use`."""
    names = ("mechanism", "verdict", "line", "pattern", "section", "token", "span")
    signals = decision.signals
    return {
        **{name: getattr(decision, name) for name in ("purpose", "allowed", "reason")},
        "section": decision.section,
        "line": decision.line,
        "signals": [{name: getattr(each, name) for name in names} for each in signals],
        "conflicts": [[signals.index(each) for each in pair] for pair in decision.conflicts],
        "licenses": decision.licenses,
        "extent": decision.use,
    }


def test_real_questions(ask: Ask, real_files: list[bytes]) -> None:
    """Answers on real files, in all dialects: what `verger check` writes."""
    asked = [asked_of(body, number) for number, body in list(enumerate(real_files))[::FILES]]
    given = ask([question for question, _ in asked])
    wrong = [
        (question, answer, wanted)
        for about, robots in asked
        for question in about["questions"]
        if (answer := next(given)) != (wanted := expected(robots, *question))
    ]

    assert sum(len(about["questions"]) for about, _ in asked) > 100_000 / FILES
    assert not wrong[:3], len(wrong)


def test_explanations(ask: Ask, real_files: list[bytes]) -> None:
    """The lines of the file that decided, and what is said about them, in all dialects."""
    asked = [asked_of(body, number) for number, body in list(enumerate(real_files))[:: 4 * FILES]]
    asked += [asked_of(body.encode(), number) for body in ODD for number in range(16)]
    given = ask([{**question, "explained": True} for question, _ in asked])
    wrong = [
        (about["robots"], question, answer, wanted)
        for about, robots in asked
        for question in about["questions"]
        if (answer := next(given)) != (wanted := explained(robots, *question))
    ]

    assert sum(len(about["questions"]) for about, _ in asked) > 25_000 / FILES
    assert not wrong[:3], len(wrong)


# Wide and invisible characters, marks that combine, bytes that are no text, and what is cut.
ODD = [
    "User-agent: *\nDisallow: /\u65e5\u672c*\u8a9e\u3164$\n"
    "Allow: /e\u0301\u0f73\u0591`\U0001f600\n",
    "\ufeffUser-agent: *\rDisallow:\r\n  Allow : /*x\t# \x1b[31m\u202e\x00\n\nUser-agent: b\n",
    "Content-Signal: ai-train=yes\nUser-agent: *\n"
    "Content-Signal: search=no, use=full, ai-train=no\n"
    "Content-Usage: train-ai=y\nLicense: https://e.example/\u202e\nUser-agent: Google-Extended\n"
    "Disallow: /\nContent-signals: ai-input=yes\n",
    f"User-agent: {'a' * 200}, *\nUser-agent: *\nDisallow: /{'b' * 90}*{'c' * 90}# {'d' * 90}\n",
]


def explained(robots: verger.RobotsTxt, url: str, token: str, purpose: str | None) -> str:
    try:
        decided = may_use(robots, url, token, purpose) if purpose else robots.decide(url, token)
        return dumped(decided.explain(verbose=True))
    except verger.RobotsError as error:
        return dumped({"name": type(error).__name__, "message": error.message, "hint": error.hint})


def test_product_tokens(ask: Ask) -> None:
    """An identification string names the same crawler, or nobody, in both languages."""
    cases = tomllib.loads((CHECKOUT / "conformance/surfaces/names.toml").read_text("utf-8"))["case"]
    sent = files("crawleruseragents").joinpath("crawler-user-agents.json").read_text("utf-8")
    headers = [header for row in json.loads(sent) for header in row["instances"]]
    headers += [
        *(case["header"] for case in cases),
        "",
        "\ud800bot/1",
        "Mozilla/5.0 (\0; B\u00f6t/1)",
    ]
    answers = [json.loads(line) for line in ask([{"header": header} for header in headers])]

    assert [verger.product_token(header) for header in headers] == answers


def test_suite() -> None:
    """The package passes the test suite, in every specification."""
    specifications = [word for name in DIALECTS for word in ("--specification", name)]
    command = [sys.executable, "-m", "verger.testing.suite", *specifications]
    done = subprocess.run(
        [*command, "node", str(HERE / "adapter.mjs")], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout
    assert "failed:" not in done.stdout


@pytest.mark.parametrize("half", ["real.tar.gz", "fuzz.tar.xz"])
def test_recorded_decisions(half: str, ask: Ask) -> None:
    """Decision and line are those that Google's own parser gave."""
    name = half.partition(".")[0]
    wanted = defaultdict(list)
    with gzip.open(shared(f"corpus/vectors-{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for vector in map(json.loads, lines):
            wanted[vector["robots"]].append(vector)
    asked, vectors = [], []
    for path, body in members(shared(f"corpus/robots-{half}")):
        questions = [(each["url"], each["agent"], None) for each in wanted[path]]
        robots = base64.b64encode(body).decode()
        about = {"url": None, "dialect": "googlebot-cpp", "bindings": "file"}
        asked.append({**about, "robots": robots, "questions": questions})
        vectors += wanted[path]
    answers = map(json.loads, ask(asked))
    wrong = [
        (vector, answer)
        for vector, answer in zip(vectors, answers, strict=True)
        if (answer["allowed"], answer["line"] or 0) != (vector["allowed"], vector["line"])
    ]

    assert len(vectors) > 20_000
    assert not wrong[:3], len(wrong)
