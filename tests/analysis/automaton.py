"""Automata of rules: what a list of rules says of every target, told by a search of all of them.

In: the rules of a crawler as its dialect reads them, in the normal forms of the reference. Out: the
lengths of shortest targets that a rule decides, or of which two lists say otherwise; or None, if
the automaton has more states than it may. It shares nothing with the analysis, and no lemma.

A state is a set of places in all patterns at once, one bit each: those that still have to be met.
Patterns lie in the order of their ranks, the first that decides at the lowest bits.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import verger
from reference import SWITCHES, Switches
from reference.matcher import Pattern, prepared
from reference.normal import base_of_subject
from reference.reader import Group, Rule

Place = int
"""A set of places in patterns."""

ROBOTS_TXT = b"/robots.txt"
SLASH, DOT, QUESTION_MARK = b"/.?"
FOLDED_BYTES = frozenset(b":@[]!'(),;/?")
MEETS_NONE = re.compile(rb"[^]%:@[!'(),;?]*")
DIGITS = re.compile(rb"[0-9A-F]")


@dataclass(frozen=True, slots=True)
class Lane:
    """A pattern, in one of the forms in which it is compared."""

    pattern: Pattern | None
    """None for the file itself, which is always allowed."""
    literals: tuple[bytes, ...]
    anchored: bool
    form: Callable[[bytes], bytes] | None = None
    """What is done to a target before they are compared."""


@dataclass
class Automaton:
    """The rules of a crawler as one machine that reads a target byte by byte."""

    lanes: Sequence[Lane]
    begins: Place = 0
    loops: Place = 0
    """Places at which a star takes any byte."""
    ends: Place = 0
    next: dict[int, Place] = field(default_factory=dict)
    """For each byte, the places from which it leads on."""
    _folded: dict[Callable[[bytes], bytes], Place] = field(default_factory=dict)
    _starts: dict[int, int] = field(default_factory=dict)
    """For each place with a star, the place at which its lane begins."""
    _owners: dict[int, Lane] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at = 0
        for lane in self.lanes:
            at = self._lay(lane, at)

    def _lay(self, lane: Lane, start: int) -> int:
        """Lay a lane from a bit on; return where the next begins."""
        self.begins |= 1 << start
        at = start
        for number, literal in enumerate(lane.literals):
            if number:
                self._loop(at, start)
            for byte in literal:
                self.next[byte] = self.next.get(byte, 0) | 1 << at
                at += 1
        if not lane.anchored:
            self._loop(at, start)
        self.ends |= 1 << at
        self._owners[at] = lane
        if lane.form:
            bits = (1 << (at + 1)) - (1 << start)
            self._folded[lane.form] = self._folded.get(lane.form, 0) | bits
        return at + 1

    def _loop(self, at: int, start: int) -> None:
        self.loops |= 1 << at
        self._starts[at] = start

    @cached_property
    def first(self) -> Place:
        """The places before any byte."""
        return self._pruned(self.begins, 0)

    @cached_property
    def folded(self) -> Place:
        """The places of lanes that compare targets in another form."""
        return sum(self._folded.values())

    def after(self, places: Place, byte: int, *, in_query: bool) -> Place:
        """Return the places after one more byte."""
        if not places & self.folded:
            return self._pruned(self._led(places, byte), places)
        found = self._led(places & ~self.folded, byte)
        for form, lanes in self._folded.items():
            some = places & lanes
            for each in written(byte, form, in_query):
                some = self._led(some, each)
            found |= some
        return self._pruned(found, places)

    def _led(self, places: Place, byte: int) -> Place:
        return (places & self.next.get(byte, 0)) << 1 | places & self.loops

    def _pruned(self, places: Place, before: Place) -> Place:
        """Return places without those that decide nothing any more.

        Behind a star nothing of the pattern before it matters; and behind the last star of a
        pattern, no pattern of a lower rank.
        """
        new = places & self.loops & ~before
        for at in bits(new) if new else ():
            if places >> at & 1:
                places &= ~((1 << at) - (1 << self._starts[at]))
                if self.ends >> at & 1:
                    places &= (1 << (at + 1)) - 1
        return places

    def decider(self, places: Place) -> Lane | None:
        """Return what decides a target that ends here."""
        ends = places & self.ends
        return self._owners[lowest(ends)] if ends else None

    def allows(self, places: Place) -> bool:
        """Whether a target that ends here may be fetched."""
        lane = self.decider(places)
        return lane is None or lane.pattern is None or lane.pattern.allow


@cache
def written(byte: int, form: Callable[[bytes], bytes], in_query: bool) -> bytes:
    """Return what a form makes of a byte."""
    before = b"?" if in_query else b""
    return form(before + bytes([byte]))[len(before) :]


def bits(places: Place) -> Iterator[int]:
    while places:
        yield lowest(places)
        places &= places - 1


def lowest(places: Place) -> int:
    return (places & -places).bit_length() - 1


# From an agent to its automaton


def automaton_of(agent: verger.Agent) -> Automaton:
    """Make the automaton of what a crawler is told."""
    switches = SWITCHES[agent.robots.dialect.name]
    rules = [Rule(rule.allow, rule.pattern_bytes, rule.line) for rule in agent.rules]
    patterns, _ = prepared((Group([], rules, True),), switches)
    ranked = sorted((part for each in patterns for part in parts(each)), key=rank_in(switches))
    lanes = [lane for pattern in ranked for lane in lanes_of(pattern)]
    if switches.robots_txt_allowed:
        lanes.insert(0, Lane(None, (ROBOTS_TXT,), anchored=True))
    return Automaton(lanes)


def rank_in(switches: Switches) -> Callable[[Pattern], tuple[int, bool]]:
    """Return the rank of patterns, by which a stable sort brings them in order."""

    def rank(pattern: Pattern) -> tuple[int, bool]:
        loses_tie = pattern.allow != (switches.tie == "allow")
        return (0, False) if switches.precedence == "first" else (-pattern.length, loses_tie)

    return rank


def parts(pattern: Pattern) -> list[Pattern]:
    """Return a pattern, and the directory that it stands for as well."""
    return [pattern, pattern.directory] if pattern.directory else [pattern]


def lanes_of(pattern: Pattern) -> Iterator[Lane]:
    yield Lane(pattern, pattern.literals, pattern.anchored)
    if pattern.folded and meets_escapes(pattern.literals):
        yield Lane(pattern, pattern.folded.literals, pattern.anchored, pattern.folded.form)


def meets_escapes(literals: Sequence[bytes]) -> bool:
    """Whether a pattern may match a folded target without matching it as it is.

    Some of its bytes must then meet those of an escape: a `%`, a folded byte, or behind a star the
    digits with which an escape ends.
    """
    whole = b"".join(literals)
    return not MEETS_NONE.fullmatch(whole) or any(map(DIGITS.match, literals[1:]))


def held(switches: Switches) -> list[int]:
    """Return the bytes that targets hold, those first that read well."""
    every = [*b"z", *range(0x21, 0x7F), *range(0x21), *range(0x7F, 0x100)]
    if switches.normalisation == "koster96":  # it decodes what an URL cannot hold
        return list(dict.fromkeys(every))
    out = b"#" if switches.query else b"#?"
    out += b"\0" if switches.url_split == "google" else b""
    is_base = switches.normalisation == "base"
    return [
        byte
        for byte in dict.fromkeys(every)
        if byte not in out and not (is_base and len(base_of_subject(bytes([byte]))) > 1)
    ]


# Searches


@dataclass(frozen=True, slots=True)
class Search:
    """How far a search goes, and by which bytes."""

    machines: tuple[Automaton, ...]
    relevant: list[int]
    """Bytes that may lead some machine elsewhere than any other byte does."""
    other: list[int]
    """One byte that is not among them, if targets hold one."""
    most: int
    leaves_dots_out: bool
    """Whether no target has dot segments, and some pattern has a dot."""


def search_of(agents: Sequence[verger.Agent], most: int) -> Search:
    machines = tuple(automaton_of(agent) for agent in agents)
    told = {byte for machine in machines for byte in machine.next}
    if any(machine.folded for machine in machines):
        told |= FOLDED_BYTES
    switches = SWITCHES[agents[0].robots.dialect.name]
    possible = held(switches)
    relevant = [byte for byte in possible if byte in told]
    other = [byte for byte in possible if byte not in told]
    leaves_dots_out = switches.dot_segments == "remove" and DOT in told
    return Search(machines, relevant, other[:1], most, leaves_dots_out)


State = tuple[tuple[Place, ...], bool, bytes | None]
"""The places of each machine, whether a `?` was read, and the segment so far if it may become a dot
segment; or `?`, behind which there are none."""
DOT_SEGMENTS = (b".", b"..")


def states(search: Search) -> Iterator[tuple[int, tuple[Place, ...]] | None]:
    """Yield each state that targets lead to, with the length of a shortest; None if too many."""
    begin = tuple(machine.first for machine in search.machines)
    seen: set[State] = set()
    level: list[State] = [(begin, False, None)]
    reading = [ord("/")]
    length = 0
    while level:
        length += 1
        reached: list[State] = []
        for places, in_query, segment in level:
            for byte in reading or bytes_for(search, places):
                if segment in DOT_SEGMENTS and byte in (SLASH, QUESTION_MARK):
                    continue
                found, in_query_now = after(search, places, byte, in_query=in_query)
                state = found, in_query_now, continued(search, segment, byte)
                if state not in seen:
                    seen.add(state)
                    reached.append(state)
                    if state[2] not in DOT_SEGMENTS:
                        yield length, found
        if len(seen) > search.most:
            yield None
            return
        level, reading = reached, []


def continued(search: Search, segment: bytes | None, byte: int) -> bytes | None:
    """Return a segment with one more byte, if it may still become a dot segment, or `?`."""
    if not search.leaves_dots_out:
        return None
    if segment == b"?" or byte == QUESTION_MARK:
        return b"?"
    if byte == SLASH:
        return b""
    return segment + b"." if byte == DOT and segment in (b"", b".") else None


def bytes_for(search: Search, places: tuple[Place, ...]) -> list[int]:
    """Return bytes that lead to all that some places lead to."""
    pairs = list(zip(search.machines, places, strict=True))
    folded = FOLDED_BYTES if meets_folded(search, places) else frozenset()
    leading = [
        byte
        for byte in search.relevant
        if byte in folded or any(each & machine.next.get(byte, 0) for machine, each in pairs)
    ]
    other = search.other or [byte for byte in search.relevant if byte not in leading][:1]
    return leading + other


def after(
    search: Search, places: tuple[Place, ...], byte: int, *, in_query: bool
) -> tuple[tuple[Place, ...], bool]:
    found = tuple(
        machine.after(each, byte, in_query=in_query)
        for machine, each in zip(search.machines, places, strict=True)
    )
    return found, (in_query or byte == QUESTION_MARK) and meets_folded(search, found)


def meets_folded(search: Search, places: tuple[Place, ...]) -> bool:
    """Whether it still matters how a target is folded."""
    pairs = zip(search.machines, places, strict=True)
    return any(each & machine.folded for machine, each in pairs)


def shortest_changes(old: verger.Agent, new: verger.Agent, most: int) -> dict[bool, int] | None:
    """Return how long a shortest target is that was opened (True), and that was closed."""
    search = search_of((old, new), most)
    found: dict[bool, int] = {}
    for state in states(search):
        if state is None:
            return None
        length, places = state
        before, then = (m.allows(p) for m, p in zip(search.machines, places, strict=True))
        if before != then:
            found.setdefault(then, length)
    return found


def shortest_decided(agent: verger.Agent, most: int) -> dict[int, int] | None:
    """Return, for each line that decides some target, how long a shortest one is."""
    search = search_of((agent,), most)
    found: dict[int, int] = {}
    for state in states(search):
        if state is None:
            return None
        length, (places,) = state
        lane = search.machines[0].decider(places)
        if lane is not None and lane.pattern is not None:
            found.setdefault(lane.pattern.line, length)
    return found
