"""The example with Ray Data that the guide shows, in the real package."""

import doctest
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="`make test-ray` has Ray")

import ray

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "data-tools.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Ray of two workers on this machine, with a token of its own; it reports to nobody."""
    # Without a token of its own, Ray would make one in the home of whoever runs the tests.
    token = tmp_path / "token"
    token.write_text(secrets.token_hex(), encoding="ascii")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("workers")
def test_the_example_of_the_guide_runs() -> None:
    """What all examples share, and then the block that the other tests of pages leave out."""
    shown = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    (shared, *_) = (text for language, text in shown if language == "python")
    (example,) = (text for language, text in shown if language == "py")
    names: dict[str, object] = {}
    exec(shared, names)
    test = doctest.DocTestParser().get_doctest(example, names, PAGE.name, str(PAGE), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE).run(test)

    assert 5 == result.attempted
    assert 0 == result.failed
