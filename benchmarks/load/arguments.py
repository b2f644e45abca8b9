"""The command line that every crawl over the player has. It imports nothing of this project."""

from __future__ import annotations

import argparse
from pathlib import Path


def crawl_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of what each crawl takes: URLs, the player's port, how many connections."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("urls", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, required=True)
    return parser
