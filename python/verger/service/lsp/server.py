"""The language server: methods of the protocol, each answered by one function of a feature.

In: messages of an editor. Out: results in the protocol's form. What an editor has open, in which
dialect it is read and how the editor counts is kept here, and nothing else is.

Language Server Protocol 3.17.
"""

import sys
import traceback
from collections.abc import Callable, Iterator
from typing import BinaryIO, get_args

from verger._core import DIALECTS, Dialect, __version__
from verger.service.lsp import params as given
from verger.service.lsp.document import Document
from verger.service.lsp.problems import Problem
from verger.service.lsp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    Connection,
    RpcError,
)
from verger.service.lsp.text import Text, Unit

SEVERITIES = {"error": 1, "warning": 2, "note": 3}
ERROR = 1


def serve(reader: BinaryIO, writer: BinaryIO, *, dialect: str | Dialect = "rfc9309") -> bool:
    """Answer an editor until it says that it ends, or hangs up; return whether it had said so.

    dialect:  how files are read, unless the editor's settings name another one.
    """
    connection = Connection(reader, writer)
    server = Server(connection, dialect)
    connection.serve(server)
    return server.is_shut_down


class Server:
    """What one editor has open, and what it may ask."""

    def __init__(self, connection: Connection, dialect: str | Dialect) -> None:
        self.is_done = False
        self.is_shut_down = False
        self._connection = connection
        self._dialect = dialect
        self._is_initialized = False
        self._pulls = False
        self._unit: Unit = "utf-16"
        self._open: dict[str, Document] = {}
        self._unpublished: dict[str, None] = {}
        self._requests: dict[str, Callable[[object], object]] = {
            "initialize": self._initialize,
            "shutdown": self._shut_down,
            "textDocument/diagnostic": self._diagnostic,
        }
        self._notes: dict[str, Callable[[object], None]] = {
            "exit": self._exit,
            "textDocument/didOpen": self._did_open,
            "textDocument/didChange": self._did_change,
            "textDocument/didClose": self._did_close,
            "workspace/didChangeConfiguration": self._did_configure,
        }

    # Messages

    def request(self, method: str, params: object) -> object:
        """Return the result of a request."""
        if self.is_shut_down:
            raise RpcError(INVALID_REQUEST, "the server is shut down")
        if not self._is_initialized and method != "initialize":
            raise RpcError(NOT_INITIALIZED, "`initialize` comes first")
        if method not in self._requests:
            raise RpcError(METHOD_NOT_FOUND, f"unknown method `{method}`")
        return self._requests[method](params)

    def notification(self, method: str, params: object) -> None:
        """Take note of what the editor says; what is not known means nothing to a server."""
        if method in self._notes and (self._is_initialized or method == "exit"):
            self._notes[method](params)

    def idle(self) -> None:
        """Tell what is wrong with the files that have changed."""
        while self._unpublished:
            uri = next(iter(self._unpublished))
            del self._unpublished[uri]
            self._publish(uri)

    def failed(self, method: str, error: Exception) -> None:
        """Tell the editor's log what went wrong."""
        if not isinstance(error, RpcError):
            traceback.print_exception(error, file=sys.stderr)
        said = error.message if isinstance(error, RpcError) else f"{type(error).__name__}: {error}"
        message = f"verger: {method}: {said}"
        self._connection.notify("window/logMessage", {"type": ERROR, "message": message})

    # Beginning and end

    def _initialize(self, params: object) -> object:
        if self._is_initialized:
            raise RpcError(INVALID_REQUEST, "the server is initialized")
        self._unit = _unit(given.words(params, "capabilities", "general", "positionEncodings"))
        self._pulls = given.found(params, "capabilities", "textDocument", "diagnostic") is not None
        self._configure(given.found(params, "initializationOptions"))
        self._is_initialized = True
        return {
            "capabilities": self._capabilities(),
            "serverInfo": {"name": "verger", "version": __version__},
        }

    def _capabilities(self) -> dict[str, object]:
        capabilities: dict[str, object] = {
            "positionEncoding": self._unit,
            "textDocumentSync": {"openClose": True, "change": 2},
        }
        if self._pulls:
            between = {"interFileDependencies": False, "workspaceDiagnostics": False}
            capabilities["diagnosticProvider"] = {"identifier": "verger", **between}
        return capabilities

    def _shut_down(self, _: object) -> None:
        self.is_shut_down = True

    def _exit(self, _: object) -> None:
        self.is_done = True

    def _did_configure(self, params: object) -> None:
        self._configure(given.found(params, "settings", "verger"))
        for uri, document in self._open.items():
            self._keep(Document(uri, document.version, document.text, self._dialect))

    def _configure(self, settings: object) -> None:
        """Take over the settings of an editor; None means that it says nothing of them."""
        name = given.found(settings, "dialect")
        if name is None:
            return
        if not isinstance(name, str) or name not in DIALECTS:
            raise RpcError(INVALID_PARAMS, f"`dialect` is not one of {', '.join(DIALECTS)}")
        self._dialect = name

    # Documents

    def _did_open(self, params: object) -> None:
        text = Text.of(given.text(params, "textDocument", "text"), self._unit)
        self._keep(Document(given.uri(params), given.version(params), text, self._dialect))

    def _did_change(self, params: object) -> None:
        document = self._document(params)
        text = document.text
        for change in given.items(params, "contentChanges"):
            replacement = given.text(change, "text")
            if given.found(change, "range") is None:
                text = Text.of(replacement, self._unit)
            else:
                text = text.changed(*given.span(change, "range"), replacement)
        self._keep(Document(document.uri, given.version(params), text, self._dialect))

    def _did_close(self, params: object) -> None:
        document = self._document(params)
        del self._open[document.uri]
        self._unpublished[document.uri] = None

    def _keep(self, document: Document) -> None:
        self._open[document.uri] = document
        self._unpublished[document.uri] = None

    def _document(self, params: object) -> Document:
        uri = given.uri(params)
        if uri not in self._open:
            raise RpcError(INVALID_PARAMS, f"`{uri}` is not open")
        return self._open[uri]

    # Diagnostics

    def _publish(self, uri: str) -> None:
        if self._pulls:
            return
        document = self._open.get(uri)
        told: dict[str, object] = {"uri": uri, "diagnostics": []}
        if document:
            told["diagnostics"] = list(_diagnostics(document))
            if document.version is not None:
                told["version"] = document.version
        self._connection.notify("textDocument/publishDiagnostics", told)

    def _diagnostic(self, params: object) -> object:
        return {"kind": "full", "items": list(_diagnostics(self._document(params)))}


def _unit(offered: tuple[str, ...]) -> Unit:
    """Return how to count: what the editor likes best, and UTF-16 where it does not say."""
    known: tuple[Unit, ...] = get_args(Unit)
    return next((unit for name in offered for unit in known if unit == name), "utf-16")


def _diagnostics(document: Document) -> Iterator[object]:
    for problem in document.problems:
        yield _diagnostic(document, problem)


def _diagnostic(document: Document, problem: Problem) -> dict[str, object]:
    return {
        "range": _range(document.text, problem.span),
        "severity": SEVERITIES[problem.severity],
        "code": problem.code,
        "source": "verger",
        "message": problem.message,
    }


def _range(text: Text, span: tuple[int, int]) -> dict[str, object]:
    start, stop = span
    return {"start": _position(text, start), "end": _position(text, stop)}


def _position(text: Text, offset: int) -> dict[str, int]:
    line, character = text.place(offset)
    return {"line": line, "character": character}
