"""Expectations from TOML: what is read, and what every error names."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from verger.expectations import Expectation, InvalidExpectations, expectations_in, load
from verger.expectations.toml_lines import key_lines

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
