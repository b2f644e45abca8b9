"""The built wheel, which `make test-wheel` names: no other test sees verger without its tools."""

import os

import pytest

WHEEL = os.environ.get("VERGER_WHEEL")
collect_ignore = [] if WHEEL else ["test_matrix.py"]


def pytest_report_header() -> list[str]:
    """Say why the tests are left out."""
    return [] if WHEEL else ["tests/wheel left out: run `make test-wheel`"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests have measured, and judge none of it."""
    for report in terminalreporter.getreports("passed"):
        for name, told in report.user_properties:
            terminalreporter.line(f"{name}: {told}")
