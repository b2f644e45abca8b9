"""Block and allow: the smallest edit that disallows or allows paths for crawlers.

In: a file, crawlers, and path patterns. Out: an `Outcome` with the new file and its proof; or
`Refused`, if another answer would change, or if the dialect cannot express the request. The ways to
make it are tried one after another; `edit_plan` says what each does.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, groupby, product

from verger._core import (
    DIALECTS,
    Dialect,
    Group,
    RobotsTxt,
    _binding_lines,
    _dialect_of,
    _placed_records,
    _places,
    parse,
)
from verger.analysis.contents import first_line
from verger.analysis.edit_plan import (
    MANNERS,
    MOST_RECORDS,
    SITE,
    WAYS,
    EditPlan,
    Refused,
    Way,
    crowd_of,
)
from verger.analysis.editor import Editor, RuleField
from verger.analysis.edits import Edit, apply
from verger.analysis.group_lines import GroupLines
from verger.analysis.proof import Outcome
from verger.analysis.readings import DRAFT, readings_of, with_records
from verger.analysis.rule_lists import AskedRules, Rulebook
from verger.analysis.rules import Budget
from verger.analysis.selection import selected
from verger.analysis.writable import expect_editable, expect_writable
from verger.crawlers import CRAWLERS, agents_of
from verger.crawlers.binding import read_again
from verger.crawlers.purposes import Purpose
from verger.crawlers.registry import find
from verger.errors import InvalidOption
from verger.grouping import by_key
from verger.options import AnyDialect, expect_several, is_token, texts_of
from verger.untrusted_text import quoted

STEPS_OF_ALL = 1 << 29
"""The most steps of all comparisons for one edit: eight times those of one analysis."""


def block(
    robots: RobotsTxt,
    agents: str | Iterable[str] = (),
    *,
    purposes: Purpose | Iterable[Purpose] = (),
    except_: str | Iterable[str] = (),
    paths: str | Iterable[str] = SITE,
    policy_tokens: bool = False,
    dialects: Iterable[AnyDialect] = (),
) -> Outcome:
    r"""Stop crawlers from fetching some paths, and change nothing else.

    agents:    product tokens; `*` for all crawlers that follow only the groups of `*`. For all
               arguments, a single string is one value.
    purposes:  purposes from `verger.crawlers.PURPOSES`: all crawlers of the registry with them.
    except_:   product tokens to exclude.
    paths:     path patterns; the whole site by default.
    policy_tokens:  whether a purpose also stands for policy tokens that only a secondary source
               names (`Crawler.is_hearsay`).
    dialects:  further dialects in which no other crawler may fetch more or less: there, the
               selected ones get the new answers or keep the old ones.
    Returns:   an Outcome. No answer about other paths or for other crawlers changes, neither about
               fetching nor about use, as its proof shows for the dialect of the file, and for those
               of all others that can express it; each crawler follows the groups that its operator
               says.
    Raises:    Refused, InvalidOption, InvalidProductToken, UnknownName.

    >>> from verger import parse
    >>> block(parse("User-agent: *\nDisallow: /a\n"), ["GPTBot"]).body
    b'User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n'
    """
    except_ = texts_of("except_", except_, "product token")
    return change(
        robots,
        selected(robots, agents, purposes, except_, policy_tokens=policy_tokens),
        _wish("disallow", paths, except_, dialects),
    )


def allow(
    robots: RobotsTxt,
    agents: str | Iterable[str] = (),
    *,
    purposes: Purpose | Iterable[Purpose] = (),
    except_: str | Iterable[str] = (),
    paths: str | Iterable[str] = SITE,
    policy_tokens: bool = False,
    dialects: Iterable[AnyDialect] = (),
) -> Outcome:
    r"""Let crawlers fetch some paths, and change nothing else; see `block`.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\nDisallow: /a\nDisallow: /b\n")
    >>> allow(robots, ["GPTBot"], paths=["/a"]).body
    b'User-agent: *\nDisallow: /a\nDisallow: /b\n\nUser-agent: GPTBot\nDisallow: /b\n'
    """
    except_ = texts_of("except_", except_, "product token")
    return change(
        robots,
        selected(robots, agents, purposes, except_, policy_tokens=policy_tokens),
        _wish("allow", paths, except_, dialects),
    )


def expect_patterns(paths: Iterable[str]) -> None:
    """Raise InvalidOption for a text that is not a path pattern, or cannot be written."""
    for path in paths:
        if not path.startswith(("/", "*")):
            raise InvalidOption(
                f"{quoted(path)} is not a path pattern", "a path pattern begins with `/` or `*`"
            )
        expect_writable("a path pattern", path)


def _wish(
    field: RuleField,
    paths: str | Iterable[str],
    except_: Iterable[str],
    dialects: Iterable[AnyDialect],
) -> AskedRules:
    expect_several("dialects", dialects, "dialects")
    patterns = texts_of("paths", paths, "path pattern")
    return AskedRules(field, patterns, [*except_], [_dialect_of(each) for each in dialects])


def signal(
    robots: RobotsTxt,
    agents: Sequence[str],
    use: str,
    *,
    allowed: bool,
    meant: Sequence[str] = (),
    dialects: Sequence[Dialect] = (),
) -> Outcome:
    """Say whether crawlers may use what they fetch.

    They get a `Content-Signal` line in groups that only they follow, with the rules that they had
    (draft-romm-aipref-contentsignals-00).

    agents:    product tokens; `*` for all crawlers that follow only the groups of `*`.
    use:       one of `verger.crawlers.USES`.
    meant:     further crawlers to which the line may speak.
    dialects:  further dialects in which it is proved that no other answer changes.
    Raises:    Refused, InvalidOption.
    """
    expect_editable(robots)
    record = ("content-signal", f"{use}={'yes' if allowed else 'no'}")
    editor = Editor(parse(b"User-agent: *\nDisallow:\n", dialect=robots.dialect))
    editor.add_record(*record, group=editor.robots.groups[0])  # which the dialect must read
    asked = selected(robots, agents, (), (), policy_tokens=False)
    return change(
        robots, asked, AskedRules("allow", (), (), dialects, [record], meant, frozenset([use]))
    )


def change(robots: RobotsTxt, asked: Sequence[str], wish: AskedRules) -> Outcome:
    """Fulfil a wish of crawlers, and change nothing else. Raises Refused, InvalidOption."""
    expect_editable(robots)
    expect_patterns(wish.paths)
    smaller = with_fewer_names(robots, [*asked, *wish.kept])
    if smaller is None:
        return _made(robots, asked, _tried(robots, asked, wish)[1])
    # What can be done there can most likely be done here, and is proved; all ways would take long.
    way, there = _tried(smaller, asked, wish)
    outcome = _tried(robots, asked, wish, [way])[1]
    is_near = len(robots.body) - len(smaller.body) < FAR_FROM_IT
    if is_near and isinstance(there, Outcome) and _fails_in(robots.dialect, outcome):
        near = [each for each in TRIES if each[2:] == way[2:] and each != way]
        other = _tried(robots, asked, wish, near)[1]
        outcome = other if isinstance(other, Outcome) else outcome
    return _made(robots, asked, outcome)


def _fails_in(dialect: Dialect, outcome: Outcome | Refused) -> bool:
    """Whether an edit is refused for what changes in a dialect."""
    if isinstance(outcome, Outcome):
        return False
    changed = (*outcome.proof.changed, *outcome.proof.uses, *outcome.proof.records)
    return any(name.split("+")[0] == dialect.name for each in changed for name in each.dialects)


def _made(robots: RobotsTxt, asked: Sequence[str], outcome: Outcome | Refused) -> Outcome:
    """Return an edit, or raise why there is none."""
    if isinstance(outcome, Outcome):
        return outcome
    if (line := _usage_between(robots, asked)) is not None:
        raise Refused(
            f"line {line} is in the way: crawlers that read `Content-Usage` end a group there",
            "move it below the last `User-agent` line of its group",
            outcome.proof,
        )
    raise outcome


TRIES: Sequence[Way] = [
    (*way, manner, is_for_all) for manner, is_for_all, way in product(MANNERS, (True, False), WAYS)
]


def _tried(
    robots: RobotsTxt, asked: Sequence[str], wish: AskedRules, ways: Sequence[Way] = TRIES
) -> tuple[Way, Outcome | Refused]:
    """Try ways to fulfil a wish; return the best, or the first in vain that serves no more than it
    must, with what came of it."""
    # Copied groups keep the records that only other dialects read.
    editor = Editor(read_again(robots, with_records(robots.dialect)))
    crowd = crowd_of(editor.robots, [*asked, *wish.kept])
    made: list[tuple[Way, Outcome]] = []
    in_vain: dict[Way, Refused] = {}
    for manner, some in groupby(ways, lambda way: way[2]):
        gives_voice = False
        for is_for_all, those in groupby(some, lambda way: way[3]):
            book = Rulebook(robots.dialect, Budget(STEPS_OF_ALL))
            for way in those if not made or made[-1][0][2] != manner else ():
                if way in in_vain:
                    continue
                plan = EditPlan(robots, editor, crowd, asked, wish, way, book)
                try:
                    made.append((way, plan.outcome()))
                    break
                except (Refused, InvalidOption) as error:
                    proof = error.proof if isinstance(error, Refused) else None
                    why = in_vain[way] = Refused(error.message, error.hint, proof)
                    if why.proof.changed:  # a manner changes what is said of use, not of fetching
                        in_vain |= {(*way[:2], each, is_for_all): why for each in MANNERS}
                    if not plan.serves_others and book.budget.left:
                        in_vain[(*way[:3], False)] = why
                finally:
                    gives_voice |= plan.gives_voice
                if not (is_for_all or book.budget.left):
                    return way, Refused(
                        "it takes too many steps to prove what the edit would change",
                        "shorten the file, or patterns with many `*`, by hand first",
                    )
        if not gives_voice:
            break
    if made:
        return max(made, key=lambda each: _kept_in(each[1]))
    way = next((way for way in ways if way in in_vain and not way[3]), ways[0])
    return way, in_vain[way]


MANY_OCTETS, FEW_NAMES = 8_000, 2
"""From how many octets of names and records on a file is planned with fewer, and how many that
nobody knows each group then keeps, and how many groups of such the file."""


MOST_GROUPS_ALIKE = 4
"""How many groups that name the same crawlers it keeps."""


FAR_FROM_IT = 100_000
"""How many octets less of names and records make it too much work to try other ways, too."""


def with_fewer_names(robots: RobotsTxt, needed: Iterable[str]) -> RobotsTxt | None:
    """Return a file that has many names or records with fewer of those that nobody knows, most of
    which are alike, and of groups that nobody else follows, without their records, without groups
    that name the same as many others, and of those that stay without more records than may be
    copied; None for others."""
    lines_of = by_key((line.kind, line) for line in robots.lines)
    starts = lines_of.get("start-group", [])
    others = chain.from_iterable(lines_of.get(kind, ()) for kind in ("record", "unknown"))
    if sum(len(line.value or "*") for line in chain(starts, others)) < MANY_OCTETS:
        return None
    needed = {token.lower(): token for token in needed}
    nobodys = _groups_of_nobody(robots, tuple(needed.values()))
    naming = _naming(robots, needed.values())
    repeated = _named_again(robots, nobodys, naming)
    lines = {*GroupLines(robots).lines_of([*nobodys[FEW_NAMES:], *repeated])}
    known, firsts = read_again(robots, with_records(robots.dialect)), {*map(first_line, nobodys)}
    theirs = {at for at, group in enumerate(known.groups) if first_line(group) in firsts}
    records = by_key((at, line) for at, line, *_ in _placed_records(known))
    for at, own in records.items():
        lines.update(own if at in theirs else own[MOST_RECORDS + 1 :])  # as many are not copied
    kept: Counter[object] = Counter()
    head_of = {number: at for at, it in enumerate(robots.groups) for number in it.start_lines}
    written: set[tuple[int | None, str]] = set()
    for line in starts:
        value, group = line.value or "*", head_of.get(line.number)
        is_unknown = is_token(value) and find(value) is None and value.lower() not in needed
        alike = group, () if is_unknown else naming.get(line.number, ())
        kept[alike] += 1
        if kept[alike] > FEW_NAMES or (group, value) in written:
            lines.add(line.number)
        written.add((group, value))
    edits = [Edit(robots.lines[number - 1].span, b"") for number in sorted(lines)]
    return parse(apply(robots.body, edits), dialect=robots.dialect) if edits else None


def _named_again(
    robots: RobotsTxt, nobodys: Collection[Group], naming: Mapping[int, tuple[int, ...]]
) -> list[Group]:
    """Return the groups of somebody that name the same as many before them: that of `bot a` is one
    for botify to those who read prefixes, as are thousands like it."""
    firsts = {*map(first_line, nobodys)}
    theirs = [group for group in robots.groups if first_line(group) not in firsts]
    alike = by_key(
        (frozenset(naming.get(line, ()) for line in group.start_lines), group) for group in theirs
    )
    return [group for same in alike.values() for group in same[MOST_GROUPS_ALIKE:]]


def _naming(robots: RobotsTxt, needed: Iterable[str]) -> dict[int, tuple[int, ...]]:
    """Return the lines that name `*`, a crawler of the registry, or one needed, in some dialect,
    each with what is the same for those that name the same."""
    known = [*dict.fromkeys([*(crawler.token for crawler in CRAWLERS), *needed])]
    naming: dict[int, tuple[int, ...]] = {}
    sets = count()
    for dialect in {robots.dialect, *DIALECTS.values()}:
        tokens = [name for name in known if is_token(name, [dialect])]
        said = _binding_lines(read_again(robots, dialect), ["*", *tokens])
        # Crawlers that are named alike, as nearly all are by `*`, share their lines.
        for numbers in {id(numbers): numbers for _, numbers in said}.values():
            names = next(sets)
            naming |= {number: (*naming.get(number, ()), names) for number in numbers}
    return naming


@lru_cache(2)  # expectations and the edit that they need ask of the same file
def _groups_of_nobody(robots: RobotsTxt, needed: tuple[str, ...]) -> list[Group]:
    """Return the groups that no crawler of the registry follows in any dialect, nor one needed."""
    files = [read_again(robots, each) for each in {robots.dialect, *DIALECTS.values()}]
    known = [*dict.fromkeys([*(crawler.token for crawler in CRAWLERS), *needed])]
    followed: set[int] = set()
    for file in files:
        agents = agents_of(file, [name for name in known if is_token(name, [file.dialect])])
        places, groups = {at for agent in agents for at in _places(agent)}, file.groups
        followed.update(number for at in places for number in groups[at].start_lines)
    return [group for group in robots.groups if followed.isdisjoint(group.start_lines)]


def _kept_in(outcome: Outcome) -> int:
    """Return in how many dialects an edit changes nothing else, not even what policy tokens may
    fetch."""
    rest = outcome.proof.without((*outcome.crawlers, *outcome.also)).changed
    return len({*outcome.proof.dialects}.difference(*(each.dialects for each in rest)))


def _usage_between(robots: RobotsTxt, asked: Sequence[str]) -> int | None:
    """Return the line of a `Content-Usage` record between start-group lines of one group of some
    crawlers: it parts the group where it is read."""
    known = read_again(robots, with_records(robots.dialect))
    spans = {group.start_lines for agent in agents_of(known, asked) for group in agent.groups}
    between = (
        record.line
        for record in known.records
        if record.field == DRAFT and any(own and own[0] < record.line < own[-1] for own in spans)
    )
    return None if len(readings_of(robots.dialect)) == 1 else next(between, None)
