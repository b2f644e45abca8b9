"""Fixing: the smallest edits of a robots.txt file after which expectations hold.

In: files with expectations, and the robots.txt file that they are about. Out: an `Outcome`: the new
file, in which all of them hold, with the proof that for nobody else and nowhere else an answer
changes; or `Refused`. It is proved in the dialects that the expectations name, and in all that
crawlers of today read.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from verger._core import DIALECTS, _dialect_of, _kept, parse
from verger.analysis import Outcome, Refused, allow, block, prove
from verger.analysis.access_edits import signal, with_fewer_names
from verger.analysis.edits import Edit, compose
from verger.analysis.rule_lists import Rulebook
from verger.analysis.rules import STEPS
from verger.crawlers import binding_of
from verger.crawlers.uses import is_policy_token
from verger.errors import InvalidOption, InvalidProductToken
from verger.expectations.contradictions import contradictions
from verger.expectations.expectation import Expectation, ExpectationFile
from verger.expectations.judging import Judgement, judge
from verger.expectations.subject import DEFAULT_DIALECT, Subject
from verger.grouping import by_key
from verger.options import DialectName, body_of
from verger.untrusted_text import printable, quoted

READERS: tuple[DialectName, ...] = (
    "rfc9309",
    "google",
    "googlebot-cpp",
    "bing",
    "yandex",
    "koster-rep-00",
)
"""The dialects that crawlers of today read: those of 2019 and later, and of search engines."""

SITE = ("/", "/*", "*")
"""The patterns that match every URL."""

MOST_FIXED = 1_000
"""The most expectations that are made to hold at once."""

Told = tuple[str, Judgement]
"""The name of a file with expectations, and one of them as it was judged."""


class Wish(NamedTuple):
    """What to change: the answer about some paths, or about a use of the whole site."""

    dialect: str
    use: str | None
    allowed: bool | None
    crawlers: tuple[str, ...]
    paths: tuple[str, ...]


def fix(
    files: ExpectationFile | Iterable[ExpectationFile],
    robots: bytes | str,
    *,
    dialect: DialectName = DEFAULT_DIALECT,
) -> Outcome:
    r"""Edit a robots.txt file so that expectations hold, and change nothing else.

    files:    one or several files with expectations about it.
    robots:   the content of the robots.txt file.
    dialect:  the dialect of expectations that name none, in a file that names none.
    Returns:  an Outcome, whose proof covers the dialects of the expectations, and of all others
              those in which nothing else changes; no other crawler may fetch more or less in those
              of `READERS` that can express it. Without edits if all expectations hold already.
    Raises:   Refused, if expectations contradict each other, or cannot all hold without changing
              other answers; InvalidOption for a file that is no robots.txt.

    >>> from verger.expectations import expectations_in
    >>> wanted = expectations_in('''
    ... [[expect]]
    ... agent = "GPTBot"
    ... paths = "/drafts/"
    ... allowed = false
    ... ''')
    >>> fix(wanted, "User-agent: *\nDisallow: /a\n").body
    b'User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /a\nDisallow: /drafts/\n'
    """
    given = [files] if isinstance(files, ExpectationFile) else [*files]
    old = parse(body_of("robots", robots), dialect=dialect)
    told = list(_judged(given, old.body, dialect))
    _expect_no_contradiction(given, dialect)
    _expect_fixable([each for each in told if not each[1].holds])
    steps: list[Outcome] = []
    body = old.body
    for is_about_use in (False, True):  # what may not be fetched needs no signal
        failing = [
            (name, each)
            for name, each in _judged(given, body, dialect)
            if not each.holds and (each.expectation.use is not None) is is_about_use
        ]
        steps += _steps(body, failing, told)
        body = steps[-1].body if steps else body
    new = parse(body, dialect=dialect)
    _expect_all(_judged(given, new.body, dialect))
    if len(steps) == 1 and steps[0].robots.dialect == old.dialect:
        return steps[0]  # with its proof
    asked = dict.fromkeys(token for step in steps for token in step.crawlers)
    also = dict.fromkeys(token for step in steps for token in step.also)
    edits: tuple[Edit, ...] = ()
    for step in steps:
        edits = compose(edits, step.edits, len(old.body))
    proof = prove(old, new, [*asked], bindings=["operators"], dialects=DIALECTS.values())
    for step in steps:
        proof = proof.within(step.proof.dialects)
    return Outcome(new, edits, proof, tuple(asked), tuple(also))


def _judged(files: Iterable[ExpectationFile], body: bytes, dialect: DialectName) -> Iterator[Told]:
    subject = Subject.of_bytes(body)
    return ((file.name, each) for file in files for each in judge(file, subject, dialect=dialect))


def _expect_all(told: Iterable[Told]) -> None:
    for name, each in told:
        if not each.holds:
            why = f"{_where((name, each))} would not hold: {', '.join(each.lines[:2])}"
            raise Refused(why, "correct one of the expectations, or edit the file by hand")


# wishes


def _wishes(failing: Iterable[Told]) -> dict[Wish, Told]:
    """Return what to change, each with an expectation that needs it: crawlers that need the same
    are taken together, so that they share a group."""
    of_crawlers = by_key((_wish(each, _to_ask(each)), (name, each)) for name, each in failing)
    alike = by_key(
        (wish._replace(crawlers=(), paths=_patterns(told)), (wish.crawlers, told[0]))
        for wish, told in of_crawlers.items()
    )
    return {
        wish._replace(crawlers=tuple(dict.fromkeys(name for names, _ in same for name in names))): (
            same[0][1]
        )
        for wish, same in alike.items()
    }


def _wish(judgement: Judgement, crawlers: tuple[str, ...]) -> Wish:
    expectation = judgement.expectation
    return Wish(judgement.dialect, expectation.use, expectation.allowed, crawlers, ())


def _to_ask(judgement: Judgement) -> tuple[str, ...]:
    """Return the crawlers that an edit is for: all that are meant, as some dialects may read what
    closes the others otherwise; of a use, those for which the expectation does not hold."""
    evidence = judgement.evidence
    if evidence is None or judgement.expectation.use is None:
        return _meant(judgement)
    found = (token for each in evidence.counterexamples for token in each.crawlers)
    return (*found, *evidence.unproved)


def _meant(judgement: Judgement) -> tuple[str, ...]:
    return judgement.evidence.crawlers if judgement.evidence else judgement.expectation.tokens


def _patterns(told: Iterable[Told]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_pattern(each.expectation) for _, each in told))


def _pattern(expectation: Expectation) -> str:
    """Return a pattern that matches what an expectation is about."""
    if expectation.pattern is not None:
        return expectation.pattern
    target = parse(b"").decide(expectation.asked, "*").target
    return f"{target.replace('*', '%2A').replace('$', '%24')}$"


def _steps(body: bytes, failing: list[Told], told: list[Told]) -> Iterator[Outcome]:
    """Make the edits one after another. Raises Refused."""
    for wish, first in _wishes(failing).items():
        for done in _in_most_dialects(body, wish, first, told):
            yield done
            body = done.body


def _in_most_dialects(body: bytes, wish: Wish, first: Told, told: list[Told]) -> list[Outcome]:
    """Edit a file as one wish needs it, and change nothing else in `READERS`, but for those that
    cannot express it: Yandex reads a group for Googlebot as one for Googlebot-Mobile, too.

    Raises Refused.
    """
    dialects, is_in_vain = READERS, False
    if wish.use is None and (smaller := with_fewer_names(parse(body), wish.crawlers)):
        # which dialects cannot is found in less time there, and that none can
        [*_, (plan, left)] = _attempts(smaller.body, wish, first, told, dialects)
        is_in_vain = isinstance(plan, Refused)
        dialects = dialects if is_in_vain else left
    attempts = _attempts(body, wish, first, told, dialects)
    [*_, (made, _)] = islice(attempts, 1 if is_in_vain else None)
    if isinstance(made, Refused):
        raise made
    return made


def _attempts(
    body: bytes, wish: Wish, first: Told, told: list[Told], dialects: tuple[DialectName, ...]
) -> Iterator[tuple[list[Outcome] | Refused, tuple[DialectName, ...]]]:
    """Yield what comes of an edit as one wish needs it, with the dialects: then in those of them
    that can express it, as long as there are others."""
    while True:
        try:
            yield _made(body, wish, first, told, dialects), dialects
        except Refused as refused:
            proof = refused.proof
            yield refused, dialects
        else:
            return
        beyond = {
            name.split("+")[0]
            for each in (*proof.changed, *proof.uses, *proof.records)
            for name in each.dialects
        }
        left = tuple(name for name in dialects if name not in beyond)
        if left == dialects or wish.use is not None:
            return
        dialects = left


def _made(
    body: bytes, wish: Wish, first: Told, told: list[Told], dialects: Sequence[DialectName]
) -> list[Outcome]:
    """Edit a file as one wish needs it: if it cannot be done at once, first for the crawlers that
    only a group with their name binds, so that readers of prefixes let them take along no other.

    Raises Refused.
    """
    apart = tuple(token for token in wish.crawlers if not binding_of(token)[1])
    is_mixed = apart not in ((), wish.crawlers)
    if wish.use is None or not is_mixed:
        try:
            return [_granted(body, wish, first, told, dialects)]
        except Refused:
            if not is_mixed:
                raise
    before = _granted(body, wish._replace(crawlers=apart), first, told, dialects)
    return [before, _granted(before.body, wish, first, told, dialects)]


def _granted(
    body: bytes, wish: Wish, first: Told, told: list[Told], dialects: Sequence[DialectName]
) -> Outcome:
    """Edit a file as one wish needs it. Raises Refused."""
    robots = parse(body, dialect=_dialect_of(wish.dialect))
    try:
        if wish.use is None:
            edit, kept = allow if wish.allowed else block, _kept_by(wish, told)
            who = [
                token
                for token in wish.crawlers
                # Who means everybody says nothing of use: as all names, these follow `*`.
                if not ("*" in wish.crawlers and is_policy_token((token,)))
                or robots.agent(token).named
            ]
            return edit(robots, who, except_=kept, paths=wish.paths, dialects=dialects)
        readers, allowed = [*map(_dialect_of, dialects)], bool(wish.allowed)
        asked = wish.crawlers, wish.use
        return signal(robots, *asked, allowed=allowed, meant=_meant(first[1]), dialects=readers)
    except (Refused, InvalidOption, InvalidProductToken) as error:
        proof = error.proof if isinstance(error, Refused) else None
        raise Refused(f"{_where(first)} cannot hold: {error.message}", error.hint, proof) from None


def _kept_by(wish: Wish, told: Iterable[Told]) -> list[str]:
    """Return the crawlers that `*` does not stand for, as expectations want another answer."""
    kept = dict[str, None]()
    for _, each in told if "*" in wish.crawlers else ():
        expectation = each.expectation
        if expectation.use is None and expectation.allowed is wish.allowed:
            kept |= dict.fromkeys(expectation.except_)
        elif expectation.use is None and _witness(wish.paths, expectation, wish.dialect):
            kept |= dict.fromkeys(_meant(each))
    return [token for token in kept if token not in wish.crawlers]


# what no edit can do


def _expect_fixable(failing: Sequence[Told]) -> None:
    """Refuse expectations that no edit of rules makes hold."""
    if len(failing) > MOST_FIXED:
        why = f"{len(failing):,} expectations do not hold, more than {MOST_FIXED:,}"
        raise Refused(why, "use `paths` and `purpose` in place of many URLs and crawlers")
    for each in failing:
        _expect_rules_decide(_where(each), each[1])


def _expect_rules_decide(where: str, judgement: Judgement) -> None:
    expectation, verdict = judgement.expectation, judgement.verdict
    if judgement.error is not None:
        raise Refused(f"{where} has no answer: {printable(judgement.error)}", judgement.hint)
    if verdict is not None and verdict.allowed is expectation.allowed:
        why = f"{where} has the expected answer, but another rule or line decides"
        raise Refused(why, judgement.hint or "update `rule` and `line`")
    if expectation.use and (expectation.allowed is None or expectation.pattern not in SITE):
        why = f"{where} is about a use, of which a `Content-Signal` line speaks for the whole site"
        raise Refused(why, 'expect true or false of `paths = "/"`, or edit the file by hand')
    if expectation.except_paths:
        why = f"{where} has `except_paths`, around which no edit is made"
        raise Refused(why, "edit the rules by hand, or with `verger block` and `verger allow`")
    if len(expectation.tokens) > 1:
        why = f"{where} is about a crawler with {len(expectation.tokens)} tokens"
        raise Refused(why, "expect it of each token by itself")


def _expect_no_contradiction(files: Iterable[ExpectationFile], dialect: DialectName) -> None:
    """Refuse two expectations, perhaps of two files, that exclude each other."""
    owned = [
        (file.name, replace(each, dialect=each.dialect or file.dialect))
        for file in files
        for each in file.expectations
    ]
    names = {id(each): name for name, each in owned}
    for *pair, crawler, url in contradictions([each for _, each in owned], dialect):
        first, second = (_at(names[id(each)], each.at, each.asked) for each in pair)
        why = f"{first} contradicts {second}: {quoted(url)} for {quoted(crawler)}"
        raise Refused(why, "correct one of them, or name the crawler in `except`")


def _witness(paths: Sequence[str], other: Expectation, dialect: str) -> str | None:
    """Return a shortest URL that patterns match, and that an expectation is about; None if there is
    none."""
    agent = Rulebook(_dialect_of(dialect)).agent([("disallow", path) for path in paths])
    url, _, _, _ = _kept(agent, _pattern(other), [*other.except_paths], True, STEPS)
    return url


def _at(name: str, line: int | None, asked: str) -> str:
    """Return where an expectation stands."""
    return f"line {line} of {quoted(name)}" if line else quoted(asked)


def _where(told: Told) -> str:
    name, judgement = told
    return _at(name, judgement.expectation.at, judgement.about)
