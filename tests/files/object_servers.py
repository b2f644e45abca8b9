"""Servers of objects: moto for S3, and a plain one with the faults of real ones. No test is here.

In: objects by name, and what goes wrong. Out: addresses, and the requests that came.
"""

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
"""Credentials that must never be in a message."""
SIGNATURE = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
SECRETS = (KEY, SECRET, SIGNATURE, "passw0rd")
BUCKET = "verger-bucket"


@dataclass
class Site:
    """What a server has, and what goes wrong.

    objects:   their bytes, by path.
    breaks:    bytes after which a connection is closed; None sends all.
    stalls:    the numbers of requests that get half of their bytes, and then nothing.
    busy:      how many requests get 503 first.
    ranges:    whether ranges are known.
    tags:      what each version is told by: `etag`, `weak`, `date` or `nothing`.
    changed:   the request from which on an object is another one.
    refusals:  a status and a text, instead of every answer.
    """

    objects: dict[str, bytes] = field(default_factory=dict)
    breaks: int | None = None
    stalls: tuple[int, ...] = ()
    busy: int = 0
    ranges: bool = True
    tags: str = "etag"
    changed: int | None = None
    refusals: tuple[int, str] | None = None
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    sent: int = 0
    url: str = ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        """Answer with an object, or a part of it, as far as the faults let it."""
        site, number = self.site, len(self.site.asked) + 1
        asked = self.headers.get("Range")
        site.asked.append((self.command, self.path, asked))
        if number <= site.busy:
            self._say(503, "<Error><Code>SlowDown</Code></Error>")
            return
        if site.refusals is not None:
            self._say(*site.refusals)
            return
        data = site.objects.get(urlsplit(self.path).path)
        if data is None:
            self._say(404, "<Error><Code>NoSuchKey</Code></Error>")
            return
        is_new = site.changed is not None and number >= site.changed
        data = data[::-1] if is_new else data
        begin, end = 0, len(data)
        if asked and site.ranges:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(end, int(last) + 1) if last else end
        tag = '"new"' if is_new else '"old"'
        if site.tags == "etag" and self.headers.get("If-Match") not in (None, tag):
            self._say(412, "")
            return
        self.send_response(206 if asked and site.ranges else 200)
        if site.tags in ("etag", "weak"):
            self.send_header("ETag", tag if site.tags == "etag" else f"W/{tag}")
        if site.tags == "date":
            hour = "13" if is_new else "12"
            self.send_header("Last-Modified", f"Mon, 01 Jun 2026 {hour}:00:00 GMT")
        if asked and site.ranges:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        self._send(data[begin:end], number)

    def _send(self, data: bytes, number: int) -> None:
        site = self.site
        part = data[: len(data) // 2] if number in site.stalls else data
        part = part if site.breaks is None else part[: site.breaks]
        try:
            self.wfile.write(part)
            self.wfile.flush()
            site.sent += len(part)
            while number in site.stalls:  # until the client has gone
                time.sleep(0.05)
                self.connection.settimeout(0.05)
                try:
                    if not self.connection.recv(1):
                        break
                except TimeoutError:
                    continue
        except OSError:
            pass
        if len(part) < len(data):
            self.close_connection = True

    do_HEAD = do_GET  # noqa: N815 -- as the base class calls it

    def do_POST(self) -> None:
        """Begin an upload, or refuse it."""
        self.site.asked.append((self.command, self.path, None))
        self._say(*(self.site.refusals or (501, "")))

    do_PUT = do_POST  # noqa: N815

    def _say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve objects until the block ends."""
    handler = type("Handler", (_Handler,), {"site": site})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    site.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def environment(endpoint: str) -> dict[str, str]:
    """Return what makes `s3://` lead to a server, with credentials."""
    return {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def lead_to(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `s3://` lead to a server in this process."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in environment(endpoint).items():
        monkeypatch.setenv(name, value)


class Bucket:
    """A bucket of a real S3 server."""

    def __init__(self, endpoint: str, name: str = BUCKET) -> None:
        import boto3  # type: ignore[import-untyped]

        self.endpoint, self.name = endpoint, name
        words = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
        self._client: Any = boto3.client(
            "s3", endpoint_url=endpoint, region_name="us-east-1", **words
        )
        names = [each["Name"] for each in self._client.list_buckets()["Buckets"]]
        if name not in names:
            self._client.create_bucket(Bucket=name)

    def put(self, name: str, data: bytes) -> str:
        """Lay an object down, and return its address."""
        self._client.put_object(Bucket=self.name, Key=name, Body=data)
        return self.address(name)

    def address(self, name: str) -> str:
        """Return the address of an object."""
        return f"s3://{self.name}/{name}"

    def get(self, name: str) -> bytes:
        """Return the bytes of an object."""
        data: bytes = self._client.get_object(Bucket=self.name, Key=name)["Body"].read()
        return data

    def names(self) -> set[str]:
        """Return the names of all objects."""
        listed = self._client.list_objects_v2(Bucket=self.name)
        return {each["Key"] for each in listed.get("Contents", ())}

    def uploads(self) -> list[str]:
        """Return the names of uploads that are not complete."""
        listed: Mapping[str, Any] = self._client.list_multipart_uploads(Bucket=self.name)
        return [each["Key"] for each in listed.get("Uploads", ())]

    def drop(self) -> None:
        """Remove all objects."""
        for name in self.names():
            self._client.delete_object(Bucket=self.name, Key=name)


@pytest.fixture(scope="module")
def moto() -> Iterator[Bucket]:
    """Serve S3 by moto, or name the server in VERGER_S3_SERVER."""
    if endpoint := os.environ.get("VERGER_S3_SERVER"):
        yield Bucket(endpoint)
        return
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield Bucket(f"http://{host}:{port}")
    finally:
        server.stop()


@pytest.fixture
def bucket(moto: Bucket, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """An empty bucket, to which `s3://` leads."""
    lead_to(moto.endpoint, monkeypatch)
    moto.drop()
    return moto


def told(*messages: str) -> str:
    """Return messages, none of which tells a secret."""
    text = json.dumps(messages)
    assert not [secret for secret in SECRETS if secret in text], text
    return text
