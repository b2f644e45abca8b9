"""What strangers' files did to lint and its fixes, each as the case that showed it."""

import os
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steps import steps_of
from verger import DIALECTS, parse
from verger.analysis.edits import apply
from verger.analysis.proof import says_the_same
from verger.analysis.writable import why_not_editable
from verger.errors import InvalidOption, UnknownName
from verger.lint import Settings, fixed, formatted, lint, proved, read_settings, settings_for
from verger.lint.fixing import run_on


def codes(body: bytes) -> list[str]:
    return [each.code for each in lint(body).diagnostics]


def test_edits_far_apart_do_not_overlap() -> None:
    """A fix with an edit in each line, and another in one of the first, are made one by one."""
    rules = b"".join(b"Disallow: /b%d/\n" % number for number in range(300))
    mixed = b"".join(b"Disallow: /c%d/\r\n" % number for number in range(100))
    body = b"User-agent: *\nDisallow: /p\r\nDisallow: /p\r\nDisallow: /keep1\r\n" + mixed + rules

    once = fixed(body, unsafe=True).body

    assert once == body.replace(b"\r\n", b"\n").replace(b"Disallow: /p\n", b"", 1)
    assert once == fixed(once, unsafe=True).body


@pytest.mark.parametrize(
    "body_of",
    [
        pytest.param(lambda number: b"x" * 250 * number, id="one word"),
        pytest.param(
            lambda number: b"# verger: ignore RT303\nDisallow: /a\n" * number, id="comments"
        ),
        pytest.param(lambda number: b"# verger: ignore RT303\n" * number, id="comments alone"),
        pytest.param(
            lambda number: (
                b"User-agent: *\n"
                + b"".join(b"Disallow: /%d\n" % (i * 7919 % 99991) for i in range(number))
            ),
            id="redundant rules",
        ),
    ],
)
def test_steps_of_fixing_are_linear(body_of: Callable[[int], bytes]) -> None:
    """Four times the file takes about four times the steps, and not sixteen times."""
    few, many = body_of(500), body_of(2_000)
    fixed(body_of(10))  # loads the checks

    assert steps_of(lambda: fixed(many)) < 4.5 * steps_of(lambda: fixed(few))


def rows(row: str) -> Callable[[int], bytes]:
    """Return a file of so many rows, each with its number."""
    return lambda number: (
        b"User-agent: bingbot\n" + "".join(map(row.format, range(number))).encode()
    )


def crowd(row: str) -> Callable[[int], bytes]:
    """Return one group of many crawlers and many rows."""
    return lambda number: (
        b"".join(b"User-agent: %s\n" % word(n) for n in range(number))
        + (row.encode() * number + b"Disallow: /x\n")
    )


def shared_group(crawlers: int, rules: int) -> bytes:
    """Return a group that many crawlers follow, each of which also has a group of its own."""
    names = [word(number) for number in range(crawlers)]
    shared = b"".join(b"User-agent: %s\n" % name for name in names)
    rows = b"".join(b"Disallow: /p%d\n" % number for number in range(rules))
    return shared + rows + b"".join(b"User-agent: %s\nAllow: /%s\n" % (n, n) for n in names)


def word(number: int) -> bytes:
    return b"b" + bytes(97 + number // 26**place % 26 for place in range(4))


DENSE: dict[str, Callable[[int], bytes]] = {
    "several patterns": rows("Disallow: /a /b\n"),
    "blanks in paths": rows("Disallow: /x{0} /b{0}\nDisallow: /y/b{0}\n"),
    "scripts": rows("Disallow: /a{0}/*.js$\n"),
    "comments for the file": rows("# verger: ignore-file RT301\nDisallow: foo{0}\n"),
    "unknown words": lambda number: b"# verger: ignore " + b"RT999, " * number,
    "pipes": lambda number: b"User-agent: *\nDisallow: /(" + b"|" * 4 * number,
    "negated classes": lambda number: b"User-agent: *\nDisallow: /" + b"[^" * 8 * number,
    "delays of many crawlers": crowd("Crawl-delay: 100\n"),
    "delays and rules": rows("Crawl-delay: 100\nDisallow: /x{0}\n"),
    "groups with one crawler in common": lambda number: b"".join(
        b"User-agent: %s\nUser-agent: all\nAllow: /%d\nDisallow: /%d\n" % (word(n), n, n)
        for n in range(number)
    ),
    "groups that copy little": lambda number: (
        b"User-agent: *\n"
        + b"".join(b"Disallow: /%d\n" % n for n in range(2 * number))
        + b"".join(
            b"User-agent: %s\nDisallow: /1\nDisallow: /2\n" % word(n) for n in range(number // 2)
        )
    ),
    "a group that many crawlers share": lambda number: shared_group(number, 2 * number),
    "groups that allow what others disallow": lambda number: (
        b"User-agent: *\nAllow: /\n" * number + b"User-agent: *\nDisallow: /\n" * number
    ),
    "groups that repeat each other": lambda number: b"".join(
        b"User-agent: %s\nUser-agent: all\nDisallow: /x\n" % word(n) for n in range(number)
    ),
    "signals of groups with one crawler in common": lambda number: b"".join(
        b"User-agent: %s\nUser-agent: all\nContent-Signal: search=%s\nDisallow: /%d\n"
        % (word(n), (b"no", b"yes")[n % 2], n)
        for n in range(number)
    ),
    "pages alone": lambda number: (
        b"User-agent: *\nDisallow: /\n" + b"".join(b"Allow: /q%d\n" % n for n in range(number))
    ),
    "blank seams": lambda number: (
        b"".join(b"User-agent: %s\n\n" % word(n) for n in range(number)) + b"Disallow: /\n"
    ),
    "seams": lambda number: (
        b"".join(b"User-agent: %s\nCrawl-delay: 5\n" % word(n) for n in range(number))
        + b"Disallow: /\n"
    ),
}
"""Files of many rows in which a check finds something, or nearly so."""


@pytest.mark.parametrize("name", DENSE)
def test_steps_are_linear_in_what_checks_look_for(name: str) -> None:
    """Four times the rows take about four times the steps."""
    few, many = DENSE[name](200), DENSE[name](800)
    lint(DENSE[name](10))  # loads the checks

    assert steps_of(lambda: lint(many)) < 4.5 * steps_of(lambda: lint(few))


def test_comment_goes_with_the_rule_that_it_silences() -> None:
    """It does not silence the line below, which it was not written for."""
    behind = b"User-agent: *\nDisallow: /a\nDisallow: /a # verger: ignore RT301\nDisallow: foo\n"
    above = b"User-agent: *\nDisallow: /a\n# verger: ignore RT301\nDisallow: /a\nDisallow: foo\n"

    for body in (behind, above):
        after = fixed(body)

        assert after.body == b"User-agent: *\nDisallow: /a\nDisallow: foo\n"
        assert [each.code for each in after.diagnostics] == ["RT301"]


def test_a_reason_alone_silences_everything() -> None:
    """`because` ends the list of checks, also an empty one."""
    assert codes(b"User-agent: *\nDisallow: foo # verger: ignore because of the CMS\n") == []
    assert "RT301" in codes(b"User-agent: *\nDisallow: foo # verger: ignore-fil RT301\n")


@pytest.mark.parametrize("allowed", [b"/robots.txt", b"/robots.txt$"])
def test_robots_txt_does_not_open_a_site(allowed: bytes) -> None:
    """An `Allow` for the file itself lets nobody in."""
    assert "RT501" in codes(b"User-agent: *\nDisallow: /\nAllow: %s\n" % allowed)


def test_settings_outside_their_table_are_refused(tmp_path: Path) -> None:
    """They would have no effect, and nobody would know."""
    path = tmp_path / "verger.toml"
    path.write_text('ignore = ["RT3"]\n')

    with pytest.raises(InvalidOption, match="unknown key `ignore`"):
        read_settings(path)

    path.write_text('[lint]\nignore = ["RT3"]\n')
    assert read_settings(path) == Settings(ignore=("RT3",))


@pytest.mark.parametrize(
    "text",
    [
        "\nselect = 5\n",
        "\nlint = 3\n",
        "\n[[lint]]\n",
        "\nlint.select = 3\n",
        '\nlint = {target = ["rfc9309"], select = 5}\n',
        "\n[lint.severity]\nRT101 = 3\n",
        "\n[other]\nselect = []\n",
    ],
)
def test_what_is_wrong_in_settings_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    """In the second line, however TOML writes it."""
    path = tmp_path / "verger.toml"
    path.write_text(text)

    with pytest.raises(InvalidOption, match=r"^line 2 of "):
        read_settings(path)


def test_settings_of_a_project_outside_their_table_are_refused(tmp_path: Path) -> None:
    """Keys of other tools are theirs; those of verger must be known."""
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.verger.lnit]\nignore = ["RT3"]\n')
    with pytest.raises(InvalidOption, match=r"unknown key `tool\.verger\.lnit`"):
        read_settings(path)

    path.write_text("[tool]\nverger = 3\n")
    with pytest.raises(InvalidOption, match=r"`tool\.verger` is not a table"):
        read_settings(path)

    path.write_text('[tool.ruff]\nselect = 3\n\n[tool.verger.lint]\n# why\n"select" = [3]\n')
    with pytest.raises(InvalidOption, match=r"line 6 of `.*`: `tool\.verger\.lint\.select`: not"):
        read_settings(path)
    path.write_text('[tool.verger]\nlint = { ignore = ["RT3"], slect = [] }\n')
    with pytest.raises(InvalidOption, match=r"line 2 of `.*`: unknown key .*\.slect`"):
        read_settings(path)

    for others in ("tool = 3\n", "[tool.ruff]\nselect = []\n", "[tool.verger]\n"):
        path.write_text(others)
        assert read_settings(path) is None


def test_settings_that_change(tmp_path: Path) -> None:
    """A program that runs for days, such as an editor, sees what is written meanwhile."""
    robots, path = tmp_path / "robots.txt", tmp_path / "verger.toml"
    path.write_text('[lint]\nignore = ["RT301"]\n')
    assert ("RT301",) == settings_for(robots).ignore

    path.write_text('[lint]\nignore = ["RT302"]\n')
    os.utime(path, ns=(1, 1))  # later, however coarse the clock of the file system is
    assert ("RT302",) == settings_for(robots).ignore

    path.unlink()
    (tmp_path / "pyproject.toml").write_text('[tool.verger.lint]\nignore = ["RT303"]\n')
    assert ("RT303",) == settings_for(robots).ignore


def test_folder_with_a_fifo(tmp_path: Path) -> None:
    """Nobody waits for a file that is not regular."""
    from verger.cli.inputs import _in_folder
    from verger.cli.output import Failure

    os.mkfifo(tmp_path / "robots.txt")

    with pytest.raises(Failure):
        list(_in_folder(str(tmp_path), is_read=True))


def test_path_with_two_slashes_is_not_a_url() -> None:
    """A URL without scheme begins with a host."""
    assert "RT302" not in codes(b"User-agent: *\nDisallow: //admin/\n")
    assert "RT302" in codes(b"User-agent: *\nDisallow: //example.com/admin/\n")


def test_rule_that_another_of_its_kind_outranks() -> None:
    """It is redundant, which matters less than a rule that loses against its opposite."""
    assert codes(b"User-agent: *\nDisallow: /*?*\nDisallow: /*?\n").count("RT304") == 0


def test_format_is_settled_in_one_call() -> None:
    """Where lines have to be in order before blank lines may be, both is done."""
    body = b"User-agent: a\n  \t\nDisallow: /a\r\rUser-agent:b\nAllow: /\n\x0c\nDisallow: /c\n"

    once = formatted(body)

    assert once == formatted(once)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        pytest.param(b"a = " + b"[" * 100_000, "nested too deeply", id="brackets"),
        pytest.param(b"a = 1" + b"0" * 6_000, "cannot be read", id="digits"),
        pytest.param(b"[lint]\nignore = \xff", "line 2 of", id="bytes"),
        pytest.param(b"[lint]\nignore = ", "line 2 of", id="syntax"),
    ],
)
def test_settings_that_are_not_toml(document: bytes, why: str, tmp_path: Path) -> None:
    """A message with the line, and no traceback."""
    path = tmp_path / "verger.toml"
    path.write_bytes(document)

    with pytest.raises(InvalidOption, match=why):
        read_settings(path)


def test_targets_are_dialects() -> None:
    """Another name is refused with the close match."""
    with pytest.raises(UnknownName) as caught:
        Settings(targets=("GOOGLE",))

    assert ("unknown dialect `GOOGLE`", "did you mean `google`?") == caught.value.args


@pytest.mark.parametrize("value", [DIALECTS["google"], 3, ["google"], None])
def test_targets_are_names(value: Any) -> None:
    """A dialect itself is refused with a hint, like any other object."""
    with pytest.raises(InvalidOption) as caught:
        Settings(targets=("google", value))

    kind = type(value).__name__
    assert f"`targets` holds a {kind}, not the name of a dialect" == caught.value.message
    assert f"choose from {', '.join(DIALECTS)}" == caught.value.hint


def test_fixes_of_a_file_over_the_limit_are_refused() -> None:
    """With a byte less, another rule would be read: the file stays, and each fix is left."""
    body = BOM_UTF8 + b"User-agent: *\nDisallow: /a\n" + b"# long\n" * 80_000

    mended = fixed(body)

    assert body == mended.body
    assert "RT109" in [each.code for each in mended.refused]
    assert all(each in mended.refused for each in mended.diagnostics if each.fix)


VERSIONED = b"User-agent: *\nUser-agent: Foo/1.0\nDisallow: /\nDisallow: /a\n"


def test_names_with_versions_are_names() -> None:
    """`Foo/1.0` is Foo: what is said of a file without the version is said of it with one."""
    body = VERSIONED + b"\nUser-agent: Foo/1.0\nAllow: /\n"
    bare = body.replace(b"/1.0", b"")

    assert [each for each in codes(body) if each != "RT206"] == codes(bare)
    assert "RT305" not in codes(body)
    assert "RT407" not in codes(b"User-agent: GPTBot/1.0\nCrawl-delay: 60\nDisallow: /\n")
    assert "RT406" in codes(b"User-agent: Googlebot/2.1\nCrawl-delay: 5\nDisallow: /a\n")


def test_rule_that_another_target_needs() -> None:
    """Yandex does not read the rule behind the blank line, so that the one before is needed."""
    body = b"User-agent: YandexBot\nDisallow: /a\n\nDisallow: /\n"

    assert "RT305" not in codes(body)
    assert "RT305" in [
        each.code for each in lint(body, settings=Settings(targets=("google",))).diagnostics
    ]


def test_finding_on_a_blank_line_lies_in_it() -> None:
    """The end of a line is none of its content."""
    body = b"User-agent: YandexBot\nDisallow: /a\n  \nDisallow: /\n"
    (found,) = [each for each in lint(body).diagnostics if each.code == "RT213"]

    assert (3, b"") == (found.line, body[slice(*found.span)])
    assert body.count(b"\n", 0, found.span[0]) == 2


@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: *\nDisallow: /a/\nAllow: /a*\n",
        b"User-agent: Googlebot\nDisallow: /a$\nAllow: /**\n",
        b"User-agent: *\nDisallow: /a/b\nAllow: /\nDisallow: /a\n",
    ],
)
def test_single_fixes_are_safe_where_that_is_proved(body: bytes) -> None:
    """A program that makes the safe edits one by one changes no decision."""
    found = list(proved(body, lint(body).diagnostics))

    assert [each.code for each in lint(body).diagnostics] == [each.code for each in found]
    for each in found:
        if each.fix is not None and each.fix.applicability == "safe":
            assert says_the_same(body, apply(body, each.fix.edits))
    assert "unsafe" in [each.fix.applicability for each in found if each.fix]


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (b"$", b"/$"),
        (b"$foo", b"/$foo"),
        (rb"\private", b"/private"),
        (b'"/y"', b"/y"),
        (b"./x", b"/x"),
        ("\uff0fx".encode(), b"/x"),  # a slash as wide as letters of East Asia
        (b".css", b"/*.css"),
        (b"?q=", b"/*?q="),
        (b"tab=", b"/*tab="),
        (b".git", b"/.git"),
        (b"index.php", b"/index.php"),
    ],
)
def test_patterns_that_no_crawler_reads(pattern: bytes, written: bytes) -> None:
    """The fix writes what was meant."""
    body = b"User-agent: *\nDisallow: " + pattern + b"\n"
    (found,) = [each for each in lint(body).diagnostics if each.code == "RT301"]

    assert found.fix is not None
    assert [written] == [edit.replacement for edit in found.fix.edits]


@pytest.mark.parametrize("pattern", ["www.a.example/x", "a.example.com*$", "null", "Googlebot"])
def test_what_is_no_path_has_no_fix(pattern: str) -> None:
    """A host, a word of a program, or a crawler after a slash would match nothing that exists."""
    found = lint(f"User-agent: *\nDisallow: {pattern}\n").diagnostics

    assert [None] == [each.fix for each in found if each.code == "RT301"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Disallow: _*", "RT309"),
        ("Disallow: /*?n=(1|2)", "RT310"),
        ("User-agent: *Disallow: /a", "RT204"),
        ("User-agent: twengabot/2.0 text/*", "RT204"),
    ],
)
def test_one_trouble_is_told_once(line: str, code: str) -> None:
    """Not also as what it only looks like."""
    assert code not in codes(f"User-agent: a\n{line}\nDisallow: /b\n".encode())


@pytest.mark.parametrize(
    ("line", "split"),
    [
        ("User-agent: *Disallow: /a#Disallow: /b", None),
        ("User-agent: aUser-agent: ://a.example/", None),
        ("User-agent: *Disallow:Sitemap: https://a.example/s.xml", ["*", "", "https"]),
    ],
)
def test_a_line_is_split_as_a_whole_or_not(line: str, split: list[str] | None) -> None:
    """A field that stays behind in a comment would be lost without a finding."""
    (found,) = [each for each in lint(line).diagnostics if each.code == "RT111"]
    body = apply(line.encode(), found.fix.edits).decode() if found.fix else ""
    values = [each.partition(":")[2].strip().partition(":")[0] for each in body.splitlines()]

    assert (split or []) == values


def test_what_crawlers_read_of_a_name_with_a_star() -> None:
    """Letters, `-` and `_`; where none stand there, no name."""
    found = lint(b"User-agent: WebEMailExtrac.*\nUser-agent: .*HTTrack\nDisallow: /\n").diagnostics
    said = [each.message.partition(": ")[2] for each in found if each.code == "RT204"]

    assert ["crawlers read only `WebEMailExtrac`", "no crawler has such a name"] == said


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ("", "but CCBot may, and nothing disallows Google-Extended"),
        (
            "User-agent: CCBot\nAllow: /about\nDisallow: /\n",
            "but nothing disallows Google-Extended",
        ),
        ("User-agent: CCBot\nAllow: /\n", "but nothing disallows Google-Extended"),
    ],
)
def test_who_may_still_train(groups: str, told: str) -> None:
    """Neither who may fetch one page, nor whom the file lets in by name."""
    closed = ("GPTBot", "ClaudeBot", "Meta-ExternalAgent", "Bytespider", "Amazonbot")
    heads = "".join(f"User-agent: {name}\n" for name in (*closed, "Applebot-Extended"))
    body = f"{heads}Disallow: /\n\n{groups}"
    (found,) = [each for each in lint(body).diagnostics if each.code == "RT503"]

    assert found.message.endswith(told)


def test_because_in_capitals() -> None:
    """The reason begins there, however it is written."""
    body = b"User-agent: *\nDisallow: /a\nDisallow: /a # verger: ignore RT303 BECAUSE old CMS\n"

    assert [] == codes(body)


def test_what_closes_a_site() -> None:
    """A star does where stars are special; to open robots.txt alone opens nothing."""
    star = b"User-agent: *\nDisallow: /*\n"
    former = Settings(targets=("koster-1996",))

    assert "RT501" in codes(star)
    assert "RT501" not in [each.code for each in lint(star, settings=former).diagnostics]
    assert "RT501" in codes(star + b"Allow: /robots.txt$\n")
    assert "RT501" in codes(b"User-agent: *\nDisallow: /\nDisallow: /x\nAllow: /robots.txt\n")
    assert "RT501" not in codes(star + b"Allow: /robots.txt/x\n")


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("Google-Agent", "`Google-Agent` of Google does not follow robots.txt files"),
        ("ChatGPT-User", "`ChatGPT-User` of OpenAI may not follow robots.txt files"),
        ("Amzn-User", "`Amzn-User` of Amazon may not follow robots.txt files"),
    ],
)
def test_an_unbound_crawler_is_told_of_as_its_operator_does(token: str, message: str) -> None:
    """Some operators say that it does not follow the file, others that it may not."""
    found = lint(f"User-agent: {token}\nDisallow: /\n".encode()).diagnostics

    assert [message] == [each.message for each in found if each.code == "RT212"]


def test_rule_that_a_late_crawler_needs_is_not_redundant() -> None:
    """A crawler whose rules are not analysed may need any of them."""
    pair = b"Disallow: /a\nDisallow: /a/b\n"
    needs = b"User-agent: %s\nAllow: /a\n" % word(399)

    few, many = (
        shared_group(400, rules).replace(b"Disallow", pair + b"Disallow", 1)
        for rules in (100, 1_000)
    )

    def is_redundant(body: bytes) -> bool:
        return ("RT305", 402) in [(each.code, each.line) for each in lint(body).diagnostics]

    assert is_redundant(few)
    assert not is_redundant(few + needs)
    assert not is_redundant(many + needs)


def test_a_group_at_the_end_without_rules() -> None:
    """Names apart from each other, with no rule below them, are linted as any others."""
    closed = b"User-agent: Googlebot\nDisallow: /\nUser-agent: *\nDisallow:\n\n"

    assert "RT502" in codes(closed + b"User-agent: Googlebot\n\nUser-agent: b\n")


@pytest.mark.parametrize("first", [b"<!-- shop -->\n", b"<?xml version='1.0'?>\n", b'{"a": 1}\n'])
def test_a_file_with_a_group_can_be_edited(first: bytes) -> None:
    """Whatever it begins with, crawlers follow its rules: so it is formatted and fixed."""
    body = first + b"User-agent: *\nDISALLOW:/a\nDisallow: /a\n"

    assert formatted(body).endswith(b"User-agent: *\nDisallow: /a\nDisallow: /a\n")
    assert b"Disallow: /a\n" not in fixed(body).body
    assert why_not_editable(parse(body)) is None


@pytest.mark.parametrize("name", ["original-1994", "koster-1996", "yandex"])
def test_blank_line_in_a_record_does_not_close_a_site(name: str) -> None:
    """The rule that it cuts off is for one crawler, and is given to that one alone."""
    body = b"User-agent: bot\n\nDisallow: /\n"
    mended = fixed(body, settings=Settings(targets=(name,)), unsafe=True).body

    assert b"User-agent: bot\nDisallow: /\n" == mended


@pytest.mark.parametrize("value", [b"*foo", b'"foo"', b"bar, foo"])
def test_a_fix_closes_nothing_to_a_name_within_a_value(value: bytes) -> None:
    """A dialect that looks for names anywhere in a value finds it in one that is no name."""
    body = b"User-agent: bar\nUseragent: " + value + b"\nDisallow: /a\n"
    mended = parse(fixed(body).body, dialect="original-1994")

    assert parse(body, dialect="original-1994").allowed("/a", "foo") == mended.allowed("/a", "foo")


@pytest.mark.parametrize(
    ("body", "readers"),
    [
        (b"User-agent: *\nDisallow: /\n", None),
        (b"User-agent: *\n\nDisallow: /\n", "`yandex`"),
        (b"User-agent: *\nDisallow: /\n\nUser-agent: Yandex\n\nDisallow: /\n", "`yandex`"),
        (b"User-agent: *\nDissallow: /\n", "`yandex`"),
        (b"User-agent: *\nDisallow: /%s\n" % (b"*" * 1024), "`yandex`"),
    ],
)
def test_a_site_that_one_dialect_finds_open_is_not_closed_to_all(
    body: bytes, readers: str | None
) -> None:
    """What is said of all crawlers is true of those of every target."""
    closed = [each.message for each in lint(body).diagnostics if each.code == "RT501"]
    parts = ["search engines included"] if readers is None else [f"read the file as {readers}"]

    assert [True] == [all(part in message for part in parts) for message in closed]


def test_what_is_offered_is_what_is_made() -> None:
    """A fix whose proof fails is neither called safe nor counted, and a fix of nothing is none."""
    body = b"User-agent: *\nDisallow: /a/\nAllow: /a*\nDisallow: /b\nDisallow: /b\n"
    found = run_on(body, fixes="together").diagnostics
    marked = [each.fix.applicability for each in found if each.fix]

    assert marked.count("safe") == len(fixed(body).made)
    assert len(marked) - marked.count("display") == len(fixed(body, unsafe=True).made)
    assert () == fixed(b"User-agent: *\nDisallow: /a\n").made


def test_group_whose_head_is_dropped() -> None:
    """A limit for lines may drop the `User-agent` line of a group, and leave its rules."""
    body = b"User-agent: %s\nDisallow: /a\nCrawl-delay: 5\n" % (b"a" * 20_000)

    for dialect in ("original-1994", "koster-1996", "yandex", "bing"):
        report = lint(body, settings=Settings(targets=(dialect,)))

        assert [group.start_lines for group in parse(body, dialect=dialect).groups] == [()]
        assert "long-line" in {each.name for each in report.diagnostics}


@pytest.mark.parametrize("dialect", ["yandex", "bing"])
def test_group_without_head_and_rules(dialect: str) -> None:
    """Of a group whose `User-agent` line a limit drops, not even a rule need be left."""
    body = b"User-agent: *\nDisallow: /p\n\nUser-agent: %s\nCrawl-delay: 5\n" % (b"a" * 20_000)

    report = lint(body, settings=Settings(targets=(dialect,)))

    groups = [(each.start_lines, each.rules) for each in parse(body, dialect=dialect).groups]
    assert ((), ()) in groups
    assert "group-without-rules" not in {each.name for each in report.diagnostics}


def test_groups_without_a_signal_are_named_once() -> None:
    """A group of `*` and a policy token is one, though dialects may give them other rules."""
    body = b"User-agent: *\nUser-agent: Applebot-Extended\nAllow: /\nDisallow: /a\n\n"
    body += b"User-agent: GPTBot\nDisallow: /x\nContent-Signal: ai-train=yes\n"
    (found,) = lint(body).diagnostics

    assert "no group of `*` has a signal such as `ai-train=yes`" == found.message
