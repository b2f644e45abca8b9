"""Every published vector through the public API of verger.

In: the files of `conformance/vectors`. Each kind of vector has one function that asks verger and
returns what the vector expects beside what verger says. No vector is passed over: the counts of
all kinds must add up to the files'.
"""

from collections import Counter
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import pytest

import verger
from access.events import outcomes_after
from access.results import answered
from support import (
    Vector,
    all_vectors,
    bytes_of,
    kind_of,
    turned,
)
from verger.access.freshness import honoured, lifetime, stale_when_unreachable

COUNTS = {
    "match": 944 + 72,
    "lines": 5,
    "token": 3,
    "subject": 12,
    "normalise": 32,
    "limit": 14,
    "sitemaps": 2,
    "extension": 65,
    "clean-param": 1,
    "content-usage": 4,
    "scope": 39,
    "tokens": 3,
    "access": 107,
    "cache": 7,
}
AIPREF = turned(
    verger.RFC9309,
    name="aipref",
    extensions=(*verger.RFC9309.extensions, "content-usage"),
)
# Vectors that hold in every dialect, or in one that only vectors name.
OTHER_DIALECTS = {"product": verger.RFC9309, "extension": AIPREF, "aipref": AIPREF}

Asked = tuple[Any, Any]
"""What a vector expects, and what verger says."""


def test_counts_add_up() -> None:
    """Every vector of the files is of a kind that is asked here."""
    counted = Counter(kind_of(vector) for vector in all_vectors())

    assert COUNTS == counted
    assert set(COUNTS) == set(ASKED)
    assert len(all_vectors()) == len({vector["id"] for vector in all_vectors()})


def dialect_of(vector: Vector) -> verger.Dialect:
    name = vector["dialect"]
    return OTHER_DIALECTS.get(name) or verger.DIALECTS[name]


def parsed(vector: Vector) -> verger.RobotsTxt:
    return verger.parse(bytes_of(vector), dialect=dialect_of(vector))


def ask_match(vector: Vector) -> Asked:
    return vector["allowed"], parsed(vector).allowed(vector["url"], vector["agent"])


def ask_tokens(vector: Vector) -> Asked:
    agent = parsed(vector).agent(vector["agents"])
    return vector["rows"], [[url, agent.allowed(url)] for url, _ in vector["rows"]]


def ask_lines(vector: Vector) -> Asked:
    known = [line for line in parsed(vector).lines if line.field]
    return vector["fields"], [[line.number, line.field, line.value] for line in known]


def ask_token(vector: Vector) -> Asked:
    return vector["token"], verger.product_token(vector["header"])


def ask_subject(vector: Vector) -> Asked:
    """The vector is the target before it is normalised."""
    dialect = turned(dialect_of(vector), normalisation="raw", equate_reserved_escapes=False)
    return vector["subject"], verger.parse(b"", dialect=dialect).decide(vector["url"], "x").target


def ask_scope(vector: Vector) -> Asked:
    """`applies` decides, also where the documentation has a slip (`as_documented`)."""
    robots = verger.parse(b"", dialect=dialect_of(vector), url=vector["robots_url"])
    return vector["applies"], robots.governs(vector["url"])


def ask_sitemaps(vector: Vector) -> Asked:
    return vector["sitemaps"], list(parsed(vector).sitemaps)


def ask_clean_param(vector: Vector) -> Asked:
    return vector["cleaned"], parsed(vector).clean(vector["url"])


def ask_content_usage(vector: Vector) -> Asked:
    """A URL that may not be fetched has no preferences, where the vector has null."""
    agent = parsed(vector).agent(vector["agent"])
    prefs = {label: word == "y" for label, word in (vector["prefs"] or {}).items()}
    said = agent.content_usage(vector["url"])
    return [vector["allowed"], prefs], [agent.allowed(vector["url"]), said]


def ask_extension(vector: Vector) -> Asked:
    """Whether the value is well-formed is its typed value, and for a malformed one a finding."""
    data = f"User-agent: *\n{vector['field']}: {vector['value']}\nDisallow: /a\n".encode()
    robots = verger.parse(data, dialect=dialect_of(vector))
    (record,) = robots.records
    expected = [vector["field"], vector["parsed"], vector["valid"], False]
    well_formed = record.value is not None or not record.findings
    return expected, [record.field, plain(record.value), well_formed, robots.allowed("/a", "x")]


def ask_normalise(vector: Vector) -> Asked:
    """The vector's text as a URL gives its subject, and as a rule matches in its pattern's form.

    No call returns the normal form of a pattern, so it is told by what it matches: the bytes
    of the target that the rule claims are those of the form, where the input has no `*`.
    """
    allowing = verger.parse(b"", dialect=dialect_of(vector)).decide(vector["input"], "x")
    data = f"User-agent: *\nDisallow: {vector['input']}\n".encode()
    keeping = turned(dialect_of(vector), dot_segments="keep")
    decision = verger.parse(data, dialect=keeping).decide(vector["input"] + "z", "x")
    as_matched = vector["pattern"].replace("*", "%2A").replace("$", "%24")
    return [vector["subject"], as_matched], [allowing.target, claimed(decision)]


def claimed(decision: verger.Decision) -> str:
    """The part of the target that the pieces of the deciding rule matched."""
    return "".join(decision.target[start:end] for _, (start, end) in decision.matched)


def ask_access(vector: Vector) -> Asked:
    """Every way in which the event can come about ends in one of the outcomes.

    A row that names no ladder holds on both of Google's.
    """
    dialect = dialect_of(vector)
    ladders = [vector["ladder"]] if "ladder" in vector else ["2023", "2026"]
    dialects = (
        [turned(dialect, google_unreachable=ladder) for ladder in ladders]
        if vector["dialect"] == "google"
        else [dialect]
    )
    said = {outcome for it in dialects for outcome in outcomes_after(vector["event"], it)}
    others = said - set(vector["outcome"].split("|"))
    return [True, set()], [bool(said), others]


def ask_cache(vector: Vector) -> Asked:
    """The lifetime of a file that states none, and of one that states more than any maximum: a
    year, where the dialect has none."""
    dialect, years = dialect_of(vector), 10**8
    most = vector["max_s"] or 365 * 86_400
    said = [
        lifetime(answered({}), dialect),
        lifetime(answered({"cache-control": f"max-age={years}"}), dialect),
        sorted(honoured(dialect)),
        stale_when_unreachable(dialect),
    ]
    kept = vector["stale_when_unreachable_s"]
    return [vector["default_s"], most, sorted(vector["honours"]), kept], said


@singledispatch
def plain(value: object) -> object:
    """A typed value as the vectors write it."""
    raise TypeError(value)


@plain.register
def _(value: None) -> object:
    return value


@plain.register
def _(value: float) -> object:
    return {"seconds": value}


@plain.register
def _(value: verger.VisitTime) -> object:
    return {"from": value.start, "to": value.end}


@plain.register
def _(value: verger.RequestRate) -> object:
    window: Any = plain(value.window) or {}
    return {"documents": value.documents, "seconds": value.seconds, **window}


@plain.register
def _(value: verger.CleanParam) -> object:
    return {"params": list(value.params), "path": value.path}


@plain.register
def _(value: verger.Host) -> object:
    return {"scheme": value.scheme, "host": value.host, "port": value.port}


@plain.register
def _(value: verger.Sitemap) -> object:
    return {"url": value.url, "absolute": value.absolute}


@plain.register
def _(value: verger.License) -> object:
    return {"url": value.url}


@plain.register
def _(value: verger.ContentSignal) -> object:
    said = {
        "search": value.search,
        "ai-input": value.ai_input,
        "ai-train": value.ai_train,
        "use": value.use,
    }
    return {key: word for key, word in said.items() if word is not None}


@plain.register
def _(value: verger.ContentUsage) -> object:
    said = {"train-ai": value.train_ai, "search": value.search, "ai-use": value.ai_use}
    prefs = {label: "y" if word else "n" for label, word in said.items() if word is not None}
    return {"path": value.path, "prefs": prefs}


ASKED: dict[str, Callable[[Vector], Asked]] = {
    "match": ask_match,
    "lines": ask_lines,
    "token": ask_token,
    "subject": ask_subject,
    "normalise": ask_normalise,
    "limit": ask_match,
    "sitemaps": ask_sitemaps,
    "extension": ask_extension,
    "clean-param": ask_clean_param,
    "content-usage": ask_content_usage,
    "scope": ask_scope,
    "tokens": ask_tokens,
    "access": ask_access,
    "cache": ask_cache,
}


@pytest.mark.parametrize("vector", all_vectors(), ids=lambda vector: str(vector["id"]))
def test_vector(vector: Vector) -> None:
    """Verger says what the vector says."""
    expected, actual = ASKED[kind_of(vector)](vector)

    assert expected == actual


BASE = [vector for vector in all_vectors() if vector.get("form") == "base"]


@pytest.mark.parametrize("vector", BASE, ids=lambda vector: str(vector["id"]))
def test_length_of_a_normal_form(vector: Vector) -> None:
    """A rule is as specific as its normal form is long, `*` and `$` counted as written.

    The rival is `/***…` of that length: it matches everything, has no other form, and both
    answers to a tie show that neither of the two is longer.
    """
    rival = "/" + "*" * (len(vector["pattern"].encode()) - 1)
    data = f"User-agent: *\nDisallow: {vector['input']}\nAllow: {rival}\n".encode()
    dialects = (
        turned(verger.RFC9309, tie=tie, dot_segments="keep") for tie in ("allow", "disallow")
    )
    winners = [verger.parse(data, dialect=it).allowed(vector["input"], "x") for it in dialects]

    assert [True, False] == winners
