"""Proofs: what an edit of a file changes, for every crawler, over all URLs.

In: a file before and after. Out: a `Proof`: for which crawlers the answer to some URL changes, and
where; and for which crawlers other records apply. It covers the crawlers that either file names,
those of the registry, and `*`, which stands for all others, in each of the readings of a dialect;
crawlers that follow the groups of others as their operators say, and by their names alone.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from operator import ne

from verger._core import Agent, Dialect, RobotsTxt, _places
from verger.analysis.contents import records_by_group
from verger.analysis.draft import Edit
from verger.analysis.readings import read_again, readings
from verger.analysis.rules import STEPS, Budget, Change, Difference
from verger.crawlers import CRAWLERS, agents_of, alike
from verger.crawlers.binding import Bindings, named_in_some
from verger.crawlers.survey import unlisted_names
from verger.grouping import by_key
from verger.options import expect_robots, expect_tokens, is_token
from verger.plain import counted


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
    """

    crawlers: tuple[str, ...]
    changes: tuple[Change, ...]
    is_exact: bool
    dialects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """What an edit changes, for each of `proof.crawlers`.

    crawlers:       the product tokens of all crawlers that were compared; `*` stands for all
                    others.
    changed:        those for which an answer changes, or for which it is not proved that none does.
    dialects:       the names of the dialects in which they were compared. If the file has
                    `Content-Usage` lines, also of those that read them, such as
                    `rfc9309+content-usage`: there these lines end a run of start-group lines.
    other_records:  the crawlers to which other records than before apply, such as `Crawl-delay`.
    """

    crawlers: tuple[str, ...]
    changed: tuple[Changed, ...] = ()
    dialects: tuple[str, ...] = ()
    other_records: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it is proved that no URL changed for any crawler."""
        return not self.changed

    @property
    def keeps_everything(self) -> bool:
        """Whether it is proved that no URL and no record changed for any crawler."""
        return not self.changed and not self.other_records

    @property
    def unchanged(self) -> int:
        """For how many crawlers it is proved that no URL changed."""
        return len(self.crawlers) - len({token for each in self.changed for token in each.crawlers})

    def __repr__(self) -> str:
        exact = "" if all(each.is_exact for each in self.changed) else ", not exact"
        crawlers = counted(len(self.crawlers), "crawler")
        return f"Proof({self.unchanged} of {crawlers} unchanged{exact})"

    def without(self, crawlers: Iterable[str]) -> "Proof":
        """Return the proof without some crawlers."""
        left_out = {token.lower() for token in crawlers}

        def rest(tokens: Iterable[str]) -> tuple[str, ...]:
            return tuple(token for token in tokens if token.lower() not in left_out)

        changed = (replace(each, crawlers=rest(each.crawlers)) for each in self.changed)
        some = tuple(each for each in changed if each.crawlers)
        return Proof(rest(self.crawlers), some, self.dialects, rest(self.other_records))


def prove(
    old: RobotsTxt,
    new: RobotsTxt,
    more: Sequence[str] = (),
    *,
    bindings: Sequence[Bindings] = ("operators", "file"),
    budget: Budget | None = None,
    dialects: Iterable[Dialect] = (),
) -> Proof:
    """Compare two versions of a file for every crawler.

    more:      additional product tokens to compare.
    bindings:  whose groups each crawler follows: what its operator says, the names in the file
               alone, or both.
    budget:    the steps that the proof shares with others; None for twice those of one analysis.
    dialects:  dialects to compare them in, besides the file's own.
    """
    expect_robots(old=old, new=new)
    expect_tokens("more", more)
    further = (each for each in dict.fromkeys(dialects) if each != old.dialect)
    pairs = [(read_again(old, each), read_again(new, each)) for each in further]
    both = [each for pair in ((old, new), *pairs) for each in readings(*pair)]
    files = [file for _, *files in both for file in files]
    crawlers = crawlers_of(files, more)
    partitions = list(_partitions(files, crawlers, bindings))
    found: dict[tuple[str, int], dict[str, None]] = {}
    known: dict[Difference, int] = {}
    moved: set[str] = set()
    for (name, before, after), (each, partition) in product(both, partitions):
        records = records_by_group(before), records_by_group(after)
        for tokens, *agents, what in differences(before, after, partition, budget, each):
            if not (what.is_empty and what.is_exact):
                number = known.setdefault(what, len(known))
                for token in tokens:
                    found.setdefault((token, number), {})[name] = None
            if any(records) and ne(*map(_records_for, agents, records)):
                moved.update(tokens)
    places = {token: place for place, token in enumerate(crawlers if found or moved else ())}
    names = tuple(name for name, _, _ in both)
    other_records = tuple(sorted(moved, key=places.__getitem__))
    changed = tuple(_changed(found, list(known), places))
    return Proof(tuple(crawlers), changed, names, other_records)


def _partitions(
    files: Sequence[RobotsTxt], crawlers: Sequence[str], bindings: Sequence[Bindings]
) -> Iterator[tuple[Bindings, list[list[str]]]]:
    """Yield crawlers by the groups that they follow; by their names alone, only those for which
    what their operators say does not cover it."""
    for each in bindings:
        tokens = named_in_some(files, crawlers) if each == "file" else crawlers
        if tokens:
            yield each, alike(files, tokens, each)


def _changed(
    found: Mapping[tuple[str, int], Iterable[str]],
    known: Sequence[Difference],
    places: Mapping[str, int],
) -> Iterator[Changed]:
    """Yield the crawlers with the same changes in the same dialects, in their order."""
    alike = by_key(((number, tuple(names)), token) for (token, number), names in found.items())
    for (number, dialects), tokens in alike.items():
        what = known[number]
        crawlers = tuple(sorted(tokens, key=places.__getitem__))
        yield Changed(crawlers, what.changes, what.is_exact, dialects)


def _records_for(
    agent: Agent, records: Mapping[int | None, Collection[tuple[str, str]]]
) -> set[tuple[str, str]]:
    """Return the records of the groups that a crawler follows; to repeat one says nothing."""
    return {each for place in _places(agent) for each in records.get(place, ())}


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
    tokens = dict(_known())
    dialects = {file.dialect for file in files}
    values = [_values_in(file) for file in files]
    written = dict.fromkeys(
        name for each in reversed(values) for name in (*unlisted_names(each), *each)
    )
    more = list(more)
    for token in (*more, *_tokens_of(written, dialects)):
        tokens[token.lower()] = tokens.pop(token.lower(), token)
    for token in (
        *_tokens_of(cuts_of(more), dialects),
        *_cut_names(files, values, dialects),
    ):
        tokens.setdefault(token.lower(), token)
    return list(tokens.values())


@cache
def _known() -> dict[str, str]:
    """Return `*` and the tokens of the registry, by their lower case."""
    return {token.lower(): token for token in ("*", *(crawler.token for crawler in CRAWLERS))}


def _values_in(file: RobotsTxt) -> list[str]:
    """Return the values of its start-group lines, each once; those of void groups, too."""
    file = read_again(file, file.dialect.replace(drop_empty_groups=False))
    return list({value: None for group in file.groups for value in group.product_tokens})


CUTS = [
    re.compile(cut)
    for cut in (r"[A-Za-z_-]+", r"[A-Za-z0-9_.-]+", r"[^/* \t,;]+", r"[^/()<>@,;:\\\"\[\]?={} \t]+")
]
"""The part of a value that dialects read as the name."""

MOST_KIN = 2_000
"""The most names that are compared because they are longer or shorter than one in a file."""

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


def kin_of(old: RobotsTxt, new: RobotsTxt) -> list[str] | None:
    """Return names that are longer or shorter than those that only one of two files has, or None
    if they are too many to compare.

    A dialect that looks for one name in the other (original-1994) takes them for these. Names that
    are joined stand for all that follow the same groups.
    """
    before, after = set(_values_in(old)), set(_values_in(new))
    dialects = {old.dialect, new.dialect}
    words, all_words = _words_in(before ^ after), _words_in(before | after)
    first_words, firsts = (
        [same[0] for same in alike((old, new), [*_tokens_of(each, dialects)], "file")]
        for each in (words, all_words)
    )
    if 4 * len(words) + len(first_words) * len(firsts) > MOST_KIN:
        return None
    kin = dict.fromkeys(
        name for word in words for name in (f"{word}-x", f"x-{word}", word[1:], word[:-1])
    )
    kin |= dict.fromkeys(f"{first}-{word}" for word in first_words for first in firsts)
    return [*_tokens_of(kin, dialects)]


def _tokens_of(names: Iterable[str], dialects: Collection[Dialect]) -> Iterator[str]:
    """Yield those that can be the name of a crawler; none has an empty one, which `googlebot-cpp`
    would take."""
    return (name for name in names if name and is_token(name, dialects))


def _words_in(values: Iterable[str]) -> list[str]:
    return sorted({word for value in values for word in WORD.findall(value)})


def _cut_names(
    files: Sequence[RobotsTxt], values: Iterable[Iterable[str]], dialects: set[Dialect]
) -> list[str]:
    """Return names that a dialect may find in values, if a crawler of that name does not follow
    the same groups as one named by the whole value."""
    pairs: dict[tuple[str, str], None] = {}
    for value in dict.fromkeys(value for each in values for value in each):
        is_whole = is_token(value, dialects)
        names = cuts_of([value]) + ([] if is_whole else WORD.findall(value))
        whole = value if is_whole else "*"
        pairs |= {(name, whole): None for name in _tokens_of(names, dialects)}
    # One call for all: a name with which a thousand values begin is looked up once.
    partition = alike(files, list(dict.fromkeys(name for pair in pairs for name in pair)))
    part = {name: number for number, names in enumerate(partition) for name in names}
    return [cut for cut, whole in pairs if part[cut] != part[whole]]
