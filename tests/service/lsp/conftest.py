"""An editor: the client of pytest-lsp, which checks what it is told, and a server over stdio."""

import sys

import pytest

pytest.importorskip("pytest_lsp", reason="pytest-lsp is not installed")

import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, fixture as lsp_fixture

from cli.console import environment

URI = "file:///site/robots.txt"
CONFIG = ClientServerConfig(
    server_command=[sys.executable, "-m", "verger", "lsp"], server_env=environment()
)


class Editor:
    """One file in an editor."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.version = 0
        self.document = types.TextDocumentIdentifier(URI)

    def put(self, text: str, uri: str = URI) -> None:
        """Open a file."""
        document = types.TextDocumentItem(uri, "robots-txt", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    async def open(self, text: str, uri: str = URI) -> list[types.Diagnostic]:
        """Open a file, and return what is wrong with it."""
        self.put(text, uri)
        return await self.diagnostics()

    async def change(
        self, text: str, start: tuple[int, int], stop: tuple[int, int]
    ) -> list[types.Diagnostic]:
        """Type something in place of what stands between two places."""
        where = types.Range(types.Position(*start), types.Position(*stop))
        return await self._change(types.TextDocumentContentChangePartial(where, text))

    async def replace(self, text: str) -> list[types.Diagnostic]:
        """Put another text in place of the whole file."""
        return await self._change(types.TextDocumentContentChangeWholeDocument(text))

    async def _change(self, change: types.TextDocumentContentChangeEvent) -> list[types.Diagnostic]:
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, URI)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return await self.diagnostics()

    async def diagnostics(self) -> list[types.Diagnostic]:
        """Return what the server says next of this version."""
        while True:
            told = await self.client.wait_for_notification("textDocument/publishDiagnostics")
            if told.version == self.version:
                return list(told.diagnostics)


def begun(*units: str, **capabilities: object) -> types.InitializeParams:
    """Return what an editor begins with."""
    general = types.GeneralClientCapabilities(position_encodings=list(units) or None)
    told = types.ClientCapabilities(general=general, **capabilities)
    return types.InitializeParams(capabilities=told)


@lsp_fixture(config=CONFIG)
async def client(lsp_client: LanguageClient):
    """A client that has said nothing yet."""
    yield lsp_client
    await lsp_client.shutdown_session()


@pytest_asyncio.fixture
async def editor(client: LanguageClient) -> Editor:
    """An editor that has begun."""
    await client.initialize_session(begun())
    return Editor(client)
