"""Groups: where they begin and end, and which of them are read.

RT201, RT209, RT213 and RT218.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from verger._core import Group, Line, RobotsTxt, parse
from verger.analysis import Edit
from verger.grouping import by_key
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found, Related, quoted
from verger.lint.file import File, name_of
from verger.options import DialectName
from verger.untrusted_text import counted, lines_of, listed


@check("RT201", "error", fix="unsafe")
def rule_outside_group(file: File) -> Iterator[Found]:
    """Rules before any `User-agent` line: they are outside any group (RFC 9309 section 2.2.1). A
    file has one such finding.

    For targets in which a blank line ends a group, also each rule after such a line.

    Why: the rule applies to no crawler.

    Use instead: a group that begins with the crawlers that the rule is meant for.

    Fix: the blank lines between the `User-agent` line and the rule are removed; without such a
    line, `User-agent: *` is written before the first rule, unless a line above it is not read,
    which may be meant to name a crawler. The rule then takes effect, so the fix is unsafe.
    """
    outside = file.numbers_of("rule-without-group")
    found = [*_outside(file, set(outside))]
    before = [number for number, start, _ in found if start is None and number not in file.marks]
    for number in before[:1]:
        at, new = file.content(number)[0], b"User-agent: *" + file.line_end
        what = "the rule is before any `User-agent` line, and applies to no crawler"
        more = f"; likewise {counted(len(before) - 1, 'more rule')}" if before[1:] else ""
        fix = file.rewrite((at, at), new, "Write `User-agent: *` before it", "unsafe")
        above = (line.kind for line in file.lines[: outside[0] - 1])
        is_clear = number == outside[0] and "unknown" not in above
        yield Found(number, what + more, fix=fix if is_clear else None)
    for number, start, blanks in found:
        if start is not None:
            yield _cut_off(number, start, blanks)


def _outside(
    file: File, numbers: Collection[int]
) -> Iterator[tuple[int, Line | None, Sequence[Line]]]:
    """Yield lines, each with the `User-agent` line above it and the blank lines right above it.

    Comments may stand between the blank lines.
    """
    start: Line | None = None
    blanks: list[Line] = []
    for line in file.lines if numbers else ():
        if line.number in numbers:
            yield line.number, start, blanks
        if line.kind == "start-group":
            start = line
        if line.kind == "blank":
            blanks.append(line)
        elif line.kind != "comment":
            blanks = []


def _cut_off(number: int, start: Line, blanks: Sequence[Line]) -> Found:
    """Return what to say of a rule that a blank line cuts off from its group."""
    edits = tuple(Edit(line.span, b"") for line in blanks)
    what = f"a blank line ends the group of {quoted(start.value or '')}: the rule is in no group"
    return Found(
        number, what, fix=Fix("Remove the blank lines above it", edits, "unsafe") if edits else None
    )


@check("RT209", "note")
def split_group(file: File) -> Iterator[Found]:
    """A crawler, or `*`, that several groups name.

    RFC 9309 section 2.2.1 joins their rules. Older crawlers and libraries read only the first
    group, as with `--target original-1994`, or the last. Of groups for `*`, Yandex allows only one
    (Yandex Webmaster, "Robots.txt parsing errors").

    Why: crawlers that follow RFC 9309 join the groups, and older ones read only one.

    Use instead: one group.
    """
    for numbers in file.named.values():
        heads = {file.head_of[each]: each for each in reversed(numbers) if each in file.head_of}
        lines = sorted(heads.values())  # the first of each group
        if len(lines) > 1:
            name = quoted(name_of(file.line(lines[0]).value or ""))
            what = f"{name} has groups at {lines_of(lines)}: {_reading(file, name == '`*`')}"
            if name == "`*`" and file.targets == ("yandex",):
                what += ", and Yandex Webmaster reports an error"
            yield Found(
                lines[0],
                what,
                file.line(lines[0]).value_span,
                related=tuple(Related(line, f"{name} again") for line in lines[1:4]),
            )


def _reading(file: File, is_star: bool) -> str:
    """Return what the targets make of several groups."""
    older = [f"`{target}`" for target in file.targets if not _joins(target, is_star)]
    if len(older) == len(file.targets):
        return "only the first is read"
    others = f", but in {listed(older)} only the first is read" if older else ""
    return f"their rules are joined{others}"


@lru_cache(maxsize=64)
def _joins(dialect: DialectName, is_star: bool) -> bool:
    """Whether a dialect joins the groups of `*`, or of another crawler; found by an example."""
    name = "*" if is_star else "a"
    groups = (f"User-agent: {each}\nDisallow: /{at}\n" for at, each in enumerate((name, "b", name)))
    return not parse("\n".join(groups), dialect=dialect).allowed("/2", "a")


NAMES = ("Yandex", "YandexBot")


@check("RT213", "warning", fix="display")
def blank_line_in_group(file: File) -> Iterator[Found]:
    """Rules for Yandex after a blank line inside their group.

    Yandex's help says that no blank line may stand between a group's lines. That its crawler does
    not read rules after one is how verger understands it; nobody has measured it. RFC 9309 has no
    such rule, and other crawlers read on.

    Why: Yandex's help does not allow a blank line there, and its crawler may not read what follows.

    Use instead: no blank line between a `User-agent` line and its last rule.
    """
    if (yandex := file.readings.get("yandex")) is None:
        return
    read = {rule.line for group in yandex.groups for rule in group.rules}
    for group in _groups_for_yandex(file):
        lost = [rule for rule in group.rules if rule.line not in read and rule.pattern]
        above = [line for line in group.start_lines if line < (lost[0].line if lost else 0)]
        if not lost or not above:
            continue
        between = file.lines[above[-1] : lost[0].line]
        for blank in [line for line in between if line.kind == "blank"][:1]:
            count = "the rule" if len(lost) == 1 else f"the {len(lost)} rules"
            what = (
                f"a blank line may end the group for Yandex, whose help allows none above {count}"
            )
            yield Found(
                blank.number, what, related=(Related(lost[0].line, "perhaps not read by Yandex"),)
            )


def _groups_for_yandex(file: File) -> list[Group]:
    """Return the groups that Yandex's main crawler follows, in the order of the file: those of
    either name, and of `*` where no group has one."""
    agents = [file.robots.agent(name) for name in NAMES]
    named = [agent for agent in agents if agent.named] or agents
    bound = {group.start_lines for agent in named for group in agent.groups}
    return [group for group in file.robots.groups if group.start_lines in bound]


@check("RT218", "error")
def void_record(file: File) -> Iterator[Found]:
    """A record without a `Disallow`, with a target of 1994; one without any rule, with a target of
    1996.

    A record needs at least one `Disallow` (A Standard for Robot Exclusion, 30 June 1994), or one
    rule (Koster, A Method for Robots Exclusion, draft 1, November 1996, section 3.2). In both, a
    blank line ends a record, also one above its rules.

    Why: crawlers that read files as in those years skip the record, and follow the one for `*`.

    Use instead: an empty `Disallow:` in the record, and no blank line above it.
    """
    found = by_key(
        (number, name) for name, reading in file.readings.items() for number in _void(reading)
    )
    for number, names in sorted(found.items()):
        line = file.line(number)
        skip = "skips" if len(names) == 1 else "skip"
        what = f"{listed(names, quoted)} {skip} the record for {quoted(line.value or '')}"
        yield Found(number, f"{what}: no line of it is a rule there", line.value_span)


def _void(reading: RobotsTxt) -> Iterator[int]:
    """Yield the first lines of the records that a dialect discards."""
    if parse(b"User-agent: *\n", dialect=reading.dialect).groups:
        return
    read = {number for group in reading.groups for number in group.start_lines}
    starts = [line.number for line in reading.lines if line.kind == "start-group"]
    void = set(starts) - read
    yield from (number for number in starts if number in void and number - 1 not in void)
