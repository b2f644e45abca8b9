"""From a path or a URL to a file: `load`, `fetch`, and what `parse` says of their arguments."""

import warnings
from pathlib import Path

import pytest

import verger
import verger.testing
from verger.testing import MemoryTransport, Served

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
BODY = b"User-agent: *\nDisallow: /private\n"


def fetch(served: Served, url: str = "https://example.com/page") -> verger.RobotsTxt:
    transport = MemoryTransport({"https://example.com": served})
    return verger.fetch(url, user_agent=USER_AGENT, transport=transport)


def test_load_reads_a_file(tmp_path: Path) -> None:
    """A file is what `parse` makes of its bytes, in the dialect and for the URL that are asked."""
    path = tmp_path / "robots.txt"
    path.write_bytes(BODY)
    url = "https://example.com/robots.txt"

    assert verger.parse(BODY, dialect="google", url=url) == verger.load(
        path, dialect="google", url=url
    )
    assert verger.parse(BODY) == verger.load(str(path))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without an end")
def test_load_of_a_device() -> None:
    """A device is read to its end, if it has one."""
    assert b"" == verger.load("/dev/null").body
    with pytest.raises(verger.errors.UnusableInput, match="`/dev/zero` is a device without an end"):
        verger.load("/dev/zero")


def test_load_raises_what_reading_raises(tmp_path: Path) -> None:
    """A file that is missing, or a folder, is an OSError that names it."""
    with pytest.raises(FileNotFoundError, match="missing"):
        verger.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        verger.load(tmp_path)


def test_fetch_parses_the_file_of_a_site() -> None:
    """The file knows where it came from."""
    robots = fetch(BODY)

    assert not robots.allowed("https://example.com/private", "ExampleBot")
    assert "https://example.com/robots.txt" == robots.url


def test_fetch_of_a_site_without_a_file_is_empty() -> None:
    """A site that has no file forbids nothing (RFC 9309 section 2.3.1.3)."""
    robots = fetch(404)

    assert b"" == robots.body
    assert robots.allowed("https://example.com/private", "ExampleBot")


@pytest.mark.parametrize("served", [503, "timeout"])
def test_fetch_of_an_unreachable_file_is_an_error(served: Served) -> None:
    """Where nothing may be fetched there is no file to ask (RFC 9309 section 2.3.1.4)."""
    with pytest.raises(verger.UnreachableFile, match=r"https://example\.com/robots\.txt") as caught:
        fetch(served)

    assert isinstance(caught.value, OSError)
    assert caught.value.hint


def test_fetch_raises_for_what_is_not_a_url() -> None:
    """A text without scheme and host is not a site."""
    with pytest.raises(verger.InvalidTarget):
        fetch(BODY, "example.com")


def test_parse_of_a_path_names_load() -> None:
    """A path is of the wrong type, and the error says what reads it."""
    with pytest.raises(TypeError, match=r"not PosixPath|not WindowsPath") as caught:
        verger.parse(Path("robots.txt"))  # type: ignore[arg-type]

    assert "verger.load" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        ("robots.txt", "verger.load"),
        ("/srv/www/robots.txt\n", "verger.load"),
        ("https://example.com/robots.txt", "verger.fetch"),
    ],
)
def test_parse_of_a_name_warns(text: str, reader: str) -> None:
    """A text that looks like a name is parsed, and the warning says what reads it."""
    with pytest.warns(UserWarning, match=reader):
        verger.parse(text)


@pytest.mark.parametrize("body", ["", "User-agent: *\nDisallow: /a.txt", b"robots.txt"])
def test_parse_of_a_file_does_not_warn(body: str | bytes) -> None:
    """Texts with fields, and bytes, are what they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verger.parse(body)


def test_clients_say_whom_they_ask_for() -> None:
    """The repr of a client names its product tokens and its dialect."""
    client = verger.testing.client({}, dialect="google")

    assert "Client('TestBot', dialect='google')" == repr(client)
