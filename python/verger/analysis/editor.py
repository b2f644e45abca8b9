"""Edits of a robots.txt file: change one group, rule or record at a time, and nothing else.

In: a parsed file, and what to add, remove or replace. Out: the new file, and the edits that produce
it. After each edit, the file is parsed again in its dialect: if it does not mean exactly what was
requested, the edit is refused and nothing changes. Comments, layout and line ends are kept; a new
line is written like its neighbours.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from typing import Literal, TypeAlias, TypeVar

from verger._core import (
    Agent,
    Group,
    Line,
    Record,
    RobotsTxt,
    Rule,
    check_product_token,
    parse,
)
from verger.analysis.alignment import Alignment
from verger.analysis.contents import GroupContents, GroupText, contents_of, settled, text_of
from verger.analysis.edits import Draft, Edit, apply, compose
from verger.analysis.group_lines import GroupLines
from verger.analysis.layout import key_span, line_like, separator_span, spelled
from verger.analysis.writable import expect_own_bytes, expect_writable, unwritable
from verger.errors import InvalidOption, InvalidProductToken
from verger.options import expect_robots, texts_of
from verger.untrusted_text import counted, glyph, printable, quoted

RuleField: TypeAlias = Literal["allow", "disallow"]

NewRule: TypeAlias = tuple[RuleField, str]
"""A rule to be written: its field, and its pattern."""

NewGroup: TypeAlias = tuple[Sequence[str], Sequence[NewRule]]
"""A group to be written: its product tokens, and its rules."""

NO_RULES: Sequence[NewRule] = (("disallow", ""),)
"""The rule that separates a group without rules from the next (RFC 9309 section 2.2.1)."""

T = TypeVar("T")

Splice: TypeAlias = tuple[int, int, Sequence[T]]
"""The start and end of the elements to replace, and their replacement."""

Splices: TypeAlias = tuple[Sequence[Splice[str]], Sequence[Splice[NewRule]]]
"""What to replace among the product tokens and among the rules of a group."""


class Editor:
    r"""A file under edit; `body` and `edits` are the result so far.

    Groups, rules and records are those of `robots`, the current file. A group keeps its index in
    `robots.groups` unless one before it is added or removed.

    >>> from verger import parse
    >>> editor = Editor(parse("user-agent: *\ndisallow: /a  # old\n"))
    >>> editor.add_rule(editor.robots.groups[0], "allow", "/a/b")
    >>> editor.body
    b'user-agent: *\ndisallow: /a  # old\nallow: /a/b\n'
    >>> editor.edits
    (Edit(span=(34, 34), replacement=b'allow: /a/b\n'),)
    """

    def __init__(self, robots: RobotsTxt) -> None:
        expect_robots(robots=robots)
        expect_own_bytes(robots)
        self._size = len(robots.body)
        self._robots = robots
        self._edits: tuple[Edit, ...] = ()
        self._contents = contents_of(robots)
        self._group_lines = GroupLines(robots)

    def __repr__(self) -> str:
        return f"Editor({self._robots!r}, {counted(len(self._edits), 'edit')})"

    @property
    def robots(self) -> RobotsTxt:
        """The current file."""
        return self._robots

    @property
    def body(self) -> bytes:
        """The bytes of the current file."""
        return self._robots.body

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that turn the original file into `body`; spans are those of the original."""
        return self._edits

    def copy(self) -> "Editor":
        """Return an independent editor with the same file and edits."""
        return copy(self)  # what it holds does not change

    # groups

    def add_group(
        self,
        tokens: str | Iterable[str],
        rules: Sequence[NewRule] = (),
        *,
        before: Group | None = None,
    ) -> None:
        """Add a group, after all others or before one.

        tokens:  one or several product tokens, or `*`.
        rules:   fields and patterns, in order; if empty, an empty `Disallow:` is written.
        before:  the group that the new one precedes. The order matters in dialects that read only
                 the first group with a token.
        Blank lines surround the group; `Sitemap` lines at the end of the file stay there.
        Raises InvalidProductToken, InvalidOption.
        """
        self.add_groups([(texts_of("tokens", tokens, "product token"), rules)], before=before)

    def add_groups(
        self, groups: Sequence[tuple[Sequence[str], Sequence[NewRule]]], *, before: Group | None
    ) -> None:
        """Add groups, each with its tokens and rules, in this order; see `add_group`."""
        at = len(self._robots.groups) if before is None else self._place_of(before)
        expected = [*self._contents]
        for place, (tokens, rules) in enumerate(groups, start=at):
            self._expect_tokens(tokens)
            _expect_patterns(rules)
            contents = settled((tuple(tokens), _texts(rules)))
            expected.insert(place, GroupContents(*contents, ()))
        self._take(self._with_groups(groups, at), expected)

    def remove_group(self, group: Group) -> None:
        """Remove a group: its start-group lines, its rules, and its own records.

        Comments are kept, those after removed records as lines of their own.
        Raises InvalidOption.
        """
        self._regroup([(self._place_of(group), None)])

    def replace_group(
        self, group: Group, tokens: str | Iterable[str], rules: Sequence[NewRule]
    ) -> None:
        """Replace the product tokens and rules of a group; unchanged lines are not touched.

        Names that are in the file may be written again, even if they are not product tokens.
        Raises InvalidProductToken, InvalidOption.
        """
        names = texts_of("tokens", tokens, "product token")
        self._regroup([(self._place_of(group), (names, rules))])

    def replace_groups(self, new: Sequence[NewGroup | None]) -> None:
        """Replace the product tokens and rules of all groups at once.

        new:  a group for each of `robots.groups`, in order; None removes it.
        Raises InvalidProductToken, InvalidOption.
        """
        self._regroup(enumerate(new))

    # start-group lines

    def add_token(self, group: Group, token: str) -> None:
        """Add a product token to a group. Raises InvalidProductToken, InvalidOption."""
        self._expect_tokens([token])
        end = len(group.product_tokens)
        self._change_group(group, [(end, end, [token])], [])

    def remove_token(self, group: Group, token: str) -> None:
        """Remove a product token from a group; case does not matter.

        The last product token of a group is not removed: its rules would apply to the crawlers of
        the group before it. Raises InvalidOption.
        """
        self._place_of(group)
        tokens = [name.lower() for name in group.product_tokens]
        places = [at for at, name in enumerate(tokens) if name == token.lower()]
        if not places:
            raise InvalidOption(f"no line of the group names {quoted(token)}")
        if len(places) == len(tokens):
            raise InvalidOption(
                f"{quoted(token)} is the only product token of the group",
                "remove the group with its rules",
            )
        self._change_group(group, [(at, at + 1, []) for at in places], [])

    # rules

    def add_rule(
        self, group: Group, field: RuleField, pattern: str, *, before: Rule | None = None
    ) -> None:
        """Add a rule to a group, after its other rules or before one of them.

        If the group has only an empty `Disallow:`, the new rule replaces it.
        Raises InvalidOption.
        """
        at = stop = len(group.rules)
        if before is not None:
            at = stop = self._index(group.rules, before, "rule")
        elif at == 1 and not group.rules[0].pattern:
            at = 0
        self._change_group(group, [], [(at, stop, [(field, pattern)])])

    def remove_rule(self, rule: Rule) -> None:
        """Remove a rule; the last rule of a group is replaced by an empty `Disallow:`.

        Without it, the group would be merged with the next (RFC 9309 section 2.2.1).
        Raises InvalidOption.
        """
        group, at = self._place_of_rule(rule)
        if len(group.rules) > 1:
            self._change_group(group, [], [(at, at + 1, [])])
        elif rule.pattern:
            self._change_group(group, [], [(at, at + 1, NO_RULES)])
        else:
            raise InvalidOption(
                f"line {rule.line} separates its group from the next", "remove the group"
            )

    def replace_rule(self, rule: Rule, field: RuleField, pattern: str) -> None:
        """Replace a rule in its line. Raises InvalidOption."""
        group, at = self._place_of_rule(rule)
        self._change_group(group, [], [(at, at + 1, [(field, pattern)])])

    # records

    def add_record(self, field: str, value: str, *, group: Group | None = None) -> None:
        """Add an extension record, such as `Crawl-delay` to a group.

        group:  the group that it belongs to; None for a record of the whole file, which is added
                after others of its field, or at the end.
        Raises InvalidOption, also if the dialect does not read the field or the value.
        """
        if group is not None:
            self.add_records([(field, value)], group)
            return
        near, is_joined = self._group_lines.end_of_records(self._field_of(field))
        self._add_records([(field, value)], -1, near, is_joined=is_joined)

    def add_records(self, records: Iterable[tuple[str, str]], group: Group) -> None:
        """Add extension records, fields with values, to a group. Raises InvalidOption."""
        at = self._place_of(group)
        self._add_records([*records], at, self._group_lines.end_of(group), is_joined=True)

    def remove_record(self, record: Record) -> None:
        """Remove an extension record. Raises InvalidOption."""
        self._index(self._robots.records, record, "record")
        at = self._place_of(record.group) if record.group else -1
        draft = Draft(self._robots)
        self._remove_line(draft, record.line)
        expected = [*self._contents]
        rest = [*expected[at].records]
        rest.remove((record.field, record.raw))
        expected[at] = expected[at]._replace(records=(*rest,))
        self._take([draft], expected)

    def add_sitemap(self, url: str) -> None:
        """Add a `Sitemap` record. Raises InvalidOption."""
        self.add_record("sitemap", url)

    # implementation

    def _add_records(
        self, records: Sequence[tuple[str, str]], at: int, near: int, *, is_joined: bool
    ) -> None:
        """Add records of the group with an index, or of the file, behind a line.

        is_joined:  whether no blank line is needed before them.
        """
        for field, value in records:
            expect_writable(f"the value of {quoted(field)}", value)
        new = [(self._field_of(field), value) for field, value in records]
        lines = [line_like(self._robots, near, field.lower(), value) for field, value in records]
        draft = Draft(self._robots)
        draft.insert(near, lines if is_joined or not near else [b"", *lines])
        # What is malformed elsewhere in the file may be copied.
        is_valid = {*new}.isdisjoint(said for each in self._contents for said in each.records)
        expected = [*self._contents]
        expected[at] = expected[at]._replace(records=(*sorted([*expected[at].records, *new]),))
        self._take([draft], expected, is_valid=is_valid)

    def _take(
        self, drafts: Iterable[Draft], expected: list[GroupContents], *, is_valid: bool = False
    ) -> None:
        """Take the first draft with the expected meaning.

        is_valid:  whether the draft may not have more malformed records than the current file.
        """
        robots = self._robots
        for draft in drafts:
            edits = draft.edits()
            body = apply(self.body, edits)
            robots = parse(body, dialect=self._robots.dialect, url=self._robots.url)
            is_said = contents_of(robots) == expected
            if is_said and not (is_valid and _malformed(robots) > _malformed(self._robots)):
                self._edits = compose(self._edits, edits, self._size)
                self._robots, self._contents = robots, expected
                self._group_lines = GroupLines(robots)
                return
        name = printable(self._robots.dialect.name.partition("+")[0])  # knobs are ours
        if robots.truncated:
            size = f"{len(robots.body):,} bytes, of which `{name}` reads {robots.bytes_read:,}"
            limits = {each: getattr(robots.dialect, each) for each in ("parse_limit", "max_lines")}
            said = " and ".join(f"`{each}` is {most:,}" for each, most in limits.items() if most)
            raise InvalidOption(
                f"the edit cannot be made: the file would have {size}",
                f"shorten the file first: {said}, and what is not read has no effect",
            )
        where = _first_other(self._robots, expected)
        raise InvalidOption(
            f"the edit cannot be made: `{name}` would not read {where} as intended",
            "another dialect may read it as intended; `verger.KNOBS` lists the limits",
        )

    def _with_groups(
        self, new: Sequence[tuple[Sequence[str], Sequence[NewRule]]], at: int
    ) -> Iterator[Draft]:
        """Yield drafts with new groups; then drafts that also end the group before them."""
        groups = self._robots.groups
        lines_of = self._group_lines
        is_last = at == len(groups)
        nears = lines_of.ends_of_groups() if is_last else [lines_of.start_of(groups[at])]
        has_open_group = at > 0 and bool(groups[at - 1].start_lines) and not groups[at - 1].rules
        for near in nears:
            lines = [] if lines_of.is_blank(near) else [b""]
            for number, (tokens, rules) in enumerate(new):
                values = [*(("user-agent", token) for token in tokens), *(rules or NO_RULES)]
                lines += [b""] if number else []
                lines += [line_like(self._robots, near, *each) for each in values]
            lines += [] if lines_of.is_blank(near + 1) else [b""]
            for is_closing in (False, True)[: 1 + has_open_group]:
                draft = Draft(self._robots)
                if is_closing:
                    last = groups[at - 1].start_lines[-1]
                    draft.insert(last, [line_like(self._robots, last, *NO_RULES[0])])
                draft.insert(near, lines)
                yield draft

    def _regroup(self, new: Iterable[tuple[int, NewGroup | None]]) -> None:
        """Replace or remove some groups, by their index."""
        self._change_groups(self._changes(new))

    def _changes(
        self, new: Iterable[tuple[int, NewGroup | None]]
    ) -> Iterator[tuple[int, Splices | None]]:
        """Yield what to replace in groups that become others, by their index; None removes one."""
        groups = self._robots.groups
        names = {name for group in groups for name in group.product_tokens}
        for at, group in new:
            if group is None:
                yield at, None
                continue
            tokens, rules = group
            if (*tokens,) != groups[at].product_tokens or [*rules] != rules_of(groups[at]):
                self._expect_tokens(tokens, names)
                of_rules = _splices(rules_of(groups[at]), rules or NO_RULES)
                yield at, (_splices(groups[at].product_tokens, tokens), of_rules)

    def _change_group(
        self, group: Group, tokens: Sequence[Splice[str]], rules: Sequence[Splice[NewRule]]
    ) -> None:
        """Replace some tokens and rules of a group; all other lines are kept."""
        self._change_groups([(self._place_of(group), (tokens, rules))])

    def _change_groups(self, changes: Iterable[tuple[int, Splices | None]]) -> None:
        """Replace some tokens and rules of groups, or remove groups, by their index."""
        said = dict(enumerate(self._contents))
        draft = Draft(self._robots)
        gone = []
        for at, splices in changes:
            group = self._robots.groups[at]
            _expect_start_line(group)
            if splices is None:
                gone.append(group)
                del said[at]
            else:
                self._draft_group(draft, group, *splices)
                said[at] = GroupContents(*_spliced(group, *splices), said[at].records)
        for number in self._group_lines.lines_of(gone):
            self._remove_line(draft, number)
        self._take([draft], [*said.values()])

    def _draft_group(
        self,
        draft: Draft,
        group: Group,
        tokens: Sequence[Splice[str]],
        rules: Sequence[Splice[NewRule]],
    ) -> None:
        starts = [line for line in map(self._line, group.start_lines) if line.value]
        first, last = group.start_lines[0], group.start_lines[-1]
        gone = [each.number for i, j, new in tokens for each in starts[i:j][len(new) :]]
        self._keep_records(draft, group, gone)
        for start, stop, new_tokens in tokens:
            self._splice(
                draft,
                starts[start:stop],
                [("user-agent", token) for token in new_tokens],
                behind=starts[start - 1].number if start else first - 1,
            )
        lines = [self._line(rule.line) for rule in group.rules]
        for start, stop, new_rules in rules:
            _expect_patterns(new_rules)
            behind = lines[start - 1].number if start else last
            self._splice(draft, lines[start:stop], new_rules, behind=behind)

    def _splice(
        self, draft: Draft, old: Sequence[Line], new: Sequence[tuple[str, str]], *, behind: int
    ) -> None:
        """Write fields and values in place of lines, or after the line with a number."""
        for line, (field, value) in zip(old, new, strict=False):
            self._rewrite(draft, line, field, value)
        for line in old[len(new) :]:
            self._remove_line(draft, line.number)
        near = old[-1].number if old else behind
        draft.insert(near, [line_like(self._robots, near, *each) for each in new[len(old) :]])

    def _rewrite(self, draft: Draft, line: Line, field: str, value: str) -> None:
        """Write a field and a value in a line; keep as much of the line as possible."""
        assert line.value_span is not None, "the line is read"
        start, stop = separator_span(self._robots, line)
        separator = self._robots.body[start:stop]
        is_field_kept = line.field == field
        if is_field_kept and line.value and value:
            draft.rewrite(line.number, line.value_span, _bytes(value))
            return
        if b":" not in separator or not line.value:
            separator = b": "
        key = line.key if is_field_kept else spelled(field, line)
        text = _bytes(key or field) + separator + _bytes(value)
        if not value:
            text = text.rstrip(b" \t")
        draft.rewrite(line.number, (key_span(self._robots, line)[0], line.value_span[1]), text)

    def _remove_line(self, draft: Draft, number: int) -> None:
        """Remove a line, but keep a comment at its end, also behind a NUL that ends the line for
        the dialect."""
        line = self._line(number)
        mark = self.body.find(b"#", *line.span)
        if mark < 0:
            draft.remove(number)
            return
        draft.rewrite(number, (min(key_span(self._robots, line)[0], mark), mark), b"")

    def _keep_records(self, draft: Draft, group: Group, gone: Collection[int]) -> None:
        """Move the records above the first start-group line of a group that is kept below it."""
        kept = next((number for number in group.start_lines if number not in gone), None)
        if kept in (None, group.start_lines[0]):
            return
        of_groups = self._group_lines.of_groups
        for number in range(group.start_lines[0], kept):
            if number in of_groups:
                start, stop = self._line(number).span
                draft.remove(number)
                draft.insert(kept, [self.body[start:stop].rstrip(b"\r\n")])

    # lookups

    def _field_of(self, key: str) -> str:
        """Return the field that a key means: some have several, such as `acap-crawler`."""
        text = f"User-agent: *\n{key}: 1\n".encode("utf-8", "surrogateescape")
        records = parse(text, dialect=self._robots.dialect).records
        return records[0].field if records else key.lower()

    def _line(self, number: int) -> Line:
        return self._robots.lines[number - 1]

    def _place_of(self, group: Group) -> int:
        return self._index(self._robots.groups, group, "group")

    def _place_of_rule(self, rule: Rule) -> tuple[Group, int]:
        for group in self._robots.groups:
            if rule in group.rules:
                return group, group.rules.index(rule)
        raise _stale("rule")

    def _index(self, known: Sequence[T], one: T, noun: str) -> int:
        try:
            return known.index(one)
        except ValueError:
            raise _stale(noun) from None

    def _expect_tokens(self, tokens: Sequence[str], known: Collection[str] = ()) -> None:
        if not tokens:
            raise InvalidOption("a group needs a product token", "pass `*` for all crawlers")
        for token in tokens:
            if token != "*" and token not in known:
                check_product_token(token, dialect=self._robots.dialect)
            if (found := unwritable(token)) is not None or not token:
                where = f": `{glyph(token[found])}` at offset {found}" if found is not None else ""
                raise InvalidProductToken(f"{quoted(token)} is not a product token{where}")


def rules_of(agent: Agent | Group) -> list[NewRule]:
    """Return the rules of a crawler or a group, in file order."""
    return [("allow" if rule.allow else "disallow", rule.pattern) for rule in agent.rules]


def _expect_patterns(rules: Iterable[NewRule]) -> None:
    for field, pattern in rules:
        expect_writable(f"the pattern of {quoted(field)}", pattern)


def _expect_start_line(group: Group) -> None:
    """Refuse a group whose start-group lines are not read, because they are too long."""
    if not group.start_lines:
        raise InvalidOption(
            "the start-group line of a group is too long, and is not read",
            "shorten or remove it by hand first",
        )


def _stale(noun: str) -> InvalidOption:
    return InvalidOption(
        f"the {noun} is not in the current file", "take it from `editor.robots` after each edit"
    )


def _first_other(robots: RobotsTxt, expected: list[GroupContents]) -> str:
    """Return where a file begins to differ from what an edit makes of it."""
    groups = zip(robots.groups, contents_of(robots), expected[:-1], strict=False)
    lines = (group.start_lines for group, old, new in groups if old[:2] != new[:2])
    last = [group.start_lines for group in robots.groups[-1:]]
    number = next((own[0] for own in (*lines, *last) if own), None)
    return f"the group of line {number}" if number else "the file"


def _splices(old: Sequence[T], new: Sequence[T]) -> list[Splice[T]]:
    """Return the splices that turn one sequence into another."""
    codes = Alignment(old, new).get_opcodes()
    return [(i, j, new[k:end]) for code, i, j, k, end in codes if code != "equal"]


def _spliced(
    group: Group, tokens: Sequence[Splice[str]], rules: Sequence[Splice[NewRule]]
) -> GroupText:
    """Return the text of a group with some of its tokens and rules replaced."""
    old_tokens, old_rules = (list(group.product_tokens), list(text_of(group)[1]))
    for start, stop, new_tokens in sorted(tokens, key=lambda each: each[0], reverse=True):
        old_tokens[start:stop] = new_tokens
    for start, stop, new_rules in sorted(rules, key=lambda each: each[0], reverse=True):
        old_rules[start:stop] = _texts(new_rules)
    return settled((tuple(old_tokens), tuple(old_rules)))


def _texts(rules: Iterable[NewRule]) -> tuple[tuple[bool, bytes], ...]:
    return tuple((field == "allow", _bytes(pattern)) for field, pattern in rules)


def _malformed(robots: RobotsTxt) -> int:
    return sum(record.value is None for record in robots.records)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
