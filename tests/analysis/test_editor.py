"""Edits: what is asked for is what the file says then, and all other bytes are as they were."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given, strategies as st

import strategies
import verger
from verger.analysis import Editor
from verger.analysis.editor import NewGroup, rules_of as new_rules_of
from verger.errors import InvalidOption

from . import laid_out

Rules: TypeAlias = list[tuple[str, str]]
Groups: TypeAlias = list[tuple[list[str], Rules]]


def editor_of(body: bytes, dialect: str = "rfc9309") -> Editor:
    return Editor(verger.parse(body, dialect=dialect))


def said(robots: verger.RobotsTxt) -> Groups:
    """Groups and rules as a file has them; an empty rule that stands alone is none."""
    return [(list(group.product_tokens), rules_of(group)) for group in robots.groups]


def rules_of(group: verger.Group) -> Rules:
    rules = [("allow" if rule.allow else "disallow", rule.pattern) for rule in group.rules]
    return settled(rules)


def settled(rules: Sequence[tuple[str, str]]) -> Rules:
    return list(rules) if any(pattern for _, pattern in rules) else []


def records_of(robots: verger.RobotsTxt) -> list[tuple[str, str]]:
    return [(record.field, record.raw) for record in robots.records]


def comments_of(robots: verger.RobotsTxt) -> list[str]:
    return [line.comment for line in robots.lines if line.comment is not None]


def expect_lossless(before: bytes, editor: Editor) -> None:
    """The edits are in order, touch nothing else, and lead to the body."""
    parts, at = [], 0
    for edit in editor.edits:
        start, stop = edit.span
        assert at <= start <= stop
        parts += before[at:start], edit.replacement
        at = stop
    assert b"".join((*parts, before[at:])) == editor.body
    if before.lstrip(b"\xef\xbb\xbf") and editor.body:
        assert before.endswith((b"\r", b"\n")) == editor.body.endswith((b"\r", b"\n"))
    assert before.startswith(b"\xef\xbb\xbf") == editor.body.startswith(b"\xef\xbb\xbf")
    # Line ends are those of the file.
    for end in (b"\r\n", b"\r", b"\n"):
        if kinds_of(before) == {end}:
            assert kinds_of(editor.body) <= {end}
    assert comments_of(editor.robots) == comments_of(verger.parse(before))


def kinds_of(body: bytes) -> set[bytes]:
    without = body.replace(b"\r\n", b"")
    return {end for end in (b"\r", b"\n") if end in without} | (
        {b"\r\n"} if without != body else set()
    )


# Properties

dialects_and_files = laid_out.dialects.flatmap(
    lambda name: st.tuples(st.just(name), laid_out.files(name))
)


@st.composite
def edits(draw: st.DrawFn, editor: Editor, dialect: str, model: Groups) -> None:
    """Make an edit, and the same in the model."""
    kinds = [add_group, add_rule, add_token]
    kinds += [remove_group, replace_group, replace_groups]
    kinds += [remove_rule, replace_rule, remove_token]
    draw(st.sampled_from(kinds))(draw, editor, dialect, model)


Draw: TypeAlias = Callable[..., Any]


def any_group(draw: Draw, editor: Editor) -> int:
    assume(editor.robots.groups)
    return int(draw(st.integers(0, len(editor.robots.groups) - 1)))


def any_rule(draw: Draw, editor: Editor) -> tuple[int, int]:
    at = any_group(draw, editor)
    rules = editor.robots.groups[at].rules
    assume(rules)
    return at, draw(st.integers(0, len(rules) - 1))


def add_group(draw: Draw, editor: Editor, dialect: str, model: Groups) -> None:
    at = draw(st.integers(0, len(editor.robots.groups)))
    tokens = draw(st.lists(laid_out.tokens, min_size=1, max_size=2))
    rules = draw(laid_out.new_rules(dialect))
    before = editor.robots.groups[at] if at < len(editor.robots.groups) else None
    editor.add_group(tokens, rules, before=before)
    model.insert(at, (tokens, settled(rules)))


def remove_group(draw: Draw, editor: Editor, _dialect: str, model: Groups) -> None:
    at = any_group(draw, editor)
    editor.remove_group(editor.robots.groups[at])
    del model[at]


def replace_group(draw: Draw, editor: Editor, dialect: str, model: Groups) -> None:
    at = any_group(draw, editor)
    tokens = draw(st.lists(laid_out.tokens, min_size=1, max_size=3))
    rules = draw(laid_out.new_rules(dialect))
    editor.replace_group(editor.robots.groups[at], tokens, rules)
    model[at] = (tokens, settled(rules))


def replace_groups(draw: Draw, editor: Editor, dialect: str, model: Groups) -> None:
    new: list[NewGroup | None] = []
    for group in editor.robots.groups:
        same = group.product_tokens, new_rules_of(group)
        names = st.lists(laid_out.tokens, min_size=1, max_size=3)
        other = st.tuples(names, laid_out.new_rules(dialect))
        new.append(draw(st.one_of(st.none(), st.just(same), other)))
    editor.replace_groups(new)
    model[:] = [(list(each[0]), settled(each[1])) for each in new if each is not None]


def add_token(draw: Draw, editor: Editor, _dialect: str, model: Groups) -> None:
    at, token = any_group(draw, editor), draw(laid_out.tokens)
    editor.add_token(editor.robots.groups[at], token)
    model[at][0].append(token)


def remove_token(draw: Draw, editor: Editor, _dialect: str, model: Groups) -> None:
    at = any_group(draw, editor)
    tokens = model[at][0]
    token = draw(st.sampled_from(tokens))
    left = [each for each in tokens if each.lower() != token.lower()]
    if not left:
        with pytest.raises(verger.InvalidOption):
            editor.remove_token(editor.robots.groups[at], token)
        return
    editor.remove_token(editor.robots.groups[at], token)
    tokens[:] = left


def add_rule(draw: Draw, editor: Editor, dialect: str, model: Groups) -> None:
    at = any_group(draw, editor)
    group = editor.robots.groups[at]
    rules = [("allow" if rule.allow else "disallow", rule.pattern) for rule in group.rules]
    field, pattern = draw(laid_out.fields(dialect)), draw(laid_out.patterns)
    place = draw(st.integers(0, len(rules)))
    before = group.rules[place] if place < len(rules) else None
    editor.add_rule(group, field, pattern, before=before)
    if before is None and len(rules) == 1 and not rules[0][1]:
        rules = []
    rules.insert(place, (field, pattern))
    model[at] = (model[at][0], settled(rules))


def remove_rule(draw: Draw, editor: Editor, _dialect: str, model: Groups) -> None:
    at, place = any_rule(draw, editor)
    group = editor.robots.groups[at]
    rules = [("allow" if rule.allow else "disallow", rule.pattern) for rule in group.rules]
    assume(len(rules) > 1 or rules[0][1])
    editor.remove_rule(group.rules[place])
    del rules[place]
    model[at] = (model[at][0], settled(rules))


def replace_rule(draw: Draw, editor: Editor, dialect: str, model: Groups) -> None:
    at, place = any_rule(draw, editor)
    group = editor.robots.groups[at]
    rules = [("allow" if rule.allow else "disallow", rule.pattern) for rule in group.rules]
    rules[place] = draw(laid_out.fields(dialect)), draw(laid_out.patterns)
    editor.replace_rule(group.rules[place], *rules[place])
    model[at] = (model[at][0], settled(rules))


@given(dialects_and_files, st.data())
def test_edits_say_what_is_asked_for(dialect_and_file: tuple[str, bytes], data: Any) -> None:
    """Some edits of groups and rules, in every dialect: the file says what a model says."""
    dialect, body = dialect_and_file
    editor = editor_of(body, dialect)
    model = said(editor.robots)
    for _ in range(data.draw(st.integers(1, 4))):
        data.draw(edits(editor, dialect, model))

        assert said(editor.robots) == model
        expect_lossless(body, editor)
        if not editor.body.lstrip(b"\xef\xbb\xbf"):
            break  # what comes next has no layout to keep


@given(strategies.files, laid_out.dialects, st.data())
def test_odd_files(body: bytes, dialect: str, data: Any) -> None:
    """A file of any bytes takes an edit, or refuses it and is as it was."""
    robots = verger.parse(body, dialect=dialect)
    try:
        editor = Editor(robots)
    except verger.InvalidOption:
        assert body.startswith((b"\xff\xfe", b"\xfe\xff"))
        return
    model = said(robots)
    wanted = [(list(tokens), list(rules)) for tokens, rules in model]
    try:
        data.draw(edits(editor, dialect, wanted))
    except verger.RobotsError:
        assert (editor.body, editor.edits) == (body, ())
        assert said(editor.robots) == model
    else:
        assert said(editor.robots) == wanted
        rest = b"".join(edit.replacement for edit in editor.edits)
        assert len(editor.body) - len(body) <= len(rest)


# Records


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            b"User-agent: *\nDisallow: /a\n\nSitemap: https://a.example/s\n",
            b"User-agent: *\nDisallow: /a\n\n",
            id="last",
        ),
        pytest.param(
            b"User-agent: *\r\nCrawl-delay: 5 # slowly\r\nDisallow: /a\r\n",
            b"User-agent: *\r\n# slowly\r\nDisallow: /a\r\n",
            id="with a comment",
        ),
        pytest.param(b"Sitemap: https://a.example/s", b"", id="alone"),
    ],
)
def test_record_is_removed(before: bytes, after: bytes) -> None:
    """Its line goes, its comment stays, and so do all other lines."""
    editor = editor_of(before, "bing")
    (record,) = editor.robots.records

    editor.remove_record(record)

    assert after == editor.body
    assert [] == records_of(editor.robots)


def test_record_of_another_file_is_not_removed() -> None:
    """It may be on another line there."""
    editor = editor_of(b"Sitemap: https://a.example/s\n", "google")
    (other,) = editor_of(b"\nSitemap: https://a.example/s\n", "google").robots.records

    with pytest.raises(verger.InvalidOption):
        editor.remove_record(other)


@pytest.mark.parametrize("name", ["robots", "edits", "body"])
def test_the_result_is_read_only(name: str) -> None:
    """Another file in its place would not be the one that the edits were proved for."""
    editor = Editor(verger.parse(b"User-agent: *\nDisallow: /\n"))

    with pytest.raises(AttributeError):
        setattr(editor, name, None)


def test_the_first_group_that_cannot_be_written_is_refused_first() -> None:
    """Not a later one whose product token is wrong."""
    editor = Editor(verger.parse(b"User-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow: /\n"))

    with pytest.raises(InvalidOption, match="the pattern of `disallow`") as caught:
        editor.replace_groups([(["a"], [("disallow", "/#")]), (["a b"], [("disallow", "/")])])
    assert "write `%23` in a path" == caught.value.hint


def test_a_stale_group_is_refused_before_a_pattern() -> None:
    """As everything about where a group goes."""
    editor = Editor(verger.parse(b"User-agent: a\nDisallow: /\n"))
    stale = verger.parse(b"User-agent: b\nDisallow: /\n").groups[0]

    with pytest.raises(InvalidOption, match="the group is not in the current file"):
        editor.add_group("c", [("disallow", "/#")], before=stale)
