"""News: what one more observation of a site changes, by meaning, and for whom.

In: the state of a site, what was told last, and what is observed now. Out: the state after it, and
an object that JSON can hold, if there is something to tell: a state was entered or left, an answer
for some crawler or use has changed, or an expectation holds no longer. What no crawler feels is no
news.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from verger._core import Dialect, RobotsTxt, parse
from verger.access.entry import Entry, binding_body, is_failure, policy_of
from verger.access.result import AccessResult
from verger.access.times import span, timestamp
from verger.access.words import happened
from verger.analysis.file_diff import CrawlersDiff, FileDiff, diff
from verger.analysis.proof import Changed, prove
from verger.crawlers import find
from verger.dialects import RFC9309
from verger.expectations import ExpectationFile, Subject, judge
from verger.files.json_text import Json
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.objects.diff import facts, heading, use_object
from verger.options import UseName
from verger.untrusted_text import counted, listed, printable, visible
from verger.watch.archive import Seen
from verger.watch.states import ERRORS_AFTER, State, StateName, state_after

SCHEMA = "verger.news/1"

MOST_LINES = 6
"""The most lines about crawlers in the text of one piece of news."""

WIDEST = 72
"""The most characters of a URL in a text."""

SIGNALS = {"content_signals"}

NEVER_TELL = ("date",)
"""Header fields that differ between any two fetches."""

ENTERED: dict[StateName, str] = {
    "failing": "cannot be fetched any more",
    "alternating": "serves versions of its robots.txt in turn",
    "replaced": "serves something else in place of its robots.txt",
    "gone": "has no robots.txt any more",
}
MORE = (("more", True), ("less", False))
LEFT: dict[StateName, str] = {
    "failing": "can be fetched again",
    "alternating": "has settled on one version of its robots.txt",
    "replaced": "serves a robots.txt again",
    "gone": "has a robots.txt",
    "unknown": "is watched",
}


@dataclass(frozen=True, slots=True)
class Interest:
    """What is news.

    dialect:       how files are read.
    crawlers:      the product tokens of the crawlers that matter; empty for all.
    use:           the only use that matters; None for all.
    errors_after:  the failures in a row after which a site is failing.
    expected:      the files with expectations, by origin; under an empty name, those for all.
    """

    dialect: Dialect = RFC9309
    crawlers: tuple[str, ...] = ()
    use: UseName | None = None
    errors_after: int = ERRORS_AFTER
    expected: Mapping[str, Sequence[ExpectationFile]] | None = None


class Felt(NamedTuple):
    """What some crawler feels of a new version."""

    found: FileDiff
    uses: tuple[Changed, ...]


class Comparisons:
    """What takes long of one check, each once: files of a few hundred kilobytes may take seconds.

    unmet:  returns the expectations that an entry does not meet, each in a line.
    """

    def __init__(self, interest: Interest) -> None:
        self.interest = interest
        self._between = cache(partial(_felt_between, interest=interest))
        self.unmet = cache(partial(_unmet, interest=interest))

    def felt(self, old: AccessResult, new: AccessResult) -> Felt | None:
        """Return what changes for crawlers and uses; None if nothing does, or nobody knows."""
        old_body, new_body = (body_in_force(each, self.interest.dialect) for each in (old, new))
        if old_body is None or new_body is None or old_body == new_body:
            return None
        return self._between(old_body, new_body)


def told_of(
    before: State, known: Mapping[int, Seen], seen: Seen, entry: Entry, compared: Comparisons
) -> tuple[State, Json | None]:
    """Return the state of a site after one more observation, and the news; None for none.

    known:  the observations that the state names, by their numbers.
    entry:  what is known of the site with this observation.
    """
    result, interest = entry.last, compared.interest
    found, _ = found_in(result, interest.dialect)
    told = known.get(before.told)
    key = _key_of(seen, before, known, compared) if found == "good" else found
    at = result.fetched_at
    state = state_after(before, found, key, at, errors_after=interest.errors_after)
    is_told = found != "failing" and state.name != "alternating"
    enters = state.name != before.name
    is_judged = is_told and bool(interest.expected)
    unmet = compared.unmet(entry) if is_judged else before.unmet
    felt = None
    if told is not None and (is_told or (enters and state.name == "alternating")):
        felt = compared.felt(told.result, result)
    state = replace(state, told=seen.number if is_told else state.told, unmet=unmet)
    is_first = before.name == "unknown" and state.name in ("good", "gone", "unknown")
    is_changed = (
        (enters and not is_first) or (felt and is_told) or _named(unmet) != _named(before.unmet)
    )
    return state, _news(before, state, told, seen, felt, interest) if is_changed else None


def _key_of(seen: Seen, before: State, known: Mapping[int, Seen], compared: Comparisons) -> str:
    """Return the number of the recent file from which crawlers of interest cannot tell one."""
    for key in dict.fromkeys(before.recent[::-1]):
        same = known.get(int(key)) if key.isdigit() else None
        if same and not compared.felt(same.result, seen.result):
            return key
    return str(seen.number)


def found_in(result: AccessResult, dialect: Dialect) -> tuple[StateName, RobotsTxt | None]:
    """Return what a result shows of its site, and the file, if there is one."""
    if is_failure(result):
        return "failing", None
    if result.access != "successful":
        return "gone", None
    robots = parse(result.body, dialect=dialect)
    is_other = any(each.code in NOT_ROBOTS_TXT for each in findings_of(robots))
    return "replaced" if is_other else "good", robots


def body_in_force(result: AccessResult, dialect: Dialect) -> bytes | None:
    """Return the file that a result by itself puts in force; see `binding_body`."""
    entry = Entry(result.url.removesuffix("/robots.txt"), result)
    return binding_body(entry, policy_of(entry, dialect))


def _felt_between(old: bytes, new: bytes, interest: Interest) -> Felt | None:
    before, after = (parse(body, dialect=interest.dialect) for body in (old, new))
    if before.fingerprint(records=True) == after.fingerprint(records=True):
        return None
    found = diff(before, after, crawlers=interest.crawlers)
    asked = {token.lower() for token in interest.crawlers}
    uses = tuple(
        each
        for each in prove(before, after).uses
        if (not asked or not asked.isdisjoint(map(str.lower, each.crawlers)))
        and interest.use in (None, *each.uses)
    )
    if interest.use is not None:  # what signals say of others is in `uses`, too
        rest = (each for each in found.changed if not _is_signalled(each))
        found = replace(found, changed=tuple(rest))
    return Felt(found, uses) if found.changed or uses else None


def _is_signalled(of: CrawlersDiff) -> bool:
    """Whether nothing but content signals changes for some crawlers."""
    return of.severity == "other-records" and {name for name, *_ in of.other_records} == SIGNALS


def _unmet(entry: Entry, interest: Interest) -> tuple[str, ...]:
    """Return the expectations that do not hold, each in a line."""
    expected = interest.expected or {}
    files = [*expected.get("", ()), *expected.get(entry.origin, ())]
    subject = Subject.of_entry(entry, name=entry.last.url)
    judged = (each for file in files for each in judge(file, subject))
    return tuple(
        ": ".join((each.about, ", ".join(each.lines[:2]))) for each in judged if not each.holds
    )


def _named(unmet: Iterable[str]) -> set[str]:
    """Return expectations without what decides instead, whose line may move."""
    return {each.rpartition(BUT)[0] or each for each in unmet}


BUT = ", but "
"""Stands between an expectation and what is so instead."""


# The object


def _news(
    before: State,
    after: State,
    told: Seen | None,
    seen: Seen,
    felt: Felt | None,
    interest: Interest,
) -> Json:
    at = seen.result.fetched_at
    diffs = felt.found.changed if felt else ()
    tokens = [token for each in diffs for token in each.shown]
    lines = [*_lines(before, after, told, seen, felt)]
    return {
        "schema": SCHEMA,
        "id": str(uuid5(NAMESPACE_URL, f"{seen.result.url}#{seen.number}@{at!r}")),
        "origin": seen.origin,
        "time": timestamp(at),
        "state": {"old": before.name, "new": after.name, "since": timestamp(after.since)},
        "summary": f"{seen.origin} {lines[0]}",
        "text": lines[1:],
        "severity": felt.found.severity if felt and diffs else None,
        "purposes": sorted({name for token in tokens for name in purposes_of(token)}),
        "dialect": interest.dialect.name,
        "before": told and observed(told),
        "observation": observed(seen),
        "headers": _headers_between(told, seen),
        "difference": felt and facts(felt.found),
        "uses": [use_object(each) for each in felt.uses] if felt else [],
        "unmet": after.unmet,
    }


def purposes_of(token: str) -> tuple[str, ...]:
    """Return what a crawler is for, as the registry knows it."""
    known = find(token)
    return known.purposes if known else ()


def observed(seen: Seen) -> Json:
    """Return an observation as an object: what was seen, from when to when, and from where."""
    result = seen.result
    return {
        "number": seen.number,
        "first": timestamp(seen.first),
        "last": timestamp(seen.last),
        "times": seen.times,
        "url": result.url,
        "redirects": result.redirects,
        "status": result.status,
        "failure": result.failure,
        "detail": result.detail,
        "sha256": sha256(result.body).hexdigest() if result.access == "successful" else None,
        "bytes": len(result.body) if result.access == "successful" else None,
        "headers": result.headers,
        "user_agent": seen.user_agent,
        "proxy": seen.proxy,
    }


def _headers_between(told: Seen | None, seen: Seen) -> dict[str, list[str | None]]:
    """Return the header fields that differ, each as it was and as it is."""
    if told is None:
        return {}
    old, new = told.result.headers, seen.result.headers
    names = sorted({*old, *new} - {*NEVER_TELL})
    return {
        name: [old.get(name), new.get(name)] for name in names if old.get(name) != new.get(name)
    }


# The text


def _lines(
    before: State, after: State, told: Seen | None, seen: Seen, felt: Felt | None
) -> Iterator[str]:
    """Yield what there is to tell: first the sentence that follows the origin."""
    result, most = seen.result, MOST_LINES
    changes = [*changes_of(felt)] if felt else []
    if after.name == before.name:
        yield "has changed" if changes else _about_expected(before, after)
    elif after.name == "good":
        is_third = before.name == "alternating" and len({*after.recent}) > 1
        left = "has a new version of its robots.txt" if is_third else LEFT[before.name]
        lasted = f" after {span(result.fetched_at - before.since)}"
        yield left + lasted * (before.name != "unknown")
    else:
        is_typed = after.name == "replaced" and result.media_type
        kind = f" as {printable(result.media_type)}" if is_typed else ""
        yield f"{ENTERED[after.name]}: {happened(result)}{kind}"
    yield from changes[:most]
    if len(changes) > most:
        yield f"and {counted(len(changes) - most, 'more change')}"
    if after.name == "alternating":
        for name, (was, now) in _headers_between(told, seen).items():
            one, other = (visible(value or "nothing", WIDEST) for value in (was, now))
            yield f"{name}: {one} in one, {other} in the other"
    yield from (f"not as expected: {each}" for each in after.unmet)
    if before.unmet and not after.unmet and after.name != before.name:
        yield "all is as expected again"


def _about_expected(before: State, after: State) -> str:
    return (
        "is not as expected"
        if _named(after.unmet) - _named(before.unmet)
        else "is as expected again"
    )


def changes_of(felt: Felt) -> Iterator[str]:
    """Yield a line for each set of crawlers, and each use, for which something changes."""
    yield from map(_line, felt.found.changed)
    for each in felt.uses:
        ways = {change.opened for change in each.changes}
        more = listed([word for word, is_so in MORE if is_so in ways]) or "something else"
        by = f" by {each.policy}" if each.policy else ""
        yield f"{more} is allowed for {listed(each.uses)}{by} to {listed(each.crawlers)}"


def _line(of: CrawlersDiff) -> str:
    names = listed(of.shown, lambda token: visible(token, WIDEST))
    purposes = sorted({name for token in of.shown for name in purposes_of(token)})
    why = f" ({listed(purposes)})" if purposes else ""
    where = f", for example {visible(of.changes[0].witness, WIDEST)}" if of.changes else ""
    return f"{heading(of, f'{names}{why}')}{where}"
