"""Every public class is a value: frozen, comparable, hashable, printable, and it travels.

In: `VALUES`, for each class a few different values. Spark, multiprocessing and `copy` all go
through pickling, so what comes back must equal what was sent and give the same answers.
"""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import mock

import pytest

import verger
from verger import _core

FILE = b"""\
# every kind of line\r
User-agent: ExampleBot
User-agent: \xfcbot
Disallow: /private*$
Allow: /
Crawl-delay: 1.5
Request-rate: 1/10s 0600-0845
Visit-time: 2200-0400
Content-Signal: search=yes, ai-train=no

Sitemap: /sitemap.xml
Host: EXAMPLE.com:8080
Clean-param: sid&sort /forum/*.php
License: https://example.com/license.xml
Content-Usage: /ai train-ai=n, ai-use=y, bots="a, b";p
Crawl-delay: soon
Dissallow /x
nonsense
"""
URL = "https://example.com/robots.txt"
MINE = verger.RFC9309.replace(
    name="mine", tie="disallow", extensions=(*verger.RFC9309.extensions, "content-usage")
)
ROBOTS = verger.parse(FILE, dialect=MINE, url=URL)
OTHER = verger.parse(b"User-agent: *\nDisallow: /\n")
AGENT = ROBOTS.agent(["ExampleBot", "OtherBot"])
HOURS = verger.VisitTime(360, 525)

VALUES: dict[str, list[Any]] = {
    "RobotsTxt": [ROBOTS, OTHER, verger.parse(FILE), verger.parse(FILE, dialect=MINE)],
    "Agent": [AGENT, ROBOTS.agent("ExampleBot"), OTHER.agent("ExampleBot")],
    "Decision": [
        *(AGENT.decide("/private"), AGENT.decide("/"), ROBOTS.decide("/", "ExampleBot")),
        *(OTHER.decide("/", "x"), OTHER.decide("/robots.txt", "x")),
    ],
    "UseDecision": [
        *(AGENT.may_use("/private", "ai-train"), AGENT.may_use("/", "ai-train")),
        *(AGENT.may_use("/", "search"), OTHER.agent("x").may_use("/", "search")),
        AGENT.may_use("/", "ai-train", policy_tokens=[("OtherBot", "a page")]),
    ],
    "UseSignal": list(dict.fromkeys(AGENT.may_use("/private", "ai-train").signals)),
    "Origin": [verger.Origin(URL), verger.Origin("http://[::1]:8080/")],
    "Rule": [*ROBOTS.groups[0].rules, *OTHER.groups[0].rules],
    "Group": [*ROBOTS.groups, *OTHER.groups],
    "Line": list(ROBOTS.lines),
    "Record": list(ROBOTS.records),
    "Lines": [ROBOTS.lines, OTHER.lines],
    "Findings": [ROBOTS.findings, OTHER.findings],
    "Finding": list(dict.fromkeys(ROBOTS.findings)),
    "Dialect": [*verger.DIALECTS.values(), MINE, MINE.replace(name="yours")],
    "Knob": list(verger.KNOBS[:3]),
    "RequestRate": [verger.RequestRate(1, 10), verger.RequestRate(1, 10, HOURS)],
    "VisitTime": [HOURS, verger.VisitTime(525, 360)],
    "Sitemap": [
        verger.Sitemap("https://e.com/s.xml", True),
        verger.Sitemap("/s.xml", False, "https://e.com/s.xml"),
    ],
    "Host": [verger.Host(None, "e.com", None), verger.Host("https", "e.com", 8080)],
    "CleanParam": [verger.CleanParam(["a", "b"], "/x"), verger.CleanParam(("a",), "")],
    "ContentSignal": [verger.ContentSignal(), verger.ContentSignal(True, None, False, "reference")],
    "ContentUsage": [
        verger.ContentUsage(""),
        verger.ContentUsage("/ai", False, True, None, (("bots", "y;p"), ("\udcff", ""))),
    ],
    "License": [verger.License("https://e.com/l"), verger.License("https://e.com/m")],
}
EACH = [
    pytest.param(value, id=f"{name}-{number}")
    for name, values in VALUES.items()
    for number, value in enumerate(values)
]
CLASSES = {
    name
    for name, found in vars(_core).items()
    if isinstance(found, type) and name[0] != "_" and found.__module__ == "verger"
}
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def test_every_class_is_here() -> None:
    """No public class goes without values in this file; tables and streams are none."""
    assert set(VALUES) == CLASSES
    assert {type(value).__name__ for values in VALUES.values() for value in values} == CLASSES


@pytest.mark.parametrize("value", EACH)
def test_frozen(value: Any) -> None:
    """No attribute can be set, deleted or added."""
    names = [name for name in dir(value) if not name.startswith("_")]
    for name in (*names, "something_new"):
        with pytest.raises(AttributeError):
            setattr(value, name, None)
        with pytest.raises(AttributeError):
            delattr(value, name)


@pytest.mark.parametrize("name", VALUES)
def test_equality(name: str) -> None:
    """A value equals itself and nothing else of its class, nor anything of another class."""
    values = VALUES[name]
    for number, value in enumerate(values):
        equal = [other == value for other in values]

        assert [index == number for index in range(len(values))] == equal
        assert [not same for same in equal] == [other != value for other in values]
        assert value != repr(value)
        assert value != None  # noqa: E711 (the comparison itself is meant)


def test_records_are_equal_whatever_the_rules_of_their_group() -> None:
    """Product tokens and start-group lines of the group count."""
    head = "User-agent: a\nCrawl-delay: 1\nDisallow: /"
    [one], [other] = (verger.parse(f"{head}{path}\n", dialect="bing").records for path in "xy")
    [named] = verger.parse(head.replace("a\n", "b\n"), dialect="bing").records

    assert one.group != other.group
    assert one == other
    assert one != named


@pytest.mark.parametrize("name", VALUES)
def test_hash(name: str) -> None:
    """Values serve as members of a set: equal ones hash alike, and a set tells others apart."""
    values = VALUES[name]
    again = pickle.loads(pickle.dumps(values))

    assert [hash(value) for value in values] == [hash(value) for value in again]
    assert len({*values, *again}) == len(values)


@pytest.mark.parametrize("value", EACH)
def test_pickle(value: Any) -> None:
    """What comes out of a pickle equals what went in, down to its parts."""
    for protocol in PROTOCOLS:
        same = pickle.loads(pickle.dumps(value, protocol))

        assert value == same
        assert type(value) is type(same)
        assert repr(value) == repr(same)
        assert parts(value) == parts(same)


def parts(value: Any) -> dict[str, Any]:
    """The public attributes of a value that are not methods."""
    named = {name: getattr(value, name) for name in dir(value) if not name.startswith("_")}
    return {name: part for name, part in named.items() if not callable(part)}


@pytest.mark.parametrize("value", EACH)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copy(value: Any, copied: Callable[[Any], Any]) -> None:
    """A copy is as good as the original."""
    assert value == copied(value)


@pytest.mark.parametrize("value", EACH)
def test_repr(value: Any) -> None:
    """The representation is one line, names the class, and has no address in it."""
    text = repr(value)

    assert text.startswith(f"{type(value).__name__}(")
    assert text.endswith(")")
    assert "\n" not in text
    assert " object at 0x" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            AGENT.decide("/private"),
            "Decision(disallowed, line=4, rule='Disallow: /private*$', reason=MOST_SPECIFIC_RULE)",
        ),
        (OTHER.decide("/robots.txt", "x"), "Decision(allowed, reason=ROBOTS_TXT_ITSELF)"),
        (verger.VisitTime(360, 525), "VisitTime(start=360, end=525)"),
        (verger.CleanParam(["a"], "/x"), "CleanParam(params=('a',), path='/x')"),
    ],
)
def test_repr_is_worth_pasting(value: Any, text: str) -> None:
    """A representation tells what one would want to know of the value."""
    assert text == repr(value)


@pytest.mark.parametrize("value", [value for value in EACH if "Decision" in str(value.id)])
def test_decision_is_no_bool(value: verger.Decision) -> None:
    """`if decision:` is a mistake that would always say yes, so it is an error."""
    with pytest.raises(TypeError, match="allowed"):
        bool(value)


def test_typed_values_are_built_as_they_print() -> None:
    """The values of extension records can be made by hand, and compare with those read."""
    read = {record.field: record.value for record in ROBOTS.records if record.value is not None}

    assert read["crawl-delay"] == 1.5
    assert read["request-rate"] == verger.RequestRate(1, 10, verger.VisitTime(360, 525))
    assert read["visit-time"] == verger.VisitTime(1320, 240)
    assert read["content-signal"] == verger.ContentSignal(search=True, ai_train=False)
    assert read["sitemap"] == verger.Sitemap(
        "/sitemap.xml", absolute=False, resolved="https://example.com/sitemap.xml"
    )
    assert read["host"] == verger.Host(None, "example.com", 8080)
    assert read["clean-param"] == verger.CleanParam(["sid", "sort"], "/forum/*.php")
    assert read["license"] == verger.License("https://example.com/license.xml")
    assert read["content-usage"] == verger.ContentUsage(
        "/ai", train_ai=False, ai_use=True, other=(("bots", '"a, b";p'),)
    )


USAGE = b"User-agent: a\nDisallow: /x\nContent-Usage: train-ai=n, ai-use=y, bots=n\n"


def test_usage_that_is_not_read_is_not_silence() -> None:
    """None: the dialect does not read the field. Empty: it does, and the file says nothing."""
    blind, silent = verger.parse(USAGE), verger.parse(b"User-agent: a\n", dialect=MINE)

    assert blind.agent("a").content_usage("/") is None
    assert silent.agent("a").content_usage("/") == {}


def test_usage_of_one_url() -> None:
    """Labels that are known decide; a URL that may not be fetched has no preferences."""
    robots = verger.parse(USAGE, dialect=MINE)
    agent = robots.agent("a")

    assert agent.content_usage("/") == {"train-ai": False, "ai-use": True}
    assert agent.content_usage("/x") == {}
    assert [(3, "unknown-usage-label")] == [(it.line, it.code) for it in robots.findings]


def test_dialects_cannot_be_changed() -> None:
    """The table of dialects is read-only, and so are the knobs of a dialect."""
    tables: list[Any] = [verger.DIALECTS, verger.RFC9309.knobs]
    for table in tables:
        with pytest.raises(TypeError):
            table["rfc9309"] = None
    assert isinstance(verger.KNOBS, tuple)


# Sent to other processes

Sent: TypeAlias = tuple[verger.RobotsTxt, verger.Agent, verger.Decision]
Told: TypeAlias = tuple[Sent, list[bool], tuple[bool, int | None, str]]


def told_by(sent: Sent) -> Told:
    """What a worker says of the values that it was sent, and the values themselves."""
    robots, agent, decision = sent
    answers = [robots.allowed("/private", "ExampleBot"), *agent.allowed_many(["/private", "/"])]
    return sent, answers, (decision.allowed, decision.line, decision.target)


def test_worker_processes() -> None:
    """Files, agents and decisions go to fresh interpreters and back, and answer there alike."""
    sent: list[Sent] = [
        (robots, robots.agent("ExampleBot"), robots.decide(url, "ExampleBot"))
        for robots in (ROBOTS, OTHER)
        for url in ("/private", "/")
    ]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        told = pool.map(told_by, sent)

    assert [told_by(each) for each in sent] == told


def test_bytes_survive_as_text() -> None:
    """Names and sitemaps that are not UTF-8 come back; no crawler has such a name."""
    robots = verger.parse(b"User-agent: caf\xe9\nDisallow: /\nSitemap: http://e.com/\xff\n")
    name = robots.groups[0].product_tokens[0]
    sitemap = robots.records[0].value

    assert b"caf\xe9" == name.encode("utf-8", "surrogateescape")
    with pytest.raises(verger.InvalidProductToken):
        robots.agent(name)
    assert isinstance(sitemap, verger.Sitemap)
    assert b"http://e.com/\xff" == sitemap.url.encode("utf-8", "surrogateescape")
    assert pickle.loads(pickle.dumps(robots.records[0])) == robots.records[0]


def test_records_of_a_large_group_are_compared_in_linear_time() -> None:
    """A record says of which group it is; that its rules are equal is not asked for each."""
    body = b"User-agent: *\n" + b"Crawl-delay: 1\n" * 3_000 + b"Allow: /\n" * 3_000
    one, other = verger.parse(body).records, verger.parse(body).records

    assert one == other
    assert one[0] != one[1]
    assert one != verger.parse(body.replace(b"*", b"b", 1)).records


def test_views_are_made_once() -> None:
    """Looking at a file again costs nothing."""
    robots = verger.parse(b"User-agent: *\nDisallow: /\nSitemap: /s\n")

    assert robots.lines is robots.lines
    assert robots.groups[0].rules is robots.groups[0].rules


def test_other_types_may_say_that_they_are_equal() -> None:
    """Comparison with a stranger is left to the stranger."""
    robots = verger.parse(b"User-agent: *\nDisallow: /\n")
    everything = (robots, robots.agent("x"), robots.decide("/", "x"), robots.groups[0])

    assert all(value == mock.ANY for value in everything)


def test_more_lines_than_are_read() -> None:
    """A file with too many lines says that it was cut."""
    robots = verger.parse(b"#\n" * 100_001, dialect="bing")

    assert robots.truncated
    assert robots.bytes_read == 200_000


def test_clean_param_with_a_dollar_in_its_path() -> None:
    """A path is compared in normal form on both sides."""
    robots = verger.parse(b"Clean-param: sid /a$b/\n", dialect="yandex")

    assert robots.clean("/a$b/?sid=1&x=2") == "/a$b/?x=2"
