"""What `verger check` answers, and how it ends."""

import csv
import io
import json
from pathlib import Path

import pytest

from verger.cli.options import ONE_CRAWLER

from .conftest import Run

pytestmark = pytest.mark.usefixtures("robots")

ASK = ("check", "--robots", "robots.txt", "--agent", "ExampleBot")


@pytest.mark.parametrize(
    ("urls", "code"),
    [
        (["/"], 0),
        (["/private"], 1),
        (["/", "/private"], 1),
        (["/", "no url"], 2),
        (["/private", "no url"], 2),
    ],
)
def test_exit_code(run: Run, urls: list[str], code: int) -> None:
    """All allowed is 0, any disallowed 1, and a question without answer 2 whatever the rest."""
    assert code == run(*ASK, *urls).code


@pytest.mark.parametrize("words", [["-"], ["--format", "jsonl", "-"], ["-v", "-", "-"]])
def test_no_urls_on_stdin_is_fine(run: Run, words: list[str]) -> None:
    """An empty list has been answered in full; that it was empty is said."""
    done = run(*ASK, *words, stdin=b"\n \n")

    assert (0, "", "note: no URLs on stdin\n") == (done.code, done.out, done.err)


def test_urls_on_stdin_need_no_note(run: Run) -> None:
    """Only an empty stdin is remarkable."""
    assert "" == run(*ASK, "-", "-", stdin=b"/a\n").err


@pytest.mark.parametrize(
    "words",
    [
        ["--agent", "ExampleBot", "--agent", "CCBot", "/all", "/private"],
        ["/all", "--agent", "ExampleBot", "--agent", "CCBot", "--", "/private"],
        ["--agent=ExampleBot", "--agent=CCBot", "--", "/all", "/private"],
        ["--agent", "ExampleBot", "--agent", "CCBot", "--dialect", "rfc9309", "/all", "/private"],
    ],
)
def test_spellings_of_the_same_question(run: Run, words: list[str]) -> None:
    """However options and URLs are mixed, the answers and their order are the same."""
    done = run("check", "--robots", "robots.txt", "--format", "csv", *words)
    answers = [(row["url"], row["tokens"], row["allowed"]) for row in table(done.out)]

    assert [
        ("/all", "ExampleBot", "true"),
        ("/all", "CCBot", "false"),
        ("/private", "ExampleBot", "false"),
        ("/private", "CCBot", "true"),
    ] == answers


def test_robots_from_stdin(run: Run) -> None:
    """`--robots -` reads the file from stdin."""
    done = run("check", "--robots", "-", "--agent", "A", "/x", stdin=b"User-agent: *\nDisallow: /x")

    assert 1 == done.code
    assert done.out.startswith("disallowed by line 2\n")


def test_several_tokens_are_one_crawler(run: Run) -> None:
    """`a,b` is one column, and a group of either binds it."""
    Path("robots.txt").write_text("User-agent: b\nDisallow: /x\n")
    done = run("check", "--robots", "robots.txt", "--agent", "a,b", "--format", "jsonl", "/x")
    answer = json.loads(done.out)

    assert (["a", "b"], False) == (answer["tokens"], answer["allowed"])


def test_all_dialects(run: Run) -> None:
    """`--dialect all` asks in every dialect, oldest first."""
    done = run(*ASK, "--dialect", "all", "--format", "csv", "/private/press")

    assert [
        ("original-1994", "false"),
        ("koster-1996", "true"),
        ("koster-rep-00", "true"),
        ("rfc9309", "true"),
        ("google", "true"),
        ("googlebot-cpp", "true"),
        ("yandex", "true"),
        ("bing", "true"),
    ] == [(row["dialect"], row["allowed"]) for row in table(done.out)]


def test_same_agent_twice_is_one_column(run: Run) -> None:
    """Repeating a crawler asks nothing new."""
    done = run(*ASK, "--agent", "ExampleBot", "--format", "csv", "/")

    assert 1 == len(table(done.out))


def test_url_of_another_origin(run: Run) -> None:
    """With `--robots-url` the file speaks for its own origin only (RFC 9309 section 2.3)."""
    where = ("--robots-url", "https://example.com/robots.txt", "--format", "jsonl")
    urls = ("https://example.com/", "http://example.com/", "/")
    done = run(*ASK, *where, *urls)
    answers = [json.loads(line) for line in done.out.splitlines()]

    assert 2 == done.code
    assert [True, None, True] == [answer["allowed"] for answer in answers]
    assert "out-of-scope" == answers[1]["error"]["type"]


def test_file_over_the_limit(run: Run) -> None:
    """A cut file is cut as RFC 9309 section 2.5 allows, and the result says so."""
    Path("robots.txt").write_bytes(b"#" * 512_000 + b"\nUser-agent: *\nDisallow: /\n")
    words = ("check", "--robots", "robots.txt", "--agent", "A", "--format", "jsonl")
    done = run(
        *words,
        "--dialect",
        "rfc9309",
        "--dialect",
        "googlebot-cpp",
        "--dialect",
        "yandex",
        "--",
        "/x",
    )
    answers = [json.loads(line) for line in done.out.splitlines()]

    assert [True, False, True] == [answer["truncated"] for answer in answers]
    assert [True, False, True] == [answer["allowed"] for answer in answers]
    assert (
        "note: `robots.txt` is cut at 512,000 bytes (parsing limit 512,000) for rfc9309\n"
        "note: `robots.txt` has more than 512,000 bytes and counts as absent for yandex\n"
    ) == done.err


def test_file_cut_within_a_line(run: Run) -> None:
    """What is read ends with the last whole line, and the number said is that of its bytes."""
    Path("robots.txt").write_bytes(b"# twelve...\n" * 42_666 + b"# a line that is cut")
    done = run("check", "--robots", "robots.txt", "--agent", "A", "/x")

    assert "note: `robots.txt` is cut at 511,992 bytes (parsing limit 512,000)" in done.err
    assert "= the file is cut at 511,992 bytes (parsing limit 512,000)\n" in done.out


@pytest.mark.parametrize("line", [b"#\n", b"#abcd\n"])
def test_file_with_too_many_lines(run: Run, line: bytes) -> None:
    """The limit that is named is the one that cut the file, whether or not it is longer still."""
    Path("robots.txt").write_bytes(line * 100_001)
    ask = ("check", "--robots", "robots.txt", "--agent", "A", "--dialect", "yandex", "--", "/x")
    said = "cut at 200,000 bytes (limit of 100,000 lines)"
    if len(line) > 2:
        ask = (*ask[:5], "--dialect", "bing", "--", "/x")
        said = "cut at 511,998 bytes (parsing limit 512,000)"
    done = run(*ask)

    assert said in done.err
    assert said in done.out


def test_file_at_the_limit(run: Run) -> None:
    """A file of exactly the limit is read in full."""
    body = b"User-agent: *\nDisallow: /\n"
    Path("robots.txt").write_bytes(b"#" * (512_000 - len(body) - 1) + b"\n" + body)
    done = run("check", "--robots", "robots.txt", "--agent", "A", "/x")

    assert (1, "") == (done.code, done.err)


def table(text: str) -> list[dict[str, str]]:
    """Read CSV as any other program would."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_crawler_with_two_tokens(run: Run, tmp_path: Path) -> None:
    """What help, hints and guides say of `a,b` is what the two dialects answer."""
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n")

    def closed(dialect: str) -> list[str]:
        words = ("--robots", str(robots), "--agent", "a,b", "--dialect", dialect)
        return [path for path in ("/a", "/b") if run("check", *words, path).code == 1]

    assert "rfc9309 combines the groups of both" in ONE_CRAWLER
    assert ["/a", "/b"] == closed("rfc9309")
    assert "google takes those of the first that is named" in ONE_CRAWLER
    assert ["/a"] == closed("google")


def test_an_answer_has_the_findings_that_touch_it(run: Run, folder: Path) -> None:
    """A rule that is skipped is told to the crawler of its group, and to no other."""
    (folder / "f.txt").write_bytes(b"User-agent: A\nDisallow: b\n\nUser-agent: B\nDisallow: /e\n")
    skipped = "= line 2: the pattern begins with neither `/` nor `*` and is skipped"

    assert skipped in run("check", "--robots", "f.txt", "--agent", "A", "/b").out
    assert skipped not in run("check", "--robots", "f.txt", "--agent", "B", "/b").out
