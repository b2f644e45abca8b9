"""JSON-RPC 2.0 over two streams, with the framing of the Language Server Protocol.

In: bytes from an editor. Out: calls of the methods that a subclass of `Connection` defines, and
answers to the editor. A message that cannot be read is answered with an error, and reading
continues; this module does not know what a method means.

Messages are answered as they come. A thread reads them, also while an answer is written: an editor
may write a lot before it reads anything. Another thread does what may take a second or more, one
after the other, while other messages are answered; a request that the editor cancels before its
turn costs nothing. An editor that never reads is not read for ever: what waits is limited.

Language Server Protocol 3.17, "Base Protocol"; JSON-RPC 2.0, section 5.1.
"""

import json
import re
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import Queue
from threading import Lock, Thread
from typing import BinaryIO, TypeAlias

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
SERVER_CANCELLED = -32802

CANCEL = "$/cancelRequest"

ERROR = 1
"""The kind of message that `Connection.tell` sends."""

LONGEST_MESSAGE = 256 << 20
"""The maximum size of a message in bytes."""

LONGEST_HEADER = 1 << 16
"""The maximum size of a header line in bytes."""

MOST_AHEAD = 64 << 20
"""Bytes of messages that wait to be answered, after which no more are read."""

LEAST_SIZE = 1 << 10
"""The bytes that count for a waiting message in addition to its own."""

MOST_WAITING = 1_000
"""The maximum number of slow requests that wait for their turn."""

IDS = (int, str, type(None))
"""The types of an id: not bool, which Python has as a kind of int."""

Message: TypeAlias = dict[str, object]


class RpcError(Exception):
    """A request cannot be answered: the protocol's error code, and the reason."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Received(Queue[bytes | RpcError | None]):
    """Messages that are read and not yet answered; their size is in bytes."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self._bytes = 0

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: bytes | RpcError | None) -> None:
        super()._put(item)
        self._bytes += _size(item)

    def _get(self) -> bytes | RpcError | None:
        item = super()._get()
        self._bytes -= _size(item)
        return item


def _size(item: bytes | RpcError | None) -> int:
    return LEAST_SIZE + (len(item) if isinstance(item, bytes) else 0)


class Connection(ABC):
    """Two streams to an editor; a subclass answers the messages."""

    is_done = False
    """Whether the connection ends here."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._sending = Lock()
        self._received = _Received(MOST_AHEAD)
        self._work: Queue[Callable[[], None] | None] = Queue()
        self._slow: dict[object, Future[None]] = {}
        self._failure: BaseException | None = None

    def notify(self, method: str, params: object) -> None:
        """Send a notification to the editor."""
        self._send({"method": method, "params": params})

    @abstractmethod
    def request(self, method: str, params: object) -> object:
        """Return the result of a request, or a function that returns it and may take long.

        Raises RpcError.
        """

    def notification(self, method: str, params: object) -> None:  # noqa: B027 -- optional
        """Handle a notification of the editor. Raises RpcError."""

    def report(self, method: str, error: Exception) -> None:
        """Write an error to the editor's log: one that is no answer, or a bug of the server."""
        if not isinstance(error, RpcError | BrokenPipeError):  # an editor may be gone
            traceback.print_exception(error, file=sys.stderr)
        said = str(error) if isinstance(error, RpcError) else f"{type(error).__name__}: {error}"
        self.tell("window/logMessage", f"{method}: {said}")

    def tell(self, method: str, message: str) -> None:
        """Send an error as a message for the editor's user or its log."""
        self.notify(method, {"type": ERROR, "message": f"verger: {message}"})

    def serve(self) -> None:
        """Answer messages until the editor hangs up, or the connection is done."""
        # The process does not wait for these threads if it is interrupted.
        Thread(target=self._in_thread, args=(self._read,), daemon=True).start()
        worker = Thread(target=self._in_thread, args=(self._work_off,), daemon=True)
        worker.start()
        while not self.is_done and (received := self._received.get()) is not None:
            self._take(_message(received))
        if self._failure is None:
            self._work.put(None)
            worker.join()
        if self._failure is not None:
            raise self._failure

    def later(self, method: str, work: Callable[[], None]) -> None:
        """Do what may take long, after other such work, while messages are answered."""
        self._work.put(partial(self._do, method, work))

    def _in_thread(self, target: Callable[[], None]) -> None:
        """Run a function; its end or failure, such as a broken pipe, ends the connection."""
        try:
            target()
        except BaseException as error:
            self._failure = error
        self._received.put(None)

    def _read(self) -> None:
        """Read messages until the editor hangs up."""
        while (received := _body(self._reader)) is not None:
            self._received.put(received)

    def _work_off(self) -> None:
        """Do one piece of work after the other, until there is no more."""
        while (work := self._work.get()) is not None:
            work()

    def _do(self, method: str, work: Callable[[], None]) -> None:
        """Do what nobody waits for an answer to; its errors go to the log."""
        try:
            work()
        except Exception as error:
            self.report(method, error)

    def _take(self, message: Message | RpcError) -> None:
        """Handle a message, and answer it if an answer is expected."""
        if isinstance(message, RpcError):
            self._refuse(None, message)
            return
        if "method" not in message:
            return  # an answer, though nothing was asked
        method, number, params = str(message["method"]), message.get("id"), message.get("params")
        if method == CANCEL:
            self._cancel(params)
        elif "id" in message:
            self._answer(number, method, partial(self.request, method, params))
        else:
            self._do(method, partial(self.notification, method, params))

    def _answer(self, number: object, method: str, found: Callable[[], object]) -> None:
        """Send what a function returns, later if it returns another function."""
        try:
            result = found()
        except RpcError as error:
            self._refuse(number, error)
        except Exception as error:
            self.report(method, error)
            self._refuse(number, RpcError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        else:
            if not callable(result):
                self._send({"id": number, "result": result})
                return
            if self._work.qsize() >= MOST_WAITING:
                self._refuse(number, RpcError(SERVER_CANCELLED, "too many requests wait"))
                return
            self._slow = {key: slow for key, slow in self._slow.items() if not slow.done()}
            slow = self._slow[number] = Future()
            self._work.put(partial(self._answer_slowly, slow, number, method, result))

    def _answer_slowly(
        self, slow: Future[None], number: object, method: str, found: Callable[[], object]
    ) -> None:
        """Answer a request whose turn has come, if it was not cancelled."""
        if slow.set_running_or_notify_cancel():
            self._answer(number, method, found)
            slow.set_result(None)

    def _cancel(self, params: object) -> None:
        """Cancel a slow request whose turn has not come."""
        number = params.get("id") if isinstance(params, dict) else None
        for waiting, slow in self._slow.items():
            if waiting == number and not slow.done() and slow.cancel():
                error = RpcError(REQUEST_CANCELLED, "the editor cancelled the request")
                self._refuse(waiting, error)

    def _refuse(self, number: object, error: RpcError) -> None:
        self._send({"id": number, "error": {"code": error.code, "message": str(error)}})

    def _send(self, message: Message) -> None:
        # only ASCII: text from the editor may contain half a surrogate pair, which UTF-8 cannot
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
        with self._sending:
            self._writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._writer.flush()


def _body(stream: BinaryIO) -> bytes | RpcError | None:
    """Return the bytes of the next message; None at the end.

    Anything but a header is skipped up to the next `Content-Length`, which may follow the rest of a
    message whose length was wrong.
    """
    length, has_header = None, False
    while line := stream.readline(LONGEST_HEADER):
        if found := _LENGTH.search(line):
            length = int(found[1])
        elif line.strip():
            if not _HEADER.match(line):
                return RpcError(PARSE_ERROR, "not a header of the Language Server Protocol")
            has_header = True
        elif length is not None:
            if length > LONGEST_MESSAGE:
                return RpcError(INVALID_REQUEST, f"a message of {length:,} bytes is too long")
            body = stream.read(length)
            return body if len(body) == length else None
        elif has_header:
            return RpcError(PARSE_ERROR, "a message without a `Content-Length`")
    return None


_LENGTH = re.compile(rb"Content-Length:[ \t]*(\d{1,18})[ \t]*\r?\n\Z", re.IGNORECASE)
_HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}:")


def _message(body: bytes | RpcError) -> Message | RpcError:
    """Return the message of a body, or why it is none."""
    if isinstance(body, RpcError):
        return body
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        return RpcError(PARSE_ERROR, f"not JSON: {error}")
    if not isinstance(message, dict):
        return RpcError(INVALID_REQUEST, "a message of JSON-RPC is one object")
    if "method" not in message and not message.keys().isdisjoint(("result", "error")):
        return message
    if not isinstance(message.get("method"), str) or type(message.get("id")) not in IDS:
        return RpcError(INVALID_REQUEST, "not a request of JSON-RPC 2.0")
    return message
