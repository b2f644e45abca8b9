"""Objects by their addresses: the same bytes as on the disk, whatever goes wrong on the way."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest
from pyarrow import parquet

pytest.importorskip("obstore")

from files.object_servers import (
    BUCKET,
    KEY,
    SECRET,
    SIGNATURE,
    Bucket,
    Site,
    bucket,
    environment,
    lead_to,
    moto,
    serving,
    told,
)
from patience import until
from verger.errors import UnusableInput, UnusableOutput
from verger.files import objects
from verger.files.addresses import open_input, open_object
from verger.files.parquet import open_parquet, read_pieces
from verger.files.paths import go_anonymous, is_address
from verger.files.writing import expect_writable, writing

__all__ = ["bucket", "moto"]

DATA = random.Random(1).randbytes(5_000_000)
NAME = f"/{BUCKET}/a.warc.gz"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Serve one object."""
    with serving(Site({NAME: DATA})) as site:
        lead_to(site.url, monkeypatch)
        monkeypatch.setattr(objects, "PAUSE", 0.001)
        yield site


def addresses(site: Site) -> list[str]:
    """The object by S3, and as a file of a web server."""
    return [f"s3://{BUCKET}/a.warc.gz", site.url + NAME]


def read(address: str) -> bytes:
    with open_input(address) as file:
        return file.read()


def refused(address: str) -> str:
    """Return why an object is not read, without a secret."""
    with pytest.raises(UnusableInput) as caught:
        read(address)
    return told(str(caught.value), repr(caught.value))


def test_it_knows_addresses() -> None:
    """A path with a colon is a path."""
    words = ("s3://b/k", "S3A://b/k", "gs://b/k", "az://b/k", "https://a.example/x", "hdfs:///x")
    paths = (
        "s3:/b/k",
        "b/k",
        "ftp://a.example/x",
        "://",
        "HEAD:robots.txt",
        "c:\\x",
        "-",
    )

    assert all(map(is_address, words))
    assert not any(map(is_address, paths))


FAULTS: dict[str, dict[str, object]] = {
    "none": {},
    "it breaks": {"breaks": 700_000},
    "it is busy": {"busy": 3},
    "no ranges": {"ranges": False},
    "a weak tag, and it breaks": {"tags": "weak", "breaks": 700_000},
    "a date, and it breaks": {"tags": "date", "breaks": 700_000},
    "no version": {"tags": "nothing"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_bytes_are_those_of_the_object(fault: str, site: Site) -> None:
    """However many connections it takes."""
    for name, value in FAULTS[fault].items():
        setattr(site, name, value)

    for address in addresses(site):
        assert read(address) == DATA


def test_reading_goes_on_where_it_broke(site: Site) -> None:
    """No byte is asked for twice: each request begins where the one before ended."""
    site.breaks = 700_000
    read(site.url + NAME)
    begins = [int(asked[6:].partition("-")[0]) if asked else 0 for _, _, asked in site.asked]

    assert {700_000} == {later - sooner for sooner, later in pairwise(begins)}
    until(lambda: len(DATA) == site.sent)


def test_a_server_that_says_nothing_more_is_left(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a while without a byte, a new connection goes on."""
    monkeypatch.setattr(objects, "STALLED", 1)
    site.stalls = (1,)

    assert read(site.url + NAME) == DATA


@pytest.mark.parametrize("tags", ["etag", "weak", "date"])
def test_an_object_that_changes_is_an_error(tags: str, site: Site) -> None:
    """Never are there bytes of two versions."""
    site.tags, site.breaks = tags, 700_000
    for address in addresses(site):
        site.asked.clear()
        site.changed = 2

        assert "it changed while it was read" in refused(address)


def test_without_a_version_a_part_is_not_asked_for(site: Site) -> None:
    """Nothing says whether the rest is of the same object."""
    site.tags, site.breaks = "nothing", 700_000

    assert "names no version" in refused(site.url + NAME)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_read_at_any_place(seed: int, site: Site) -> None:
    """As a file on the disk, by the same calls."""
    dice = random.Random(seed)
    site.ranges = bool(seed % 4)
    site.breaks = 300_000 if seed % 2 and site.ranges else None
    with open_input(addresses(site)[seed % 2]) as file:
        for _ in range(30):
            size = dice.choice([1, 10, 5_000, 300_000, 2_000_000])
            if dice.random() < 0.6:
                at = dice.randrange(len(DATA) + 10)
                assert at == file.seek(at)
            at = file.tell()
            assert DATA[at : at + size] == file.read(size)
        assert len(DATA) == file.seek(0, os.SEEK_END)
        assert b"" == file.read(1)


@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"no version"}))
def test_a_table_is_read_as_from_the_disk(fault: str, site: Site, tmp_path: Path) -> None:
    """Arrow takes fewer bytes than it asks for as the end of the file."""
    table = pa.table(
        {"n": range(3_000), "data": [DATA[at : at + 900] for at in range(0, 2_700_000, 900)]}
    )
    parquet.write_table(table, tmp_path / "t", row_group_size=1_001)
    site.objects["/t.parquet"] = (tmp_path / "t").read_bytes()
    for name, value in FAULTS[fault].items():
        setattr(site, name, value)
    files = [str(tmp_path / "t"), f"{site.url}/t.parquet"]

    on_disk, fetched = ([*read_pieces(name, open_parquet(name), ["n", "data"])] for name in files)
    assert on_disk == fetched
    assert table == pa.Table.from_batches(fetched)


NAMES = ("/b/a b.csv", "/b/%41.csv", "/b/a+b.csv", "/b/é.csv", "/b/x.csv?v=1&w=%2F")


@pytest.mark.parametrize("name", NAMES)
def test_a_url_is_asked_for_as_it_is_written(name: str, site: Site) -> None:
    """No name is escaped twice, or unescaped."""
    asked = quote(name, safe="/%+?&=")
    site.objects[asked.partition("?")[0]] = b"found"

    assert b"found" == read(site.url + name)
    assert asked == site.asked[-1][1]


def test_an_empty_object_is_empty(site: Site) -> None:
    site.objects[NAME] = b""

    assert [b"", b""] == [read(address) for address in addresses(site)]


def test_it_has_a_size_and_a_version(site: Site) -> None:
    with open_object(site.url + NAME) as file:
        assert (len(DATA), '"old"') == (file.size, file.version)


REFUSALS = {
    "no such object": (404, "<Error><Code>NoSuchKey</Code></Error>"),
    "no such bucket": (404, "<Error><Code>NoSuchBucket</Code></Error>"),
    "does not let you": (403, f"<Error><Code>AccessDenied</Code><Message>{KEY}</Message></Error>"),
    "credentials are not accepted": (
        403,
        f"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId></Error>",
    ),
    "in another region": (
        400,
        "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>",
    ),
    "it is gone": (410, ""),
    "no more requests for now": (429, ""),
    "the server failed (501 Not Implemented)": (501, ""),
}


@pytest.mark.parametrize("why", REFUSALS)
def test_each_refusal_is_told_with_what_to_set(
    why: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For reading and for writing, at once; what the server says may quote keys."""
    monkeypatch.setattr(objects, "RETRIES", {"max_retries": 0})
    site.refusals = REFUSALS[why]
    address = addresses(site)[0]
    with pytest.raises(UnusableOutput) as caught:
        expect_writable(address)

    assert why in refused(address)
    assert why in told(str(caught.value))
    assert caught.value.hint


SIGNED = (
    f"?X-Amz-Credential={KEY}%2Fx&X-Amz-Security-Token={SIGNATURE}&X-Amz-Signature={SIGNATURE}&x=1",
    f"?x=1&X-Goog-Signature={SIGNATURE}",
    f"?x=1&Expires=1&Signature={SIGNATURE}&Key-Pair-Id=K",
    f"?x=1&sv=2020&sig={SIGNATURE}",
    f"?x=1&access_token={SIGNATURE}",
    f"?x=1&private_token={SIGNATURE}#access_token={SIGNATURE}",
    f"?x=1&X%2DAmz%2DSignature={SIGNATURE}&s%69g={SIGNATURE}",
    f"?x=1&api-key={SIGNATURE}&key={SIGNATURE}&client_secret={SIGNATURE}&PASSWORD=passw0rd",
)


@pytest.mark.parametrize("query", SIGNED)
def test_signatures_are_not_told(query: str, site: Site) -> None:
    """Those in the address itself; the rest of it is."""
    assert "x=1" in refused(f"{site.url}/none{query}")


@pytest.mark.parametrize("who", ["me:passw0rd", "passw0rd", ":passw0rd", "me:passw0rd@x"])
def test_passwords_are_not_told(who: str, site: Site) -> None:
    """A name alone may be a key, as for GitHub."""
    host = site.url.removeprefix("http://")

    assert "/none`: " in refused(f"http://{who}@{host}/none")


def test_a_container_of_azure_is_told() -> None:
    """What stands before its `@` is no user."""
    assert "abfss://box@me.example/x" in str(UnusableInput("abfss://box@me.example/x"))


NAMELESS = ["s3://", "s3://bucket", "s3:///key", "gs://bucket/", "s3://a b/key", "s3://b?x/key"]


@pytest.mark.parametrize("address", [*NAMELESS, "s3://b\u00fccket/key", "s3://bucket/\udcff"])
def test_an_address_names_an_object(address: str) -> None:
    assert "names no object" in refused(address)


def test_no_credentials_are_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """And how public buckets are read; the option asks without a signature."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    address = addresses(site)[0]

    assert "no credentials were found" in refused(address)
    assert "--anonymous" in refused(address)
    for name in ("AWS", "GOOGLE", "AZURE"):
        monkeypatch.setenv(f"{name}_SKIP_SIGNATURE", "false")
    go_anonymous()
    assert read(address) == DATA


@pytest.mark.parametrize(
    ("missing", "is_asked"), [("AWS_CONFIG_FILE", False), ("AWS_REGION", True)]
)
def test_boto3_is_asked_for_what_no_variable_says(missing: str, is_asked: bool, site: Site) -> None:
    """It takes half a second to start."""
    program = (
        "import sys\n"
        "from verger.files.addresses import open_input\n"
        "open_input(sys.argv[1]).read()\n"
        "print('boto3' in sys.modules)\n"
    )
    said = environment(site.url)
    del said[missing]
    done = subprocess.run(
        [sys.executable, "-c", program, addresses(site)[0]],
        env={name: value for name, value in os.environ.items() if name[:4] != "AWS_"} | said,
        capture_output=True,
        check=True,
        text=True,
    )

    assert f"{is_asked}\n" == done.stdout


def test_nobody_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "RETRIES", {"max_retries": 0})

    assert "cannot be reached" in refused("http://127.0.0.1:9/x")


def test_a_web_server_is_only_read() -> None:
    with pytest.raises(UnusableOutput, match="only read"):
        objects.Upload("http://127.0.0.1:9/x.parquet")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("AWS_ENDPOINT_URL", "nonsense", "is not a URL"),
        ("AWS_ENDPOINT_URL", "http://", "is not a URL"),
        ("AWS_ENDPOINT_URL", "http://a b", "is not a URL"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:99999", "a setting cannot be sent"),
        ("AWS_PROFILE", "nosuch", "no credentials"),
        ("AWS_SECRET_ACCESS_KEY", "", "no credentials"),
        ("AWS_REGION", "us east", "a setting cannot be sent"),
        ("AWS_ACCESS_KEY_ID", f"{KEY}\n", "a setting cannot be sent"),
        ("AWS_SESSION_TOKEN", f"{SIGNATURE}\r\n", "a setting cannot be sent"),
        ("AWS_SKIP_SIGNATURE", "maybe", "as boolean"),
    ],
)
@pytest.mark.parametrize("is_written", [False, True])
def test_a_setting_with_rubbish_is_told(
    name: str,
    value: str,
    why: str,
    is_written: bool,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some make obstore panic, which no `except Exception` catches."""
    lead_to(site.url, monkeypatch)
    monkeypatch.setenv(name, value)
    if not is_written:
        assert why in refused("s3://bucket/x")
        return
    with pytest.raises(UnusableOutput) as caught:
        expect_writable("s3://bucket/x")
    assert why in told(str(caught.value))


@pytest.mark.parametrize(
    ("address", "settings", "why"),
    [
        ("gs://b/x", {"GOOGLE_APPLICATION_CREDENTIALS": "nosuch.json"}, "no credentials"),
        ("gs://b/x", {"GOOGLE_SERVICE_ACCOUNT_KEY": '{"private_key": "passw0rd"'}, "not accepted"),
        ("az://b/x", {"AZURE_STORAGE_ACCOUNT_KEY": "passw0rd!"}, "not accepted"),
        ("az://b/x", {"AZURE_STORAGE_SAS_TOKEN": "passw0rd"}, "not accepted"),
    ],
)
def test_credentials_with_rubbish_are_told(
    address: str, settings: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to set; what a library says of them may quote them."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "me")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    assert why in (said := refused(address))
    assert next(iter(settings))[:6] in said


def test_an_object_is_written_completely_or_not_at_all(bucket: Bucket) -> None:
    """And nothing is left of an upload that was given up."""
    before, uploads = bucket.put("out", b"old"), bucket.uploads()
    with suppress(KeyError), writing(before) as output:
        output.write(DATA)
        raise KeyError

    assert b"old" == bucket.get("out")
    assert uploads == bucket.uploads()
    with writing(before) as output:
        for start in range(0, len(DATA), 70_000):
            output.write(DATA[start : start + 70_000])
    assert bucket.get("out") == DATA
    with writing(bucket.address("empty")):
        pass
    assert b"" == bucket.get("empty")


def test_many_parts_are_one_object(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "PART", 5 << 20)
    data = DATA * 4
    with writing(bucket.address("out")) as output:
        output.write(data)

    assert bucket.get("out") == data


KILLED = """
import sys
from verger.files.writing import writing
with writing(sys.argv[1]) as output:
    output.write(b"x" * 20_000_000)
    print("written", flush=True)
    sys.stdin.read()
"""


def test_a_kill_leaves_no_object(bucket: Bucket) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, bucket.address("killed")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | environment(bucket.endpoint),
    ) as program:
        assert program.stdout is not None
        assert b"written\n" == program.stdout.readline()
        program.kill()

    until(lambda: program.poll() is not None)
    assert set() == bucket.names()


@pytest.mark.skipif(sys.platform != "linux", reason="tells of memory")
def test_memory_does_not_grow_with_the_object(bucket: Bucket) -> None:
    """Two sizes, read in a process of its own."""
    peaks = []
    for size in (10, 70):
        address = bucket.put(f"{size}", bytes(size << 20))
        program = (
            "import re, sys\n"
            "from verger.files.addresses import open_input\n"
            "with open_input(sys.argv[1]) as file:\n"
            "    while file.read(1 << 18): pass\n"
            "print(re.search('VmHWM:[^0-9]*([0-9]+)', open('/proc/self/status').read())[1])\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, address],
            env=os.environ | environment(bucket.endpoint),
            capture_output=True,
            check=True,
        )
        peaks.append(int(done.stdout))

    assert peaks[1] < peaks[0] + (40 << 10)


def test_the_secret_is_one() -> None:
    """The checks above would find it."""
    with pytest.raises(AssertionError):
        told(f"key {SECRET}")
