"""What the features say, without a server: of any text, of hostile files, and in which words."""

import json
import re

import pytest
from hypothesis import given, strategies as st

from patience import LONG
from verger import KNOBS, RFC9309, parse
from verger.lint import Settings, formatted
from verger.lint.spelling import FIELDS as FORMATTED
from verger.service.lsp.code_action import actions, all_safe, edits, formatting, reformatted
from verger.service.lsp.code_lens import hints, lenses
from verger.service.lsp.completion import completions
from verger.service.lsp.diagnostics import diagnostics
from verger.service.lsp.document import Document, settings_of
from verger.service.lsp.document_symbol import folds, symbols
from verger.service.lsp.fields import FIELDS, SIGNALS, USAGES
from verger.service.lsp.hover import hover
from verger.service.lsp.semantic_tokens import tokens
from verger.service.lsp.text import UNITS, Text, Unit

pieces = st.sampled_from(
    [
        *("User-agent:", "user-agent", "Disallow: ", "Allow:", "Sitemap:", "Crawl-delay: 1"),
        *("Content-Signal: ", "search=yes", ",", "GPTBot", "Googlebot", "*", "/", "/a", "$", "%"),
        *("# ", ":", " ", "\t", "\n", "\n", "\r\n", "\r", "\ufeff", "\0", "é", "😀", "`", "\ud83d"),
        *("\ude00", "_", "[x](y)", "verger: ignore RT304"),
    ]
)
texts = st.lists(pieces, max_size=40).map("".join)


def made(text: str, unit: Unit = "utf-16", dialect: str | None = None) -> Document:
    """Return a document as the server makes it."""
    return Document("file:///", 1, Text.of(text, unit), settings_of("untitled:1", dialect))


def everything(document: Document) -> list[object]:
    """Return what all features say of a file, at the beginning of each line and in it."""
    size = len(document.text.body)
    whole = (0, size)
    told: list[object] = [
        diagnostics(document),
        symbols(document),
        folds(document),
        tokens(document),
        hints(document, whole),
        lenses(document),
        actions(document, whole, ()),
        formatting(document),
        edits(document.text, all_safe(document)),
    ]
    for offset in {*range(0, size, 1 + size // 16), size}:
        told.append(hover(document, offset))
        told.append(hover(document, offset, markdown=False))
        told.append(completions(document, offset))
    return told


@pytest.mark.parametrize("unit", UNITS)
@given(text=texts, dialect=st.sampled_from([None, "google", "original-1994"]))
def test_any_text(unit: Unit, text: str, dialect: str | None) -> None:
    """No text is too odd, and what is told is JSON whose places lie in the file."""
    document = made(text, unit, dialect)
    told = json.dumps(everything(document))

    lines = document.text.place(len(document.text.body))[0]
    assert all(int(line) <= lines for line in re.findall(r'"line": (\d+)', told))


@given(text=texts)
def test_edits_lie_apart_and_in_order(text: str) -> None:
    """An editor refuses edits that overlap."""
    document = made(text)
    for those in (reformatted(document), all_safe(document)):
        ends = [end for edit in those for end in edit.span]
        assert sorted(ends) == ends


@given(text=texts)
def test_edits_make_the_text_that_they_stand_for(text: str) -> None:
    """What an editor has after formatting is what `verger fmt` writes."""
    document = made(text)
    body = document.text.body
    for edit in reformatted(document):
        start, stop = edit.span
        body = body[:start] + edit.replacement + body[stop:]

    assert formatted(document.text.body) == body


def test_groups_of_one_crawler_are_combined() -> None:
    """The lens and the hover name the other groups that the crawler reads, by their lines."""
    group = "User-agent: GPTBot\nDisallow: /a\n"
    text = f"{group}\nUser-agent: *\nAllow: /\nUser-agent: gptbot\nAllow: /b\n"
    document = made(text)
    found = [item["command"]["title"] for item in json.loads(json.dumps(lenses(document)))]

    assert "applies to 1 crawler · the groups of lines 1 and 6 are combined · 1 rule" == found[0]
    assert "combined" not in found[1]
    assert "\n- the groups of lines 1 and 6 are combined\n" in str(
        json.loads(json.dumps(hover(document, text.index("Allow: /b"))))["contents"]["value"]
    )


HOSTILE = {
    "stars": "User-agent: *\nDisallow: /" + "*" * 300_000,
    "stars and letters": "User-agent: *\nDisallow: /" + "*é" * 100_000,
    "groups": "User-agent: *\nDisallow: /\n" * 3_000,
    "names": "".join(f"User-agent: bot{'x' * (n % 50)}\n" for n in range(6_000)) + "Disallow: /",
    "rules": "User-agent: *\n" + "".join(f"Disallow: /{n}*a*{n}$\n" for n in range(3_000)),
    "line ends": "\n" * 100_000,
    "comments": "#\n" * 50_000,
    "one line": "User-agent: a " * 20_000,
    "backticks": "User-agent: *\nDisallow: /" + "`" * 10_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(LONG)
def test_hostile_files(name: str) -> None:
    """Each feature is done in a time that a person may wait; what is told is bounded."""
    assert everything(made(HOSTILE[name]))


def test_text_of_a_file_does_not_act() -> None:
    """A pattern can neither end the code that it is shown in nor hide what it is."""
    text = "User-agent: *\nDisallow: /`![x](https://evil.example/p.png)`\u202e\n"
    found = hover(made(text), text.index("/`"))

    assert found is not None
    assert (
        r"`/\x60![x](https://evil.example/p.png)\x60\u202e`"
        in json.loads(json.dumps(found))["contents"]["value"]
    )


def test_names_of_symbols_are_not_markdown() -> None:
    """An editor shows them as they are, and so a backtick stays."""
    (group,) = json.loads(json.dumps(symbols(made("User-agent: *\nDisallow: /a`b\u202e\n"))))

    assert ["Disallow: /a`b\\u202e"] == [rule["name"] for rule in group["children"]]


def test_the_table_of_fields_is_that_of_the_core() -> None:
    """Each field that the core reads has a sentence, and no other has one."""
    (knob,) = [each for each in KNOBS if each.name == "extensions"]
    known = {"user-agent", "allow", "disallow", "content-usage", *RFC9309.extensions}

    assert known == set(FIELDS), knob.doc


def test_fields_are_written_as_the_format_writes_them() -> None:
    """What is completed is not formatted afterwards."""
    written = {name: text.decode() for name, text in FORMATTED.items()}

    assert written == {name: FIELDS[name].name for name in written}


def test_signals_are_those_of_the_core() -> None:
    """Each word that is completed is understood."""
    dialect = RFC9309.replace(extensions=(*RFC9309.extensions, "content-usage"))
    for field, words in (("Content-Signal", SIGNALS), ("Content-Usage", USAGES)):
        for name, values in words.items():
            for value in values:
                line = f"User-agent: *\n{field}: {name}={value}\nAllow: /\n"
                assert not parse(line, dialect=dialect).findings[:], line


def test_settings_put_a_dialect_first() -> None:
    """The others stay targets."""
    assert settings_of("untitled:1", "bing").targets[0] == "bing"
    assert set(settings_of("untitled:1", "bing").targets) == set(Settings().targets)


@pytest.mark.parametrize(("crawlers", "rules"), [(1_100, 2), (900, 400)])
def test_rule_that_an_unseen_crawler_needs(crawlers: int, rules: int) -> None:
    """Of crawlers beyond the limits of an analysis nothing is said."""
    few = made(crowd(9, 2))
    many = made(crowd(crawlers, rules))

    assert [few.never_decides(rule) for rule in few.robots.groups[0].rules[:2]] == [False, True]
    assert not any(map(many.never_decides, many.robots.groups[0].rules))


def crowd(crawlers: int, rules: int) -> str:
    """Return a file in which each crawler follows one group of all, and one of its own."""
    names = [
        f"bot-{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{'x' * (n // 676)}" for n in range(crawlers)
    ]
    shared = "".join(f"User-agent: {name}\n" for name in names)
    rows = "".join(f"Allow: /a/{number}\n" for number in range(rules))
    own = "".join(f"User-agent: {name}\nDisallow: /own\n" for name in names)
    return f"{shared}Allow: /a\nDisallow: /a\n{rows}{own}"


def test_a_group_of_all_others_may_name_some() -> None:
    """These are none of the others, and bound by their names: `*` does not bind AdsBot-Google."""
    both = made("User-agent: AdsBot-Google\nUser-agent: Own\nUser-agent: *\nDisallow: /\n")
    alone = made("User-agent: *\nDisallow: /\n")
    [of_both], [of_star] = (
        [lens["command"]["title"] for lens in lenses(document)] for document in (both, alone)
    )
    number = int(re.findall(r"\((\d+) known\)", of_star)[0])

    assert f"applies to all other crawlers ({number} known) · 1 rule" == of_star
    assert f"applies to 2 crawlers and all other crawlers ({number} known) · 1 rule" == of_both
