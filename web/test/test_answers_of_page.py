"""The tester page gives Python's answers, byte for byte in JSON: Chromium asks the page's workers.

`VERGER_EVERYTHING=1` asks about all real files, and takes minutes; without it, about some of them.
"""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import verger
from verger._core import _REASONS, _VERDICTS, _record_text
from verger.analysis import diff
from verger.analysis.file_diff import CrawlersDiff
from verger.analysis.rules import Budget
from verger.crawlers import CRAWLERS, agent_of, may_use
from verger.crawlers.binding import binds, own_dialect
from verger.lint.file import File
from verger.service.lsp.code_lens import lenses
from verger.service.lsp.document import Document, settings_of
from verger.service.lsp.text import Text
from verger.testing.suite.cases import Case, cases

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent.parent / "npm" / "test"))

from questions import DIALECTS, EVERYTHING, questions_of, real_files  # noqa: E402

FILES = 1 if EVERYTHING else 80
"""Every file, or one in so many, is asked about."""
STUDIES = 20 if EVERYTHING else 400
"""One file in so many is studied: for all known crawlers, and against another version."""
USES = ("ai-train", "ai-input", "search")
FIELDS = {
    "crawl_delay": "Crawl-delay",
    "request_rate": "Request-rate",
    "visit_time": "Visit-time",
    "content_signals": "Content-Signal",
}


def answers_to(asked: Iterable[dict[str, Any]]) -> Iterator[Any]:
    """Ask the page's workers what the page asks them."""
    text = "".join(f"{json.dumps(each)}\n" for each in asked)
    done = subprocess.run(
        ["node", str(HERE / "ask.js")], input=text.encode(), stdout=subprocess.PIPE, check=True
    )
    return map(json.loads, done.stdout.decode("ascii").splitlines())


def question(text: str, dialect: str, url: str, token: str) -> dict[str, Any]:
    """Return what the page asks when a cell is selected in a table of one."""
    cell = {"url": url, "agent": token, "dialect": dialect}
    about = {"text": text, "dialect": dialect, "agents": [token], "urls": [url]}
    return {"kind": "answer", **about, "from": 0, "lines": [1, 0], "cell": cell}


def cell_of(agent: Callable[[], verger.Agent], url: str) -> dict[str, Any]:
    """Return a cell as the page has it, with Python's answer."""
    try:
        decision = agent().decide(url)
    except verger.RobotsError as error:
        return {"verdict": "invalid", "line": None, "reason": error.message}
    verdict = "allowed" if decision.allowed else "disallowed"
    return {"verdict": verdict, "line": decision.line, "reason": _REASONS[decision.reason]}


def rule_of(rule: verger.Rule) -> dict[str, Any]:
    return {"line": rule.line, "allow": rule.allow, "pattern": rule.pattern}


def explained(robots: verger.RobotsTxt, url: str, token: str) -> dict[str, Any]:
    """Return what the page says of a cell, with Python's answer."""
    cell = cell_of(lambda: agent_of(robots, token), url)
    if cell["verdict"] == "invalid":
        nothing = {"start": None, "target": url, "beaten": [], "own": None}
        return {"cell": cell, "section": "", "rule": None, **nothing}
    decision = agent_of(robots, token).decide(url)
    return {
        "cell": cell,
        "section": decision.section,
        "rule": decision.rule and rule_of(decision.rule),
        "start": decision.rule and first_line_shown(decision),
        "target": decision.target,
        "beaten": [rule_of(rule) for rule in decision.beaten],
        "own": own_reading(robots, url, token, cell),
    }


def first_line_shown(decision: verger.Decision) -> int:
    """Return the number of the first line of an explanation: the one that names the crawler."""
    [number, *_] = re.findall(r"^ *(\d+) \|", decision.explain(), re.MULTILINE)
    return int(number)


def own_reading(
    robots: verger.RobotsTxt, url: str, token: str, cell: dict[str, Any]
) -> dict[str, Any] | None:
    """Return what the page says of the dialect of the crawler's operator, with Python's answer."""
    dialect = own_dialect(token, robots.dialect)
    if dialect is None:
        return None
    own = cell_of(lambda: agent_of(verger.parse(robots.body, dialect=dialect), token), url)
    return None if own["verdict"] == cell["verdict"] else {"dialect": dialect.name, "cell": own}


def said(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of its cell; the table has the same answer."""
    (row,), about = answer["rows"], answer["explained"]
    assert row["cells"] == [about["cell"]]
    names = ("cell", "section", "rule", "start", "target", "beaten", "own")
    shown = {name: about[name] for name in names}
    start = about["rule"] and about["start"]["line"]  # without a rule, Python shows fewer
    return {**shown, "start": start, "target": about["target"]["text"]}


def expect_same(asked: Sequence[dict[str, Any]], expected: Iterable[dict[str, Any]]) -> None:
    wrong = [
        (question, given, wanted)
        for question, given, wanted in zip(asked, answers_to(asked), expected, strict=True)
        if json.dumps(said(given)) != json.dumps(wanted)
    ]

    assert not wrong[:3], len(wrong)


def text_of(body: bytes) -> str:
    """Return a file as the worker takes it: bytes that are not UTF-8 are lone surrogates."""
    return body.decode("utf-8", "surrogateescape")


def test_suite() -> None:
    """Every question of the test suite, in every specification, has Python's answer."""
    found: list[Case] = [case for name in DIALECTS for case in cases(name)]
    asked = [
        question(text_of(each.robots), each.specification, each.url, each.agent) for each in found
    ]
    files = (verger.parse(each.robots, dialect=each.specification) for each in found)
    expected = (
        explained(robots, each.url, each.agent) for robots, each in zip(files, found, strict=True)
    )

    assert len(found) > 1_000
    expect_same(asked, expected)


def test_lines_that_name_a_crawler() -> None:
    """The line of `*` among others; that of the crawler that is followed."""
    groups = ["User-agent: Bar\nUser-agent: *", "User-agent: Bingbot\nUser-agent: Googlebot"]
    files = [f"{group}\nDisallow: /\n" for group in groups]
    tokens = ["Foo", "Googlebot-Image"]
    asked = [question(text, "rfc9309", "/", who) for text in files for who in tokens]
    expected = [explained(verger.parse(text), "/", who) for text in files for who in tokens]

    assert [2, 2, 2] == [each["start"] for each in expected if each["rule"]]
    expect_same(asked, expected)


def test_real_questions() -> None:
    """Answers on real files, in all dialects; more than 100,000 if all files are asked about."""
    asked, expected = [], []
    for number, body in list(enumerate(real_files()))[::FILES]:
        dialect = DIALECTS[number % len(DIALECTS)] if number % 2 else "rfc9309"
        robots = verger.parse(body, dialect=dialect)
        for url, token, _ in questions_of(robots, random.Random(number)):
            asked.append(question(text_of(body), dialect, url, token))
            expected.append(explained(robots, url, token))

    assert len(asked) > 100_000 / FILES
    expect_same(asked, expected)


# Studies


def earlier(text: str, number: int) -> str:
    """Return a version of a file without some of its lines."""
    lines = text.splitlines(keepends=True)
    return "".join(line for place, line in enumerate(lines) if place % 9 != number % 9)


def test_studies() -> None:
    """What each known crawler may fetch and use, and what a version changes, as Python says it."""
    url, token = "https://example.com/some/page.html?x=1", "GPTBot"
    texts = [body.decode("ascii") for body in real_files()[::STUDIES] if body.isascii()]
    pairs = [(earlier(text, number), text) for number, text in enumerate([FIRST, *texts])]
    cell = {"url": url, "agent": token, "dialect": "rfc9309"}
    about = {"kind": "study", "dialect": "rfc9309", "agents": [token], "urls": url, "cell": cell}
    asked = [{**about, "text": text, "before": before} for before, text in pairs]
    whole = 0
    for (before, text), given in zip(pairs, answers_to(asked), strict=True):
        old, new = verger.parse(before), verger.parse(text)
        assert standings(given) == expected_standings(new, url, list(standings(given)))
        assert given["uses"] == [uses(new, url, token, use) for use in USES]
        assert never_deciding(given) == expected_never_deciding(new)
        assert bound_by_star(given) == bound_by_star_in_editors(text)
        if is_whole(given):
            whole += 1
            found = changes(given)
            # Python also knows names that a dialect would cut, such as Yahoo of `Yahoo! Slurp`.
            tokens = {*standings(given), *found["regions"], *found["values"]}
            assert found == expected_changes(old, new, sorted(tokens)), text

    assert whole > len(pairs) / 2
    assert whole > 5


def test_names_of_start_lines() -> None:
    """Each line is told what it binds itself; one without a value names nobody."""
    text = "User-agent:\nUser-agent: GPTBot\nUser-agent: *\nUser-agent: *a\nDisallow: /\n"
    about = {"kind": "study", "dialect": "rfc9309", "agents": [], "urls": "", "cell": None}
    [given] = answers_to([{**about, "text": text, "before": text}])
    told = {each["line"]: each["text"] for each in given["bound"]}

    assert "names nobody" == told[1] == told[4]
    assert told[2].startswith("OpenAI")
    assert told[3].startswith("binds ")


FIRST = """\
User-agent: *
Disallow: /a*
Allow: /a/b*
Disallow: /a/b/c
Crawl-delay: 1.50

User-agent: GPTBot
Request-rate: 1/10 0600-0845
Visit-time: 2300-0500
Disallow: /*.php
Allow: /
Content-Signal: search=yes, ai-train=no, use=reference

Sitemap: https://example.com/one.xml
Sitemap: https://example.com/two.xml
User-agent: a
User-agent: b
Allow: /
Sitemap: https://example.com/one.xml
Disallow: /
"""


def is_whole(given: dict[str, Any]) -> bool:
    """Whether the page shows all that has changed, and not only what it finds soon."""
    shown = all(len(each["changes"]) == each["changeCount"] for each in given["changed"])
    shown &= all(one["exceptAll"] for each in given["changed"] for one in each["changes"])
    values, records = len(given["values"]), len(given["records"])
    return shown and (values, records) == (given["valueCount"], given["recordCount"])


def standings(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says of each crawler."""
    named = ("named", "bound", "posture", "cell")
    return {
        token: [each[name] for name in named]
        for each in given["standings"]
        for token in each["tokens"]
    }


def expected_standings(robots: verger.RobotsTxt, url: str, tokens: list[str]) -> dict[str, Any]:
    assert {"*", *(crawler.token for crawler in CRAWLERS)} <= set(tokens)
    agents = {token: agent_of(robots, token) for token in tokens}
    return {
        token: [
            agent.named,
            binds(token, named=agent.named),
            agent.posture,
            cell_of(lambda agent=agent: agent, url),
        ]
        for token, agent in agents.items()
    }


def never_deciding(given: dict[str, Any]) -> set[int]:
    """Return the lines of rules that, as the page says, decide nothing for anybody."""
    return {each["line"] for each in given["effects"] if each["effect"] != "redundant"}


def expected_never_deciding(robots: verger.RobotsTxt) -> set[int]:
    """Return the same as lint knows it; an empty pattern is meant to match nothing."""
    patterns = {rule.line: rule.pattern for group in robots.groups for rule in group.rules}
    shadows = File(robots.body, targets=["rfc9309"]).shadows
    return {line for line in shadows if patterns.get(line)}


def bound_by_star(given: dict[str, Any]) -> set[str]:
    """Return how many crawlers that no group names the page says that lines of `*` bind."""
    said = (re.match(r"binds (\d+) of", each["text"]) for each in given["bound"])
    return {each[1] for each in said if each}


def bound_by_star_in_editors(text: str) -> set[str]:
    """Return what editors say."""
    document = Document(
        "file:///", 1, Text.of(text, "utf-16"), settings_of("untitled:1", "rfc9309")
    )
    titles = (lens["command"]["title"] for lens in lenses(document))
    said = (re.search(r"all other crawlers \((\d+) known\)", title) for title in titles)
    return {each[1] for each in said if each}


def uses(robots: verger.RobotsTxt, url: str, token: str, use: Any) -> dict[str, Any]:
    def one(token: str) -> dict[str, Any]:
        decision = may_use(robots, url, token, use)
        verdict = _VERDICTS[decision.allowed]
        return {"verdict": verdict, "line": decision.line, "why": _REASONS[decision.reason]}

    return {"use": use, "asked": one(token), "others": one("*")}


def changes(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the page says has changed, crawler by crawler."""
    regions = {
        token: sorted(
            [each["opens"], each["region"], each["except"], each["witness"], each["requested"]]
            for each in changed["changes"]
        )
        for changed in given["changed"]
        for token in changed["tokens"]
    }
    values: dict[str, Any] = {}
    for each in given["values"]:
        for token in each["tokens"]:
            values.setdefault(token, {})[each["field"]] = [each["before"], each["after"]]
    records = [
        [each[name] for name in ("field", "value", "added", "line")] for each in given["records"]
    ]
    return {"regions": regions, "values": values, "records": records}


def expected_changes(
    old: verger.RobotsTxt, new: verger.RobotsTxt, tokens: Sequence[str]
) -> dict[str, Any]:
    found = diff(old, new, crawlers=tokens)
    every = [(token, each) for each in found.changed for token in each.crawlers]
    return {
        "regions": {token: regions(each, old, new) for token, each in every if each.changes},
        "values": {
            token: {
                FIELDS[name]: [_record_text(before), _record_text(now)]
                for name, before, now in each.other_records
            }
            for token, each in every
            if each.other_records
        },
        "records": [[each.field, each.value, each.added, each.line] for each in found.records],
    }


def regions(of: CrawlersDiff, old: verger.RobotsTxt, new: verger.RobotsTxt) -> list[Any]:
    was, now = (agent_of(robots, of.crawlers[0]) for robots in (old, new))
    return sorted(
        [
            change.opened,
            change.region,
            Budget().exempt(change, was, now)[0],
            change.witness,
            change.is_requested,
        ]
        for change in of.changes
    )
