"""Commands on addresses: what they write is byte by byte what they write on the disk."""

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyarrow import parquet

pytest.importorskip("obstore")

from bulk.scan.archives import archive, body, packed, record, response, url
from cli.conftest import Run, folder, run
from cli.console import timeless, transcripts
from files.object_servers import (
    BUCKET,
    KEY,
    SIGNATURE,
    Bucket,
    Site,
    bucket,
    environment,
    moto,
    serving,
    told,
)
from support import CHECKOUT
from verger import RobotsError, snapshots
from verger.bulk.changes import diff_snapshots
from verger.bulk.filter import Watcher, filter_urls
from verger.bulk.scan import Scanner, read_list, read_warc, scan, scan_list
from verger.errors import UnusableInput
from verger.files import objects

__all__ = ["bucket", "folder", "moto", "run"]

ROWS = b"".join(b"https://site-%d.example/%d/x\n" % (n % 20, n % 23) for n in range(9_000))
LOG = b"".join(
    b'192.0.2.1 - - [01/Jun/2026:12:00:%02d +0000] "GET /%d HTTP/1.1" 200 5 "-" "GPTBot/1.0"\n'
    % (n % 60, n % 3)
    for n in range(200)
)


@pytest.fixture
def both(bucket: Bucket, folder: Path) -> Callable[[str, bytes], None]:
    """Lay a file down on the disk and in the bucket."""

    def put(name: str, data: bytes) -> None:
        (folder / name).write_bytes(data)
        bucket.put(name, data)

    return put


Put = Callable[[str, bytes], None]


def test_scan_filter_report_and_diff(both: Put, bucket: Bucket, folder: Path, run: Run) -> None:
    """One after the other, from the bucket into the bucket."""
    both("june.warc.gz", archive(20).data)
    both("july.warc.gz", archive(20).data + packed(record(response(b""), target=url(3))))
    both("urls.txt.gz", gzip.compress(ROWS))
    both("urls.csv", b"url,n\nhttps://site-1.example/1,2\n")
    asked = ("--agent", "GPTBot", "--format", "csv")
    commands = (
        ("scan", "june.warc.gz", "july.warc.gz", "--output", "scan.parquet"),
        ("filter", "urls.txt.gz", "--snapshot", "june.warc.gz", *asked, "--output", "f.csv"),
        ("filter", "urls.csv", "--snapshot", "june.warc.gz", *asked, "--output", "g.csv"),
        ("diff", "june.warc.gz", "july.warc.gz", "--output", "d.csv"),
        ("report", "scan.parquet", "--output", "r.html"),
    )
    for words in commands:
        there = [bucket.address(word) if "." in word else word for word in words]
        on_disk, in_bucket = run(*words), run(*there)
        output = words[-1]

        assert on_disk.code == in_bucket.code, in_bucket.err
        here, there_ = (folder / output).read_bytes(), bucket.get(output)
        assert here == there_.replace(f"s3://{BUCKET}/".encode(), b"")
        told(in_bucket.err, in_bucket.out)
    assert {"scan.parquet", "f.csv", "d.csv", "r.html"} < bucket.names()
    assert not list(folder.glob("*.verger-journal"))


def test_check_audit_and_snapshots(both: Put, bucket: Bucket, run: Run) -> None:
    both("june.warc.gz", archive(5).data)
    both("access.log", LOG)
    both("robots.txt", b"User-agent: *\nDisallow: /1\n")
    there = bucket.address("june.warc.gz")
    asked = ("check", "--agent", "GPTBot", "https://site-3.example/3", "--snapshot")

    assert run(*asked, "june.warc.gz").out == run(*asked, there).out
    assert "https://site-3.example" in snapshots.open(there)
    audited = ("audit", "--robots", "robots.txt", "--format", "json")
    on_disk = run(*audited, "access.log")
    assert 1 == on_disk.code, on_disk.err
    in_bucket = run(*audited, bucket.address("access.log"))
    assert on_disk.out == in_bucket.out.replace(f"s3://{BUCKET}/", "")


QUERY = f"?X-Amz-Credential={KEY}&X-Amz-Signature={SIGNATURE}"


@pytest.fixture
def signed() -> Iterator[Callable[[str], str]]:
    """Returns the signed addresses of files, good ones and others."""
    data = archive(5).data
    files = {"a": data, "bad": b"rubbish", "empty": b"", "cut": data[:-20]}
    objects = {f"/{name}.warc.gz": data for name, data in files.items()}
    tables = {
        "/urls.txt": ROWS[:500],
        "/bad.parquet": b"PAR1",
        "/bad.csv": b"url,body\n\xff\x00,\n",
    }
    with serving(Site(objects | tables)) as site:
        yield lambda name: f"{site.url}/{name}{QUERY}"


DAMAGED = ("none.warc.gz", "bad.warc.gz", "empty.warc.gz", "cut.warc.gz", "bad.parquet", "bad.csv")


@pytest.mark.parametrize("name", ["a.warc.gz", *DAMAGED])
@pytest.mark.usefixtures("folder")
def test_no_error_in_python_tells_a_signature(name: str, signed: Callable[[str], str]) -> None:
    """Nor does a report; the command hides it in all that it prints."""
    address = signed(name)
    for read in (
        lambda: scan(address, "a.parquet"),
        lambda: scan_list([address], "b.parquet"),
        lambda: snapshots.open(address),
        lambda: Scanner(known=address),
        lambda: len(list(read_warc(address))),
        lambda: read_list(address),
        lambda: filter_urls(address, tokens="A", snapshot=address, output="c.csv"),
        lambda: diff_snapshots(address, address, "d.csv"),
    ):
        try:
            said = repr(read())
        except RobotsError as error:
            said = f"{error} {error!r} {error.args}"
        told(said)


class Stopped(Watcher):
    """Ends a run after the first block."""

    def finished(self, block: object) -> None:
        """Raise something."""
        raise KeyError(block)


def test_no_file_has_a_signature(signed: Callable[[str], str], run: Run, folder: Path) -> None:
    """Neither rows of answers, nor what is kept for the next run."""
    good, bad = signed("a.warc.gz"), signed("none.warc.gz")
    (folder / "list").write_text(f"{good}\n{bad}\n")
    for output in ("a.csv", "a.jsonl", "a.parquet"):
        run("filter", signed("urls.txt"), "--agent", "A", "--snapshot", good, "--output", output)
    with pytest.raises(UnusableInput):
        scan_list([good, bad], "b.parquet", strict=True, at_once=1)
    with pytest.raises(KeyError):
        filter_urls(
            signed("urls.txt"), tokens="A", snapshot=good, output="c.csv", watcher=Stopped()
        )

    written = [each for each in folder.rglob("*") if each.is_file() and each.name != "list"]
    assert {"a.csv", "a.parquet", "blocks", "manifest.json"} <= {each.name for each in written}
    told(*(each.read_bytes().decode("latin-1") for each in written))


def test_a_table_in_a_bucket(both: Put, bucket: Bucket, run: Run) -> None:
    """Parquet is read by its footer, and from many places."""
    both("june.warc.gz", archive(30).data)
    both(
        "captures.jsonl", b'{"url": "https://a.example", "body": "User-agent: *", "status": 200}\n'
    )
    run("scan", "june.warc.gz", "--output", bucket.address("a.parquet"))
    wrong = run("scan", bucket.address("a.parquet"), "--output", "out.parquet")
    run("scan", bucket.address("captures.jsonl"), "--output", "out.parquet")

    assert 2 == wrong.code
    assert "no column" in wrong.err
    assert ["https://a.example"] == parquet.read_table("out.parquet")["origin"].to_pylist()


@pytest.mark.parametrize(
    "words",
    [
        ("scan", "a.warc.gz", "--output", "o.parquet"),
        ("report", "a.parquet", "--output", "o.html"),
        ("diff", "a.warc.gz", "a.warc.gz", "--output", "o.csv"),
        ("filter", "a.txt", "--snapshot", "a.warc.gz", "--agent", "A", "--output", "o.csv"),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_an_output_without_rights_is_told_first(
    words: tuple[str, ...], folder: Path, run: Run
) -> None:
    """Before anything is read: the inputs would be refused as well."""
    (folder / "a.warc.gz").write_bytes(b"rubbish")
    (folder / "a.txt").write_bytes(ROWS)
    *others, output = words
    done = run(*others, f"s3://not-{BUCKET}/{output}")

    assert 2 == done.code
    assert "no such bucket" in done.err
    assert "AWS_ENDPOINT_URL" in done.err


def test_what_is_of_another_kind_than_its_name(both: Put, bucket: Bucket, run: Run) -> None:
    both("a.warc.gz", b"PAR1 and so on")
    both("b.parquet", b"\x1f\x8b and so on")
    for name in ("a.warc.gz", "b.parquet"):
        done = run("scan", bucket.address(name), "--output", "out.parquet")

        assert 2 == done.code
        assert "is not a Parquet file" in done.err


def test_the_guide_shows_what_is_printed(bucket: Bucket, tmp_path: Path) -> None:
    """Every console block, run in order, prints what stands there."""
    Bucket(bucket.endpoint, "my-bucket").drop()
    page = (CHECKOUT / "docs" / "guides" / "cloud.md").read_text(encoding="utf-8")
    shown, now = zip(*transcripts(page, tmp_path, **environment(bucket.endpoint)), strict=True)

    assert list(map(timeless, shown)) == list(map(timeless, now))


# Lists


def small(number: int) -> bytes:
    """Return an archive of four sites."""
    sites = range(4 * number, 4 * number + 4)
    return b"".join(packed(record(response(body(n)), target=url(n))) for n in sites)


@pytest.fixture
def listed(bucket: Bucket, folder: Path) -> list[str]:
    """Lay down some archives in both places, and a list of them."""
    names = [f"{number}.warc.gz" for number in range(25)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(small(number))
        bucket.put(name, small(number))
    (folder / "list.gz").write_bytes(gzip.compress("\n".join(["", *names, ""]).encode()))
    return names


BASE = f"s3://{BUCKET}/"


def test_a_list_gives_the_table_of_its_files(listed: list[str], run: Run, folder: Path) -> None:
    """Byte by byte, from the disk, the bucket, and a list in the bucket."""
    run("scan", *listed, "--output", "all.parquet")
    here = run("scan", "--inputs", "list.gz", "--output", "here.parquet")
    there = run("scan", "--inputs", "list.gz", "--base", BASE, "--output", "there.parquet")
    expected = (folder / "all.parquet").read_bytes()

    assert (0, 0) == (here.code, there.code), here.err + there.err
    assert expected == (folder / "here.parquet").read_bytes()
    assert expected == (folder / "there.parquet").read_bytes()
    assert "captures              100" in there.err


KILLS = int(os.environ.get("VERGER_KILLS", "1"))


@pytest.fixture(params=["a bucket", "a faulty server"])
def place(
    request: pytest.FixtureRequest, command: str, listed: list[str], bucket: Bucket, folder: Path
) -> Iterator[tuple[str, str, Callable[[str], bytes | None]]]:
    """Where inputs lie, where outputs shall lie, and what is there."""
    urls = ROWS * 4
    (folder / "urls.txt").write_bytes(urls)
    bucket.put("urls.txt", urls)
    if request.param == "a bucket":
        yield BASE, BASE, lambda name: bucket.get(name) if name in bucket.names() else None
        return
    objects = {f"/{name}": (folder / name).read_bytes() for name in (*listed, "urls.txt")}
    done = folder / "done"
    done.mkdir()
    breaks = 1_000 if command == "scan" else 300_000
    with serving(Site(objects, breaks=breaks, busy=2)) as site:

        def get(name: str) -> bytes | None:
            return (done / name).read_bytes() if (done / name).exists() else None

        yield f"{site.url}/", f"{done}/", get


@pytest.mark.parametrize("seed", range(KILLS))
@pytest.mark.parametrize("command", ["scan", "filter"])
def test_a_kill_at_any_time_changes_nothing(
    command: str,
    seed: int,
    place: tuple[str, str, Callable[[str], bytes | None]],
    run: Run,
    folder: Path,
) -> None:
    """The same command goes on, until it is done; what it writes is what one run writes."""
    dice = random.Random(seed)
    base, out, get = place
    words = {
        "scan": ("scan", "--inputs", "list.gz", "--base", base),
        "filter": ("filter", f"{base}urls.txt", "--snapshot", f"{base}3.warc.gz", "--agent", "A"),
    }[command]
    name = "out.parquet" if command == "scan" else "out.csv"
    run(*words, "--output", name)
    whole = (folder / name).read_bytes()
    for _ in range(10):
        with subprocess.Popen(
            [sys.executable, "-m", "verger", *words, "--quiet", "--output", f"{out}{name}"],
            stderr=subprocess.PIPE,
        ) as program:
            time.sleep(dice.uniform(0.2, 2.5))
            program.send_signal(signal.SIGKILL)
            assert program.stderr is not None
            told(program.stderr.read().decode())
        if program.returncode != -signal.SIGKILL:
            break
        assert get(name) in (None, whole)
    else:
        run(*words, "--quiet", "--output", f"{out}{name}")

    assert get(name) == whole
    assert not list(folder.rglob("*.verger-journal"))


def test_what_cannot_be_read_is_told_and_counted(
    listed: list[str], bucket: Bucket, run: Run, folder: Path
) -> None:
    """With `--strict` it ends the run; what was read is not read again."""
    (folder / "list").write_text("\n".join([*listed, "none.warc.gz", "bad.warc.gz"]))
    bucket.put("bad.warc.gz", b"rubbish")
    words = ("scan", "--inputs", "list", "--base", BASE, "--output", "out.parquet")
    strict, done = run(*words, "--strict"), run(*words)

    assert 2 == strict.code
    assert "error: cannot read" in strict.err or "is not a WARC file" in strict.err
    assert 0 == done.code
    assert f"skipped: `{BASE}none.warc.gz`" in done.err
    assert f"skipped: `{BASE}bad.warc.gz`" in done.err
    assert "skipped                 2" in done.err
    assert 100 == parquet.read_table("out.parquet").num_rows


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("number", [3, 100])
def test_a_list_of_which_nothing_can_be_read_is_an_error(
    number: int, run: Run, folder: Path
) -> None:
    """As with a wrong `--base`: no table without rows, and not after hours of trying."""
    (folder / "list").write_text("\n".join(f"{at}.warc.gz" for at in range(number)))
    done = run("scan", "--inputs", "list", "--base", f"{BASE}none/", "--output", "out.parquet")

    assert 2 == done.code
    assert "no such object" in done.err
    assert not Path("out.parquet").exists()
    again = run("scan", "--inputs", "list.gz", "--base", BASE, "--output", "out.parquet")
    assert (0, "") == (again.code, again.out), again.err


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_an_address_of_another_kind_is_told(scheme: str, run: Run) -> None:
    done = run("scan", f"{scheme}://host/a.warc.gz", "--output", "out.parquet")

    assert 2 == done.code
    assert f"`{scheme}://` is not read" in done.err
    assert "s3://" in done.err


def test_what_is_finished_is_not_read_again(
    listed: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests are counted: one more run asks for nothing but what is left."""
    with serving(Site({f"/{name}": (folder / name).read_bytes() for name in listed})) as site:
        monkeypatch.setattr(objects, "PAUSE", 0.001)
        names = read_list(folder / "list.gz", f"{site.url}/")
        assert names == read_list(folder / "list.gz", site.url)
        gone = site.objects.pop("/7.warc.gz")
        with pytest.raises(Exception, match="no such object"):
            scan_list(names, "out.parquet", strict=True, at_once=1)
        first = len(site.asked)
        site.objects["/7.warc.gz"] = gone
        report = scan_list(names, "out.parquet", strict=True, at_once=1)

    assert 8 <= first < 12
    assert len(listed) - 7 <= len(site.asked) - first <= len(listed) - 6
    assert 100 == report.captures == parquet.read_table("out.parquet").num_rows
    assert 100 == report.access["successful"]


def test_a_finished_file_that_has_changed_is_read_again(
    listed: list[str], run: Run, folder: Path
) -> None:
    """Rows of two versions would stand in one table; those of a file that is gone are kept."""
    last = (folder / listed[-1]).read_bytes()
    (folder / listed[-1]).unlink()
    words = ("scan", "--inputs", "list.gz", "--strict", "--output", "out.parquet")
    codes = [run(*words).code]
    (folder / listed[-1]).write_bytes(last)
    (folder / listed[0]).write_bytes((folder / listed[1]).read_bytes())
    (folder / listed[2]).rename(folder / "away")
    codes += [run(*words).code]
    (folder / "away").rename(folder / listed[2])
    codes += [run(*words[:-1], "fresh.parquet").code]

    assert [2, 0, 0] == codes
    assert (folder / "fresh.parquet").read_bytes() == (folder / "out.parquet").read_bytes()


@pytest.mark.usefixtures("listed")
def test_a_list_needs_a_place_for_what_is_finished(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = run("scan", "--inputs", "list.gz", "--output", "-")

    assert 2 == done.code
    assert "name a file" in done.err
    assert before == sorted(folder.iterdir())


def test_another_list_does_not_go_on(listed: list[str], run: Run, folder: Path) -> None:
    (folder / "list").write_text("\n".join([*listed, "none.warc.gz"]))
    run("scan", "--inputs", "list", "--strict", "--output", "out.parquet")
    other = run("scan", "--inputs", "list.gz", "--output", "out.parquet")
    again = run("scan", "--inputs", "list.gz", "--output", "out.parquet", "--restart")

    assert "another list of archives" in other.err
    assert (2, 0) == (other.code, again.code)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"a.warc.gz\nhello\n", "line 2 of `list` names no archive or table: `hello`"),
        (b"\n\n", "`list` names no archive"),
        (b"a.warc.gz\n\x00\x01", "line 2 of `list`"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1 of `list`"),
    ],
)
def test_a_list_with_rubbish_is_told_first(text: bytes, why: str, folder: Path, run: Run) -> None:
    (folder / "list").write_bytes(text)
    done = run("scan", "--inputs", "list", "--output", "out.parquet")

    assert 2 == done.code
    assert why in done.err


def test_a_base_that_hides_what_a_name_says_is_told(folder: Path, run: Run) -> None:
    """Such as a query: the whole address says the format."""
    (folder / "list").write_text("a.warc.gz\n")
    done = run("scan", "--inputs", "list", "--base", f"{BASE}?x=1&", "--output", "out.parquet")

    assert 2 == done.code
    assert "names no archive or table: `s3://" in done.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("a.warc.gz", "--inputs", "list"), "`FILE` cannot be combined with `--inputs`"),
        (("--inputs", "list", "--records", "r.parquet"), "`--records` cannot be combined"),
        (("a.warc.gz", "--base", "x"), "`--base` is for `--inputs`"),
        (("a.warc.gz", "--restart"), "`--restart` is for `--inputs`"),
        ((), "no file given"),
    ],
)
def test_options_that_do_not_fit(words: tuple[str, ...], why: str, run: Run) -> None:
    done = run("scan", *words, "--output", "out.parquet")

    assert 2 == done.code
    assert why in done.err


@pytest.mark.usefixtures("listed")
def test_the_scanner_of_a_list_is_one(folder: Path) -> None:
    """Its crawlers are the columns."""
    scanner = Scanner(crawlers=["GPTBot"])
    scan_list(read_list(folder / "list.gz"), folder / "out.parquet", scanner=scanner)

    assert parquet.read_schema(folder / "out.parquet") == scanner.schema
