"""An editor that sends nonsense gets an error of the protocol, and the server lives on.

The server is driven by bytes here, since no client of the protocol sends such.
"""

import json
import signal
import sys
from collections.abc import Iterator
from threading import Thread

import pytest

from cli.console import talking_to
from patience import LONG
from verger.service.lsp.document import MOST_BYTES
from verger.service.lsp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LONGEST_MESSAGE,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    REQUEST_CANCELLED,
)

URI = "file:///robots.txt"
DOCUMENT = {"uri": URI}
AT = {"textDocument": DOCUMENT, "position": {"line": 0, "character": 0}}


class Raw:
    """A server, and the bytes between."""

    def __init__(self) -> None:
        self.process = talking_to([sys.executable, "-m", "verger", "lsp"])
        self.last = 0

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: object) -> dict:
        """Send a request, and return its answer."""
        self.last += 1
        body = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.send(framed(body))
        return self.answer(self.last)

    def answer(self, number: int | str | None) -> dict:
        """Return the answer to a request; what else is told is passed over."""
        while True:
            message = self.message()
            if "method" not in message and message["id"] == number:
                return message

    def message(self) -> dict:
        """Return the next message."""
        assert self.process.stdout is not None
        header = self.process.stdout.readline()
        assert header.startswith(b"Content-Length: "), header
        assert self.process.stdout.readline() == b"\r\n"
        return json.loads(self.process.stdout.read(int(header[16:])))

    def initialize(self) -> None:
        """Begin, and open a file."""
        assert "result" in self.ask("initialize", {"capabilities": {}})
        document = {**DOCUMENT, "languageId": "robots-txt", "version": 1, "text": "Disallow: /\n"}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def lives(self) -> bool:
        """Whether the server still knows the file."""
        return "result" in self.ask("textDocument/hover", AT)

    def end(self) -> int:
        """End the server as the protocol has it, and return its exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(LONG)


def framed(body: object) -> bytes:
    data = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


@pytest.fixture
def server() -> Iterator[Raw]:
    raw = Raw()
    with raw.process:
        yield raw
        raw.process.kill()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"Content-Length: 5\r\n\r\n{nope", PARSE_ERROR),
        (b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc", PARSE_ERROR),
        (b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000, PARSE_ERROR),
        (b"Content-Length: 9999\r\n\r\n" + b"9" * 9_999, PARSE_ERROR),
        (framed([]), INVALID_REQUEST),
        (framed(1), INVALID_REQUEST),
        (framed({}), INVALID_REQUEST),
        (framed({"id": 7, "method": 7}), INVALID_REQUEST),
        (framed({"id": {}, "method": "shutdown"}), INVALID_REQUEST),
        (framed({"id": True, "method": "shutdown"}), INVALID_REQUEST),
        (b"Content-Length: x\r\n\r\n", PARSE_ERROR),
        (b"Content-Type: x\r\n\r\n", PARSE_ERROR),
        (b"GET / HTTP\n", PARSE_ERROR),
        (b"{}\r\n", PARSE_ERROR),
        (b"Content-Length: %d\r\n\r\n" % (LONGEST_MESSAGE + 1), INVALID_REQUEST),
    ],
)
def test_what_is_not_a_message(server: Raw, data: bytes, code: int) -> None:
    """It is answered with an error that belongs to no request."""
    server.initialize()
    server.send(data)

    assert code == server.answer(None)["error"]["code"]
    assert server.lives()
    assert 0 == server.end()


def test_a_wrong_length_costs_one_message(server: Raw) -> None:
    """The next message is found behind the rest of the one before."""
    server.initialize()
    body = json.dumps({"jsonrpc": "2.0", "id": 99, "method": "x"}).encode()
    server.send(b"Content-Length: 3\r\n\r\n" + body)

    assert PARSE_ERROR == server.answer(None)["error"]["code"]
    assert server.lives()


def test_a_file_with_half_a_surrogate_pair(server: Raw) -> None:
    """JSON can escape what UTF-8 cannot write; it is counted as the editor counts it."""
    server.initialize()
    text = "User-agent: *\nDisallow: /\ud83d\ude00\ud83d`x\nDisallow: /\ud83d\ude00\ud83d`x"
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": text}]}
    server.tell("textDocument/didChange", change)
    (first, *_) = server.ask("textDocument/documentSymbol", AT)["result"]

    assert {"line": 2, "character": 16} == first["range"]["end"]
    assert server.lives()


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"textDocument": URI},
        {"textDocument": {"uri": 1}},
        {"textDocument": {"uri": "file:///other"}},
        {"textDocument": DOCUMENT},
        {"textDocument": DOCUMENT, "position": {"line": -1, "character": 0}},
        {"textDocument": DOCUMENT, "position": {"line": 0, "character": 1.5}},
        {"textDocument": DOCUMENT, "position": {"line": True, "character": 0}},
        {"textDocument": DOCUMENT, "position": {"line": 0, "character": 1 << 31}},
        {"textDocument": DOCUMENT, "position": [0, 0]},
    ],
)
def test_bad_parameters(server: Raw, params: object) -> None:
    """A request says which of its parameters is wrong."""
    server.initialize()
    told = server.ask("textDocument/hover", params)

    assert INVALID_PARAMS == told["error"]["code"]
    assert told["error"]["message"].startswith("`")
    assert server.lives()


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"range": {"start": {"line": 0, "character": 0}}, "text": ""},
        {"range": [], "text": ""},
    ],
)
def test_a_bad_change_is_logged(server: Raw, change: object) -> None:
    """Nobody answers a notification; the text stays as it was."""
    server.initialize()
    params = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    server.tell("textDocument/didChange", params)
    told = next(iter(lambda: logged(server), None))

    assert told.startswith("verger: textDocument/didChange: `")
    assert server.lives()


def logged(server: Raw) -> str | None:
    """Return the next message for the log."""
    while (message := server.message()).get("method") != "window/logMessage":
        pass
    return message["params"]["message"]


@pytest.mark.parametrize("place", [(0, 10**6), (10**6, 0), (10**9, 10**9)])
def test_places_outside_the_file(server: Raw, place: tuple[int, int]) -> None:
    """They stand for the nearest place within, for requests and for changes."""
    server.initialize()
    position = {"line": place[0], "character": place[1]}
    assert "result" in server.ask("textDocument/hover", {**AT, "position": position})
    change = {"range": {"start": position, "end": {"line": 0, "character": 0}}, "text": "x"}
    params = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    server.tell("textDocument/didChange", params)

    assert server.lives()


def test_methods_that_nobody_knows(server: Raw) -> None:
    """A request is refused; a notification means nothing."""
    server.initialize()
    server.tell("$/nothing", {})
    server.tell("workspace/nothing", [])

    assert METHOD_NOT_FOUND == server.ask("textDocument/nothing", AT)["error"]["code"]
    assert server.lives()


def test_the_order_of_a_session(server: Raw) -> None:
    """`initialize` comes first and once; behind `shutdown` there is only `exit`."""
    assert NOT_INITIALIZED == server.ask("textDocument/hover", AT)["error"]["code"]
    server.initialize()
    assert INVALID_REQUEST == server.ask("initialize", {"capabilities": {}})["error"]["code"]
    assert None is server.ask("shutdown", None)["result"]
    assert INVALID_REQUEST == server.ask("textDocument/hover", AT)["error"]["code"]
    server.tell("exit", None)
    assert 0 == server.process.wait(LONG)


def test_an_exit_without_shutdown(server: Raw) -> None:
    """The exit code is 1, as the protocol has it."""
    server.initialize()
    server.tell("exit", None)

    assert 1 == server.process.wait(LONG)


def test_an_editor_that_hangs_up(server: Raw) -> None:
    """The server ends with it, and leaves nothing on stderr."""
    server.initialize()
    assert server.process.stdin is not None
    server.process.stdin.close()

    assert 1 == server.process.wait(LONG)
    assert server.process.stderr is not None
    assert b"" == server.process.stderr.read()


@pytest.mark.parametrize("is_logged", [False, True])
def test_an_editor_that_reads_no_more(server: Raw, is_logged: bool) -> None:
    """The server ends as other commands do whose pipe is closed, and leaves nothing on stderr."""
    server.initialize()
    assert server.process.stdout is not None
    server.process.stdout.close()
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "Allow"}]}
    server.tell("textDocument/didChange", change)
    if is_logged:
        server.tell("textDocument/didClose", {})

    assert 141 == server.process.wait(LONG)
    assert server.process.stderr is not None
    assert b"" == server.process.stderr.read()


def test_an_editor_that_writes_everything_before_it_reads(server: Raw) -> None:
    """The server reads on while nobody reads its answers, which fill more than a pipe."""
    server.initialize()
    asked = {"jsonrpc": "2.0", "id": "x", "method": "textDocument/completion", "params": AT}
    messages = framed(asked) * 2_000
    thread = Thread(target=server.send, args=(messages,), daemon=True)
    thread.start()
    thread.join(LONG)

    assert not thread.is_alive()
    assert ["x"] * 2_000 == [server.answer("x")["id"] for _ in range(2_000)]
    assert 0 == server.end()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("unread", [0, 2_000])
def test_ctrl_c(server: Raw, unread: int) -> None:
    """It ends the server at once, whether it waits for a message or for an editor to read."""
    server.initialize()
    assert server.lives()
    asked = {"jsonrpc": "2.0", "id": "x", "method": "textDocument/completion", "params": AT}
    server.send(framed(asked) * unread)
    server.process.send_signal(signal.SIGINT)

    assert server.process.wait(LONG) in (130, -signal.SIGINT)
    assert server.process.stderr is not None
    assert b"" == server.process.stderr.read()


def test_a_request_that_is_cancelled_before_its_turn(server: Raw) -> None:
    """It is answered with the error for that; a number may be used again."""
    server.initialize()
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}*a*b*{n}$\n" for n in range(2_000))
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": text}]}
    asked = {"jsonrpc": "2.0", "method": "textDocument/hover", "params": AT}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "b"}}
    messages = [
        {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": change},
        {**asked, "id": "a", "method": "textDocument/codeLens"},
        {**asked, "id": "b", "method": "textDocument/codeLens"},
        cancel,
        {**asked, "id": "c"},
    ]
    server.send(b"".join(map(framed, messages)))

    assert REQUEST_CANCELLED == server.answer("b")["error"]["code"]
    assert "result" in server.answer("c")
    server.send(framed({**asked, "id": "b"}))
    assert "result" in server.answer("b")


def test_a_file_that_is_too_long(server: Raw) -> None:
    """One problem says so, and nothing else is worked out."""
    server.initialize()
    text = "Disallow: /\n" * (MOST_BYTES // 12 + 1)
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": text}]}
    server.tell("textDocument/didChange", change)
    while (message := server.message()).get("params", {}).get("version") != 2:
        pass
    (problem,) = message["params"]["diagnostics"]

    assert "too-long" == problem["code"]
    assert [] == server.ask("textDocument/documentSymbol", AT)["result"]
    options = {**AT, "range": {"start": AT["position"], "end": AT["position"]}, "options": {}}
    for method in ("formatting", "codeAction", "codeLens", "foldingRange", "inlayHint"):
        assert [] == server.ask(f"textDocument/{method}", options)["result"]
