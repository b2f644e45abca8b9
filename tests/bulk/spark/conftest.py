"""One Spark on this machine for all tests: two workers, and four attempts for a task."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MODULES = ("pyspark", "pandas", "pyarrow")


def missing() -> str | None:
    """Return why Spark cannot run here."""
    absent = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)}"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "no Java: neither `java` on the path nor JAVA_HOME"
    return None


# Modules of tests import pyspark; where it is missing none is looked at, and one says why.
WHY_NOT = missing()
collect_ignore_glob = ["test_*.py"] if WHY_NOT and os.environ.get("CI") != "true" else []


def pytest_report_header() -> list[str]:
    """Say why tests of Spark are left out."""
    return [f"tests/bulk/spark left out: {WHY_NOT}"] if collect_ignore_glob else []


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """A session with small batches, so that partitions have many."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,4]")
        .appName("tests")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
