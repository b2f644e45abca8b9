"""The connection: what takes long keeps nobody waiting, and may be cancelled until it begins."""

import json
import time
from io import BytesIO
from threading import Event
from typing import BinaryIO

import pytest

from patience import LONG
from verger.service.lsp import rpc
from verger.service.lsp.rpc import REQUEST_CANCELLED, SERVER_CANCELLED, Connection

from .test_nonsense import framed


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
        return self.answered.wait(LONG)

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


@pytest.mark.parametrize("message", [framed({"id": 1, "method": "x" * 1_000}), b"x\n"])
def test_an_editor_that_never_reads(monkeypatch: pytest.MonkeyPatch, message: bytes) -> None:
    """While an answer cannot be written, what is read ahead stays below a limit."""
    monkeypatch.setattr(rpc, "MOST_AHEAD", 1 << 16)
    reader = BytesIO(framed(request("a", "quick")) + message * 10_000)
    size = len(reader.getvalue())
    read: list[int] = []

    class Full(BytesIO):
        """A pipe that takes nothing until no more is read."""

        def write(self, _: object) -> int:
            while not read and not handler._received.full() and reader.tell() < size:
                time.sleep(0.001)
            read.append(reader.tell())
            return 0

    handler = Slow(reader, Full())
    handler.serve()

    assert read[0] < min(1 << 17, size)
    assert read[-1] == size


def test_too_many_slow_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that would wait behind many others are refused, and may be sent again."""
    monkeypatch.setattr(rpc, "MOST_WAITING", 3)
    slow = (request(f"{n}", "slow") for n in range(10))
    answers, handler = asked(*slow, request("b", "quick"))
    refused = [each for each in answers if f"{SERVER_CANCELLED}" in str(each.get("error"))]

    assert len(answers) == 11
    assert handler.made == 10 - len(refused)
    assert 3 <= handler.made <= 4  # one may have begun
