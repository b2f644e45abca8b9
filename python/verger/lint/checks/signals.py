"""Content signals and usage preferences.

RT409, RT410, RT417 and RT419.
"""

from bisect import bisect
from collections.abc import Container, Iterator, Sequence
from math import inf
from typing import TypeAlias

from verger._core import _USES, ContentSignal, ContentUsage, Group, Record
from verger.crawlers.binding import agent_of
from verger.lint.check import check
from verger.lint.checks.named_groups import FETCHED_BY, would_be_bound
from verger.lint.diagnostic import Found, Related, quoted
from verger.lint.file import File, tokens_of
from verger.untrusted_text import listed

CODES = ("unknown-signal", "unknown-usage", "unknown-usage-label", "unknown-usage-value")


@check("RT409", "warning")
def unknown_signal(file: File) -> Iterator[Found]:
    """A `Content-Signal` or `Content-Usage` with a signal, a label or a form that is not defined.

    The label `ai-use` is only in the working copy of the vocabulary's draft (September 2026).

    Why: crawlers read the signals that are defined, and skip others.

    Use instead: `search`, `ai-input` and `ai-train` with `yes` or `no` (Cloudflare documentation,
    Content Signals); `train-ai` and `search` with `y` or `n` (draft-ietf-aipref-vocab).
    """
    for code in CODES:
        for finding in file.by_code.get(code, []):
            yield _found(file, finding.line, finding.message)
    for record in file.robots.records:
        value = record.value
        if isinstance(value, ContentUsage) and value.ai_use is not None and value.train_ai is None:
            yield _found(file, record.line, "`ai-use` is in no published draft; `train-ai` is")


def _found(file: File, number: int, why: str) -> Found:
    line = file.line(number)
    return Found(number, f"{quoted(line.value or '')}: {why}", line.value_span)


Said: TypeAlias = tuple[bool, int]
"""What a signal says, and in which line."""


@check("RT410", "warning")
def contradicting_signals(file: File) -> Iterator[Found]:
    """Two `Content-Signal` lines that say yes and no to the same use, in one group or in groups
    that are joined.

    verger uses the more restrictive one. RFC 9309 section 2.2.1 joins the groups of one crawler,
    such as two for `*`, of which a program wrote one.

    Why: each crawler follows one of them, and not necessarily the one that is meant.

    Use instead: one line for each group.
    """
    first: dict[tuple[int, str], Said] = {}
    elsewhere: dict[tuple[str, str], Said] = {}
    for record in file.robots.records:
        for name, *_ in _USES if isinstance(record.value, ContentSignal) else ():
            said: bool | None = getattr(record.value, name.replace("-", "_"))
            key = (id(record.group), name)  # several records share a group
            if said is not None and key not in first:
                first[key] = _first(record, name, said, elsewhere)
            other, line = first.get(key, (None, 0))
            if said is not None and other is not None and other is not said:
                words = ("no", "yes")
                what = f"`{name}={words[said]}` here, and `{name}={words[other]}` in line {line}"
                span = file.line(record.line).value_span
                yield Found(record.line, what, span, related=(Related(line, "the other signal"),))


def _first(record: Record, name: str, said: bool, elsewhere: dict[tuple[str, str], Said]) -> Said:
    """Return what the first signal of a group is compared with: one of a group that is joined to it
    and says the opposite, else itself."""
    own = said, record.line
    tokens = tokens_of(record.group) if record.group else []
    known = [elsewhere.setdefault((token.lower(), name), own) for token in tokens]
    return next((each for each in known if each[0] is not said), own)


SIGNALS = ("content-signal", "content-usage")


@check("RT419", "warning")
def open_policy_token(file: File) -> Iterator[Found]:
    """A group that lets in `Google-Extended` or another policy token for training, while a signal
    to the crawler that fetches for it, or to `*`, says that pages may not be used for that.

    Google and Apple document these names for their AI models, and no signals.

    Why: the operator reads that it may use the pages for training, and others read the opposite.

    Use instead: `Disallow: /` in the group of the policy token, or no signal against training.
    """
    named = {each: by for each, by in FETCHED_BY.items() if each.lower() in file.named}
    for token, names in named.items():
        agents = [agent_of(file.robots, name) for name in (token, *names)]
        is_let_in = all(agent.posture != "none" for agent in agents)
        agents.append(file.robots.agent("*"))
        heard = [group.start_lines for agent in agents for group in agent.groups]
        record = _nearest_about_training(file, heard) if is_let_in else None
        if record and _may_train(record) is False:
            line = file.named[token.lower()][0]
            what = f"{quoted(token)} is let in, and line {record.line} says {quoted(record.raw)}"
            related = (Related(record.line, "the signal against training"),)
            yield Found(line, what, file.line(line).value_span, related=related)


def _nearest_about_training(file: File, heard: Sequence[tuple[int, ...]]) -> Record | None:
    """Return the first record about training of the nearest place that has one.

    heard:  the start lines of groups, the nearest first; the farthest place is above all groups.
    """
    first: dict[tuple[int, ...] | None, Record] = {}
    for record in file.robots.records:
        if _may_train(record) is not None:
            first.setdefault(record.group and record.group.start_lines, record)
    return next((first[place] for place in (*heard, None) if place in first), None)


def _may_train(record: Record) -> bool | None:
    """Return what a record says about training; None if it says nothing about that."""
    return getattr(record.value, "ai_train", getattr(record.value, "train_ai", None))


OF_THE_FILE = ("sitemap", "host")


@check("RT417", "note")
def misplaced_signal(file: File) -> Iterator[Found]:
    """A `Content-Signal` above the first group, behind a `Sitemap`, in a group for `*` that closes
    the site, behind another closed group, or in some groups, while others that let their crawlers
    in have none.

    Signals are lines of a group (Cloudflare documentation, Content Signals), and a crawler that a
    group names does not follow that of `*` as well. Above the first group they speak only to those
    whose own groups have none; at the end of a file they are of its last group, whatever stands
    between; in a group that disallows everything nothing is left to use. Within a group that closes
    the site to a crawler by its name, a signal is not reported: both are meant for it.

    Why: a signal speaks to the crawlers of its group, and to no others that may fetch pages.

    Use instead: the line below `User-agent: *`, and in each other group that needs it.
    """
    records = [record for record in file.robots.records if record.field in SIGNALS]
    groups = {id(each.group): each.group for each in records if each.group}  # several share one
    closed = {key for key, group in groups.items() if _is_closed(file, group)}
    blank = [line.number for line in file.lines if line.kind == "blank"]
    apart = [line.number for line in file.lines if line.field in OF_THE_FILE]
    edges = [*apart, inf], [*sorted((*apart, *blank)), inf]
    ends = {at: _end_of(edges[at in closed], each, at in closed) for at, each in groups.items()}
    heard: dict[int, Record] = {}
    for record in records:
        key, group = quoted(file.line(record.line).key or ""), id(record.group)
        if record.group is None:
            if record.field == "content-signal":  # the other one is RT411
                yield Found(record.line, f"{key} is above the first group, and in none itself")
                heard[-1] = record
        elif ends[group] < record.line:
            name = quoted(tokens_of(record.group)[0])
            alone = f"is in the group of {name}, which may fetch nothing"
            belongs = f"belongs to the group of {name}, and to no other"
            yield Found(record.line, f"{key} {alone if group in closed else belongs}")
            heard |= {} if group in closed else {-1: record}
        elif group not in closed:
            for start in record.group.start_lines[:1]:  # a limit for lines may drop the head
                heard.setdefault(file.head_of[start], record)
    if heard and -1 not in heard and (names := [*dict.fromkeys(_without_signals(file, heard))]):
        record = next(iter(heard.values()))
        what = f"no group of {listed(names, quoted)} has a signal such as {quoted(record.raw)}"
        yield Found(record.line, what, file.line(record.line).value_span)


def _without_signals(file: File, heard: Container[int]) -> Iterator[str]:
    """Yield one name for each set of groups without signals whose crawlers may fetch something.

    heard:  the places of the groups with signals.
    """
    for agent in file.agents if file.is_whole else ():
        name = tokens_of(agent.groups[0])[0] if agent.groups else "*"
        is_deaf = not any(place in heard for place in file.followed[agent])
        if is_deaf and file.posture_of(agent) != "none" and (name == "*" or would_be_bound(name)):
            yield name


def _is_closed(file: File, group: Group) -> bool:
    """Whether no crawler of a group may fetch anything."""
    agents = file.agents_of(group)
    return bool(agents) and all(file.posture_of(agent) == "none" for agent in agents)


def _end_of(edges: Sequence[float], group: Group, is_closed: bool) -> float:
    """Return the line where a group seems to end; nothing ends that of `*`, and a closed one has no
    place for signals.

    edges:  the lines that are of no group; for a closed one, also blank ones, which count below its
            rules. Infinity is the last.
    """
    if not group.product_tokens or "*" in group.product_tokens:
        return 0 if is_closed and group.product_tokens else inf
    start = group.rules[-1].line if is_closed and group.rules else group.start_lines[-1]
    return edges[bisect(edges, start)]
