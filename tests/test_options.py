"""Options: numbers out of bounds are refused, with the bounds; names of another type, by theirs."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import verger
from verger import analysis, crawlers, expectations
from verger.bulk import decide_table
from verger.bulk.audit import Version, audit_logs
from verger.bulk.filter import filter_urls
from verger.errors import InvalidOption, UnknownName
from verger.expectations import Subject
from verger.options import expect_seconds, expect_whole


@pytest.mark.parametrize(
    ("check", "hint"),
    [
        (lambda: expect_whole("n", 1 << 40), "pass a whole number from 1 to 2,147,483,647"),
        (lambda: expect_whole("n", 0), "pass a whole number from 1 to 2,147,483,647"),
        (lambda: expect_whole("n", 9, least=0, most=8), "pass a whole number from 0 to 8"),
        (
            lambda: expect_seconds("n", 1e12),
            "pass a positive number of seconds, at most 2,147,483,647",
        ),
        (
            lambda: expect_seconds("n", -1, above_zero=False),
            "pass seconds, 0 or more, at most 2,147,483,647",
        ),
        (lambda: expect_seconds("n", 0, for_ever=True), "pass a positive number of seconds"),
    ],
)
def test_hints_name_both_bounds(check: Callable[[], None], hint: str) -> None:
    """A number that is too large is not told to be larger."""
    with pytest.raises(InvalidOption) as caught:
        check()

    assert hint == caught.value.hint


ROBOTS = verger.parse("User-agent: *\nDisallow: /private\n", url="https://example.com")
SITE = verger.site_of("https://example.com", user_agent="A/1", status=200, body=ROBOTS.body)
SUBJECT = Subject.of_bytes(ROBOTS.body, name="robots.txt")

ONE_NAME: dict[str, Callable[[Any], object]] = {
    "decide_table, use": lambda name: decide_table(pa.array(["/"]), ROBOTS, "A", use=name),
    "filter_urls, use": lambda name: filter_urls([], tokens="A", snapshot="s", use=name),
    "may_use": lambda name: crawlers.may_use(ROBOTS, "/", "A", name),
    "uses_of": lambda name: crawlers.uses_of(ROBOTS, ["A"], name),
    "Answer.may_use": lambda name: SITE.decide("/").may_use(name),
    "find": crawlers.find,
    "remark_on": crawlers.remark_on,
    "tokens_of": crawlers.tokens_of,
    "stance": expectations.stance,
    "record, dialect": lambda name: expectations.record(SUBJECT, dialect=name),
    "audit_logs, log_format": lambda name: audit_logs([], [Version("", b"")], log_format=name),
}
SEVERAL_NAMES: dict[str, Callable[[Any], object]] = {
    "agents_of": lambda names: crawlers.agents_of(ROBOTS, names),
    "alike": lambda names: crawlers.alike([ROBOTS], names),
    "uses_of": lambda names: crawlers.uses_of(ROBOTS, names, "search"),
    "record": lambda names: expectations.record(SUBJECT, crawlers=names),
    "record, one of them": lambda names: expectations.record(SUBJECT, crawlers=[names]),
    "compare": lambda names: analysis.compare(ROBOTS, names),
    "block, dialects": lambda names: analysis.block(ROBOTS, "A", dialects=names),
}
BINDINGS: dict[str, Callable[[Any], object]] = {
    "agent_of": lambda word: crawlers.agent_of(ROBOTS, "A", word),
    "agents_of": lambda word: crawlers.agents_of(ROBOTS, ["A"], word),
    "alike": lambda word: crawlers.alike([ROBOTS], ["A"], word),
    "may_use": lambda word: crawlers.may_use(ROBOTS, "/", "A", "search", word),
    "asked_by": lambda word: SITE.asked_by(["A"], word),
}


@pytest.mark.parametrize("wrong", [["search"], {}, 3])
@pytest.mark.parametrize("call", ONE_NAME.values(), ids=ONE_NAME)
def test_one_name_is_text(call: Callable[[Any], object], wrong: object) -> None:
    """A list or a number where a name is meant is refused in words of the argument."""
    with pytest.raises(TypeError, match=rf"^`\w+` must be .*not {type(wrong).__name__}$"):
        call(wrong)


@pytest.mark.parametrize("wrong", ["GPTBot", 3])
@pytest.mark.parametrize("call", SEVERAL_NAMES.values(), ids=SEVERAL_NAMES)
def test_several_names_are_not_one_text(call: Callable[[Any], object], wrong: object) -> None:
    """One text instead of several is not read letter by letter."""
    with pytest.raises(TypeError, match=rf"^`\w+` must be a sequence of .*{type(wrong).__name__}$"):
        call(wrong)


@pytest.mark.parametrize("wrong", ["operator", ["file"], None])
@pytest.mark.parametrize("call", BINDINGS.values(), ids=BINDINGS)
def test_unknown_bindings(call: Callable[[Any], object], wrong: object) -> None:
    """A word that is not one of the bindings does not mean one of them."""
    with pytest.raises(UnknownName, match="unknown bindings"):
        call(wrong)
