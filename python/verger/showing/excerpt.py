"""One decision explained: the lines of the file that led to it, and what matched.

In: a decision. Out: lines of text in the form of compiler diagnostics. `^` underlines the
bytes that matched literally, `~` a `*` and what it matched; `=` starts a remark.
Files are untrusted: all of their text is passed through `printable`, and shortened to fit a line
of a terminal.
"""

from collections.abc import Iterator, Sequence

from verger._core import Decision, Group, RobotsTxt, Rule
from verger.findings import findings_about
from verger.plain import HEADLINES, counted, listed, printable, quoted, rule_text, shortened
from verger.showing.palette import Palette, verdict
from verger.showing.printing import (
    KEY_CELLS,
    REST_CELLS,
    VALUE_CELLS,
    Cells,
    at_most,
    cells_of,
    cut_cells,
    indent_of,
    marks_under,
    text_of,
)

TOKEN_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_."

SHOWN_GROUPS = 3
SHOWN_BEATEN = 10
SHOWN_FINDINGS = 3

REMARKS = {
    "FIRST_MATCHING_RULE": "first matching rule",
    "EMPTY_RULE": "an empty rule, which disallows nothing",
    "NO_MATCHING_RULE": "no rule of {groups} matches `{target}`",
    "GROUP_WITHOUT_RULES": "{groups} has no rules, so nothing is disallowed",
    "NO_GROUP": "no start-group line names {crawlers} or `*`",
    "NO_GROUP_BUT_STAR": "no start-group line names {crawlers}, which `*` does not bind",
    "NO_STAR_GROUP": "no start-group line names `*`",
    "ROBOTS_TXT_ITSELF": "a crawler may always fetch `/robots.txt`",
    "FILE_OVER_LIMIT": "more than {limit:,} bytes",
}


class FileText:
    """A file with its lines, copied from the core once."""

    __slots__ = ("body", "lines", "robots")

    def __init__(self, robots: RobotsTxt) -> None:
        self.robots = robots
        self.body = robots.body
        self.lines = robots.lines

    def line(self, number: int) -> bytes:
        """Return a line without its end."""
        start, end = self.lines[number - 1].span
        return self.body[start:end].rstrip(b"\r\n")


class DecisionExcerpt:
    """The explanation of one decision."""

    def __init__(self, palette: Palette, text: FileText, decision: Decision) -> None:
        self._palette = palette
        self._text = text
        self._decision = decision
        _, self._colour = verdict(allowed=decision.allowed)
        self._gutter = 2

    def lines(
        self, groups: Sequence[Group], *, verbose: bool, is_kept_in_part: bool = False
    ) -> Iterator[str]:
        """Yield the whole explanation.

        groups:           those that the crawler follows.
        is_kept_in_part:  whether a fetch kept only the beginning of the file.
        """
        yield headline(self._decision, self._palette)
        yield ""
        yield from self.file_lines(groups)
        yield from self.target(asked=verbose)
        yield from self.findings(groups)
        yield from map(self.remark, one_crawler(self._decision))
        if verbose:
            yield from self.beaten()
        robots = self._decision.robots
        if robots.truncated and self._decision.reason != "FILE_OVER_LIMIT":
            yield self.remark(f"the file is {how_cut(robots)}")
        elif is_kept_in_part and not robots.truncated:
            size = len(robots.body)
            yield self.remark(f"only the first {size:,} bytes of the file were kept when fetched")

    def file_lines(self, groups: Sequence[Group]) -> Iterator[str]:
        """Yield the start-group line and the rule, or the groups in which no rule was found."""
        rule, group = self._decision.rule, self._decision.group
        is_about_groups = self._decision.reason in {"NO_MATCHING_RULE", "GROUP_WITHOUT_RULES"}
        shown = list(groups[:SHOWN_GROUPS]) if is_about_groups else []
        if rule and group:
            shown = [group]
        starts = [start_line(self._text, each, self._decision.tokens) for each in shown]
        numbers = [*starts, rule.line if rule else 0]
        self._gutter = 2 + len(str(max(numbers)))
        for number in starts:
            cells = cells_of(self._text.line(number), " ")
            yield self._numbered(number, cut_cells(cells, KEY_CELLS + VALUE_CELLS))
        if rule:
            yield from self._rule_lines(rule)
        else:
            yield self.remark(self._reason(several=len(groups) > 1))

    def _rule_lines(self, rule: Rule) -> Iterator[str]:
        body, (start, end) = self._text.body, self._text.lines[rule.line - 1].span
        before, after = body[start : rule.span[0]], body[rule.span[1] : end].rstrip(b"\r\n")
        value = self._marked(rule.pattern_bytes, side=0) or [(" ", "^")]
        key = cut_cells(cells_of(before, " "), KEY_CELLS)
        rest = cut_cells(cells_of(after, " "), REST_CELLS)
        cells = [*key, *cut_cells(value, VALUE_CELLS)]
        yield self._numbered(rule.line, [*cells, *rest])
        marks = self._palette.paint(f"{marks_under(cells)} {self._reason()}", self._colour)
        yield f"{self._margin('|')} {' ' * indent_of(cells)}{marks}"
        if directory := _opened_directory(self._decision):
            pattern = shortened(printable(directory), VALUE_CELLS)
            said = "an `Allow` for an index page also allows its directory"
            yield self.remark(f"{said}: compared as `{pattern}$`")

    def target(self, *, asked: bool) -> Iterator[str]:
        """Yield what the pattern was compared with, if the URL alone does not show it."""
        decision = self._decision
        cells = self._marked(decision.target.encode("utf-8", "surrogateescape"), side=1)
        is_plain = decision.url.endswith(decision.target) and all(mark != "~" for _, mark in cells)
        if decision.rule is None or (is_plain and not asked):
            return
        matched = cut_cells([cell for cell in cells if cell[1] != " "], VALUE_CELLS)
        rest = cut_cells([cell for cell in cells if cell[1] == " "], REST_CELLS)
        yield self.remark(f"target {text_of([*matched, *rest])}")
        if matched:
            marks = self._palette.paint(marks_under(matched), self._colour)
            yield f"{' ' * (self._gutter + 3)}{' ' * len('target ')}{marks}"

    def findings(self, groups: Sequence[Group]) -> Iterator[str]:
        """Yield what was found in the lines that led to the answer."""
        return at_most(
            list(findings_about(self._decision, groups)),
            SHOWN_FINDINGS,
            lambda one: self.remark(f"line {one.line}: {printable(one.message)} ({one.code})"),
            lambda rest: self.remark(f"and {counted(rest, 'more finding')}"),
        )

    def beaten(self) -> Iterator[str]:
        """Yield the other matching rules, which this one beats."""

        def beats(rule: Rule) -> str:
            pattern = shortened(printable(rule.pattern), VALUE_CELLS)
            return self.remark(f"beats line {rule.line}, {rule_text(rule.allow, pattern)}")

        beaten = self._decision.beaten
        return at_most(
            beaten, SHOWN_BEATEN, beats, lambda rest: self.remark(f"beats {rest:,} more")
        )

    def _reason(self, *, several: bool = False) -> str:
        decision = self._decision
        is_empty = decision.rule is not None and not decision.rule.pattern_bytes
        reason: str = "EMPTY_RULE" if is_empty else decision.reason
        if reason == "NO_GROUP" and decision.dialect.ignore_star:
            reason = "NO_GROUP_BUT_STAR"
        elif reason == "NO_GROUP" and decision.tokens == ("*",):
            reason = "NO_STAR_GROUP"
        specific = f"most specific match, {counted(decision.specificity or 0, 'byte')}"
        words = REMARKS.get(reason, specific)
        said = words.format(
            groups="these groups" if several else "this group",
            target=shortened(printable(decision.target), VALUE_CELLS),
            crawlers=", ".join(quoted(token) for token in decision.tokens),
            limit=decision.dialect.parse_limit or 0,
        )
        return f"{said} ({decision.section})"

    def _marked(self, data: bytes, *, side: int) -> Cells:
        """Return cells for the rule's value (side 0) or the target (side 1), marked by piece."""
        value = self._decision.rule.pattern_bytes if self._decision.rule else b""
        wildcards = self._decision.dialect.wildcards
        cells: Cells = []
        at = 0
        for pair in self._decision.matched:
            piece = value[slice(*pair[0])]
            mark = "~" if wildcards and piece and not piece.strip(b"*") else "^"
            start, end = pair[side]
            cells += cells_of(data[at:start], " ") + cells_of(data[start:end], mark)
            at = end
        return cells + cells_of(data[at:], " ")

    def _numbered(self, number: int, cells: Cells) -> str:
        margin = self._palette.paint(f"{number:>{self._gutter}} |", "cyan")
        return f"{margin} {text_of(cells)}"

    def _margin(self, sign: str) -> str:
        return self._palette.paint(f"{'':{self._gutter}} {sign}", "cyan")

    def remark(self, text: str) -> str:
        """Return a line with a remark."""
        return f"{self._margin('=')} {text}"


def one_crawler(decision: Decision) -> Iterator[str]:
    """Yield which of several names decided, and that they are of one crawler."""
    if len(decision.tokens) > 1:
        who = f"the group names {quoted(decision.token)}" if decision.token else "no group names it"
        yield f"{listed(decision.tokens, quoted)} are one crawler: {who}"


def explained(decision: Decision, verbose: bool = False, *, coloured: bool = False) -> str:
    """Return the whole explanation of a decision; `verger.Decision.explain` is this."""
    groups = decision.robots.agent(decision.tokens).groups
    excerpt = DecisionExcerpt(Palette(coloured=coloured), FileText(decision.robots), decision)
    return "\n".join(excerpt.lines(groups, verbose=verbose))


def headline(decision: Decision, palette: Palette) -> str:
    """Return a decision as one line."""
    word, colour = verdict(allowed=decision.allowed)
    painted = palette.paint(word, "bold", colour)
    if decision.line is not None:
        return f"{painted} by line {decision.line}"
    return f"{painted}: {HEADLINES[decision.reason]}"


def start_line(text: FileText, group: Group, tokens: Sequence[str]) -> int:
    """Return the start-group line to show: the one that names a crawler most clearly."""
    names = [token.lower() for token in tokens]

    def distance(number: int) -> tuple[int, int]:
        value = (text.lines[number - 1].value or "").lower()
        return min(_distance(value, name) for name in names), number

    return min(group.start_lines, key=distance)


def _distance(value: str, name: str) -> int:
    """Return how far a start-group line's value is from a crawler's name, both in lower case."""
    if value == name:
        return 0
    if value.startswith(name):
        return 2 if value[len(name)] in TOKEN_CHARACTERS else 1
    if value and (value in name or name in value):
        return 3
    return 4 if value.startswith("*") else 5


def _opened_directory(decision: Decision) -> str | None:
    """Return the directory that an index page stood for, if it did.

    The spans then cover only the directory, without the page (google/robotstxt, robots.cc).
    """
    rule, spans = decision.rule, decision.matched
    if rule is None or not (spans and decision.dialect.index_is_directory):
        return None
    end = spans[-1][0][1]
    if not rule.pattern_bytes[end:].startswith(b"index.htm"):
        return None
    return rule.pattern_bytes[:end].decode("utf-8", "surrogateescape")


def how_cut(robots: RobotsTxt) -> str:
    """Return `cut at 511,993 bytes (parsing limit 512,000)`, with the file's numbers."""
    max_lines = robots.dialect.max_lines
    if max_lines is not None and _is_cut_after(robots, max_lines):
        limit = f"limit of {max_lines:,} lines"
    else:
        limit = f"parsing limit {robots.dialect.parse_limit:,}"
    return f"cut at {robots.bytes_read:,} bytes ({limit})"


def _is_cut_after(robots: RobotsTxt, number: int) -> bool:
    kinds = [line.kind for line in robots.lines[number - 1 : number + 1]]
    return len(kinds) > 1 and kinds[0] != "beyond-limit" == kinds[1]
