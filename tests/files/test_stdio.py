"""Stdin as bytes."""

import os
import sys

import pytest

from verger.files.stdio import unbuffered_stdin


def test_stdin_that_does_not_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that starts this one may leave it so: then bytes that come late seem the end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with os.fdopen(reading, encoding="utf-8") as stdin, os.fdopen(writing, "wb"):
        monkeypatch.setattr(sys, "stdin", stdin)
        stream = unbuffered_stdin("URLs")

        assert os.get_blocking(stream.fileno())
