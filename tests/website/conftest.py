"""The tools of the website, and the site that `make test-site` has built."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools" / "website"))

# What opens the site in a browser needs it built: `make test-site` says where it is.
SITE = os.environ.get("VERGER_SITE")
collect_ignore = [] if SITE else ["test_built.py"]


def pytest_report_header() -> list[str]:
    """Say why tests of the built site are left out."""
    return [] if SITE else ["tests/website/test_built.py left out: run `make test-site`"]
