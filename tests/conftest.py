"""Settings of the whole test run.

Generated cases are the same in every run, so that a failure is there for everybody;
`pytest --hypothesis-profile=default` looks for new ones.

What a test needs is marked here, by its place or by the fixtures that it asks for. The tests of
Spark share one Java process, and those of the browser one browser: each go to one worker.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

FOLDER = Path(__file__).parent
ALONE = ("spark", "browser")

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what tests need, and keep those together that share one process."""
    for item in items:
        for name in needs_of(item):
            item.add_marker(name)
            if name in ALONE and item.config.pluginmanager.hasplugin("xdist"):
                item.add_marker(pytest.mark.xdist_group(name))


def needs_of(item: pytest.Item) -> list[str]:
    """Return the markers that follow from where a test stands and what it asks for."""
    path = item.path.relative_to(FOLDER)
    fixtures = getattr(item, "fixturenames", ())
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    is_there = {
        "spark": path.parts[0] == "spark",
        "browser": path.stem == "test_browser",
        "kills": path.stem.endswith(("_kill", "_processes")),
        "server": "redis_server" in fixtures
        or any(isinstance(each, str) and each == "redis" for each in parameters),
    }
    return [name for name, holds in is_there.items() if holds]
