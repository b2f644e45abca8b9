"""`verger serve` under load, beside the smallest possible service with Protego on the same server.

In: sites in a snapshot, some thousand URLs. Out: answers a second, and how long the slowest of a
hundred takes, for single questions; decisions a second for streams of lines and of Arrow. The
generator runs on the same cores, in this process, and speaks HTTP itself, so that it takes less of
them than what it measures.

    python -m benchmarks.serve_load [--seconds 5] [--connections 32] [--workers 1] [--soak 600]

With `--soak`, only this: half of the load for so many seconds, no question twice, and the memory of
the service meanwhile.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

SITES, URLS = 200, 2_000
STREAMS = 8
"""Streams at once. The kernel deals connections out to workers by chance: of two, both may fall to
one worker, and the other has nothing to do."""
ROBOTS = """User-agent: *
Disallow: /private
Disallow: /*.pdf$
Allow: /private/open
Crawl-delay: 2

User-agent: GPTBot
Disallow: /
"""

PROTEGO = """
import json, sys
from aiohttp import web
from protego import Protego
files = {line.split()[0]: Protego.parse(open(line.split()[1]).read()) for line in sys.stdin}
async def check(request):
    url, agent = request.query["url"], request.query["agent"]
    file = files[url.split("/")[2]]
    return web.json_response({"url": url, "allowed": file.can_fetch(url, agent)})
app = web.Application()
app.router.add_get("/v1/check", check)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)
"""


def urls() -> list[str]:
    """Return the URLs that are asked about."""
    paths = ("private/a", "x.pdf", "page", "private/open/b", "deep/er/page.html?q=1")
    return [f"https://site{n % SITES}.example/{paths[n % 5]}" for n in range(URLS)]


def folder_of_sites(folder: Path) -> Path:
    """Write the files, and return their folder."""
    folder.mkdir()
    for number in range(SITES):
        (folder / f"site{number}.example").write_text(ROBOTS)
    return folder


@contextmanager
def verger(folder: Path, workers: int) -> Iterator[tuple[int, int]]:
    """Run the service; yield its port, and its number as a process."""
    command = [sys.executable, "-m", "verger", "serve", "--snapshot", str(folder)]
    command += ["--listen", "127.0.0.1:0", "--workers", str(workers), "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = json.loads(process.stderr.readline())["port"]
        asyncio.run(answers(port))
        try:
            yield port, process.pid
        finally:
            process.terminate()


@contextmanager
def protego(folder: Path, port: int) -> Iterator[int]:
    """Run the smallest service with Protego."""
    command = [sys.executable, "-c", PROTEGO, str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write("".join(f"{each.name} {each}\n" for each in folder.iterdir()))
        process.stdin.close()
        asyncio.run(answers(port))
        try:
            yield port
        finally:
            process.terminate()


async def answers(port: int) -> None:
    """Wait until a port answers."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return


# Single questions


class Caller(asyncio.Protocol):
    """One connection: sends the next request when the last is answered, or at its time."""

    def __init__(self, requests: Sequence[bytes], first: int, rate: float) -> None:
        self.requests, self.next, self.rate = requests, first, rate
        self.times: list[float] = []
        self.errors = 0
        self.rest = b""
        self.stopped = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.due = time.perf_counter()
        self.send()

    def send(self) -> None:
        """Send the next request."""
        if self.stopped:
            return
        self.began = max(self.due, time.perf_counter()) if not self.rate else self.due
        self.transport.write(self.requests[self.next % len(self.requests)])
        self.next += 1

    def data_received(self, data: bytes) -> None:
        self.rest += data
        head, end, body = self.rest.partition(b"\r\n\r\n")
        if not end:
            return
        at = head.lower().index(b"content-length: ") + 16
        if len(body) < int(head[at:].split(b"\r\n", 1)[0]):
            return
        self.rest = b""
        self.errors += not head.startswith(b"HTTP/1.1 200")
        now = time.perf_counter()
        self.times.append(now - self.began)
        if self.rate:
            self.due += 1 / self.rate
            if self.due > now:
                asyncio.get_running_loop().call_later(self.due - now, self.send)
                return
        self.send()


async def load(
    port: int, requests: Sequence[bytes], seconds: float, callers: int, rate: float
) -> tuple[float, float, float, int]:
    """Return the rate of answers, the median and the 99th percentile of their times, and errors."""
    loop = asyncio.get_running_loop()
    made = []
    for number in range(callers):
        step = len(requests) // callers * number
        new_caller = partial(Caller, requests, step, rate / callers)
        _, caller = await loop.create_connection(new_caller, "127.0.0.1", port)
        made.append(caller)
    await asyncio.sleep(seconds)
    for caller in made:
        caller.stopped = True
    times = sorted(each for caller in made for each in caller.times)
    errors = sum(caller.errors for caller in made)
    for caller in made:
        caller.transport.close()
    return len(times) / seconds, times[len(times) // 2], times[len(times) * 99 // 100], errors


def request(url: str, agent: str = "ExampleBot") -> bytes:
    """Return a question as a request."""
    query = f"agent={agent}&url={quote(url, safe='')}"
    return f"GET /v1/check?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


class Endless(Sequence[bytes]):
    """Requests of several crawlers, of which none comes twice."""

    def __len__(self) -> int:
        return 1 << 40

    def __getitem__(self, number: Any) -> Any:
        url = f"https://site{number % SITES}.example/{number}?q={number}"
        return request(url, f"Bot-{'abcdefg'[number % 7]}")


def soak(port: int, process: int, options: argparse.Namespace) -> None:
    """Ask half of what goes for a long time; print what the service takes, ten times."""
    status = Path(f"/proc/{process}/status")
    for _ in range(2):  # at first, everything is read
        full, *_ = asyncio.run(load(port, Endless(), options.seconds, options.connections, 0.0))
    for part in range(10):
        asked = (options.soak / 10, options.connections, full / 2)
        rate, _, p99, errors = asyncio.run(load(port, Endless(), *asked))
        [kib] = [line.split()[1] for line in status.read_text().splitlines() if "VmRSS" in line]
        print(
            f"soak {part}   {rate:9,.0f} of {full:,.0f} answers/s, p99 {p99 * 1e3:.1f} ms; "
            f"{errors} errors; {int(kib) / 1024:.0f} MiB",
            flush=True,
        )


def singles(name: str, port: int, options: argparse.Namespace) -> None:
    """Measure single questions: as many as go, then half of them."""
    requests = [request(url) for url in urls()]
    asyncio.run(load(port, requests, 1.0, options.connections, 0.0))  # everything is read
    asked = (options.seconds, options.connections)
    full, _, slow, wrong = asyncio.run(load(port, requests, *asked, 0.0))
    half, usual, p99, errors = asyncio.run(load(port, requests, *asked, full / 2))
    print(
        f"{name:8} {full:9,.0f} answers/s, p99 {slow * 1e3:.1f} ms; at half {half:9,.0f}/s, "
        f"median {usual * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms; {wrong + errors} errors",
        flush=True,
    )


# Streams


async def stream(port: int, kind: str, body: bytes, times: int) -> tuple[float, int]:
    """Post a body several times over; return the seconds, and the bytes that came back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    began = time.perf_counter()
    writer.write(
        f"POST /v1/check?agent=ExampleBot HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body) * times}\r\n\r\n".encode()
    )

    async def send() -> None:
        for _ in range(times):
            writer.write(body)
            await writer.drain()

    sending = asyncio.create_task(send())
    size, last = 0, b""
    while data := await reader.read(1 << 22):
        size, last = size + len(data), data[-7:]
    await sending
    assert last.endswith(b"0\r\n\r\n"), "the answers end"
    return time.perf_counter() - began, size


async def streams(port: int, kind: str, body: bytes, times: int, callers: int) -> float:
    """Post bodies by so many callers at once; return the seconds."""
    began = time.perf_counter()
    await asyncio.gather(*(stream(port, kind, body, times) for _ in range(callers)))
    return time.perf_counter() - began


def lines(port: int) -> None:
    """Measure lines."""
    asked = [json.dumps({"url": url, "agent": "ExampleBot"}) for url in urls()] * 50
    body = ("\n".join(asked) + "\n").encode()
    times = 10
    kind = "application/x-ndjson"
    asyncio.run(streams(port, kind, body, 1, STREAMS))
    seconds = asyncio.run(streams(port, kind, body, times, STREAMS))
    number = len(asked) * times * STREAMS
    print(f"lines    {number / seconds:9,.0f} decisions/s", flush=True)


def arrow(port: int) -> None:
    """Measure Arrow."""
    import pyarrow as pa

    table = pa.table({"url": urls() * 1_000})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1 << 17)
    body, kind = bytes(sink.getvalue()), "application/vnd.apache.arrow.stream"
    asyncio.run(streams(port, kind, body, 1, STREAMS))
    seconds = asyncio.run(streams(port, kind, body, 1, STREAMS))
    print(f"arrow    {len(table) * STREAMS / seconds:9,.0f} decisions/s", flush=True)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--soak", type=float, default=0.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sites = folder_of_sites(Path(folder) / "sites")
        if options.soak:
            with verger(sites, 1) as (port, process):
                soak(port, process, options)
            return
        with protego(sites, 18_999) as port:
            singles("protego", port, options)
        with verger(sites, options.workers) as (port, _):
            singles("verger", port, options)
            lines(port)
            arrow(port)


if __name__ == "__main__":
    main()
