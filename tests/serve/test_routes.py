"""Each route gives the object of the command of the same name."""

from typing import Any

from .conftest import Serving


def test_check(service: Serving) -> None:
    said = service.get("/v1/check", url="https://a.example/private/x", agent="ExampleBot")

    print(said.headers, said.text)
    assert said.json()["allowed"] is False
