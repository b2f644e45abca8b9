"""Identification strings of any length: what the drop-ins keep of them is bounded."""

import tracemalloc

import pytest

from verger.compat.protego import Protego

FILE = "User-agent: *\nDisallow: /p\n\nUser-agent: examplebot\nDisallow: /q\n"


@pytest.mark.parametrize("part", ["a1 ", "(x) ", "examplebot/1 "])
def test_a_long_user_agent(part: str) -> None:
    """Its parts are compared, and not each with all that follows; the drop-in kept a gigabyte."""
    rules = Protego.parse(FILE)
    tracemalloc.start()
    answers = [rules.can_fetch(path, part * 20_000) for path in ("/p", "/q")]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert ([True, False] if "example" in part else [False, True]) == answers
    assert most < 8 << 20


def test_user_agents_outside_ascii() -> None:
    """The file is read once more for all of them, and not for each."""
    rules = Protego.parse(FILE + "# filling\n" * 50_000)
    tracemalloc.start()
    assert all(rules.can_fetch("/q", f"bot{number}/1.0 \xe9") for number in range(50))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 4 << 20
    assert 1 == len({id(agent.robots) for agent in rules._agents.values()})
