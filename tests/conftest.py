"""Settings of the whole test run.

Generated cases are the same in every run, so that a failure is there for everybody;
`pytest --hypothesis-profile=default` looks for new ones.

What a test needs is marked here, by its place or by the fixtures that it asks for. Where inputs
take long to make, `--dist loadfile` keeps the tests of a file on one worker, and here all of Spark,
which share one Java process. (A group for them, by `--dist loadgroup`, is passed over where pytest
is 9.2: issue 1386 of pytest-xdist.)
"""

import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from shares import commit, left_for_others

FOLDER = Path(__file__).parent
TOGETHER = "tests/spark/"

SLOW = (
    "access/test_policy.py",
    "analysis/test_automaton.py",
    "bulk/report/test_browser.py",
    "cli/test_damaged_parquet.py",
    "cli/test_edit_kill.py",
    "cli/test_filter_kill.py",
    "cli/test_memory.py",
    "cli/test_outputs.py",
    "client/test_programs.py",
    "faults/test_faults.py",
    "integrations/test_framework_faults.py",
    "spark/",
    "test_agreement.py",
    "test_differential.py",
)
"""Exhaustive, or long by nature: folders and modules that `make test` leaves out."""

MODERATE = (
    "access/test_freshness.py",
    "access/test_observations.py",
    "analysis/test_blocking.py",
    "analysis/test_diff.py",
    "analysis/test_edit.py",
    "benchmarks/test_languages_contest.py",
    "bulk/audit/test_differential.py",
    "bulk/report/test_changes.py",
    "bulk/report/test_inputs.py",
    "bulk/report/test_numbers.py",
    "bulk/test_decide.py",
    "bulk/test_decide_work.py",
    "bulk/test_snapshot.py",
    "cache/test_sqlite.py",
    "cli/test_agents.py",
    "cli/test_cache.py",
    "cli/test_check_live.py",
    "cli/test_diff.py",
    "cli/test_every_option.py",
    "cli/test_filter_journal.py",
    "cli/test_filter_network.py",
    "cli/test_full_disks.py",
    "cli/test_guide.py",
    "cli/test_meant_otherwise.py",
    "cli/test_report.py",
    "cli/test_terminal.py",
    "cli/test_vocabulary.py",
    "client/test_unreachable.py",
    "compat/test_beside_originals.py",
    "compat/test_upstream.py",
    "expectations/test_pytest_plugin.py",
    "faults/test_bombs.py",
    "faults/test_guard.py",
    "fetching/test_ftp.py",
    "fetching/test_aio.py",
    "integrations/test_client_faults.py",
    "integrations/test_clients.py",
    "integrations/test_missing.py",
    "lint/test_promises.py",
    "lint/test_troubles.py",
    "scan/test_run.py",
    "service/lsp/test_features.py",
    "service/lsp/test_nonsense.py",
    "service/lsp/test_server.py",
    "service/test_mcp.py",
    "test_action.py",
    "test_decision.py",
    "test_docs.py",
    "test_errors.py",
    "test_examples.py",
    "test_google_vectors.py",
    "test_layers.py",
    "test_many.py",
    "test_reference.py",
    "test_totality.py",
    "test_views.py",
)
"""Modules that take more than a moment; `make test-fast` leaves them out."""

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what tests need, and leave those that `--share` leaves for other commits."""
    for item in items:
        for name in needs_of(item):
            item.add_marker(name)
    parts = config.getoption("share")
    if parts > 1:
        by_id = {item.nodeid: item for item in items if is_shared(item)}
        left = {by_id[nodeid] for nodeid in left_for_others(by_id, parts, commit())}
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep those together that share one process."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return TOGETHER if nodeid.startswith(TOGETHER) else super()._split_scope(nodeid)

    return Scheduling(config, log)


def is_shared(item: pytest.Item) -> bool:
    """Return whether a test may be left for another commit."""
    return "slow" in item.keywords and "each_commit" not in item.keywords


def needs_of(item: pytest.Item) -> list[str]:
    """Return the markers that follow from where a test stands and what it asks for."""
    path = item.path.relative_to(FOLDER)
    fixtures = getattr(item, "fixturenames", ())
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    where = path.as_posix()
    is_there = {
        "slow": where.startswith(SLOW),
        "moderate": where.startswith(MODERATE),
        "spark": path.parts[0] == "spark",
        "browser": path.stem == "test_browser",
        "kills": path.stem.endswith(("_kill", "_processes")),
        "server": "redis_server" in fixtures
        or any(isinstance(each, str) and each == "redis" for each in parameters),
    }
    return [name for name, holds in is_there.items() if holds]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know `--share`, and the option of pytest-asyncio also in environments without it."""
    what = "of slow tests run one case in so many; others run with other commits"
    parser.addoption("--share", type=int, default=1, metavar="N", help=what)
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
