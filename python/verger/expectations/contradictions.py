"""Contradictions: expectations of one file that no robots.txt file can meet together.

In: expectations. Out: two that want different answers for the same crawler about the same URL, in
the same dialect. Whether patterns share a URL is proved, not tried.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from verger._core import Agent, _dialect_of, _kept, parse
from verger.analysis.rule_lists import may_meet
from verger.analysis.rules import STEPS
from verger.crawlers.registry import all_crawlers, by_purpose
from verger.errors import InvalidTarget
from verger.expectations.expectation import EVERYONE, Expectation
from verger.grouping import by_key

MOST_PAIRS = 1 << 17
"""The most pairs that are compared; two expectations about one crawler and one URL are no pair."""

Pair = tuple[Expectation, Expectation]


Contradiction = tuple[Expectation, Expectation, str, str]
"""Two expectations in the order of the file, and a crawler and a URL that both mean."""


def contradictions(expectations: Sequence[Expectation], usual: str) -> Iterator[Contradiction]:
    """Yield contradictions, of two patterns with the shortest URL; each expectation is compared
    with those about the same use.

    usual:  the dialect of expectations that name none.
    """
    alike = by_key(((each.dialect or usual, each.use), each) for each in expectations)
    for (dialect, _), same in alike.items():
        yield from _of_one((each for each in same if not each.is_proved), dialect)
        for first, second in islice(_pairs(same), MOST_PAIRS):
            crawler = _shared_crawler(first, second)
            url = None if crawler is None else _shared_url(first, second, dialect)
            if crawler is not None and url is not None:
                yield first, second, crawler, url


def _of_one(expectations: Iterable[Expectation], dialect: str) -> Iterator[Contradiction]:
    """Yield contradictions between expectations about one crawler and one URL, however written: the
    same target has the same answer."""
    alike = by_key(
        ((each.agent.lower(), _target(each.url or "", dialect)), each) for each in expectations
    )
    for first, *others in alike.values():
        for other in others:
            if other.allowed is not first.allowed:
                yield first, other, first.agent, first.url or ""


def _pairs(expectations: Sequence[Expectation]) -> Iterator[Pair]:
    """Yield expectations that want different answers, if one of them is about many."""
    wide = [place for place, each in enumerate(expectations) if each.is_proved]
    for place in wide:
        for other, expectation in enumerate(expectations):
            is_met_before = other < place and expectation.is_proved
            if expectation.allowed is not expectations[place].allowed and not is_met_before:
                first, second = sorted((place, other))
                yield expectations[first], expectations[second]


def _shared_crawler(one: Expectation, other: Expectation) -> str | None:
    for single, many in ((one, other), (other, one)):
        if single.tokens and EVERYONE in many.purposes:
            names = {token.lower() for token in many.except_}
            return None if single.agent.lower() in names else single.agent
    ours, theirs = (_members(e.tokens, e.purposes, e.except_) for e in (one, other))
    return next((token for lower, token in ours.items() if lower in theirs), None)


@lru_cache(1 << 12)
def _members(
    tokens: tuple[str, ...], purposes: tuple[str, ...], except_: tuple[str, ...]
) -> Mapping[str, str]:
    """Return the crawlers that are meant, by their names in lower case."""
    if tokens:
        return {",".join(tokens).lower(): ",".join(tokens)}
    known = all_crawlers() if EVERYONE in purposes else by_purpose(purposes)
    left_out = {token.lower() for token in except_}
    names = (each.token for each in known)
    return {token.lower(): token for token in names if token.lower() not in left_out}


def _shared_url(one: Expectation, other: Expectation, dialect: str) -> str | None:
    """Return a URL that two expectations mean; None if there is none, or none was found."""
    if one.pattern and other.pattern:
        left_out = (*one.except_paths, *other.except_paths)
        return _overlap(one.pattern, other.pattern, left_out, dialect)
    url = one.url or other.url or ""
    return url if all(_means(each, url, dialect) for each in (one, other)) else None


@lru_cache(1 << 12)
def _overlap(pattern: str, other: str, left_out: tuple[str, ...], dialect: str) -> str | None:
    """Return the shortest URL that two patterns match, and none of some others."""
    if not may_meet(pattern, other):
        return None
    url, *_ = _kept(_closed(other, dialect), pattern, [*left_out], True, STEPS)
    return url


def _means(expectation: Expectation, url: str, dialect: str) -> bool:
    is_open = [_closed(each, dialect).allowed(url) for each in expectation.except_paths]
    if expectation.pattern is None:
        return url == expectation.url
    return all(is_open) and not _closed(expectation.pattern, dialect).allowed(url)


@lru_cache(1 << 12)
def _target(url: str, dialect: str) -> str:
    try:
        return _closed("/", dialect).decide(url).target
    except InvalidTarget:
        return url  # which has no answer


@lru_cache(1 << 12)
def _closed(pattern: str, dialect: str) -> Agent:
    """Return a crawler that may fetch everything but what a pattern matches."""
    rules = f"User-agent: *\nDisallow: {pattern}\n".encode("utf-8", "surrogateescape")
    return parse(rules, dialect=_dialect_of(dialect)).agent("*")
