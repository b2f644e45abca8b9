"""Expectations from TOML: what is read, and what every error names."""

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import verger
from verger.crawlers.registry import by_purpose
from verger.expectations import Expectation, InvalidExpectations, expectations_in, load
from verger.files.toml_lines import key_lines

ONE = '[[expect]]\nagent = "A"\nurl = "/"\nallowed = true\n'


def refusal(document: bytes | str) -> InvalidExpectations:
    with pytest.raises(InvalidExpectations) as caught:
        expectations_in(document, name="x.robots.toml")
    return caught.value


def test_every_key() -> None:
    """Crawlers times URLs, each with all that the table says, and the line of the table."""
    file = expectations_in(
        'robots = "r.txt"\ndialect = "google"\n\n[[expect]]\nagent = ["A", "B,C"]\n'
        'url = ["/x", "https://a.example/"]\nallowed = false\nline = 4\n'
        'rule = "disallow:/x  # shop"\ndialect = "bing"\nbecause = "so"\n'
    )

    more = (False, 4, "Disallow: /x", "bing", "so", 4)
    assert ("r.txt", "google") == (file.robots, file.dialect)
    assert file.expectations == tuple(
        Expectation(tokens, url, *more)
        for tokens in (("A",), ("B", "C"))
        for url in ("/x", "https://a.example/")
    )


def test_each_once() -> None:
    """A crawler or URL that stands twice in an array is asked once."""
    file = expectations_in('[[expect]]\nagent = ["A", "A"]\nurl = ["/", "/"]\nallowed = true\n')

    assert 1 == len(file.expectations)


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_marks_and_line_ends(before: bytes, end: bytes) -> None:
    """A byte order mark and CRLF are as editors leave them."""
    file = expectations_in(before + (ONE + ONE).encode().replace(b"\n", end))

    assert [1, 5] == [each.at for each in file.expectations]


def test_inline_tables() -> None:
    """An array of inline tables is the same."""
    file = expectations_in(
        'expect = [\n  { agent = "A", url = "/[{", allowed = true },\n\n'
        '  { agent = "A", url = "/", allowed = true }, # {\n]\n'
    )

    assert [2, 4] == [each.at for each in file.expectations]


AGENTS = {
    "1": "line 2 of `x.robots.toml`: `agent` is a num",
    "2026-01-01": "`agent` is a time, not text",
    '["A", 1]': "`agent` contains a number, not text",
    "[]": "line 2 of `x.robots.toml`: `agent` is an empty array",
    '" "': "line 2 of `x.robots.toml`: `agent` is empty",
    '"Googlebot/2.1"': "line 2 of `x.robots.toml`: `",
    '"Mozilla/5.0 (x; A/1)"': "is not a product token",
    '"A,,B"': "line 2 of `x.robots.toml`: ",
    '"A\\nB"': "line 2 of `x.robots.toml`: ",
}
"""What may stand for a crawler, and what is said of it."""

REFUSED: dict[str, tuple[bytes | str, str]] = {
    "nothing": ("", "`x.robots.toml` has no expectations"),
    "comments": ("# [[expect]]\n", "`x.robots.toml` has no expectations"),
    "an empty array": ("expect = []", "`x.robots.toml` has no expectations"),
    "not TOML": ("a = 1\nb = = 2\n", "line 2 of `x.robots.toml`: invalid value (column 5)"),
    "cut off": ('[[expect]]\nagent = "A', "line 2 of `x.robots.toml`: "),
    "cut array": ("[[expect]]\nurl = [", "line 2 of `x.robots.toml`: invalid value (the end)"),
    "a key twice": ("[[expect]]\nline = 1\nline = 2\n", "line 3 of `x.robots.toml`: "),
    "not UTF-8": (b'robots = "a"\n# \xff\n', "line 2 of `x.robots.toml`: byte 0xff is not UTF-8"),
    "UTF-16": (ONE.encode("utf-16"), "line 1 of `x.robots.toml`: byte 0xff is not UTF-8"),
    "HTML": ("<!doctype html>\n<p>", "line 1 of `x.robots.toml`: "),
    "deep": ("a = " + "[" * 100_000, "`x.robots.toml` cannot be read: "),
    "long": ("a = 1" + "0" * 5_000, "`x.robots.toml` cannot be read: "),
    "unknown key": ("\nrobot = 1\n" + ONE, "line 2 of `x.robots.toml`: unknown key `robot`"),
    "unknown table": (ONE + "\n[other]\na = 1\n", "line 6 of `x.robots.toml`: unknown key `other`"),
    "one table": ("\n[expect]\na = 1\n", "line 2 of `x.robots.toml`: `expect` is a table, not an"),
    "a key with an escape": ('"\\u001b" = 1\n' + ONE, "`x.robots.toml`: unknown key `\\x1b`"),
    "unknown key in a table": (ONE + "urls = 1\n", "line 5 of `x.robots.toml`: unknown key `urls`"),
    "a table": (ONE.replace("[[expect]]", "[expect]"), "`expect` is a table, not an array"),
    "an array of numbers": ("expect = [1]", "line 1 of `x.robots.toml`: `expect` is an array"),
    "no agent": (ONE.replace("agent", "because"), "line 1 of `x.robots.toml`: the expectation has"),
    "no allowed": (ONE.replace("allowed = true", ""), "the expectation has no `allowed`"),
    "allowed as text": (ONE.replace("true", '"yes"'), "line 4 of `x.robots.toml`: `allowed` is t"),
    "allowed as a number": (ONE.replace("true", "1"), "`allowed` is a number, not true or false"),
    **{f"agent = {value}": (ONE.replace('"A"', value), said) for value, said in AGENTS.items()},
    "a bad URL": (ONE.replace('"/"', '"example.com/x"'), "line 3 of `x.robots.toml`: `example.com"),
    "line zero": (
        ONE + "line = 0",
        "line 5 of `x.robots.toml`: `line` is 0, not the number of a line",
    ),
    "line as bool": (ONE + "line = true", "line 5 of `x.robots.toml`: `line` is a boolean, not a"),
    "a huge line": (ONE + "line = 1" + "0" * 4_000, "line 5 of `x.robots.toml`: `line` is 0x"),
    "two rules": (ONE + 'rule = "Allow: /\\nAllow: /"', "which is not a rule"),
    "no rule": (ONE + 'rule = "/private"', "`rule` is `/private`, which is not a rule"),
    "a key without a name": (ONE + '"" = 1', "line 5 of `x.robots.toml`: unknown key ``"),
    "empty rule": (ONE + 'rule = ""', "line 5 of `x.robots.toml`: `rule` is empty"),
    "the other rule": (ONE + 'rule = "Disallow: /"', "`Disallow: /` cannot make `allowed`"),
    "a bad site": ('robots = "gopher://a"\n' + ONE, "line 1 of `x.robots.toml`: `gopher://a"),
    "a NUL": ('robots = "a\\u0000"\n' + ONE, "line 1 of `x.robots.toml`: `robots` contains NUL"),
    "unknown dialect": (ONE + 'dialect = "goggle"', "line 5 of `x.robots.toml`: unknown dialect"),
    "many": (f'expect = [{{ agent = {["A"] * 1}, url = "/", allowed = 1 }}]', "`allowed` is a n"),
}


MANY = '[[expect]]\npurpose = "training"\npaths = "/"\nallowed = false\n'
REFUSED |= {
    "unknown purpose": (
        MANY.replace("training", "trainin"),
        "line 2 of `x.robots.toml`: unknown p",
    ),
    "unknown use": (MANY + 'use = "train"', "line 5 of `x.robots.toml`: unknown use `train`"),
    "no path pattern": (MANY.replace('"/"', '"a"'), "line 3 of `x.robots.toml`: `a` is not a path"),
    "a comment in a pattern": (MANY.replace('"/"', '"/a#b"'), "cannot contain `#` at offset 2"),
    "two kinds of crawlers": (MANY + 'agent = "A"', "both `agent` and `purpose`"),
    "two kinds of URLs": (
        MANY + 'url = "/"',
        "line 3 of `x.robots.toml`: the expectation has both",
    ),
    "a line of many URLs": (MANY + "line = 1", "both `line` and `paths`"),
    "a rule of many URLs": (MANY + 'rule = "Disallow: /"', "both `rule` and `paths`"),
    "a rule about use": (
        ONE.replace("true", "false") + 'use = "search"\nrule = "Disallow: /"',
        "line 5 of `x.robots.toml`: the expectation has both `rule` and `use`",
    ),
    "silent about fetching": (MANY.replace("false", '"silent"'), "line 4 of `x.robots.toml`: `all"),
    "except without a purpose": (ONE + 'except = "B"', "`except` says nothing without `purpose`"),
    "except without paths": (ONE + 'except_paths = "/a"', "nothing without `paths`"),
    "except of nobody": (MANY + "except = []", "`except` is an empty array"),
    "except of another purpose": (MANY + 'except = "Googlebot"', "no training crawler `Googlebot`"),
    "except of no token": (
        MANY.replace("training", "*") + 'except = "a b"',
        "line 5 of `x.robots.toml`: `a b` is not a product token",
    ),
    "except of all": (
        MANY + f"except = {[each.token for each in by_purpose(['training'])]}",
        "line 5 of `x.robots.toml`: `except` leaves no crawler",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """Every error names the file, the line as far as there is one, and what to do."""
    document, message = REFUSED[name]
    error = refusal(document)

    assert message in error.message
    assert error.message.isprintable()
    assert error.hint


def test_hints() -> None:
    """Slips are told from what is near."""
    assert "did you mean `url`?" == refusal(ONE + "urls = 1\n").hint
    assert "did you mean `google`?" == refusal(ONE + 'dialect = "goggle"').hint
    assert "pass `Googlebot`" == refusal(ONE.replace('"A"', '"Googlebot/2.1"')).hint


def test_many_expectations() -> None:
    """Crawlers times URLs are bounded."""
    agents = [f"a{letter}{other}" for letter in "abcdefghij" for other in "klmnopqrst"]
    urls = [f"/{number}" for number in range(10_001)]

    assert (
        "more than 1,000,000 expectations"
        in refusal(f"[[expect]]\nagent = {agents}\nurl = {urls}\nallowed = true\n").message
    )


def test_files(tmp_path: Path) -> None:
    """A file that is not there, a folder, and a name that no file has."""
    for path in (tmp_path / "gone", tmp_path, f"{tmp_path}/a\0b"):
        with pytest.raises(InvalidExpectations) as caught:
            load(path)

        assert caught.value.hint


# Places

BLOCKS = ('"""\n[[expect]]\n"a" = """', "'''\n[[expect]]\n'''", '""""""', '"""a"""""', "''''''")
texts = st.sampled_from(
    [
        *('"a"', "'a'", '"[[expect]]\\n"', "1", "[1, [2]]", '[\n "]", # ]\n 2\n]'),
        *("{ a = 1, b.c = 2 }", *BLOCKS),
    ]
)
lines = st.one_of(
    st.sampled_from(["", "# [[expect]]", "#'\"", "[other]", "[[others]]", '[ "x" . y ]']),
    st.sampled_from(["[[expect]]", "[[ expect ]]  # one", '[["expect"]]', "[[\texpect]]"]),
    texts.map(lambda value: f"KEY = {value}  # note"),
    texts.map(lambda value: f"'KEY'.x = {value}"),
)


@given(st.lists(lines, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_places_are_those_of_tomllib(parts: list[str], end: str) -> None:
    """Each table that `tomllib` reads has the line of its header, whatever is around."""
    numbered = [part.replace("KEY", f"key{number}") for number, part in enumerate(parts)]
    document = end.join(numbered)
    try:
        tables = tomllib.loads(document).get("expect", [])
    except tomllib.TOMLDecodeError:  # a table twice
        return
    places = key_lines(document, "expect")
    at = [places[number, None] for number in range(len(tables))]
    rows = document.split("\n")

    assert (len(tables), None) not in places
    assert all("[" in rows[line - 1] and "expect" in rows[line - 1] for line in at)
    assert sorted(set(at)) == at
    for number, table in enumerate(tables):
        for key in table:
            assert key in rows[places[number, key] - 1]


def test_many_crawlers_and_urls() -> None:
    """Purposes are one question, and each pattern is one; `silent` is None."""
    (first, second) = expectations_in(
        '[[expect]]\npurpose = ["training", "search"]\nexcept = "ccbot"\npaths = ["/a", "/b"]\n'
        'except_paths = "/a/b"\nuse = "ai-train"\nallowed = "silent"\n'
    ).expectations

    assert ("/a", "/b") == (first.pattern, second.pattern)
    assert first == Expectation(
        (),
        None,
        None,
        at=1,
        purposes=("training", "search"),
        except_=("ccbot",),
        pattern="/a",
        except_paths=("/a/b",),
        use="ai-train",
    )
    assert "training and search crawlers except ccbot" == first.agent
    assert "/a except /a/b for ai-train" == first.asked


def table(**values: object) -> str:
    lines = (f"{key.rstrip('_')} = {json.dumps(value)}\n" for key, value in values.items())
    return "[[expect]]\n" + "".join(lines)


CLOSED = table(purpose="training", paths="/a", allowed=False)
CONTRADICTORY = {
    "one question": (
        table(agent="A", url="/", allowed=True) + table(agent="a", url="/", allowed=False),
        "line 5 of `x.robots.toml`: A at `/` is expected to be disallowed, and by line 1 to be all",
    ),
    "a URL of a pattern": (
        CLOSED + table(agent="GPTBot", url="/ab", allowed=True),
        "line 5 of `x.robots.toml`: GPTBot at `/ab` is expected to be allowed, and by line 1",
    ),
    "a pattern before its URL": (
        table(agent="gptbot", url="/ab", allowed=True) + CLOSED,
        "line 5 of `x.robots.toml`: gptbot at `/ab` is expected to be disallowed, and by line 1",
    ),
    "patterns": (
        CLOSED + table(agent="GPTBot", paths=["/b", "*c$"], allowed=True),
        "GPTBot at `/ac` is expected to be allowed",
    ),
    "purposes": (
        CLOSED + table(purpose="*", paths="/", allowed=True),
        "at `/a` is expected to be allowed",
    ),
    "a crawler that nobody knows": (
        table(purpose="*", paths="/", allowed=True) + table(agent="Fig", url="/a", allowed=False),
        "Fig at `/a` is expected to be disallowed",
    ),
    "a use": (
        table(agent="A", paths="/", use="search", allowed="silent")
        + table(agent="A", url="/a", use="search", allowed=True),
        "A at `/a` is expected to be allowed, and by line 1 to be silent",
    ),
    "a URL that is written in two ways": (
        table(agent="A", url="/a", allowed=True) + table(agent="A", url="/%61", allowed=False),
        "line 5 of `x.robots.toml`: A at `/a` is expected to be disallowed, and by line 1",
    ),
    "a path and a URL": (
        table(agent="A", url="/", allowed=True) + table(agent="A", url="http://e.x", allowed=False),
        "A at `/` is expected to be disallowed",
    ),
    **{
        f"paths in {dialect}": (
            f'dialect = "{dialect}"\n'
            + table(agent="A", paths="/b", allowed=True)
            + table(agent="A", paths="/b/c", allowed=False),
            "A at `/b/c` is expected to be disallowed, and by line 2 to be allowed",
        )
        for dialect in verger.DIALECTS
    },
}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_contradictions_are_refused(name: str) -> None:
    """Two expectations that no file meets are told with a crawler and a URL of both."""
    document, message = CONTRADICTORY[name]

    assert message in refusal(document).message


@pytest.mark.parametrize(
    "others",
    [
        table(agent="GPTBot", url="/b", allowed=True),
        table(agent="Googlebot", url="/a", allowed=True),
        table(agent="GPTBot", paths="/b*", allowed=True),
        table(agent="GPTBot", paths="/", except_paths="/a", allowed=True),
        table(agent="GPTBot", url="/a", dialect="google", allowed=True),
        table(agent="GPTBot", url="/a", use="ai-train", allowed="silent"),
        table(purpose="search", paths="/", except_=["Googlebot"], allowed=True),
    ],
)
def test_what_does_not_contradict(others: str) -> None:
    """Other crawlers, URLs, dialects and uses are other questions."""
    assert 2 == len(expectations_in(CLOSED + others).expectations)
