"""Bad usage: one `error:` line, a hint where there is one, exit code 2, no traceback."""

import errno
import io
import sys
from pathlib import Path

import pytest

from verger.cli.app import main

from .conftest import Run

pytestmark = pytest.mark.usefixtures("robots")

CASES = {
    ("chek",): ("unknown command `chek`", "did you mean `check`?"),
    ("changes",): ("unknown command `changes`", "`verger diff` does this"),
    ("minimise", "f.txt"): (
        "unexpected argument `f.txt`",
        "to read this file, pass `--robots f.txt`",
    ),
    ("block", "f.txt", "--agent", "A"): (
        "no robots.txt file given",
        "pass one: `verger block --robots f.txt`",
    ),
    ("frobnicate",): ("unknown command `frobnicate`", "`verger --help` lists the commands"),
    ("--frob",): ("unknown option `--frob`", "`verger --help` lists the options"),
    ("check", "--agent", "A", "/"): (
        "`/` names no host, and each has a robots.txt of its own",
        "pass an absolute URL, or a file with `--robots FILE`",
    ),
    ("check", "robots.txt", "--agent", "A"): (
        "`robots.txt` is not a URL to ask about: it begins neither with `/` nor with a scheme and "
        "`://` (RFC 3986 section 3)",
        "to read the file of that name, pass `--robots robots.txt`",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A;B", "/"): (
        "`A;B` is not a product token: `;` at offset 1 (RFC 9309 section 2.2.1)",
        "repeat the option: `--agent A --agent B`",
    ),
    ("agents", "robots.txt", "--agent", "GPTBot,CCBot"): (
        "`GPTBot,CCBot` is not a product token: `,` at offset 6 (RFC 9309 section 2.2.1)",
        "repeat the option: `--agent GPTBot --agent CCBot`",
    ),
    ("audit", "--robots", "robots.txt", "robots.txt", "--agent", "A B C D"): (
        "`A B C D` is not a product token: ` ` at offset 1 (RFC 9309 section 2.2.1)",
        "repeat the option: `--agent A --agent B --agent C ...`",
    ),
    ("audit", "--robots", "robots.txt", "robots.txt", "--agent", "GPTBot", "CCBot"): (
        "no such file: `CCBot`",
        "repeat the option for another value: `--agent GPTBot --agent CCBot`",
    ),
    ("scan", "robots.txt", "--output", "o.parquet", "--purpose", "search", "training"): (
        "no such file: `training`",
        "repeat the option for another value: `--purpose search --purpose training`",
    ),
    ("check", "--agent", "A", "gopher://a.example/"): (
        "`gopher://a.example/` is not a URL to ask about: its scheme has no robots.txt; http, "
        "https and ftp have (RFC 3986 section 3)",
        "pass a URL such as `https://example.com/page`",
    ),
    ("check", "--user-agent", "(a)", "https://a.example/"): (
        "`(a)` names no product token (RFC 9309 section 2.2.1)",
        'pass one with `--agent`, or an identification string such as "ExampleBot/1.0 (+https://example.com/bot)"',
    ),
    ("check", "--agent", "A", "--timeout", "0", "https://a.example/"): (
        "`--timeout`: `0` is not a number of seconds",
        "`verger check --help` shows the options",
    ),
    ("check", "--agent", "A", "--proxy", "a", "https://a.example/"): (
        "the proxy is not the URL of an HTTP proxy",
        "pass one such as `http://proxy.example:3128`",
    ),
    ("check", "--agent", "A", "--ca-bundle", "robots.txt", "https://a.example/"): (
        "`robots.txt` is not a CA bundle: it holds no certificate",
        "pass a file of certificates in PEM form",
    ),
    ("check", "--agent", "A", "--ca-bundle", "sites", "https://a.example/"): (
        "`sites` is not a CA bundle: it is a folder without certificates named by their hashes",
        "pass a file of certificates in PEM form",
    ),
    ("check", "--user-agent", "a\nb", "https://a.example/"): (
        "`a\\nb` names no product token (RFC 9309 section 2.2.1)",
        'pass one with `--agent`, or an identification string such as "ExampleBot/1.0 (+https://example.com/bot)"',
    ),
    ("check", "--agent", "A", "mailto:a@b"): (
        "no URL given",
        "`mailto:a@b` was taken for a crawler; a URL begins with `/` or `https://`",
    ),
    ("filter", "--snapshot", "sites", "--agent", "A", "robots.txt", "--output", "o.parquet.gz"): (
        "cannot write `o.parquet.gz`: Parquet packs its own columns",
        "leave `.gz` out of the name",
    ),
    ("check", "--robots", "robots.txt", "--cache", "c", "--agent", "A", "/"): (
        "`--cache` is for the network, which `--robots` and `--snapshot` leave alone",
        "leave `--cache` out",
    ),
    ("check", "--robots-url", "http://a/robots.txt", "--agent", "A", "/"): (
        "`--robots-url` says where a file was fetched, and there is none",
        "pass `--robots FILE` as well",
    ),
    ("check", "--robots", "gone", "--agent", "A", "/"): (
        "no such file: `gone`",
        "relative paths begin at the current folder",
    ),
    ("check", "--robots", "sites", "--agent", "A", "/"): (
        "`sites` is a folder, not a file",
        "pass `--snapshot sites` for a folder of files named by host",
    ),
    ("check", "--robots", "a\x1b[31m\u202e", "--agent", "A", "/"): (
        "no such file: `a\\x1b[31m\\u202e`",
        "relative paths begin at the current folder",
    ),
    ("check", "--snapshot", "gone", "--agent", "A", "/"): (
        "no such file or folder: `gone`",
        "relative paths begin at the current folder",
    ),
    ("check", "--snapshot", "robots.txt", "--agent", "A", "/"): (
        "`robots.txt` is not a snapshot",
        "pass a folder of robots.txt files named by host, a table (Parquet, CSV, JSON Lines), a "
        "WARC archive, or a cache of verger's",
    ),
    ("check", "--robots", "robots.txt", "--snapshot", "sites", "--agent", "A", "/"): (
        "pass `--robots` or `--snapshot`, not both",
        "`verger check --help` shows the options",
    ),
    ("check", "--robots", "robots.txt", "/"): (
        "no crawler given",
        "pass its product token, such as `--agent ExampleBot`",
    ),
    ("check", "--robots", "robots.txt", "--agent", "/"): (
        "`--agent` needs at least one value",
        "values stand before any URL",
    ),
    ("check", "--robots", "robots.txt", "--agent", "Googlebot/2.1", "/"): (
        "`Googlebot/2.1` is not a product token: `/` at offset 9 (RFC 9309 section 2.2.1)",
        "pass `Googlebot`",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A"): (
        "no URL given",
        "pass URLs, or `-` to read them from stdin",
    ),
    (
        "check",
        "--robots",
        "robots.txt",
        "--agent",
        "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com/bot)",
        "/",
    ): (
        "`Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com/bot)` is not a product "
        "token: `/` at offset 7 (RFC 9309 section 2.2.1)",
        "pass `ExampleBot`",
    ),
    (
        "check",
        "--robots",
        "robots.txt",
        "--agent",
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)",
        "/",
    ): (
        "`Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)` is not a "
        "product token: `/` at offset 7 (RFC 9309 section 2.2.1)",
        "pass `GPTBot`",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "example.com"): (
        "no URL given",
        "`example.com` was taken for a crawler; a URL begins with `/` or `https://`",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "--dialect", "bing", "example.com/a"): (
        "unknown dialect `example.com/a`",
        "a URL begins with `/` or `https://`",
    ),
    ("check", "--robots", "-", "--agent", "A", "-"): (
        "stdin cannot hold both the robots.txt file and the URLs",
        "`verger check --help` shows the options",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "--dialect", "rfc9390", "/"): (
        "unknown dialect `rfc9390`",
        "did you mean `rfc9309`?",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "--dialect", "GOOGLE", "/"): (
        "unknown dialect `GOOGLE`",
        "did you mean `google`?",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "--dialect", "ALL", "/"): (
        "unknown dialect `ALL`",
        "did you mean `all`?",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "--format", "JSON", "/"): (
        "unknown format `JSON`",
        "did you mean `jsonl`?",
    ),
    ("CHECK",): ("unknown command `CHECK`", "did you mean `check`?"),
    ("check", "--robots", "robots.txt", "--agent", "A", "--format", "jsn", "/"): (
        "unknown format `jsn`",
        "did you mean `jsonl`?",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "/", "--format"): (
        "`--format`: expected one argument",
        "`verger check --help` shows the options",
    ),
    ("check", "--robots", "robots.txt", "--agent", "A", "/", "--verbos"): (
        "unknown option `--verbos`",
        "did you mean `--verbose`?",
    ),
    (
        "check",
        "--snapshot",
        "sites",
        "--robots-url",
        "http://a/robots.txt",
        "--agent",
        "A",
        "/",
    ): (
        "`--robots-url` is the URL of one file, not of many",
        "`verger check --help` shows the options",
    ),
    ("check", "--robots", "robots.txt", "--robots-url", "a.b", "--agent", "A", "/"): (
        "`a.b` is not a URL of a file: it does not begin with a scheme and `://` "
        "(RFC 3986 section 3)",
        "pass where the file was asked for, such as `https://example.com/robots.txt`",
    ),
    ("check", "--robots", "robots.txt", "example.com/x", "--agent", "A"): (
        "`example.com/x` is not a URL to ask about: it begins neither with `/` nor with a scheme "
        "and `://` (RFC 3986 section 3)",
        "pass `https://example.com/x`, or a path that begins with `/`",
    ),
}


@pytest.mark.parametrize("words", CASES)
def test_message_and_hint(run: Run, words: tuple[str, ...]) -> None:
    """The message says what is wrong and where, the hint what to do now; nothing else is said."""
    Path("sites").mkdir()
    done = run(*words)
    message, hint = CASES[words]

    assert (2, "") == (done.code, done.out)
    assert f"error: {message}\n" + (f"hint: {hint}\n" if hint else "") == done.err


def test_unreadable_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says of a file is passed on (it lets root read everything)."""

    def refuse(*_: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    done = run("check", "--robots", "robots.txt", "--agent", "A", "/")

    assert (2, "error: cannot read `robots.txt`: permission denied") == (
        done.code,
        done.err.splitlines()[0],
    )
    assert "hint: make it readable for this user, or name another file\n" in done.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--robots", "robots.txt", "-"], "URLs"),
        (["--robots", "-", "/"], "robots.txt"),
    ],
)
def test_closed_stdin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], what: str
) -> None:
    """A stdin that was closed before the command began is said to be closed."""
    monkeypatch.setattr(sys, "stdin", None)
    code = main(["check", "--agent", "A", *words])

    assert 2 == code
    assert f"error: cannot read {what} from stdin: it is closed\n" == capsys.readouterr().err


class FailingStdin(io.BytesIO):
    """A stdin on a disk that fails."""

    def readline(self, _size: int | None = -1, /) -> bytes:
        """Fail, as a disk does."""
        raise OSError(errno.EIO, "Input/output error")


def test_stdin_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the middle of stdin is said in the system's words."""
    monkeypatch.setattr("verger.cli.urls.stdin_bytes", lambda _: FailingStdin())
    done = run("check", "--robots", "robots.txt", "--agent", "A", "-")

    assert 2 == done.code
    assert "error: cannot read URLs from stdin: input/output error\n" == done.err
