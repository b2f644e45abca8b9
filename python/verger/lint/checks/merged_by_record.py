"""RT207: a group without rules of its own, which therefore gets those of the next."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from verger._core import Agent, Group, Line, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related, quoted
from verger.lint.file import File, name_of


class Seam(NamedTuple):
    """Two start-group lines of one group, whose author probably meant two groups."""

    above: int
    below: int
    record: Line | None
    """What is between them; None for blank lines and comments."""

    @property
    def between(self) -> str:
        """What is between them, for a message."""
        if self.record is None:
            return "a blank line"
        return quoted(self.record.key) if self.record.key else "this line"


@check("RT207", "error", fix="unsafe")
def merged_by_record(file: File) -> Iterator[Found]:
    """`User-agent` lines with no rule between them, but other lines, such as `Crawl-delay`,
    `Sitemap`, or a blank one.

    Google's parser continues the group (google/robotstxt, issue 51), as RFC 9309 section 2.2
    says: other records must not interfere with groups. Authors usually mean two groups, often one
    crawler that is allowed and another that is not. Blank lines are only reported between two
    names that are not part of a list.

    Why: only a rule ends a group: the crawlers above the line also follow the rules below it.

    Use instead: an empty `Disallow:` below the first `User-agent` line, which ends its group.

    Fix: that line is written. The first crawlers may then fetch everything, so the fix is unsafe.
    """
    for group in file.robots.groups:
        closing = next((rule for rule in group.rules if not rule.allow and rule.pattern), None)
        if closing is not None:
            last = max(group.start_lines, default=0)  # the rules are below it
            yield from (_report(file, seam, last, closing) for seam in seams(file, group))


def seams(file: File, group: Group) -> Iterator[Seam]:
    """Yield where a group joins what its author probably meant as several groups."""
    last = {_name(file, number): number for number in group.start_lines}
    found = [seam for pair in pairwise(group.start_lines) if (seam := _seam(file, *pair))]
    blank = [seam for seam in found if seam.record is None]
    is_list = len(blank) > 1 or any(_is_list(file, group, seam) for seam in blank)
    for seam in found:
        name = _name(file, seam.above)
        is_meant = seam.record is None and is_list
        if name and last[name] == seam.above and not is_meant:
            yield seam


def _name(file: File, number: int) -> str:
    return name_of(file.line(number).value or "").lower()


def _seam(file: File, above: int, below: int) -> Seam | None:
    between = file.lines[above : below - 1]
    record = next((line for line in between if line.kind not in ("blank", "comment")), None)
    is_apart = record is not None or any(line.kind == "blank" for line in between)
    return Seam(above, below, record) if is_apart else None


def _is_list(file: File, group: Group, seam: Seam) -> bool:
    """Whether the names around a blank line are those of one list: not `*`, and either several
    above the line, or with another blank line above the rules."""
    if "*" in (_name(file, number) for number in group.start_lines):
        return False
    last = group.rules[0].line if group.rules else len(file.lines)
    below = file.lines[group.start_lines[-1] : last - 1]
    return group.start_lines[0] != seam.above or any(line.kind == "blank" for line in below)


def pulled_in(file: File, agent: Agent) -> Iterator[Related]:
    """Yield the start-group lines that name a crawler, and by a seam join it to rules below."""
    own = {token.lower() for token in agent.tokens} if agent.named else {"*"}
    for group in agent.groups:
        first = next((at for at in group.start_lines if _name(file, at) in own), len(file.lines))
        seam = next((each for each in seams(file, group) if each.above >= first), None)
        if seam is not None:
            name = quoted(file.line(first).value or "")
            what = f"{name} joins the group here: {seam.between} does not end it"
            yield Related(first, what)


def _report(file: File, seam: Seam, last: int, closing: Rule) -> Found:
    ending = file.line(seam.above).span[1]
    new = b"Disallow:" + file.line_end
    first, then = (quoted(file.line(number).value or "") for number in (seam.above, last))
    return Found(
        seam.record.number if seam.record else seam.above,
        f"{seam.between} does not end the group: the rules for {then} also apply to {first}",
        fix=file.rewrite(
            (ending, ending), new, f"End the group of {first} with `Disallow:`", "unsafe"
        ),
        related=(
            Related(seam.below, f"the group of {first} continues here"),
            Related(closing.line, f"this rule applies to {first}"),
        ),
    )
