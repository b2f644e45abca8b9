"""Folders of robots.txt files named by host: which file answers, and none outside."""

import os
from pathlib import Path
from traceback import walk_tb

import pytest

from verger import RFC9309, Origin
from verger.access.answer import Question, Unanswered
from verger.snapshots.sources import SnapshotFiles
from verger.snapshots.stored import is_file_name, names_of, site_of

QUESTIONS = [Question(("A",), RFC9309)]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.com/x", "example.com"),
        ("http://example.com", "example.com"),
        ("https://EXAMPLE.com?x", "example.com"),
        ("https://example.com:443/", "example.com"),
        ("http://example.com:80#x", "example.com"),
        ("https://example.com:0443/", "example.com"),
        ("https://example.com:/", "example.com"),
        ("https://example.com:80/", "example.com:80"),
        ("http://example.com:8080/a@b:c", "example.com:8080"),
        ("https://user:pw@example.com/", "example.com"),
        ("https://example.com./", "example.com."),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://BÜCHER.example:8443/", "xn--bcher-kva.example:8443"),
        ("https://faß.example/", "xn--fa-hia.example"),
        ("https://XN--BCHER-KVA.example/", "xn--bcher-kva.example"),
        ("https://127.0.0.1/", "127.0.0.1"),
        ("https://0x7f.1/", "127.0.0.1"),
        ("https://ex%61mple.com/", "example.com"),
        (f"https://example.com:{'0' * 5_000}8443/", "example.com:8443"),
        ("http://[::1]:8080/", "[::1]:8080"),
    ],
)
def test_site_of_url(url: str, name: str) -> None:
    """A site is host and port: lower case, A-labels, no default port, no user information."""
    assert name == site_of(Origin(url))


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("/path", "no-host"),
        ("example.com/", "invalid-target"),
        ("https:///x", "invalid-target"),
        ("https://a b/", "invalid-target"),
        ("https://a\\b/", "invalid-target"),
        ("https://example.com:99999/", "invalid-target"),
        ("https://example.com:x/", "invalid-target"),
        (f"https://example.com:{'9' * 5_000}/", "invalid-target"),
        ("https://a\uff0fb/", "invalid-target"),
        ("https://\u200b/", "invalid-target"),
        ("https://a%2fb/", "invalid-target"),
        ("wss://example.com/", "invalid-target"),
        ("", "invalid-target"),
    ],
)
def test_urls_without_site(url: str, kind: str, tmp_path: Path) -> None:
    """What names no host belongs to no file of a folder."""
    with pytest.raises(Unanswered) as why:
        SnapshotFiles(tmp_path, QUESTIONS).file_for(url)

    assert kind == why.value.kind


@pytest.mark.parametrize(
    ("url", "names"),
    [
        (
            "https://a.b/",
            ["a.b", "a.b.txt", "a.b:443", "a.b:443.txt", "a.b_443", "a.b_443.txt"],
        ),
        ("http://a.b:81/", ["a.b:81", "a.b:81.txt", "a.b_81", "a.b_81.txt"]),
    ],
)
def test_file_names(url: str, names: list[str]) -> None:
    """The bare host is the default port's; another port is in the name."""
    assert names == [f"{name}{end}" for name in names_of(Origin(url)) for end in ("", ".txt")]


@pytest.mark.parametrize(
    "url",
    [
        "https://../x",
        "https://./x",
        "https://..%2f..%2fetc%2fpasswd/",
        "https://%2e%2e/x",
        "https://..\\x/",
        "https://.hidden/",
        "https://user@../x",
        "https://\x00/",
        "https://secret\x00/",
        "https://[/../secret]/",
        "https://..\uff0fsecret/",
        "https://%2e%2e%2fsecret/",
        "https://\u2025\uff0fsecret/",
        "https://\u2024\u2024/x",
        "https://\uff0ehidden/",
    ],
)
def test_no_way_out_of_the_folder(tmp_path: Path, url: str) -> None:
    """No host name, however made up, opens anything but a file of the folder."""
    folder = tmp_path / "sites"
    folder.mkdir()
    for hidden in (tmp_path / "secret", folder / ".hidden"):
        hidden.write_bytes(b"User-agent: *\nDisallow: /\n")

    with pytest.raises(Unanswered):
        SnapshotFiles(folder, QUESTIONS).file_for(url)


@pytest.mark.parametrize(
    ("host", "anywhere", "on_windows"),
    [
        *((host, True, True) for host in ("example.com", "com10.example", "console.example")),
        *((host, True, False) for host in ("nul", "aux.example", "com1")),
        *((host, False, False) for host in ("..", ".hidden", "crawl.warc.gz", "sites.parquet")),
    ],
)
def test_file_name(host: str, anywhere: bool, on_windows: bool) -> None:
    """A host names a file, but not where the system has another meaning for the name."""
    assert anywhere == is_file_name(host, on_windows=False)
    assert on_windows == is_file_name(host, on_windows=True)


def test_only_plain_files(tmp_path: Path) -> None:
    """A folder, or a pipe that would wait for ever, is not the file of a site."""
    (tmp_path / "folder.example").mkdir()
    os.mkfifo(tmp_path / "pipe.example")
    snapshot = SnapshotFiles(tmp_path, QUESTIONS)

    for host in ("folder.example", "pipe.example"):
        with pytest.raises(Unanswered) as why:
            snapshot.file_for(f"https://{host}/")
        assert "no-file" == why.value.kind


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("/path", "pass an absolute URL"),
        ("https://a.b/", "looked for `a.b`, `a.b:443` or `a.b_443`, with or without `.txt`"),
        ("https://a.b:81/", "looked for `a.b:81` or `a.b_81`, with or without `.txt`"),
    ],
)
def test_hint_where_there_is_no_file(tmp_path: Path, url: str, hint: str | None) -> None:
    """The hint names the files that would have answered, unless no file may."""
    with pytest.raises(Unanswered) as why:
        SnapshotFiles(tmp_path, QUESTIONS).file_for(url)

    assert hint == why.value.hint


def test_a_missing_file_costs_once(tmp_path: Path) -> None:
    """The answer that is kept for a missing file does not grow with each URL that gets it."""
    snapshot = SnapshotFiles(tmp_path, QUESTIONS)
    depths = set()
    for _ in range(3):
        with pytest.raises(Unanswered) as why:
            snapshot.file_for("https://gone.example/")
        depths.add(len(list(walk_tb(why.value.__traceback__))))

    assert 1 == len(depths)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """URLs of one origin share one parsed file, and a missing one is looked for once."""
    (tmp_path / "a.example").write_bytes(b"")
    snapshot = SnapshotFiles(tmp_path, QUESTIONS)
    first = snapshot.file_for("https://a.example/1")
    (tmp_path / "a.example").unlink()

    assert first is snapshot.file_for("https://a.example/2")
    assert first is snapshot.file_for("https://a.example?3")


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many sites only the last asked for stay in memory."""
    for name in "abc":
        (tmp_path / name).write_bytes(b"x" * 1_000)
    monkeypatch.setattr("verger.snapshots.sources.KEPT_BYTES", 11_000)
    snapshot = SnapshotFiles(tmp_path, QUESTIONS)
    a, b = snapshot.file_for("https://a/"), snapshot.file_for("https://b/")
    assert a is snapshot.file_for("https://a/")
    snapshot.file_for("https://c/")  # b is the one not asked for longest

    assert a is snapshot.file_for("https://a/")
    assert b is not snapshot.file_for("https://b/")


def test_a_host_too_long_for_the_system(tmp_path: Path) -> None:
    """A name that no file can have is a name without file."""
    with pytest.raises(Unanswered) as why:
        SnapshotFiles(tmp_path, QUESTIONS).file_for(f"https://{'a' * 70_000}/")

    assert why.value.kind in {"no-file", "invalid-target"}
