"""The language server: methods of the protocol, each answered by one function of a feature.

In: messages from an editor. Out: results in the protocol's form. The only state is the open files,
their dialect, and the unit in which the editor counts.

Language Server Protocol 3.17.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from verger._core import DIALECTS, __version__, _dialect_of
from verger.errors import RobotsError
from verger.files.json_text import Json
from verger.lint import Settings
from verger.service.lsp import params as given
from verger.service.lsp.code_action import FIX_ALL, QUICK_FIX, actions, formatting
from verger.service.lsp.code_lens import hints, lenses
from verger.service.lsp.completion import completions
from verger.service.lsp.diagnostics import diagnostics, report
from verger.service.lsp.document import Document, settings_of
from verger.service.lsp.document_symbol import folds, symbols
from verger.service.lsp.hover import MARKDOWN, hover
from verger.service.lsp.rpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    Connection,
    RpcError,
)
from verger.service.lsp.semantic_tokens import MODIFIERS, TYPES, tokens
from verger.service.lsp.text import UNITS, Text, Unit

OF_FILES: dict[str, Callable[[Document], object]] = {
    "textDocument/documentSymbol": symbols,
    "textDocument/foldingRange": folds,
    "textDocument/semanticTokens/full": tokens,
}
"""The requests about a whole file, and the functions that answer them."""

SLOW: dict[str, Callable[[Document], object]] = {
    "textDocument/codeLens": lenses,
    "textDocument/diagnostic": report,
    "textDocument/formatting": formatting,
}
"""Those that may take long."""

PUBLISH = "textDocument/publishDiagnostics"

CAPABILITIES: Json = {
    "textDocumentSync": {"openClose": True, "change": 2},
    "hoverProvider": True,
    "completionProvider": {"triggerCharacters": [":", " ", "=", ",", "*"]},
    "documentFormattingProvider": True,
    "documentSymbolProvider": True,
    "foldingRangeProvider": True,
    "semanticTokensProvider": {
        "legend": {"tokenTypes": TYPES, "tokenModifiers": MODIFIERS},
        "full": True,
    },
    "inlayHintProvider": True,
    "codeLensProvider": {"resolveProvider": False},
    "codeActionProvider": {"codeActionKinds": [QUICK_FIX, FIX_ALL]},
    "diagnosticProvider": {
        "identifier": "verger",
        "interFileDependencies": False,
        "workspaceDiagnostics": False,
    },
}
"""What the server can do, beside the unit of positions that it chooses."""


def serve(reader: BinaryIO, writer: BinaryIO, *, dialect: str | None = None) -> bool:
    """Answer an editor until it exits or hangs up; return whether it shut down the server before.

    dialect:  how files are read, unless the editor's settings name another one; None for that of
              the linter's configuration file.
    """
    server = Server(reader, writer, dialect)
    server.serve()
    return server.is_shut_down


class Server(Connection):
    """The open files of one editor, and the methods that it may call."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, dialect: str | None) -> None:
        super().__init__(reader, writer)
        self.is_shut_down = False
        self._dialect: Any = dialect  # a name in `DIALECTS`
        self._is_initialized = False
        self._pulls = False
        self._markdown = False
        self._unit: Unit = "utf-16"
        self._open: dict[str, Document] = {}
        self._unpublished: set[str] = set()
        self._requests: dict[str, Callable[[object], object]] = {
            "initialize": self._initialize,
            "shutdown": self._shut_down,
            "textDocument/hover": lambda params: hover(
                *self._asked(params), markdown=self._markdown
            ),
            "textDocument/completion": lambda params: completions(*self._asked(params)),
            "textDocument/inlayHint": lambda params: partial(hints, *self._asked_span(params)),
            "textDocument/codeAction": self._actions,
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
        if method in OF_FILES:
            return OF_FILES[method](self._document(params))
        if method in SLOW:
            return partial(SLOW[method], self._document(params))
        if method not in self._requests:
            raise RpcError(METHOD_NOT_FOUND, f"unknown method `{method}`")
        return self._requests[method](params)

    def notification(self, method: str, params: object) -> None:
        """Handle a notification of the editor; unknown ones are ignored."""
        if method in self._notes and (self._is_initialized or method == "exit"):
            self._notes[method](params)

    # Beginning and end

    def _initialize(self, params: object) -> object:
        if self._is_initialized:
            raise RpcError(INVALID_REQUEST, "the server is already initialized")
        can = given.found(params, "capabilities")
        offered = given.words(can, "general", "positionEncodings")
        self._unit = next((unit for name in offered for unit in UNITS if unit == name), "utf-16")
        self._pulls = given.found(can, "textDocument", "diagnostic") is not None
        formats = given.words(can, "textDocument", "hover", "contentFormat")
        self._markdown = MARKDOWN in formats
        self._configure(given.found(params, "initializationOptions"))
        self._is_initialized = True
        return {
            "capabilities": CAPABILITIES | {"positionEncoding": self._unit},
            "serverInfo": {"name": "verger", "version": __version__},
        }

    def _shut_down(self, _: object) -> None:
        self.is_shut_down = True

    def _exit(self, _: object) -> None:
        self.is_done = True

    def _did_configure(self, params: object) -> None:
        self._configure(given.found(params, "settings", "verger"))
        for document in list(self._open.values()):
            self._keep(self._new_document(document.uri, document.version, document.text))

    def _configure(self, settings: object) -> None:
        """Apply the settings of an editor; None means that it has none."""
        if (name := given.found(settings, "dialect")) is None:
            return
        try:
            _dialect_of(str(name))
        except RobotsError:
            known = ", ".join(DIALECTS)
            raise RpcError(INVALID_PARAMS, f"`dialect` is not one of {known}") from None
        self._dialect = name

    # Documents

    def _did_open(self, params: object) -> None:
        text = Text.of(given.expected(str, params, "textDocument", "text"), self._unit)
        self._keep(self._new_document(given.uri(params), given.version(params), text))

    def _did_change(self, params: object) -> None:
        document = self._document(params)
        text = document.text
        for change in given.expected(list, params, "contentChanges"):
            replacement = given.expected(str, change, "text")
            if given.found(change, "range") is None:
                text = Text.of(replacement, self._unit)
            else:
                text = text.changed(*given.span(change, "range"), replacement)
        self._keep(Document(document.uri, given.version(params), text, document.settings))

    def _did_close(self, params: object) -> None:
        document = self._document(params)
        del self._open[document.uri]
        self._publish_later(document.uri)

    def _new_document(self, uri: str, version: int | None, text: Text) -> Document:
        """Return a document; if its configuration file is invalid, with the default settings."""
        try:
            settings = settings_of(uri, self._dialect)
        except RobotsError as error:
            self.tell(
                "window/showMessage", f"{error.message}" + (f"; {error.hint}" if error.hint else "")
            )
            settings = Settings()
        return Document(uri, version, text, settings)

    def _keep(self, document: Document) -> None:
        self._open[document.uri] = document
        self._publish_later(document.uri)

    def _document(self, params: object) -> Document:
        uri = given.uri(params)
        if uri not in self._open:
            raise RpcError(INVALID_PARAMS, f"`{uri}` is not open")
        return self._open[uri]

    # Diagnostics

    def _publish_later(self, uri: str) -> None:
        """Publish the diagnostics of a file, once for all changes until its turn comes."""
        if not self._pulls and uri not in self._unpublished:
            self._unpublished.add(uri)
            self.later(PUBLISH, partial(self._publish, uri))

    def _publish(self, uri: str) -> None:
        self._unpublished.discard(uri)
        document = self._open.get(uri)
        params: Json = {"uri": uri, "diagnostics": diagnostics(document) if document else []}
        if document and document.version is not None:
            params["version"] = document.version
        if document is self._open.get(uri):  # otherwise a newer version follows
            self.notify(PUBLISH, params)

    # Features

    def _actions(self, params: object) -> object:
        only = given.words(params, "context", "only")
        return partial(actions, *self._asked_span(params), only)

    def _asked(self, params: object) -> tuple[Document, int]:
        """Return the document of a request, and the offset that it is about."""
        document = self._document(params)
        return document, document.text.offset(given.place(params, "position"))

    def _asked_span(self, params: object) -> tuple[Document, tuple[int, int]]:
        """Return the document of a request, and the span that it is about."""
        document = self._document(params)
        start, stop = given.span(params, "range")
        return document, (document.text.offset(start), document.text.offset(stop))
