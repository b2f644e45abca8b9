"""The connection: what takes long keeps nobody waiting, and may be cancelled until it begins."""

import json
from io import BytesIO
from threading import Event
from typing import BinaryIO

import pytest

from verger.service.lsp.rpc import REQUEST_CANCELLED, Connection

from .test_nonsense import PATIENCE, framed


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


def test_an_answer_is_not_answered() -> None:
    """The server asks nothing; what an editor answers all the same is passed over."""
    odd: list[dict[str, object]] = [{"id": 3, "result": 1}, {"id": 4, "error": {}}]
    answers, _ = asked(*odd, request("b", "quick"))

    assert ["b"] == [each["id"] for each in answers]


def test_nobody_waits_for_slow_work_when_reading_fails() -> None:
    """As Ctrl-C does: what is at work or waits for its turn is left behind."""

    class Interrupted(BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            line = super().readline(size)
            if not line:
                raise KeyboardInterrupt
            return line

    slow = framed(request("a", "slow")) + framed(request("b", "slow"))
    handler = Slow(Interrupted(slow), BytesIO())
    with pytest.raises(KeyboardInterrupt):
        handler.serve()

    assert not handler.answered.is_set()
    handler.answered.set()
