"""A web server on loopback that counts, for clients in other processes. No test lives here."""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from client.stage import FILE


class CountingServer(ThreadingHTTPServer):
    """Answers every request with `FILE`, as soon as `gate` is open, and counts by host."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def connect_to(self) -> str:
        """Return how to reach this server under any name."""
        return f"::127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients of these tests go away when they like."""


class _Handler(BaseHTTPRequestHandler):
    server: CountingServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked[self.headers["Host"]] += 1
        self.server.arrived.set()
        self.server.gate.wait(600)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(FILE)))
        self.end_headers()
        self.wfile.write(FILE)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(*, is_open: bool = True) -> Iterator[CountingServer]:
    """Run a server in a thread; closed at first, if told so."""
    server = CountingServer()
    if not is_open:
        server.gate.clear()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
