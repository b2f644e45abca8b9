"""Many URLs in one call: from any iterable, in chunks, while other threads run."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

import verger
from meanwhile import others_run_within

CHUNK = 1 << 16
"""How many URLs are decided at once; `crates/python/src/many.rs` names it so, too."""
RULES = b"User-agent: *\nDisallow: /a\nDisallow: /*/x\nDisallow: /%E3%83%84\nAllow: /a/b\n"
PATHS = ("/", "/a", "/a/b", "/b/x", "/ツ", "/caf\udce9", "/\ud800", "https://example.com/a?q#f")

Shape = Callable[[Sequence[str]], Iterable[str]]


def urls_of(number: int) -> list[str]:
    """As many URLs of all kinds."""
    return [PATHS[n % len(PATHS)] for n in range(number)]


def lazily(urls: Sequence[str]) -> Iterator[str]:
    """The same from a generator."""
    yield from urls


@pytest.mark.parametrize("number", [0, 1, 511, 512, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 7])
@pytest.mark.parametrize("shape", [list, tuple, lazily, dict.fromkeys])
def test_answers(number: int, shape: Shape) -> None:
    """One bool for each URL that the iterable yields, in order: what `allowed` says."""
    agent = verger.parse(RULES).agent("x")
    each = {path: agent.allowed(path) for path in PATHS}
    urls = shape(urls_of(number))
    expected = [each[url] for url in (urls_of(number) if shape is lazily else urls)]

    assert expected == agent.allowed_many(urls)


@pytest.mark.parametrize("position", [0, 5, 600, CHUNK - 1, CHUNK, CHUNK + 600])
@pytest.mark.parametrize("shape", [list, lazily])
@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ("mailto:a@b", verger.InvalidTarget),
        ("https://other.example/", verger.OutOfScope),
        (3, TypeError),
    ],
)
def test_position(position: int, shape: Shape, bad: str, error: type[Exception]) -> None:
    """The first URL that cannot be answered is named by its position."""
    robots = verger.parse(RULES, url="https://example.com/robots.txt")
    urls = urls_of(CHUNK + 700)
    urls[position] = bad
    urls[-1] = "no URL"
    with pytest.raises(error) as raised:
        robots.allowed_many(shape(urls), "x")

    assert raised.value.__notes__ == [f"this was `urls[{position}]`"]


@pytest.mark.parametrize(
    ("first", "error"), [("/", ZeroDivisionError), ("x", verger.InvalidTarget)]
)
def test_failing_iterable(first: str, error: type[Exception]) -> None:
    """What an iterable raises passes through, unless a URL before it is bad."""

    def failing() -> Iterator[str]:
        yield first
        yield str(1 // 0)

    with pytest.raises(error):
        verger.parse(RULES).allowed_many(failing(), "x")


def test_other_threads_run_meanwhile() -> None:
    """A long call lets other Python threads run before it returns."""
    agent, urls = verger.parse(RULES).agent("x"), urls_of(CHUNK)

    assert others_run_within(lambda: agent.allowed_many(urls))
