"""The decision about use: the cases of `conformance/use`, and a second implementation of it.

In: files, crawlers, URLs, purposes, and the product tokens that stand for them. Out: what each
mechanism says, and what it comes to, in all eight dialects.
"""

import pickle
import tomllib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

import reference
import verger
from property_settings import examples
from reference import SWITCHES
from strategies import Pair, Question, asked_files, encoded, joined, pairs, weighted
from support import CHECKOUT, ERRORS, NAMES, expect_cases, switched, turned

FILES = sorted((CHECKOUT / "conformance" / "use").glob("*.toml"))
CASES: list[dict[str, Any]] = [
    case for file in FILES for case in tomllib.loads(file.read_text("utf-8"))["case"]
]
FIELDS = ("content-signal", "content-usage", "license")
PURPOSES = ("search", "ai-input", "ai-train")
VERDICTS = {"allow": True, "disallow": False, "silent": None}
Outcome = tuple[Any, ...]


def reading(name: str, fields: Sequence[str] = FIELDS) -> Pair:
    """A dialect that reads these of the fields about use, for either side."""
    others = (field for field in verger.DIALECTS[name].extensions if field not in FIELDS)
    extensions = (*others, *fields)
    return Pair(
        turned(verger.DIALECTS[name], extensions=extensions),
        switched(SWITCHES[name], extensions=extensions),
    )


def asked_of_core(pair: Pair, data: bytes, ask: dict[str, Any]) -> Outcome:
    """Return what verger says, in the form of the reference."""
    agent = verger.parse(data, dialect=pair.dialect).agent(ask["token"])
    policy = [(token, "a page") for token in ask.get("policy_tokens", ())]
    decision = agent.may_use(ask["url"], ask["use"], policy_tokens=policy)
    said = tuple(
        (
            each.mechanism.upper().replace("-", "_"),
            VERDICTS[each.verdict],
            each.line,
            tuple(each.token.split(",")) if each.token else (),
        )
        for each in decision.signals
        if each.mechanism != "license"
    )
    licenses = tuple(encoded(url) for url in decision.licenses)
    return decision.allowed, decision.reason, decision.line, said, licenses


def asked_of_reference(pair: Pair, data: bytes, ask: dict[str, Any]) -> Outcome:
    policy = ask.get("policy_tokens", ())
    return tuple(
        reference.may_use(data, pair.switches, ask["token"], ask["url"], ask["use"], policy)
    )


def expected(case: dict[str, Any], name: str) -> Outcome:
    row = case.get("differs", {}).get(name, case["expect"])
    return VERDICTS[row["verdict"]], row["reason"], row.get("line")


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: dict[str, Any]) -> None:
    """Verdict, reason and line are those of the case, in every dialect that reads the fields."""
    data, ask = case["robots"].encode(), case["ask"]
    pairs = {name: reading(name, case.get("reads", FIELDS)) for name in NAMES}
    said = {name: asked_of_core(pair, data, ask) for name, pair in pairs.items()}

    assert {name: expected(case, name) for name in NAMES} == {
        name: answer[:3] for name, answer in said.items()
    }
    assert said == {name: asked_of_reference(pair, data, ask) for name, pair in pairs.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_conflicts(case: dict[str, Any]) -> None:
    """The lines that contradict each other are those of the case, in RFC 9309."""
    pair = reading("rfc9309", case.get("reads", FIELDS))
    ask = case["ask"]
    policy = [(token, "a page") for token in ask.get("policy_tokens", ())]
    agent = verger.parse(case["robots"], dialect=pair.dialect).agent(ask["token"])
    decision = agent.may_use(ask["url"], ask["use"], policy_tokens=policy)
    lines = [[yes.line, no.line] for yes, no in decision.conflicts]

    assert case.get("conflicts", []) == lines
    assert pickle.loads(pickle.dumps(decision)) == decision


def test_cases_are_well_formed() -> None:
    """Ids are unique, every case has its source, and each decision of ours is marked."""
    keys = {"id", "source", "kind", "robots", "ask", "expect", "differs", "reads", "conflicts"}
    expect_cases(FILES)

    assert len(CASES) == len({case["id"] for case in CASES})
    for case in CASES:
        assert keys >= set(case), case["id"]
        assert case["kind"] in ("normative", "decision"), case["id"]
        assert case["source"], case["id"]
        assert case["expect"] not in case.get("differs", {}).values(), case["id"]


def test_every_pair_of_mechanisms_is_told_apart() -> None:
    """There is a case for every two mechanisms, each allowing, disallowing and silent."""
    speaks = {
        "crawl-rules": ("disallow", "silent"),
        "policy-token": tuple(VERDICTS),
        "content-signal": tuple(VERDICTS),
        "content-usage": tuple(VERDICTS),
        "license": ("license", "silent"),
    }
    mechanisms = list(speaks)
    wanted = {
        f"pairs/{one}-{said}/{other}-{heard}"
        for at, one in enumerate(mechanisms)
        for other in mechanisms[at + 1 :]
        for said in speaks[one]
        for heard in speaks[other]
    }

    assert wanted <= {case["id"] for case in CASES}


# The property

USE_LINES = (
    *(b"Content-Signal: ai-train=no", b"Content-Signal: search=yes, ai-train=yes, ai-input=no"),
    *(b"content-signals: AI-Train = NO ,x, search", b"Content-Signal: /a ai-train=no"),
    *(b"Content-Signal:", b"Content-Signal: use=full, ai-train=maybe", b"Content-Usage: search=n"),
    *(b"Content-Usage: train-ai=n", b"Content-Usage: /a train-ai=y, ai-use=n;x=1"),
    *(b"Content-Usage: /a/*b$ train-ai=n, train-ai=y", b"Content-Usage: /a\ttrain-ai=n"),
    *(b"Content-Usage: train-ai=n, =", b"Content-Usage: /ab ", b"Content-Usage: / train-ai"),
    *(b"License: https://e.com/l", b"License: /l", b"LICENSE : http://e.com/l # c", b"Comment: x"),
    *(b"User-agent: Example-Extended", b"User-agent: a", b"User-agent: *", b"Disallow: /a", b""),
    *(b"Allow: /a", b"Disallow:", b"\xef\xbb\xbfLicense: https://e.com/b"),
)
use_lines = joined(st.sampled_from(USE_LINES), st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"]))
files_about_use = st.lists(use_lines, max_size=12).map(b"".join)


@st.composite
def asked_about_use(draw: st.DrawFn) -> tuple[bytes, list[Question]]:
    """A file about use, and what is asked of it; at times any file."""
    file, questions = draw(asked_files(2))
    own = draw(files_about_use)
    near = draw(st.sampled_from(["/a", "/ab", "/a/xb", "/", "/robots.txt", "http://e.com/A"]))
    token = draw(st.sampled_from(["a", "b", "Example-Extended"]))
    body = draw(weighted(own=(5, st.just(own)), joined=(3, st.just(own + b"\n" + file))))
    return body, [Question(near, token), *questions]


@examples(200)
@given(
    asked_about_use(),
    st.one_of(st.sampled_from([reading(name) for name in NAMES]), pairs()),
    st.sampled_from(PURPOSES),
    st.sampled_from([(), ("Example-Extended",), ("Example-Extended", "ab")]),
)
def test_reference_agrees(
    asked: tuple[bytes, list[Question]], pair: Pair, purpose: str, policy: tuple[str, ...]
) -> None:
    """Each mechanism says what the reference hears, and they come to the same."""
    data, questions = asked
    for url, tokens in questions:
        ask = {"token": tokens, "url": url, "use": purpose, "policy_tokens": policy}
        assert outcome(asked_of_reference, pair, data, ask) == outcome(
            asked_of_core, pair, data, ask
        )


def outcome(ask: Any, *question: Any) -> Outcome | str:
    try:
        answer: Outcome = ask(*question)
    except (*ERRORS,) as error:  # type: ignore[misc]
        return ERRORS[type(error)]
    return answer
