"""Settings of the whole test run.

Generated cases are the same in every run, so that a failure is there for everybody;
`pytest --hypothesis-profile=default` looks for new ones. `make test-all` takes more of the same.
"""

import gc
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=50,
)
settings.register_profile("exhaustive", settings.get_profile("steady"), max_examples=250)
settings.load_profile("steady")


def pytest_sessionstart() -> None:
    """Search for no garbage while tests are collected: nearly all of it stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what collection made out of every later search for garbage.

    Tens of thousands of tests stay until the end; to look at them again and again is a fifth of
    the work of tests that make many objects.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Let libraries see at the end that nothing of theirs is left."""
    gc.unfreeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know the option of pytest-asyncio also in environments without it."""
    if find_spec("pytest_asyncio") is None:
        parser.addini("asyncio_default_fixture_loop_scope", "for pytest-asyncio")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can get to.

    It is not in pytest's own folder, which each session that begins closes to others again.
    """
    with tempfile.TemporaryDirectory(prefix="verger-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)  # or its owner could not empty it
