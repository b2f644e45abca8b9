"""The connection: what takes long keeps nobody waiting, and may be cancelled until it begins."""

import json
from io import BytesIO
from threading import Event
from typing import BinaryIO

from verger.service.lsp.rpc import REQUEST_CANCELLED, Connection

from .test_nonsense import framed

PATIENCE = 60
"""Seconds after which a test fails instead of hanging."""


class Slow(Connection):
    """A connection with a request that ends only when another one was answered."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        super().__init__(reader, writer)
        self.answered = Event()
        self.made = 0

    def request(self, method: str, _: object) -> object:
        if method == "quick":
            self.answered.set()
            return "quick"
        return self.slow

    def slow(self) -> bool:
        self.made += 1
        return self.answered.wait(PATIENCE)

    def report(self, _: str, error: Exception) -> None:
        raise error


def asked(*messages: dict[str, object]) -> tuple[list[dict[str, object]], Slow]:
    """Return the answers, and what gave them."""
    output = BytesIO()
    handler = Slow(BytesIO(b"".join(map(framed, messages))), output)
    handler.serve()
    bodies = output.getvalue().split(b"Content-Length: ")[1:]
    return [json.loads(body.partition(b"\r\n\r\n")[2]) for body in bodies], handler


def request(number: str, method: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method}


def test_a_slow_request_keeps_nobody_waiting() -> None:
    """A request behind it is answered first."""
    answers, _ = asked(request("a", "slow"), request("b", "quick"))

    assert [("b", "quick"), ("a", True)] == [(each["id"], each["result"]) for each in answers]


def test_a_slow_request_is_cancelled_before_it_begins() -> None:
    """It costs nothing then; the one before it is answered."""
    cancel: dict[str, object] = {
        "jsonrpc": "2.0",
        "method": "$/cancelRequest",
        "params": {"id": "b"},
    }
    slow = request("a", "slow"), request("b", "slow")
    answers, handler = asked(*slow, cancel, request("c", "quick"))
    by_id = {each["id"]: each for each in answers}

    assert f"{REQUEST_CANCELLED}" in str(by_id["b"]["error"])
    assert by_id["a"]["result"] is True
    assert handler.made == 1
