"""Proofs: what an edit of a file changes, for every crawler, over all URLs.

In: a file before and after. Out: a `Proof`: for which crawlers the answer to some URL changes, or
what it may be used for, and where; and for which crawlers other records apply. It covers the
crawlers that either file names, those of the registry, and `*`, which stands for all others, in
each of the readings of a dialect; crawlers that follow the groups of others as their operators say,
and by their names alone.

What a URL may be used for is combined from several voices: the rules of the crawler, the rules of
policy tokens, content signals, and usage preferences. If each of them says the same as before about
every URL, so do all together; if one does not, the answers may differ for whoever hears it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from verger._core import (
    DIALECTS,
    Agent,
    Dialect,
    RobotsTxt,
    _agents_named,
    _heard_otherwise,
    _placed_records,
    _places,
    _record_changes,
    _says_the_same,
    _tokens_among,
    _values_in,
    parse,
)
from verger.analysis.contents import records_by_group, text_of
from verger.analysis.edits import Edit
from verger.analysis.readings import DRAFT, readings, readings_of
from verger.analysis.rules import SAME, STEPS, Budget, Change, Difference
from verger.crawlers import CRAWLERS, agents_of, alike
from verger.crawlers.binding import Bindings, named_in_some, read_again
from verger.crawlers.purposes import USES
from verger.crawlers.survey import unlisted_names
from verger.crawlers.uses import policy_tokens
from verger.grouping import by_key
from verger.options import expect_robots, expect_tokens
from verger.untrusted_text import counted


@dataclass(frozen=True, slots=True)
class Outcome:
    """An edited file, and the proof of what the edit changes.

    robots:    the file after the edit.
    edits:     the edits that produce it; empty if none were needed.
    proof:     what the edit changes, for every crawler.
    crawlers:  the product tokens of the crawlers whose answers were meant to change.
    also:      names of no known crawler that the dialect takes for one of these, so that the same
               answers change for them: `MJ`, where the name `MJ12bot` is read up to its digits.
    untried:   the number of changes that `minimise` did not try, because they would take too long.
    """

    robots: RobotsTxt
    edits: tuple[Edit, ...]
    proof: "Proof"
    crawlers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    untried: int = 0

    @property
    def body(self) -> bytes:
        """The bytes of the file."""
        return self.robots.body

    def __repr__(self) -> str:
        edits = counted(len(self.edits), "edit")
        return f"Outcome({self.robots!r}, {edits}, {self.proof!r})"


@dataclass(frozen=True, slots=True)
class Changed:
    """Crawlers for which the same answers change.

    crawlers:  their product tokens; `*` for those that no group names.
    changes:   where the answers differ; empty if none were found but a proof was not possible.
    is_exact:  whether these are all.
    dialects:  the names of those of `Proof.dialects` in which they differ.
    uses:      the uses about which other things are said, in `Proof.uses`; empty where fetching
               changes.
    policy:    the policy token whose rules or records say so, and whose rules `changes` are about;
               None for records of the groups that the crawlers follow, or above all groups. Of
               records, the change is that of the whole site, without rules.
    """

    crawlers: tuple[str, ...]
    changes: tuple[Change, ...]
    is_exact: bool
    dialects: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """What an edit changes, for each of `proof.crawlers`.

    crawlers:  the product tokens of all crawlers that were compared; `*` stands for all others.
    changed:   those for which an answer about fetching changes, or for which it is not proved that
               none does.
    dialects:  the names of the dialects in which they were compared. If the file has
               `Content-Usage` lines, also of those that read them, such as `rfc9309+content-usage`:
               there these lines end a run of start-group lines.
    uses:      those to which other things are said about some use, besides the rules that they
               follow: by a policy token, or by records.
    records:   those to which other records than before apply, such as `Crawl-delay`.
    """

    crawlers: tuple[str, ...]
    changed: tuple[Changed, ...] = ()
    dialects: tuple[str, ...] = ()
    uses: tuple[Changed, ...] = ()
    records: tuple[Changed, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it is proved that no URL and no use changed for any crawler."""
        return not self.changed and not self.uses

    @property
    def keeps_everything(self) -> bool:
        """Whether it is proved that no URL, no use and no record changed for any crawler."""
        return self.is_empty and not self.records

    @property
    def affected(self) -> tuple[str, ...]:
        """The crawlers for which some URL or some use changed, or may have changed."""
        return _named_in((*self.changed, *self.uses))

    @property
    def other_records(self) -> tuple[str, ...]:
        """The crawlers to which other records than before apply."""
        return _named_in(self.records)

    @property
    def unchanged(self) -> int:
        """For how many crawlers it is proved that no URL and no use changed."""
        return len(self.crawlers) - len(self.affected)

    def __repr__(self) -> str:
        exact = "" if all(each.is_exact for each in (*self.changed, *self.uses)) else ", not exact"
        crawlers = counted(len(self.crawlers), "crawler")
        return f"Proof({self.unchanged} of {crawlers} unchanged{exact})"

    def without(self, crawlers: Iterable[str]) -> "Proof":
        """Return the proof without some crawlers."""
        left_out = {token.lower() for token in crawlers}
        rest = [token for token in self.crawlers if token.lower() not in left_out]
        return self._of(rest, self.dialects)

    def within(self, dialects: Collection[str]) -> "Proof":
        """Return the proof in some of its dialects alone."""
        return self._of(self.crawlers, [name for name in self.dialects if name in dialects])

    def _of(self, crawlers: Sequence[str], dialects: Sequence[str]) -> "Proof":
        asked, where = {*crawlers}, {*dialects}
        changed, uses, records = (
            tuple(
                replace(
                    each,
                    crawlers=tuple(filter(asked.__contains__, each.crawlers)),
                    dialects=tuple(filter(where.__contains__, each.dialects)),
                )
                for each in those
                if not asked.isdisjoint(each.crawlers) and not where.isdisjoint(each.dialects)
            )
            for those in (self.changed, self.uses, self.records)
        )
        return Proof((*crawlers,), changed, (*dialects,), uses, records)


def _named_in(changed: Iterable[Changed]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token for each in changed for token in each.crawlers))


def prove(
    old: RobotsTxt,
    new: RobotsTxt,
    more: Sequence[str] = (),
    *,
    bindings: Sequence[Bindings] = ("operators", "file"),
    budget: Budget | None = None,
    dialects: Iterable[Dialect] = (),
    kin: bool = False,
    named: bool = True,
) -> Proof:
    """Compare what two versions of a file say to every crawler, about fetching and about use.

    more:      additional product tokens to compare.
    bindings:  whose groups each crawler follows: what its operator says, the names in the file
               alone, or both.
    budget:    the steps that the proof shares with others; None for twice those of one analysis.
    dialects:  dialects to compare them in, besides the file's own.
    kin:       whether to compare names that nobody knows, too, which dialects take for those that
               only one of the versions has; if they are too many, the proof is not exact.
    named:     whether to compare the crawlers that only the files name; without, the proof is one
               for those of the registry.
    """
    expect_robots(old=old, new=new)
    expect_tokens("more", more)
    further = (each for each in dict.fromkeys(dialects) if each != old.dialect)
    pairs = [(read_again(old, each), read_again(new, each)) for each in further]
    # Some names are those of crawlers only in the dialect of the file.
    own, others = [*readings(old, new)], [each for pair in pairs for each in readings(*pair)]
    found = _Comparisons()
    for both in filter(None, (own, others)):
        files = [file for _, *files in both for file in files]
        related = [_kin_of(before, after) for _, before, after in both] if kin else []
        names = dict.fromkeys(name for each in related for name in each or ())
        crawlers, alike_there = crawlers_alike(files, [*more, *names], named=named)
        found.crawlers |= dict.fromkeys(crawlers)
        if None in related:
            found.add(both[0][0], ["*"], "changed", Difference((), is_exact=False))
        partitions = list(_partitions(files, crawlers, alike_there, bindings))
        for name, before, after in both:
            for each, partition in partitions:
                found.add_answers(name, [*differences(before, after, partition, budget, each)])
            found.add_policies(name, before, after, budget or Budget(2 * STEPS))
    return found.proof(tuple(name for name, _, _ in (*own, *others)))


STEPS_OF_ALL = 8 * STEPS
"""The most steps of the proofs in all dialects."""


def says_the_same(old: bytes, new: bytes, *, url: str | None = None) -> bool | None:
    """Whether it is proved, for every crawler and each dialect, that two versions of a file say the
    same about every URL and every use, and that the same records apply to the same crawlers; False
    if some crawler gets another answer, None if neither is proved."""
    has_usage = any(DRAFT.encode() in body.lower() for body in (old, new))
    every = _every_reading(has_usage=has_usage)
    unproved = _says_the_same(old, new, [reading for _, reading in every], STEPS_OF_ALL)
    if unproved is None:
        return False
    budget = Budget(STEPS_OF_ALL)
    are_same = all(
        _is_same(parse(old, dialect=dialect, url=url), parse(new, dialect=dialect, url=url), budget)
        for dialect in dict.fromkeys(every[place][0] for place in unproved)
    )
    return are_same or None


@cache
def _every_reading(*, has_usage: bool) -> list[tuple[Dialect, Dialect]]:
    """Return each dialect with each of the readings that `readings` yields for it."""
    found = {each: list(readings_of(each).values()) for each in DIALECTS.values()}
    return [(one, each) for one, some in found.items() for each in some[: None if has_usage else 1]]


def _is_same(old: RobotsTxt, new: RobotsTxt, budget: Budget) -> bool:
    both = ((_text(before), _text(after)) for _, before, after in readings(old, new))
    if all(before == after for before, after in both):
        return old.truncated == new.truncated
    return prove(old, new, budget=budget, kin=True).keeps_everything


def _text(robots: RobotsTxt) -> object:
    """Return a file without lines and layout: its groups, and its records, each with the index of
    its group, and whether it stands above all groups, where signals are for everyone."""
    first = next((line for group in robots.groups for line in group.start_lines), 0)
    return list(map(text_of, robots.groups)), [
        (place, line < first or not first, field, raw)
        for place, line, field, raw in _placed_records(robots)
    ]


def _partitions(
    files: Sequence[RobotsTxt],
    crawlers: Sequence[str],
    by_operators: list[list[str]],
    bindings: Sequence[Bindings],
) -> Iterator[tuple[Bindings, list[list[str]]]]:
    """Yield crawlers by the groups that they follow; by their names alone, only those for which
    what their operators say does not cover it."""
    for each in bindings:
        if each == "operators":
            yield each, by_operators
        elif tokens := named_in_some(files, crawlers):
            yield each, alike(files, tokens, each)


NOTHING: tuple[list[tuple[str, bool]], list[tuple[str, bool]], bool] = ([], [], False)
"""What records say otherwise to a crawler to which they say the same."""


class _Comparisons:
    """What changes, while it is found."""

    def __init__(self) -> None:
        self.crawlers: dict[str, None] = {}
        self._policies = _policies()
        self._found: dict[Any, dict[str, dict[str, None]]] = {}

    def add(
        self, name: str, tokens: Iterable[str], kind: str, what: Difference, *about: Any
    ) -> None:
        """Add what changes for some crawlers in a dialect.

        kind:   the field of the proof that it belongs to.
        about:  the uses, and the policy token.
        """
        told = self._found.setdefault((kind, what, *about), {})
        for token in tokens:
            told.setdefault(token, {})[name] = None

    def add_answers(
        self, name: str, compared: Sequence[tuple[Sequence[str], Agent, Agent, Difference]]
    ) -> None:
        """Add what changes for crawlers that follow the same groups, and what records say."""
        for tokens, _, _, what in compared:
            if what != SAME:
                self.add(name, tokens, "changed", what)
        _, old, new, _ = zip(*compared, strict=True)
        if _record_changes(old[0].robots, new[0].robots):
            self.add(name, self.crawlers, "records", SAME)
        for at, (_, heard, has_others) in _heard_otherwise([*old], [*new]):
            tokens = compared[at][0]
            if has_others:
                self.add(name, tokens, "records", SAME)
            rest = [token for token in tokens if token not in self._policies]
            self._add_signals(name, rest, heard)

    def add_policies(self, name: str, before: RobotsTxt, after: RobotsTxt, budget: Budget) -> None:
        """Add what the groups that name a policy token say otherwise, to it and to the crawlers
        that it stands for; those of `*` do not speak for it."""
        old, new = (_agents_named(file, [*self._policies]) for file in (before, after))
        said, found = dict(_heard_otherwise(old, new)), budget.compare(old, new, policy=True)
        for at, ((token, uses), what) in enumerate(zip(self._policies.items(), found, strict=True)):
            own, heard, _ = said.get(at, NOTHING)
            if what != SAME or own:
                led = _led_by(token, uses, (*self.crawlers,))
                self._add_signals(name, led, [each for each in own if each[0] in uses], token)
            if what != SAME:
                self.add(name, led, "uses", what, uses, token)
            self._add_signals(name, [token], heard)

    def _add_signals(
        self,
        name: str,
        tokens: Iterable[str],
        said: Iterable[tuple[str, bool]],
        policy: str | None = None,
    ) -> None:
        """Add what records say otherwise to some crawlers, perhaps about every URL."""
        for opened, uses in by_key((opened, use) for use, opened in said).items():
            what = Difference((Change(opened, "/", "/", None, None),), is_exact=True)
            self.add(name, tokens, "uses", what, tuple(uses), policy)

    def proof(self, dialects: tuple[str, ...]) -> Proof:
        """Return the proof: crawlers with the same changes in the same dialects are together."""
        places = {token: at for at, token in enumerate(self.crawlers if self._found else ())}
        made: dict[str, list[Changed]] = {"changed": [], "uses": [], "records": []}
        for (kind, what, *about), told in self._found.items():
            alike = by_key(((*names,), token) for token, names in told.items())
            for names, tokens in alike.items():
                crawlers = tuple(sorted(tokens, key=places.__getitem__))
                found = Changed(crawlers, what.changes, what.is_exact, names, *about)
                made[kind].append(found)
        changed, uses, records = map(tuple, made.values())
        return Proof((*self.crawlers,), changed, dialects, uses, records)


@cache
def _policies() -> dict[str, tuple[str, ...]]:
    """Return the policy tokens, each with the uses that it stands for."""
    return {
        each.token: tuple(use for use, purpose in USES.items() if purpose in each.purposes)
        for each in CRAWLERS
        if each.kind == "policy-token"
    }


@lru_cache(64)  # one edit after another is about the same crawlers, in each dialect
def _led_by(token: str, uses: tuple[str, ...], crawlers: tuple[str, ...]) -> list[str]:
    """Return the crawlers for which a policy token stands, and the token."""
    return [
        each
        for each in crawlers
        if any(token == name for use in uses for name, _ in policy_tokens((each,), use))  # type: ignore[arg-type]
    ]


Records = frozenset[tuple[str, str]]


def changed_records(old: RobotsTxt, new: RobotsTxt, proof: Proof) -> tuple[list[str], list[str]]:
    """Return the records that no longer apply to some crawlers of a proof, and those that now do,
    with those of the whole file, in the dialects in which they change."""
    where = by_key((name, each.crawlers) for each in proof.records for name in each.dialects)
    lost: set[tuple[str, str]] = set()
    gained: set[tuple[str, str]] = set()
    for name, several in where.items():
        tokens = [token for some in several for token in some]
        before, after = (_records_in(file, name, tokens) for file in (old, new))
        lost |= _lost(before, after)
        gained |= _lost(after, before)
    first, second = (sorted(map(": ".join, some)) for some in (lost, gained))
    return first, second


def _lost(
    before: tuple[Records, list[Records]], after: tuple[Records, list[Records]]
) -> set[tuple[str, str]]:
    """Return the records that some crawler had and has no longer: those of the whole file, and its
    own. Thousands of crawlers may share those of one group, and then have one of each."""
    (whole, own), (whole_then, own_then) = before, after
    gone = whole - whole_then
    found = set(gone)
    for had, have in by_key(zip(own, own_then, strict=True)).items():
        found |= (gone | (had - whole_then)) - frozenset.intersection(*dict.fromkeys(have))
    return found


def _records_in(
    robots: RobotsTxt, reading: str, tokens: Sequence[str]
) -> tuple[Records, list[Records]]:
    """Return the records of the whole file, and those of the groups that each crawler follows; to
    repeat one says nothing.

    reading:  its name, as in `Proof.dialects`.
    """
    name = reading.removesuffix(f"+{DRAFT}")
    dialect = robots.dialect if name == robots.dialect.name else DIALECTS[name]
    file = read_again(robots, readings_of(dialect)[reading])
    records = records_by_group(file)
    places = [tuple(_places(each)) for each in agents_of(file, tokens)]
    own = {
        some: frozenset(each for place in some for each in records.get(place, ()))
        for some in dict.fromkeys(places)
    }
    return frozenset(records.get(None, ())), [own[some] for some in places]


def differences(
    old: RobotsTxt,
    new: RobotsTxt,
    partition: Sequence[Sequence[str]],
    budget: Budget | None = None,
    bindings: Bindings = "operators",
    over: Sequence[tuple[bool, str]] = (),
) -> Iterator[tuple[Sequence[str], Agent, Agent, Difference]]:
    """Return how two versions of a file differ, for crawlers that follow the same groups in each,
    with the rules of the first of them in both.

    over:  rules that outrank those of the new version, as in `Budget.compare`.
    """
    budget = budget or Budget(2 * STEPS)
    firsts = [tokens[0] for tokens in partition]
    before, after = agents_of(old, firsts, bindings), agents_of(new, firsts, bindings)
    return zip(partition, before, after, budget.compare(before, after, over), strict=True)


def crawlers_of(files: Sequence[RobotsTxt], more: Iterable[str] = ()) -> list[str]:
    """Return the product tokens of all crawlers that some files can tell apart.

    Those that the files name come last, in the order of the last file, then of those before it.
    """
    return crawlers_alike(files, more)[0]


def crawlers_alike(
    files: Sequence[RobotsTxt], more: Iterable[str] = (), *, named: bool = True
) -> tuple[list[str], list[list[str]]]:
    """Return `crawlers_of` some files, and the same by the groups that they follow, as `alike`.

    named:  whether to return those that the files name.
    """
    dialects = frozenset(file.dialect for file in files)
    # Nearly all files name the same, in some dialect and in all.
    naming = reversed(files) if named else ()
    values = (*dict.fromkeys(tuple(values_in(file)) for file in naming),)
    tokens, cuts, pairs = _names_in(values, tuple(more), dialects)
    # One call for all: a name with which a thousand values begin is looked up once.
    partition = alike(files, [*tokens, *cuts])
    if not cuts:
        return [*tokens], partition
    part = {name: place for place, names in enumerate(partition) for name in names}
    apart = {cut for cut, whole in pairs if part[cut] != part[whole]}
    left_out = frozenset(cuts).difference(apart)
    if left_out:
        partition = [[name for name in names if name not in left_out] for names in partition]
    return [*tokens, *(cut for cut in cuts if cut in apart)], partition


@lru_cache(8)  # the files of one proof after another name the same
def _names_in(
    values: tuple[tuple[str, ...], ...], more: tuple[str, ...], dialects: frozenset[Dialect]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the names of crawlers in values and beside them; those that a dialect may find in
    values, each once in any case; and these, each with the name that its value is."""
    tokens = dict(_known())
    for token in (*_tokens_of(more, dialects), *_written_in(values, dialects)):
        tokens[token.lower()] = tokens.pop(token.lower(), token)
    for token in _tokens_of(cuts_of(more), dialects):
        tokens.setdefault(token.lower(), token)
    pairs = _cuts_in(values[::-1], dialects)
    cuts = {cut.lower(): cut for cut, _ in pairs if cut.lower() not in tokens}
    spelt = tokens | cuts
    places = dict.fromkeys(
        (cuts[cut.lower()], spelt[whole.lower()]) for cut, whole in pairs if cut.lower() in cuts
    )
    return (*tokens.values(),), (*cuts.values(),), (*places,)


@cache
def _known() -> dict[str, str]:
    """Return `*` and the tokens of the registry, by their lower case."""
    return {token.lower(): token for token in ("*", *(crawler.token for crawler in CRAWLERS))}


def values_in(file: RobotsTxt) -> list[str]:
    """Return the values of its start-group lines, each once; those of void groups, too."""
    return _values_in(read_again(file, file.dialect.replace(drop_empty_groups=False)))


CUTS = [
    re.compile(cut)
    for cut in (r"[A-Za-z_-]+", r"[A-Za-z0-9_.-]+", r"[^/* \t,;]+", r"[^/()<>@,;:\\\"\[\]?={} \t]+")
]
"""The part of a value that dialects read as the name."""

MOST_KIN = 2_000
"""The most names that are compared because they are longer or shorter than one in a file."""

MOST_PAIRS = 8_000
"""The most pairs of names whose common parts are compared."""

LONGEST_PART = 48
"""The most characters of a name that is looked for in two others; what they have in common beyond
is not compared."""

WORD = re.compile(r"[^\x00-\x20/()<>@,;:\\\"\[\]?={}*#|\x7f]+")
"""A name anywhere in a value that is no name itself, such as `*bot`: `substring` finds it."""


def cuts_of(values: Iterable[str]) -> list[str]:
    """Return names that a dialect may find at the beginning of values."""
    found = {
        name[0]: None
        for value in values
        for cut in CUTS
        if (name := cut.match(value)) and name[0] != value
    }
    return list(found)


WHOLE = re.compile(r"[/* \t,;]")
"""What ends the name in a value, for dialects that read whole names."""


def cut_names(names: Iterable[str], values: Iterable[str]) -> list[str]:
    """Return those names that no crawler of the registry has and no value writes: dialects read
    them at the beginning of longer ones, such as `img` in `img2dataset`."""
    whole = {part.lower() for value in values for part in (value, WHOLE.split(value)[0])}
    return [name for name in names if name.lower() not in whole and name.lower() not in _known()]


def _kin_of(old: RobotsTxt, new: RobotsTxt) -> list[str] | None:
    """Return names that are longer or shorter than those of groups that only one of two files has,
    or None if they are too many to compare.

    A dialect that looks for one name in the other (original-1994) takes them for these: it finds
    `bot` in `xbot` and in `ybot`, of which the first group counts. Names that are joined stand for
    all that follow the same groups.
    """
    before, after = _names_of_groups(old), _names_of_groups(new)
    if before == after:
        return []
    dialects, moved = {old.dialect, new.dialect}, {*before} ^ {*after} or {*before}
    words, all_words = (
        _words_in(value for names in groups for value in names)
        for groups in (moved, {*before, *after})
    )
    first_words, firsts = (
        [same[0] for same in alike((old, new), _tokens_of(each, dialects), "file")]
        for each in (words, all_words)
    )
    are_many = 4 * len(words) + len(first_words) * len(firsts) > MOST_KIN
    if are_many or len(words) * len(all_words) > MOST_PAIRS:
        return None
    kin = dict.fromkeys(
        name for word in words for name in (f"{word}-x", f"x-{word}", word[1:], word[:-1])
    )
    kin |= dict.fromkeys(f"{first}-{word}" for word in first_words for first in firsts)
    shared = {part for word in words for part in _shared(word, all_words)}
    if any(len(part) == LONGEST_PART for part in shared):
        return None
    kin |= dict.fromkeys(sorted(shared))
    return _tokens_of(kin, dialects)


def _names_of_groups(file: RobotsTxt) -> list[tuple[str, ...]]:
    """Return the values of the start-group lines of each group, each once."""
    return [(*dict.fromkeys(group.product_tokens),) for group in file.groups]


def _shared(word: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the longest parts that a word has in common with others, in lower case."""
    parts = _parts_of(word.lower())
    for other in words:
        found: list[str] = []
        for part in sorted(parts & _parts_of(other.lower()), key=len, reverse=True):
            if not any(part in longer for longer in found):
                found.append(part)
        yield from found


@lru_cache(256)  # of names that are compared with one after another
def _parts_of(word: str) -> frozenset[str]:
    return frozenset(
        word[begin:end]
        for begin in range(len(word))
        for end in range(begin + 1, min(begin + LONGEST_PART, len(word)) + 1)
    )


def _tokens_of(names: Iterable[str], dialects: Iterable[Dialect]) -> list[str]:
    """Return those that can be the name of a crawler; none has an empty one, which `googlebot-cpp`
    would take."""
    return _tokens_among([*filter(None, names)], [*dialects])


def _words_in(values: Iterable[str]) -> list[str]:
    return sorted({word for value in values for word in WORD.findall(value)})


def _written_in(values: tuple[tuple[str, ...], ...], dialects: frozenset[Dialect]) -> list[str]:
    """Return the names that start-group lines write, without those that no crawler can have."""
    written = dict.fromkeys(name for each in values for name in (*unlisted_names(each), *each))
    return _tokens_of(written, dialects)


def _cuts_in(
    values: tuple[tuple[str, ...], ...], dialects: frozenset[Dialect]
) -> dict[tuple[str, str], None]:
    """Return the names that a dialect may find in values, each with the name that the whole value
    is; who follows the same groups as that needs no name of its own."""
    written = dict.fromkeys(value for each in values for value in each)
    whole = {*_tokens_of(written, dialects)}
    cuts = {
        value: cuts_of([value]) + ([] if value in whole else WORD.findall(value))
        for value in written
    }
    names = {*_tokens_of({name for some in cuts.values() for name in some}, dialects)}
    return {
        (name, value if value in whole else "*"): None
        for value, some in cuts.items()
        for name in some
        if name in names
    }
