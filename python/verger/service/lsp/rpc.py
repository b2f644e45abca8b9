"""JSON-RPC 2.0 over two streams, with the framing of the Language Server Protocol.

In: bytes from an editor. Out: calls of the methods that a subclass of `Connection` defines, and
answers to the editor. A message that cannot be read is answered with an error, and reading
continues; this module does not know what a method means.

A thread reads ahead. So a request that the editor cancels before it is processed costs nothing, and
`Connection.idle`, which runs when no message waits, handles many keystrokes at once. Another thread
does what may take a second or more, one after the other, while other messages are answered.

Language Server Protocol 3.17, "Base Protocol"; JSON-RPC 2.0, section 5.1.
"""

import json
import re
import sys
import traceback
from collections.abc import Callable
from functools import partial
from queue import Empty, Queue
from threading import Lock, Thread
from typing import BinaryIO, TypeAlias

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800

CANCEL = "$/cancelRequest"
EXIT = "exit"

ERROR = 1
"""The kind of message that `Connection.tell` sends."""

LONGEST_MESSAGE = 256 << 20
"""The maximum size of a message in bytes."""

LONGEST_HEADER = 1 << 16
"""The maximum size of a header line in bytes."""

MOST_WAITING = 1 << 10
"""The maximum number of messages that are read ahead."""

Message: TypeAlias = dict[str, object]


class RpcError(Exception):
    """A request cannot be answered: the protocol's error code, and the reason."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Connection:
    """Two streams to an editor; a subclass answers the messages."""

    is_done = False
    """Whether the connection ends here."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: Queue[Message | RpcError | None] = Queue(MOST_WAITING)
        self._cancelled: set[object] = set()
        self._work: Queue[Callable[[], None]] = Queue()
        self._delayed: set[object] = set()
        self._failure: Exception | None = None
        self._sending = Lock()

    def notify(self, method: str, params: object) -> None:
        """Send a notification to the editor."""
        self._send({"method": method, "params": params})

    def request(self, method: str, params: object) -> object:
        """Return the result of a request, or a function that returns it and may take long.

        Raises RpcError.
        """
        raise NotImplementedError

    def notification(self, method: str, params: object) -> None:
        """Handle a notification of the editor. Raises RpcError."""

    def idle(self) -> None:
        """Do the work that can be delayed until no message waits."""

    def report(self, method: str, error: Exception) -> None:
        """Write an error to the editor's log: one that is no answer, or a bug of the server."""
        if not isinstance(error, RpcError):
            traceback.print_exception(error, file=sys.stderr)
        said = str(error) if isinstance(error, RpcError) else f"{type(error).__name__}: {error}"
        self.tell("window/logMessage", f"{method}: {said}")

    def tell(self, method: str, message: str) -> None:
        """Send an error as a message for the editor's user or its log."""
        self.notify(method, {"type": ERROR, "message": f"verger: {message}"})

    def serve(self) -> None:
        """Answer messages until the editor hangs up, or the connection is done."""
        for job in (self._read_ahead, self._work_on):
            Thread(target=job, daemon=True).start()
        while not self.is_done:
            message = self._next()
            if message is None:
                break
            if isinstance(message, RpcError):
                self._refuse(None, message)
            else:
                self._take(message)
        self._work.join()
        if self._failure is not None:
            raise self._failure

    def later(self, work: Callable[[], None]) -> None:
        """Do what may take long, after other such work, while other messages are answered."""
        self._work.put(work)

    def _work_on(self) -> None:
        while True:
            work = self._work.get()
            try:
                work()
            except Exception as error:  # such as a broken pipe
                self._failure = error
            self._work.task_done()

    def _next(self) -> Message | RpcError | None:
        """Return the next message; None at the end."""
        try:
            return self._waiting.get_nowait()
        except Empty:
            self.idle()
            return self._waiting.get()

    def _take(self, message: Message) -> None:
        """Handle a message, and answer it if an answer is expected."""
        method, number = message.get("method"), message.get("id")
        if "method" not in message and ("result" in message or "error" in message):
            return  # an answer, though nothing was asked
        if not isinstance(method, str) or not _is_id(number):
            self._refuse(None, RpcError(INVALID_REQUEST, "not a request of JSON-RPC 2.0"))
        elif method == CANCEL:
            if (cancelled := _cancelled(message)) not in self._delayed:
                self._cancelled.discard(cancelled)
        elif "id" in message:
            self._answer(number, method, partial(self.request, method, message.get("params")))
        else:
            try:
                self.notification(method, message.get("params"))
            except Exception as error:
                self.report(method, error)

    def _answer(self, number: object, method: str, found: Callable[[], object]) -> None:
        """Send what a function returns, later if it returns another function."""
        if number in self._cancelled:
            self._refuse(number, RpcError(REQUEST_CANCELLED, "the editor cancelled the request"))
            return
        try:
            result = found()
        except RpcError as error:
            self._refuse(number, error)
        except Exception as error:
            self.report(method, error)
            self._refuse(number, RpcError(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        else:
            if callable(result):
                self._delayed.add(number)
                self.later(partial(self._answer_later, number, method, result))
            else:
                self._send({"id": number, "result": result})

    def _answer_later(self, number: object, method: str, found: Callable[[], object]) -> None:
        self._answer(number, method, found)
        self._delayed.discard(number)
        self._cancelled.discard(number)

    def _refuse(self, number: object, error: RpcError) -> None:
        self._send({"id": number, "error": {"code": error.code, "message": str(error)}})

    def _send(self, message: Message) -> None:
        # only ASCII: text from the editor may contain half a surrogate pair, which UTF-8 cannot
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
        with self._sending:
            self._writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._writer.flush()

    def _read_ahead(self) -> None:
        """Read messages until the stream ends, and record cancelled requests immediately."""
        try:
            while (body := _body(self._reader)) is not None:
                message = _message(body)
                if isinstance(message, dict) and message.get("method") == CANCEL:
                    self._cancelled.add(_cancelled(message))
                self._waiting.put(message)
                if isinstance(message, dict) and message.get("method") == EXIT:
                    return
        finally:
            self._waiting.put(None)


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
    if isinstance(body, RpcError):
        return body
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        return RpcError(PARSE_ERROR, f"not JSON: {error}")
    if not isinstance(message, dict):
        return RpcError(INVALID_REQUEST, "a message of JSON-RPC is one object")
    return message


def _cancelled(message: Message) -> int | str | None:
    """Return the request that a message cancels."""
    params = message.get("params")
    number = params.get("id") if isinstance(params, dict) else None
    return number if isinstance(number, int | str) else None


def _is_id(number: object) -> bool:
    return number is None or (isinstance(number, int | str) and not isinstance(number, bool))
