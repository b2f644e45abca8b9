"""What a decision tells beside yes and no: reason, section, rule, group, bytes, and who lost.

In: small files, and generated ones for what must hold of every decision.
"""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

import verger
from reference.matcher import literal
from reference.normal import fold_in_query
from strategies import NAMED, Pair, Question, asked_files, files, pairs, questions

LIMIT = 512_000
Span = tuple[int, int]
RULES = b"User-agent: a\nUser-agent: b\nDisallow: /p\nAllow: /p/q\n\nUser-agent: *\nDisallow: /\n"


def decide(
    data: bytes, url: str, token: str = "a", dialect: str | verger.Dialect = "rfc9309"
) -> verger.Decision:
    return verger.parse(data, dialect=dialect).decide(url, token)


@pytest.mark.parametrize(
    ("data", "url", "dialect", "allowed", "reason", "line"),
    [
        (RULES, "/p/q", "rfc9309", True, "MOST_SPECIFIC_RULE", 4),
        (RULES, "/p/q", "koster-1996", False, "FIRST_MATCHING_RULE", 3),
        (RULES, "/x", "rfc9309", True, "NO_MATCHING_RULE", None),
        (b"User-agent: a\n", "/x", "rfc9309", True, "GROUP_WITHOUT_RULES", None),
        (b"User-agent: b\nDisallow: /\n", "/x", "rfc9309", True, "NO_GROUP", None),
        (b"", "/x", "rfc9309", True, "NO_GROUP", None),
        (RULES, "/robots.txt", "rfc9309", True, "ROBOTS_TXT_ITSELF", None),
        (b"User-agent: *\nDisallow:\n", "/x", "googlebot-cpp", True, "EMPTY_RULE", 2),
        (b"User-agent: *\nDisallow:\n", "/x", "rfc9309", True, "NO_MATCHING_RULE", None),
        (RULES + b"#" * LIMIT, "/p", "yandex", True, "FILE_OVER_LIMIT", None),
        (RULES + b"#" * LIMIT, "/p", "rfc9309", False, "MOST_SPECIFIC_RULE", 3),
    ],
)
def test_reason(
    data: bytes, url: str, dialect: str, allowed: bool, reason: str, line: int | None
) -> None:
    """Each cause of an answer has its own reason, and a line where a rule decided."""
    decision = decide(data, url, dialect=dialect)

    assert (allowed, reason, line) == (decision.allowed, decision.reason, decision.line)
    assert (decision.rule is None) == (line is None)


@pytest.mark.parametrize(
    ("dialect", "document"),
    [
        ("original-1994", "A Standard for Robot Exclusion, 30 June 1994"),
        ("koster-1996", "Koster, A Method for Robots Exclusion, draft 1, section 3.2.2"),
        ("koster-rep-00", "draft-koster-rep-00 section 2.2.2"),
        ("rfc9309", "RFC 9309 section 2.2.2"),
        ("google", "Google, How Google interprets the robots.txt specification, "),
        ("googlebot-cpp", "google/robotstxt, commit 22b355f"),
        ("yandex", "Yandex Webmaster help, "),
        ("bing", "RFC 9309 section 2.2.2"),
    ],
)
def test_section(dialect: str, document: str) -> None:
    """An answer names the document of its dialect, in a dialect derived from it too."""
    own = verger.DIALECTS[dialect].replace(name="mine", skip_partial_bom=True)

    assert decide(RULES, "/p", dialect=dialect).section.startswith(document)
    assert decide(RULES, "/p", dialect=own).section.startswith(document)


def test_sections_of_the_rfc() -> None:
    """RFC 9309: selection is section 2.2.1, matching 2.2.2."""
    assert decide(RULES, "/p").section == "RFC 9309 section 2.2.2"
    assert decide(b"", "/p").section == "RFC 9309 section 2.2.1"


def test_what_was_asked() -> None:
    """A decision holds the question: URL as given, tokens in order, dialect, and the target."""
    decision = verger.parse(RULES, dialect="google").decide("http://e.com/%7ep?q#f", ["c", "a"])

    assert decision.url == "http://e.com/%7ep?q#f"
    assert decision.tokens == ("c", "a")
    assert decision.dialect == verger.GOOGLE
    assert decision.target == "/~p?q"


def test_rule_and_group() -> None:
    """The rule as written, where it stands, and the group that it stands in."""
    robots = verger.parse(RULES)
    decision = robots.decide("/p/q", "a")
    rule, group = decision.rule, decision.group
    assert rule is not None
    assert group is not None

    assert (rule.line, rule.allow, rule.pattern, rule.pattern_bytes) == (4, True, "/p/q", b"/p/q")
    assert b"/p/q" == RULES[slice(*rule.span)]
    assert ("a", "b") == group.product_tokens
    assert (1, 2) == group.start_lines
    assert group == robots.groups[0]


def test_group_without_rule() -> None:
    """Without a deciding rule the group is the crawler's first, if it has one."""
    twice = b"User-agent: a\nDisallow: /1\n\nUser-agent: a\nDisallow: /2\n"

    assert verger.parse(twice).groups[0] == decide(twice, "/").group
    assert decide(b"", "/").group is None


def test_beaten() -> None:
    """The other matching rules stand in file order; those of other groups do not count."""
    data = b"User-agent: a\nAllow: /*b\nDisallow: /\nDisallow: /x\nAllow: /abc\n" + RULES
    decision = decide(data.replace(b"User-agent: a\nUser-agent: b", b"User-agent: b"), "/abc")

    assert decision.line == 5
    assert [2, 3] == [rule.line for rule in decision.beaten]


@pytest.mark.parametrize(
    ("pattern", "url", "dialect", "data"),
    [
        ("/private", "/private/a", "rfc9309", (((0, 8), (0, 8)),)),
        ("/a*c", "/abbc/d", "rfc9309", (((0, 2), (0, 2)), ((2, 3), (2, 4)), ((3, 4), (4, 5)))),
        ("/a**", "/ab", "rfc9309", (((0, 2), (0, 2)), ((2, 4), (2, 2)))),
        ("/a$", "/a", "rfc9309", (((0, 2), (0, 2)), ((2, 3), (2, 2)))),
        ("/*$", "/ab", "rfc9309", (((0, 1), (0, 1)), ((1, 2), (1, 3)), ((2, 3), (3, 3)))),
        ("/%7Ea", "/~ab", "rfc9309", (((0, 5), (0, 3)),)),
        ("/a$b", "/a$bc", "rfc9309", (((0, 4), (0, 6)),)),
        ("/a?b:", "/a?b%3A", "rfc9309", (((0, 5), (0, 7)),)),
        ("/a%5B", "/a[0]", "rfc9309", (((0, 5), (0, 3)),)),
        (
            "/*[a]",
            "/x[a]%5ba%5d",
            "rfc9309",
            (((0, 1), (0, 1)), ((1, 2), (1, 2)), ((2, 5), (2, 5))),
        ),
        (
            "/a(b)*?c/d*[e]$",
            "/a%28b%29x?c%2fd?e=[e]",
            "rfc9309",
            (
                ((0, 5), (0, 9)),
                ((5, 6), (9, 10)),
                ((6, 10), (10, 16)),
                ((10, 11), (16, 19)),
                ((11, 14), (19, 22)),
                ((14, 15), (22, 22)),
            ),
        ),
        ("/a*b", "/a*bc", "koster-1996", (((0, 4), (0, 4)),)),
    ],
)
def test_bytes(
    pattern: str,
    url: str,
    dialect: str,
    data: tuple[tuple[Span, Span], ...],
) -> None:
    """Each piece of the pattern is shown with what it matched in the target."""
    assert (
        data == decide(f"User-agent: *\nDisallow: {pattern}\n".encode(), url, "x", dialect).matched
    )


@st.composite
def decisions(draw: st.DrawFn) -> tuple[verger.Decision, verger.RobotsTxt, Pair]:
    """A decision on a generated file in a dialect that may have knobs turned."""
    file = draw(files)
    question, pair = draw(questions(file)), draw(st.one_of(st.sampled_from(NAMED), pairs()))
    robots = verger.parse(file, dialect=pair.dialect)
    try:
        return robots.decide(question.url, question.tokens), robots, pair
    except verger.RobotsError:
        return robots.decide("/a", "a"), robots, pair


@given(decisions())
def test_spans_tile(drawn: tuple[verger.Decision, verger.RobotsTxt, Pair]) -> None:
    """The pieces tile the pattern, and what they matched tiles the beginning of the target.

    Of a pattern that names an index page only the directory is compared.
    """
    decision, _, pair = drawn
    target = decision.target.encode("utf-8", "surrogateescape")
    written, matched = (
        [own for own, _ in decision.matched],
        [found for _, found in decision.matched],
    )
    if decision.rule is None or not decision.rule.pattern_bytes:
        assert decision.matched == ()
        return

    assert tiles(written)
    assert tiles(matched)
    assert matched[-1][1] <= len(target)
    if not (pair.switches.index_is_directory and b"/index.htm" in decision.rule.pattern_bytes):
        assert len(decision.rule.pattern_bytes) == written[-1][1]
        for (start, end), (found, found_end) in decision.matched:
            piece, data = decision.rule.pattern_bytes[start:end], target[found:found_end]
            assert fits(piece, data, end == len(decision.rule.pattern_bytes), pair), (piece, data)


def tiles(spans: Sequence[tuple[int, int]]) -> bool:
    """Whether spans follow on each other, from 0."""
    return spans[0][0] == 0 and all(left[1] == right[0] for left, right in pairwise(spans))


def fits(piece: bytes, data: bytes, is_last: bool, pair: Pair) -> bool:
    """Whether a piece of a pattern can have matched these bytes."""
    if pair.switches.wildcards and not piece.strip(b"*"):
        return True
    if pair.switches.wildcards and is_last and piece == b"$":
        return data == b""
    if not piece:
        # An empty Disallow that is read as `Allow: /`, or reported and deciding nothing.
        return data in (b"", b"/")
    form = literal(piece, pair.switches)
    return form == data or (pair.switches.equate_reserved_escapes and fits_folded(form, data))


def fits_folded(form: bytes, data: bytes) -> bool:
    """Whether a piece can have matched folded bytes, of the first and last of them a part."""
    piece, target = fold_in_query(form), fold_in_query(data)
    return piece in target and len(target) - len(piece) <= 4


@given(decisions())
def test_rule_stands_where_it_says(drawn: tuple[verger.Decision, verger.RobotsTxt, Pair]) -> None:
    """A deciding rule is one of the crawler's, in its group, and its span holds its bytes."""
    decision, robots, pair = drawn
    agent = robots.agent(decision.tokens)
    if decision.rule is None:
        assert decision.group == (agent.groups[0] if agent.groups else None)
        assert decision.allowed
        return

    assert decision.rule in agent.rules
    assert decision.group is not None
    assert decision.rule in decision.group.rules
    assert decision.group in agent.groups
    assert decision.line == decision.rule.line
    assert decision.rule.pattern.encode("utf-8", "surrogateescape") == decision.rule.pattern_bytes
    if not pair.switches.decode_utf16:
        assert robots.body[slice(*decision.rule.span)] == decision.rule.pattern_bytes


@given(asked_files(count=1), st.sampled_from(NAMED))
def test_beaten_are_all_others_that_match(asked: tuple[bytes, list[Question]], pair: Pair) -> None:
    """Each other rule of the crawler is beaten if and only if, alone in a file, it matches."""
    data, (question,) = asked
    robots = verger.parse(data, dialect=pair.dialect)
    try:
        decision = robots.decide(question.url, question.tokens)
    except verger.RobotsError:
        return
    if decision.reason == "ROBOTS_TXT_ITSELF":
        return
    others = [rule for rule in robots.agent(question.tokens).rules if rule != decision.rule]

    assert [rule for rule in others if matches(rule, question.url, pair)] == list(decision.beaten)


def matches(rule: verger.Rule, url: str, pair: Pair) -> bool:
    """Whether a rule matches a URL, asked of a file that holds nothing else."""
    field = b"Allow" if rule.allow else b"Disallow"
    alone = verger.parse(
        b"User-agent: *\n" + field + b": " + rule.pattern_bytes + b"\n", dialect=pair.dialect
    )
    decision = alone.decide(url, "*")
    return decision.rule is not None and decision.reason != "EMPTY_RULE"


@pytest.mark.parametrize("dialect", ["original-1994", "koster-1996"])
def test_literal_star_is_one_piece(dialect: str) -> None:
    """Where `*` is a byte like any other, the pattern is one literal."""
    robots = verger.parse(b"User-agent: *\nDisallow: /a*\n", dialect=dialect)

    assert (((0, 3), (0, 3)),) == robots.decide("/a*b", "x").matched


def test_index_page_with_an_anchor_matches_its_directory() -> None:
    """The spans of an index page end at the slash, whatever stands behind it."""
    robots = verger.parse(b"User-agent: *\nAllow: /d/index.html$\n", dialect="googlebot-cpp")
    decision = robots.decide("/d/", "x")

    assert (((0, 3), (0, 3)),) == decision.matched
    assert decision.specificity == 4


def test_extension_does_not_take_a_rule_over() -> None:
    """A key that google/robotstxt reads as a rule stays one, whatever else is read."""
    dialect = verger.GOOGLEBOT_CPP.replace(extensions=("disallowaitraining",))
    robots = verger.parse(b"User-agent: *\nDisallowAITraining: /\n", dialect=dialect)

    assert robots.decide("/x", "x").line == 2


def test_empty_rule_is_reported_only_where_nothing_matched() -> None:
    """Precedence by order does not let a rule without value win."""
    dialect = verger.GOOGLEBOT_CPP.replace(precedence="first")
    robots = verger.parse(b"User-agent: *\nAllow:\nDisallow: /\n", dialect=dialect)

    assert robots.decide("/x", "x").line == 3
