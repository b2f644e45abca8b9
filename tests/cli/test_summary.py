"""The closing summary: what is counted, and in which order sites are named."""

from pathlib import Path

import pytest

from .conftest import Run

pytestmark = pytest.mark.usefixtures("sites")

SITES = {
    "open.example": b"User-agent: *\nDisallow:\n",
    "closed.example": b"User-agent: *\nDisallow: /\n",
    "alike.example": b"User-agent: *\nDisallow: /\n",
    "half.example": b"User-agent: B\nDisallow: /\n",
    "long.example": b"#" * 512_001,
    "unasked.example": b"User-agent: *\nDisallow: /\n",
}


@pytest.fixture
def sites(folder: Path) -> Path:
    """Lay down a folder of sites."""
    (folder / "sites").mkdir()
    for name, data in SITES.items():
        (folder / "sites" / name).write_bytes(data)
    return folder / "sites"


def test_summary(run: Run) -> None:
    """Restrictive sites by share allowed, ties by name; none that allows all; problems by kind."""
    urls = [f"https://{name}/x" for name in SITES if name != "unasked.example"]
    urls += ["https://gone.example/1", "http://gone.example/2", "https://lost.example/", "no url"]
    asked = ("--snapshot", "sites", "--agent", "A", "--agent", "B", "--format", "csv", "--", *urls)
    done = run("check", *asked)
    lines = [line for line in done.err.splitlines() if not line.startswith("time ")]

    assert 2 == done.code
    assert [
        "sites                7",
        "files                5  1 cut at the parsing limit",
        "URLs                 9",
        "decisions           10",
        "unanswered           8",
        "",
        "share allowed",
        "    60.0%  A  3 of 5",
        "    40.0%  B  2 of 5",
        "",
        "most restrictive sites, by share allowed",
        "     0.0%  alike.example   0 of 2",
        "     0.0%  closed.example  0 of 2",
        "    50.0%  half.example    1 of 2",
        "",
        "unanswered",
        "        2  invalid-target; the first: `no url` is not a URL to ask about: it does not "
        "begin with a scheme and `://` (RFC 3986 section 3)",
        "        6  no-file; the first: no file for `gone.example` in `sites`",
    ] == lines


def test_no_site_is_restrictive(run: Run) -> None:
    """Where nothing is disallowed, no site is called restrictive."""
    asked = ("--snapshot", "sites", "--agent", "A", "--", "https://open.example/")

    assert "restrictive" not in run("check", *asked).err


def test_one_file_has_no_sites(run: Run) -> None:
    """The summary of one file speaks of no sites."""
    asked = ("--robots", "sites/closed.example", "--summary", "--agent", "A", "--", "/x")
    lines = [line for line in run("check", *asked).err.splitlines() if line[:5] != "time "]

    assert [
        "files                1",
        "URLs                 1",
        "decisions            1",
        "",
        "share allowed",
        "     0.0%  A  0 of 1",
    ] == lines


def test_ten_sites_at_most(run: Run, sites: Path) -> None:
    """The table stays a table, however many sites there are."""
    for number in range(12):
        (sites / f"{number:02}.example").write_bytes(SITES["closed.example"])
    urls = [f"https://{number:02}.example/" for number in range(12)]
    done = run("check", "--snapshot", "sites", "--agent", "A", "--format", "csv", "--", *urls)

    assert "09.example" in done.err
    assert "10.example" not in done.err


@pytest.mark.parametrize(
    ("words", "summed"),
    [
        (["--snapshot", "sites"], True),
        (["--snapshot", "sites", "--no-summary"], False),
        (["--robots", "sites/open.example"], False),
        (["--robots", "sites/open.example", "--summary"], True),
    ],
)
def test_when_there_is_a_summary(run: Run, words: list[str], summed: bool) -> None:
    """A folder's run closes with one unless told not to; one file's only when told to."""
    done = run("check", *words, "--agent", "A", "--", "https://open.example/")

    assert summed == ("share allowed" in done.err)
